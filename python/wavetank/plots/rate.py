"""Panels of chapter 5: heat maps over two axes, a topology's goodput under one scheme against another's, bars by client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import stats
from ..lab import metrics, over
from ..lab.judge import EQUAL
from ..lab.plan import Figure, Point
from ..lab.records import Record
from ..stats import FloatArray
from .aggregate import steps
from .bands import bands_at, mark
from .style import BLUE, MARKS, PALETTE, PAPER, from_zero, legend_above, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome


def _value(outcome: Outcome, figure: Figure, point: Point, quantity: str) -> float:
    return metrics.sample(quantity, "", outcome.measured.of(figure, point), point).value


def _axis(values: list[float]) -> list[str]:
    return [f"{v:g}" for v in values]


def heatmap(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A quantity's median over repetitions, in a field for each pair of values on two axes (``x`` may be ``scheme``)."""
    schemes: list[str] = panel["schemes"]
    x, by = str(panel["x"]), str(panel["by"])
    chosen = [(s, p) for s in schemes for p in over.points(figure, s)]
    rows = sorted({p.x[by] for _, p in chosen})
    columns: list[Any] = schemes if x == "scheme" else sorted({p.x[x] for _, p in chosen})
    field = np.full((len(rows), len(columns)), np.nan)
    for s, p in chosen:
        column = columns.index(s if x == "scheme" else p.x[x])
        field[rows.index(p.x[by]), column] = _value(outcome, figure, p, str(panel["quantity"]))
    x_ticks, x_label = (schemes, "") if x == "scheme" else (_axis(columns), x)
    tint(ax, field, (x_ticks, _axis(rows)), str(panel["label"]))
    ax.set_xlabel(str(panel.get("x_label", x_label)))
    ax.set_ylabel(str(panel.get("y_label", by)))


#: A field of more cells has no numbers in them.
ROOM = 400


def tint(ax: Axes, field: FloatArray, ticks: tuple[Sequence[str], Sequence[str]], label: str, digits: int = 0) -> None:
    """A field of colours with its numbers, if there is room for them: columns along x, rows upwards."""
    columns, rows = ticks
    image = ax.imshow(field, origin="lower", aspect="auto", cmap="viridis")
    middle = (np.nanmin(field) + np.nanmax(field)) / 2
    for (i, j), v in np.ndenumerate(field):
        if np.isfinite(v) and field.size <= ROOM:
            text = f"{v:.{digits}f}"
            ax.text(j, i, text, ha="center", va="center", fontsize=6.5, color="black" if v > middle else "white")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.grid(visible=False)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label(label)


def scatter(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A dot a topology: its goodput under each other scheme against that under the first; a line joins several of a topology."""
    first, *others = panel["schemes"]
    a, *every = (over.means(figure, s, lambda p: outcome.measured.of(figure, p)) for s in (first, *others))
    if len(every) > 1:
        ax.vlines(a, np.min(every, axis=0), np.max(every, axis=0), color="#d0d0d0", linewidth=0.7, zorder=1)
    for i, (scheme, b) in enumerate(zip(others, every, strict=True)):
        gain = 100 * (b / a - 1)
        told = f"{scheme}: above in {100 * np.mean(gain > EQUAL):.0f} %, {round(gain.mean()):+d} % on average"
        ax.scatter(a, b, s=14, color=PALETTE[i], marker=MARKS[i], alpha=0.8, linewidths=0, label=told, zorder=2)
    _diagonal(ax, float(max(a.max(), np.max(every))), len(every))
    ax.set_xlabel(f"{first}: {panel['label']}")
    ax.set_ylabel(f"{others[0]}: {panel['label']}" if len(others) == 1 else str(panel["label"]))
    ax.legend(loc="upper left", handletextpad=0.2)


def _diagonal(ax: Axes, most: float, lines: int = 1) -> None:
    """Where both axes are equal, with room above for a legend of so many lines."""
    ax.plot([0, most], [0, most], color=PAPER, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
    ax.set_xlim(0, 1.05 * most)
    ax.set_ylim(0, (1.1 + 0.15 * lines) * most)


def _each_second(r: Record) -> FloatArray:
    """The clients' goodput together in each second, Mbit/s."""
    return np.sum([np.nan_to_num(np.array(f, dtype=np.float64)) for f in r["flow_seconds"]], axis=0)  # type: ignore[no-any-return]


def seconds(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A dot a second: the clients' goodput in it at the second point against that at the first, in the same run."""
    first, second = points_of(figure, panel)
    a, b = (np.concatenate([_each_second(r) for r in outcome.measured.of(figure, p)]) for p in (first, second))
    n = min(a.size, b.size)
    told = f"{second.name} above in {100 * np.mean(b[:n] > a[:n]):.0f} % of {n} s"
    ax.scatter(a[:n], b[:n], s=7, color=BLUE, alpha=0.6, linewidths=0, label=told)
    _diagonal(ax, float(max(a.max(), b.max())))
    ax.set_xlabel(f"{first.name}: {panel['label']}")
    ax.set_ylabel(f"{second.name}: {panel['label']}")
    ax.legend(loc="upper left", handletextpad=0.2)


def scheme_cdf(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """The distribution of a quantity's samples over all points of a scheme: a curve a scheme."""

    q = metrics.QUANTITIES[str(panel["quantity"])]

    def pool(scheme: str) -> FloatArray:
        records = [r for p in over.points(figure, scheme) for r in outcome.measured.of(figure, p)]
        return stats.finite(np.concatenate([q.samples(r) for r in records]))

    steps(ax, [(s, pool(s)) for s in panel["schemes"]], str(panel["label"]))


def per_client(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Bars of a quantity for each client, a colour a point."""
    points = points_of(figure, panel)
    clients = [n for n in outcome.measured.of(figure, points[0])[0]["airtime_rx"] if n != "ap"]
    width = 0.84 / len(points)
    ax.set_xlim(-0.7, len(clients) - 0.3)
    for i, p in enumerate(points):
        found = [
            metrics.sample(f"{panel['quantity']}@{c}", "", outcome.measured.of(figure, p), p) for c in clients
        ]  # fmt: skip
        at = np.arange(len(clients)) + (i - (len(points) - 1) / 2) * width
        ax.bar(
            at, [s.value for s in found], width, yerr=[s.se for s in found], color=PALETTE[i], alpha=0.85, label=p.name
        )
        for place, c in zip(at, clients, strict=True):
            mark(ax, bands_at(outcome, figure, p, f"{panel['quantity']}@{c}"), float(place), width)
    ax.set_xticks(range(len(clients)), clients)
    from_zero(ax, metrics.QUANTITIES[f"{panel['quantity']}@{clients[0]}"].unit)
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(str(panel["label"]))
    legend_above(ax, 2)
