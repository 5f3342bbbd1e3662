"""Panels of TCP ACKs: lines over an axis with closed forms beside them, and what a whole is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lab import metrics
from ..lab.plan import Figure, Point
from .bands import BESIDE, bands_at, in_figures, mark
from .points import run_on
from .style import PALETTE, from_zero, legend_above, name_points, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..lab.outcome import Outcome

#: What a closed form is called in a legend.
FORMS = {
    "model_tcp": "equation 3.1 (TCP)",
    "model_hack": "equation 3.2 (HACK)",
    "model_hack_gain": "equations",
    "model_contending": "TCP, data and ACKs contend (ours)",
    "model_llack": "the device",
}


def lines(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Runs against an axis, a colour a scheme (a point's name before its last dash); closed forms as lines; the paper's bands."""
    x = panel["x"]
    for i, scheme in enumerate(panel["schemes"]):
        chosen = [p for p in figure.points.values() if p.name.rpartition("-")[0] == scheme]
        values = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in chosen]
        ax.errorbar(
            [p.x[x] for p in chosen], [v.value for v in values], yerr=[v.se for v in values], color=PALETTE[i],
            marker="os^Dv"[i], markersize=4.5, linestyle="none", label=f"{scheme}, {run_on(outcome)}",
        )  # fmt: skip
    over = {p.x[x]: p for p in figure.points.values() if x in p.x}
    for i, form in enumerate(panel.get("model", [])):
        curve = [metrics.model(figure, form, p).value for p in over.values()]
        ax.plot(list(over), curve, color=PALETTE[i], linewidth=1.2, label=FORMS[form])
    ax.set_xlim(ax.get_xlim())
    aside = BESIDE if panel["schemes"] else 0.0
    for at, p in over.items():  # points of several schemes have one place on the forms' axis
        bands = [b for form in panel.get("model", []) for b in bands_at(outcome, figure, p, form)]
        run = [q for q in figure.points.values() if panel["schemes"] and q.x.get(x) == at]
        bands += [b for q in run for b in bands_at(outcome, figure, q, panel["quantity"])]
        mark(ax, bands, at, aside=aside)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(panel["x_label"])
    ax.set_ylabel(panel["label"])
    ax.legend(loc="upper left")


def stacks(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A bar a point, several quantities on top of each other, each with its number and the paper's."""
    points = points_of(figure, panel)
    bottom = np.zeros(len(points))
    for i, quantity in enumerate(panel["quantity"]):
        values = np.array([metrics.sample(quantity, "", outcome.measured.of(figure, p), p).value for p in points])
        label = metrics.QUANTITIES[quantity].label + ": " + ", ".join(map(_short, values))
        papers = [in_figures(bands) for p in points if (bands := bands_at(outcome, figure, p, quantity))]
        if len(papers) == len(points):
            label += f" (paper {', '.join(papers)})"
        at = np.arange(len(points)) - 0.08
        ax.bar(at, values, bottom=bottom, width=0.5, color=PALETTE[i], label=label)
        ax.set_xlim(-0.6, len(points) - 0.4)
        for k, p in enumerate(points):
            # each part's band in a column of its own, since they lie over each other; of a part that is not there, none
            bands = [b for b in bands_at(outcome, figure, p, quantity) if b.high > 0]
            mark(ax, bands, k + 0.22 + 0.07 * i, 0.07, base=float(bottom[k]))
        bottom += values
    name_points(ax, points)
    from_zero(ax, "")
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(panel["label"])
    legend_above(ax, 1)


def _short(v: float) -> str:
    return f"{v:,.0f}" if abs(v) >= 100 else f"{v:.2g}"


def _groups(
    outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes, places: Sequence[float],
    rows: Mapping[str, Sequence[Point]], colours: Sequence[str],
) -> None:  # fmt: skip
    """Groups of bars with their standard errors: a row of points (one a group) a colour."""
    width = 0.86 / len(rows)
    ax.set_xlim(min(places) - 0.6, max(places) + 0.6)
    for k, (name, points) in enumerate(rows.items()):
        values = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in points]
        ax.bar(
            [x + (k - (len(rows) - 1) / 2) * width for x in places], [v.value for v in values],
            yerr=[v.se for v in values], width=width, color=colours[k], label=name, error_kw={"linewidth": 0.7},
        )  # fmt: skip
        for x, p in zip(places, points, strict=True):
            bands = bands_at(outcome, figure, p, panel["quantity"])
            mark(ax, bands, x + (k - (len(rows) - 1) / 2) * width, width)
    from_zero(ax, metrics.QUANTITIES[panel["quantity"]].unit)
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(panel["label"])


def schemes(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Bars of points named QUEUE-CC-SCHEME-STATIONS, of the control ``by``: groups by queue and stations, a colour a scheme."""
    names: list[str] = panel["schemes"]
    groups = list(dict.fromkeys((p[0], p[3]) for p in (n.split("-") for n in figure.points) if p[1] == panel["by"]))
    # A gap between the queues.
    places = [i + 0.6 * len({q for q, _ in groups[: i + 1]}) for i in range(len(groups))]
    rows = {name: [figure.points[f"{q}-{panel['by']}-{name}-{n}"] for q, n in groups] for name in names}
    _groups(outcome, figure, panel, ax, places, rows, PALETTE)
    ax.set_xticks(places, [n for _, n in groups])
    for queue in dict.fromkeys(q for q, _ in groups):
        middle = np.mean([x for x, (q, _) in zip(places, groups, strict=True) if q == queue])
        ax.text(float(middle), -0.15, queue, transform=ax.get_xaxis_transform(), ha="center", va="top")
    legend_above(ax, 4)


def hidden(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """Bars of points named SCHEME-PLACES-RATE: groups by rate and whether all hear each other, a colour a scheme."""
    names: list[str] = panel["schemes"]
    colours = dict(zip(("native", "opportunistic", "timer", "more"), PALETTE, strict=False))
    groups = [(rate, places) for rate in (24, 6) for places in (1, 2)]
    places_at = [i + 0.4 * (i // 2) for i in range(len(groups))]
    rows = {name: [figure.points[f"{name}-{places}-{rate}"] for rate, places in groups] for name in names}
    _groups(outcome, figure, panel, ax, places_at, rows, [colours[name] for name in names])
    ax.set_xticks(places_at, [("all hear", "two places")[places - 1] for _, places in groups])
    for i, rate in enumerate((24, 6)):
        middle = (places_at[2 * i] + places_at[2 * i + 1]) / 2
        ax.text(middle, -0.13, f"responses at {rate} Mbit/s", transform=ax.get_xaxis_transform(), ha="center", va="top")
    legend_above(ax, 2)
