"""Panels of TCP ACKs: lines over an axis with closed forms beside them, and what a whole is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lab import metrics
from ..lab.plan import Figure, Point
from .style import PALETTE, name_points, points_of

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
    """Measured points against an axis, a colour a scheme (a point's name before its last dash); closed forms as lines."""
    x = panel["x"]
    for i, scheme in enumerate(panel["schemes"]):
        chosen = [p for p in figure.points.values() if p.name.rpartition("-")[0] == scheme]
        values = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in chosen]
        ax.errorbar(
            [p.x[x] for p in chosen], [v.value for v in values], yerr=[v.se for v in values], color=PALETTE[i],
            marker="os^Dv"[i], markersize=4.5, linestyle="none", label=f"{scheme}, measured",
        )  # fmt: skip
    over = {p.x[x]: p for p in figure.points.values() if x in p.x}
    for i, form in enumerate(panel.get("model", [])):
        curve = [metrics.model(figure, form, p).value for p in over.values()]
        ax.plot(list(over), curve, color=PALETTE[i], linewidth=1.2, label=FORMS[form])
    ax.set_ylim(bottom=0)
    ax.set_xlabel(panel["x_label"])
    ax.set_ylabel(panel["label"])
    ax.legend(loc="upper left")


def stacks(outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes) -> None:
    """A bar a point, several quantities on top of each other, each with its number."""
    points = points_of(figure, panel)
    bottom = np.zeros(len(points))
    for i, quantity in enumerate(panel["quantity"]):
        values = np.array([metrics.sample(quantity, "", outcome.measured.of(figure, p), p).value for p in points])
        label = metrics.QUANTITIES[quantity].label + ": " + ", ".join(f"{v:,.4g}" for v in values)
        ax.bar(range(len(points)), values, bottom=bottom, width=0.55, color=PALETTE[i], label=label)
        bottom += values
    name_points(ax, points)
    ax.set_ylim(0, 1.45 * bottom.max())
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(panel["label"])
    ax.legend(loc="upper right", fontsize=7.5)


def _groups(
    outcome: Outcome, figure: Figure, panel: Mapping[str, Any], ax: Axes, places: Sequence[float],
    rows: Mapping[str, Sequence[Point]], colours: Sequence[str],
) -> None:  # fmt: skip
    """Groups of bars with their standard errors: a row of points (one a group) a colour."""
    width = 0.86 / len(rows)
    for k, (name, points) in enumerate(rows.items()):
        values = [metrics.sample(panel["quantity"], "", outcome.measured.of(figure, p), p) for p in points]
        ax.bar(
            [x + (k - (len(rows) - 1) / 2) * width for x in places], [v.value for v in values],
            yerr=[v.se for v in values], width=width, color=colours[k], label=name, error_kw={"linewidth": 0.7},
        )  # fmt: skip
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
    ax.set_ylim(0, ax.get_ylim()[1] * 1.18)
    ax.legend(ncols=4, loc="upper center", fontsize=7.5)


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
    ax.set_ylim(0, ax.get_ylim()[1] * 1.2)
    ax.legend(ncols=2, loc="upper center", fontsize=7.5)
