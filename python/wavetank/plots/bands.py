"""What the papers say at a figure's points: bands and values, found and drawn in one way for every kind of panel.

A band is a bar of grey, a value a diamond. What the paper gives as a ratio to another row, or as a difference from it, is taken
from what we measured of that row and is dashed; what it gives of several points together is dotted at each of them.
Each artist is marked with what it is, so that a figure's caption speaks of what is there, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation

from ..lab import metrics
from ..lab.plan import Figure, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.judge import Verdict
    from ..lab.outcome import Outcome

#: How a band comes about: the paper's own, that of the mean of several points, and by way of another point of ours.
ABSOLUTE, MEAN, RATIO, DIFFERENCE = "absolute", "mean", "ratio", "difference"
#: What the artists of bands and values are marked with.
VALUE, OVER_TIME = "paper: value", "paper: over time"
#: And axes with bands in the colours of whose they are.
COLOURED = "bands in colours"


@dataclass(frozen=True)
class Band:
    """What the paper says of a quantity at a point, in the quantity's unit, and ``how``."""

    low: float
    high: float
    value: float | None
    how: str = ABSOLUTE

    @property
    def relative(self) -> bool:
        """Whether it rests on what we measured elsewhere."""
        return self.how in (RATIO, DIFFERENCE)


#: A panel's quantity shows the claims on these.
SHOWS = {"all_goodput": ("goodput", "udp_goodput")}
#: Statistics that the middle of a candle or the height of a bar may be held against; not a distribution's tail.
MIDDLES = ("", "median", "mean")


def bands_at(outcome: Outcome, figure: Figure, point: Point, quantity: str) -> list[Band]:
    """The paper's bands for this quantity at this very set-up, each once, its own before those by way of others."""
    out: list[Band] = []
    for v in outcome.verdicts:
        c = v.claim
        if c.quantity not in SHOWS.get(quantity, (quantity,)) or c.keys.get("stat", "") not in MIDDLES:
            continue
        band = _band(v) if _same_set_up(outcome, figure, point, v) else None
        if band is not None and band not in out:
            out.append(band)
    return sorted(out, key=lambda b: b.relative)


def _band(v: Verdict) -> Band | None:
    """A claim as a band; nothing where it has no figures or an open end, or is of several points and shows at none of them."""
    c = v.claim
    if c.low is None or c.high is None or c.reduce not in ("", "mean"):
        return None
    if not c.refers:
        return Band(c.low, c.high, c.value, MEAN if c.reduce and len(c.points) > 1 else ABSOLUTE)
    if v.other is None or len(c.points) != 1:
        return None  # of several points each may refer to another
    if c.relation == "ratio-to":
        low, high, value = (None if x is None else _unratio(x, c.unit) * v.other for x in (c.low, c.high, c.value))
    elif c.relation in ("gt", "lt"):
        sign = 1.0 if c.relation == "gt" else -1.0
        low, high, value = (None if x is None else v.other + sign * x for x in (c.low, c.high, c.value))
    else:
        return None
    assert low is not None and high is not None
    return Band(min(low, high), max(low, high), value, RATIO if c.relation == "ratio-to" else DIFFERENCE)


def _unratio(x: float, unit: str) -> float:
    return 1 + x / 100 if unit == "%" else x


def _same_set_up(outcome: Outcome, figure: Figure, point: Point, verdict: Verdict) -> bool:
    """Whether the claim is measured at this very set-up, be it in another figure of the experiment."""
    c = verdict.claim
    other = outcome.measured.figures.get(c.figure)
    if other is None:
        return False
    return any(_alike(figure, point, other, other.points[n], c.quantity) for n in c.points if n in other.points)


def _alike(figure: Figure, a: Point, other: Figure, b: Point, quantity: str) -> bool:
    if quantity in metrics.MODEL:  # of a closed form the scenario is nothing, the place on its axes all
        return dict(figure.model) == dict(other.model) and dict(a.x) == dict(b.x)
    return a.scenario.text == b.scenario.text and dict(a.scenario.overrides) == dict(b.scenario.overrides)


#: Points (1/72 inch) from one band to the next, at most, and from a mark of ours to the first.
PITCH = BESIDE = 7.0
#: The same of bands in the colours of whose they are.
THIN = 4.2
_DASHES = {MEAN: (0, (1, 1.2)), RATIO: (0, (3, 1.6)), DIFFERENCE: (0, (3, 1.6))}


