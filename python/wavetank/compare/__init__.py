"""Scenarios and waters side by side."""

from .beside import beside, remarks, strangers
from .columns import Column, columns, waters
from .comparison import TESTBED, Comparison, compare, save
from .figures import Line, figures, lines

__all__ = [
    "TESTBED",
    "Column",
    "Comparison",
    "Line",
    "beside",
    "columns",
    "compare",
    "figures",
    "lines",
    "remarks",
    "save",
    "strangers",
    "waters",
]
