"""Held against what others' code did on the same work: the Linux kernel's TCP, and ns-3's DCF.

The references are measured facts and travel with the package; another folder or file of the same format can be given.
"""

from .report import Report, Row

__all__ = ["Report", "Row"]