def mark(
    ax: Axes,
    bands: Sequence[Band],
    at: float,
    room: float = 1e9,
    *,
    aside: float = 0.0,
    base: float = 0.0,
    along: str = "y",
    colour: str = "",
    symbol: str = "D",
    shift: float = 0.0,
) -> float:
    """Draws bands side by side around a place on the other axis; gives how far they reach.

    ``room``: what there is for all of them together, in units of the other axis, whose limits must stand. ``aside``: how far
    (points) they begin from a mark of ours that they must not hide. ``base``: where the quantity has its zero, of parts on top
    of each other. ``along``: the quantity's axis. ``colour``: of whose points they are, where many stand close: thin, behind the
    marks. ``symbol``: what a value is drawn as; nothing where that is empty. ``shift``: how far (points) they stand aside, of
    bands that others would hide.
    """
    pitch = min(THIN if colour else PITCH, _in_points(ax, room, along) / max(len(bands), 1))
    reach = 0.0
    for k, band in enumerate(bands):
        across = (shift + (aside + pitch * k if aside else pitch * (k - (len(bands) - 1) / 2))) / 72
        step = (across, 0.0) if along == "y" else (0.0, across)
        trans = ax.transData + ScaledTranslation(*step, ax.figure.dpi_scale_trans)
        ends = [base + band.low, base + band.high]
        _bar(ax, trans, at, ends, band.how, pitch, along, colour)
        if band.value is not None and symbol:
            size = 5.0 if colour else max(2.6, min(4.0, 0.75 * pitch))
            hollow = _line(trans, at, [base + band.value], along, gid=VALUE, zorder=2.3 if colour else 4.3)
            hollow.set(
                marker=symbol, markersize=size, color="white", markeredgecolor=colour or "black", markeredgewidth=0.8
            )
            ax.add_artist(hollow)
        ax.update_datalim([(at, e) if along == "y" else (e, at) for e in ends])
        reach = max(reach, ends[1])
    if bands:
        ax.autoscale_view()
        if colour:
            ax.set_gid(COLOURED)
    return reach


class Aside:
    """Keeps bands in colours apart: several controls may have one and the same, and the last would hide the others."""

    #: So many steps to each side are tried.
    MOST = 6

    def __init__(self, ax: Axes) -> None:
        self.ax = ax
        self.taken: list[tuple[str, float, float, float]] = []

    def shift(self, *crosses: tuple[Sequence[Band], float, str]) -> float:
        """How far (points) the bands at a place ``(bands, at, along)`` step aside together, so that they lie on none before."""
        every = [self._place(b, at, along) for bands, at, along in crosses for b in bands]
        steps = [s * k * THIN for k in range(self.MOST + 1) for s in (1, -1)]
        free = next((s for s in steps if not any(self._hides(e, t, s) for e in every for t in self.taken)), 0.0)
        self.taken += [(along, at + free, low, high) for along, at, low, high in every]
        return free

    def _place(self, band: Band, at: float, along: str) -> tuple[str, float, float, float]:
        """A band in points: where it stands on the other axis, and its ends."""
        ends = [(at, e) if along == "y" else (e, at) for e in (band.low, band.high)]
        (x, y), (x2, y2) = 72 / self.ax.figure.dpi * self.ax.transData.transform(ends)
        return (along, x, *sorted((y, y2))) if along == "y" else (along, y, *sorted((x, x2)))

    @staticmethod
    def _hides(a: tuple[str, float, float, float], b: tuple[str, float, float, float], shift: float) -> bool:
        return a[0] == b[0] and abs(a[1] + shift - b[1]) < 0.9 * THIN and a[2] <= b[3] and b[2] <= a[3]


