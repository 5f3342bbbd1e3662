"""Pictures: a figure's PNG (``draw``), and what its panels, the comparison of waters and the tools' plots share."""

from .draw import draw

__all__ = ["draw"]
