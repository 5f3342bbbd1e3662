"""Results as a page: one HTML file with its pictures within, for a browser or a mail; no script, nothing to fetch."""

from .beside import PAGE
from .experiment import experiment
from .overview import overview
from .tables import tables

__all__ = ["PAGE", "experiment", "overview", "tables"]