def _bar(ax: Axes, trans: Any, at: float, ends: list[float], how: str, pitch: float, along: str, own: str) -> None:
    """A band: over a rim of white, so that it is seen on bars of any colour."""
    width = 0.7 * pitch if how == ABSOLUTE else 1.1
    cap = "_" if along == "y" else "|"
    grey = "#a0a0a0" if how == ABSOLUTE else "#333333"
    z = 2.1 if own else 4.1
    rim = min(1.4, 0.2 * pitch)
    for colour, more, gid in (
        ("white", rim, None),
        (own or grey, 0.0, f"paper: {how}"),
    ):
        line = _line(trans, at, ends, along, gid=gid, zorder=z if gid is None else z + 0.1)
        line.set(
            color=colour, linewidth=width + more, solid_capstyle="butt", alpha=0.4 if own and how == ABSOLUTE else 1
        )
        if how != ABSOLUTE:
            line.set(marker=cap, markersize=min(5.0, 0.8 * pitch), markeredgewidth=1.0 + more)
            line.set_linestyle(_DASHES[how] if gid else "-")  # the rim is one piece
        ax.add_artist(line)


def _line(trans: Any, at: float, values: Sequence[float], along: str, *, gid: str | None, zorder: float) -> Line2D:
    across = [at] * len(values)
    line = Line2D(across, values) if along == "y" else Line2D(values, across)
    line.set(transform=trans, gid=gid, zorder=zorder)
    return line


def _in_points(ax: Axes, length: float, along: str) -> float:
    """A length on the other axis in points, before the layout has its last word."""
    low, high = ax.get_xlim() if along == "y" else ax.get_ylim()
    box = ax.get_window_extent()
    pixels = box.width if along == "y" else box.height
    return 72 / ax.figure.get_dpi() * pixels * min(1.0, length / abs(high - low))


def shade(ax: Axes, bands: Sequence[Band], window: tuple[float, float], colour: str) -> float:
    """The same over time, in a curve's colour: shaded with a dashed line for the value; by way of others with dashed edges.

    Gives how far they reach.
    """
    start, end = window
    for band in bands:
        style: dict[str, Any] = {"facecolor": colour, "alpha": 0.13, "linewidth": 0}
        if band.relative:
            style = {"facecolor": "none", "edgecolor": colour, "linewidth": 0.8, "linestyle": (0, (1, 2))}
        box = Rectangle((start, band.low), end - start, band.high - band.low, **style)
        box.set_gid(f"{OVER_TIME}, {band.how}")
        ax.add_patch(box)
        if band.value is not None and not band.relative:
            ax.hlines(band.value, start, end, color=colour, linewidth=0.9, linestyle=(0, (4, 3)))
    return max((b.high for b in bands), default=0.0)


def in_figures(bands: Sequence[Band]) -> str:
    """The paper's value in figures, else its band's ends: where a band would say nothing to the eye."""
    b = bands[0]
    return f"{b.value:,.6g}" if b.value is not None else between(bands)


def between(bands: Sequence[Band]) -> str:
    """The ends of the paper's band in figures; of "more than 60 %" the value alone would say "60 %"."""
    return f"{bands[0].low:,.6g} to {bands[0].high:,.6g}"


#: What a caption says of each way in which a band comes about.
_BY_WAY = {
    RATIO: "the paper's ratio times our other point",
    DIFFERENCE: "our other point and the paper's difference from it",
}


def told(gids: set[str]) -> str:
    """A caption's sentence on the bands that a picture has, by what its artists are marked with; empty where there are none."""
    parts = []
    pale = "Pale, in the colour of our marks"
    if f"paper: {ABSOLUTE}" in gids:
        parts.append(f"{pale if COLOURED in gids else 'Grey'}: the paper's band")
    if found := [text for how, text in _BY_WAY.items() if f"paper: {how}" in gids]:
        parts.append(f"dashed: {', or '.join(found)}")
    if f"paper: {MEAN}" in gids:
        parts.append("dotted: its band of the mean over several points")
    if VALUE in gids:
        parts.append(("hollow mark" if COLOURED in gids else "\u25c7") + ": its value")
    if COLOURED in gids:
        parts.append("what would hide another stands aside")
    return _sentence(parts)


def told_over_time(gids: set[str]) -> str:
    """The same of what is shaded over time."""
    parts = []
    if f"{OVER_TIME}, {ABSOLUTE}" in gids:
        parts.append("Shaded: the paper's band, dashed its value")
    if found := [text for how, text in _BY_WAY.items() if f"{OVER_TIME}, {how}" in gids]:
        parts.append(f"dotted frames: {', or '.join(found)}")
    return _sentence(parts)


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""
