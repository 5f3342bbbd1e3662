"""Tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from .lab.mark import marked

if TYPE_CHECKING:
    from .compare import Comparison
    from .lab.judge import Verdict
    from .lab.outcome import Outcome
    from .lab.plan import Figure
    from .validate import Report, Row

SIGNS = {
    "gt": ">",
    "lt": "<",
    "ratio-to": "x",
    "between": "",
    "~": "~",
    "<": "<",
    ">": ">",
    "<=": "≤",
    ">=": "≥",
}


def number(x: float | None, digits: int = 3) -> str:
    """Three significant digits, without an exponent for everyday sizes."""
    if x is None:
        return "–"
    if x == 0:
        return "0"
    if abs(x) >= 100:
        return f"{x:.0f}"
    text = f"{x:.{digits}g}"
    return f"{x:.4f}" if "e" in text else text


def paper(v: Verdict) -> str:
    """What the paper says, in a cell."""
    c = v.claim
    band = f" [{number(c.low)}, {number(c.high)}]" if c.low is not None or c.high is not None else ""
    value = "" if c.value is None else number(c.value)
    unit = "×" if c.unit == "x" else f" {c.unit}"
    if c.refers:
        of = c.refers
        if c.relation == "ratio-to":
            return f"{value}{unit}{band} of {of}"
        difference = f" by {value or band.strip()}{unit}{band if value else ''}" if (value or band) else ""
        return f"{SIGNS[c.relation]} {of}{difference}"
    sign = SIGNS.get(c.relation, c.relation)
    return f"{sign} {value}{unit}{band}" if value else f"{band.strip()}{unit}"


def ours(v: Verdict) -> str:
    """What was measured, in a cell."""
    if v.measured is None:
        return "–"
    unit = v.claim.unit
    if v.claim.relation == "ratio-to":
        text = f"{number(v.measured)} / {number(v.other)} = {number(v.compared)}"
        return text + ("×" if unit == "x" else f" {unit}")
    if v.other is not None:
        return f"{number(v.measured)} against {number(v.other)}" + ("" if unit == "x" else f" {unit}")
    return f"{number(v.measured)}" + ("×" if unit == "x" else f" {unit}")


def verdict(v: Verdict) -> Text:
    """The verdict, in a cell."""
    if v.cls == "judged":
        if v.ok:
            return Text("holds", style="green")
        return Text("tie" if v.tie else "MISSES", style="bold red")
    held = "" if v.ok is None else (", holds" if v.ok else ", misses")
    return Text(v.cls + held, style="yellow" if v.cls == "unmeasured" else "cyan")


def outcome_tables(outcome: Outcome) -> list[Table | None]:
    """What ``reproduce`` prints: a paper's claims, or the points of a figure of one's own."""
    from .lab import plan

    if plan.is_file(outcome.name):
        return [values_table(outcome, f) for f in outcome.figures]
    v = outcome.verdicts
    return [claims_table(outcome), misses_table(v), ties_table(v), unmeasured_table(v)]


def claims_table(outcome: Outcome) -> Table:
    """paper / measured / verdict, a row a claim; rows that nothing measures yet are only counted."""
    times = f" ({marked(outcome.mark, outcome.repetitions)})"
    on = f" on {outcome.water}" if outcome.beside else ""
    title = f"reproduce {outcome.name}{on}{times}"
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("claim", no_wrap=True)
    table.add_column("quantity")
    table.add_column("paper")
    table.add_column(outcome.water if outcome.beside else "measured")
    for name in outcome.beside:
        table.add_column(name)
    table.add_column("verdict", no_wrap=True)
    others = [{v.claim.id: v for v in o.verdicts} for o in outcome.beside.values()]
    for v in outcome.verdicts:
        if v.cls == "unmeasured":
            continue
        beside = [_beside(o[v.claim.id]) for o in others]
        table.add_row(v.claim.id, f"{v.claim.metric}, {v.claim.system}", paper(v), ours(v), *beside, verdict(v))
    table.caption_justify = "left"
    table.caption = caption(outcome.summary)
    table.caption += "".join(f"\n{name}: {caption(o.summary)}" for name, o in outcome.beside.items())
    table.caption += "".join(f"\non {outcome.water}: {why}" for why in outcome.replaced)
    return table


def values_table(outcome: Outcome, figure: Figure) -> Table:
    """A row a point of a figure: what its panels show, with the standard error over repetitions."""
    from .lab import metrics

    title = f"{figure.source}: {figure.title} ({marked(outcome.mark, len(figure.seeds(outcome.quick)))})"
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("point", no_wrap=True)
    # on linux, each quantity of the kernel's has the models' beside it
    waters = {outcome.water if outcome.beside else "": outcome, **outcome.beside}
    values = {w: o.values(o.measured.figures[figure.id]) for w, o in waters.items()}
    first = next(iter(values.values()))
    for q in next(iter(first.values()), {}):
        for water in values:
            of = f", {water}" if water else ""
            table.add_column(f"{q}{of} {metrics.QUANTITIES[q].unit}".strip(), justify="right")
    for point, row in first.items():
        cells = [
            number(v["value"]) + (f" ± {number(v['se'], 2)}" if v["se"] else "")
            for q in row
            for v in (of_water[point][q] for of_water in values.values())
        ]
        table.add_row(point, *cells)
    return table


def _beside(v: Verdict) -> Text:
    """The model's value, green where it holds and red where it misses."""
    style = "" if v.cls != "judged" or v.ok is None else "green" if v.ok else "red"
    return Text(ours(v), style=style)


def caption(s: Mapping[str, int]) -> str:
    """The counts, in a line."""

    def share(a: int, b: int) -> str:
        return f"{a} of {b} ({100 * a / b:.0f} %)" if b else f"{a} of {b}"

    rest = ", ".join(f"{s[k]} {k}" for k in ("theory", "input", "calibrates", "contradicted", "unmeasured") if s[k])
    return f"rows that hold: {share(s['ok'], s['judged'])}; sentences: {share(s['sentences_ok'], s['sentences'])}" + (
        f"; not counted: {rest}" if rest else ""
    )


def misses_table(verdicts: Sequence[Verdict]) -> Table | None:
    """Why rows miss, as far as that is known."""
    return _why("rows that miss", [v for v in verdicts if v.cls == "judged" and not v.ok and not v.tie])


def ties_table(verdicts: Sequence[Verdict]) -> Table | None:
    """Orderings that repetitions do not tell: they do not hold, and do not hold otherwise either."""
    return _why("ties: not told apart", [v for v in verdicts if v.cls == "judged" and not v.ok and v.tie])


def _why(title: str, missed: Sequence[Verdict]) -> Table | None:
    if not missed:
        return None
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("claim", no_wrap=True)
    table.add_column("why")
    for v in missed:
        table.add_row(v.claim.id, v.reason or "not explained")
    return table


def unmeasured_table(verdicts: Sequence[Verdict]) -> Table | None:
    """Why rows are not measured: a line a reason."""
    why: dict[str, list[str]] = {}
    for v in verdicts:
        if v.cls == "unmeasured":
            why.setdefault(v.reason, []).append(v.claim.id)
    if not why:
        return None
    table = Table(title="not measured", title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("rows", justify="right")
    table.add_column("reason")
    table.add_column("which")
    for reason, ids in why.items():
        table.add_row(str(len(ids)), reason, ", ".join(ids[:4]) + (" ..." if len(ids) > 4 else ""))
    return table


def _missed(r: Row) -> str:
    if r.low is None and r.high is None and r.reason:
        return f"{r.metric}: {r.reason}"
    return f"{r.metric} {number(r.ours)} not in [{number(r.low)}, {number(r.high)}]"


def validation_table(report: Report) -> Table:
    """A row a case: the figures that miss, with both values."""
    s = report.summary()
    table = Table(title=f"validate {report.what}", title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("case", no_wrap=True)
    table.add_column("worst error", justify="right")
    table.add_column("misses")
    table.add_column("verdict")
    for name, ok in report.cases().items():
        rows = [r for r in report.rows if r.name == name]
        errors = [e for r in rows if (e := r.relative_error) is not None]
        worst = f"{100 * max(errors, key=abs):+.1f} %" if errors else ""
        misses = "; ".join(_missed(r) for r in rows if r.ok is False)
        state = Text("holds", style="green") if ok else Text("MISSES", style="bold red")
        if ok is None:
            state, misses = Text("not run", style="yellow"), rows[0].reason
        table.add_row(name, worst, misses, state)
    table.caption_justify = "left"
    table.caption = _validation_caption(s)
    return table


def comparison_table(comparison: Comparison) -> Table:
    """A row a figure: every water's value, and the others' difference from the first."""
    first, *others = comparison.results
    table = Table(title=comparison.title, title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("figure", no_wrap=True)
    table.add_column("unit")
    for name in (first, *others):
        table.add_column(name, justify="right")
    for name in others:
        table.add_column(f"{name} against {first}", justify="right")
    for line in comparison.lines:
        values = [line.values[w] for w in (first, *others)]
        differences, errors, significant = line.differences(), line.errors(), line.significant()
        cells = ["–" if v is None else number(v) for v in values]
        table.add_row(
            line.figure, line.unit, *cells, *(_difference(differences[w], errors[w], significant[w]) for w in others)
        )
    said = []
    if comparison.repetitions > 1:
        said.append(
            f"means over {comparison.repetitions} seeds; a difference ± its standard error, bold where it is significant (95 %)"
        )
    if len(comparison.measured) > 1:
        said.append(f"testbed: mean over {len(comparison.measured)} files")
    if said:
        table.caption_justify = "left"
        table.caption = "\n".join(said)
    return table


def _difference(d: float | None, error: float | None, significant: bool) -> Text:
    if d is None:
        return Text("")
    if error is None:
        return Text(f"{100 * d:+.1f} %")
    return Text(f"{100 * d:+.1f} ± {100 * error:.1f} %", style="bold" if significant else "")


def _percent(x: float | None) -> str:
    return "–" if x is None else f"{100 * x:.1f} %"


def _validation_caption(s: Mapping[str, Any]) -> str:
    lines = [
        f"cases that hold: {_percent(s['share_ok'])} of {s['cases']}; not run: {s['unmeasured']}; "
        f"median error {_percent(s['median_abs_error'])}, worst {_percent(s['worst'])}"
    ]
    lines += [
        f"  {m}: median error {_percent(v['median_abs_error'])}, worst {_percent(v['worst'])}, holds {_percent(v['share_ok'])}"
        for m, v in s["by_metric"].items()
    ]
    return "\n".join(lines)


def run_tables(summary: Mapping[str, Any]) -> list[Table]:
    """A run's summary: flows, then the rest."""
    flows = Table(header_style="bold", pad_edge=False)
    several = len({f["cc"] for f in summary["flows"]} - {""}) > 1
    marked = len({f["dscp"] for f in summary["flows"] if f["kind"] == "tcp"}) > 1
    marks = any(f["delivered_ce"] for f in summary["flows"])
    for c in (
        "flow",
        "direction",
        *(["control"] if several else []),
        *(["mark"] if marked else []),
        "goodput Mbit/s",
        "TCP RTT ms p10/p50/p90",
        "cwnd p10/p50/p90",
        "retransmits",
        "RTOs",
        *(["delivered_ce"] if marks else []),
    ):
        flows.add_column(c, justify="left" if c in ("flow", "direction", "control", "mark") else "right")
    calls = [f for f in summary["flows"] if f.get("delivery")]
    for f in summary["flows"]:
        if f in calls:
            continue
        tcp = f["kind"] == "tcp"
        flows.add_row(
            f["name"], f["direction"], *([f["cc"] or "–"] if several else []), *([f["dscp"]] if marked else []),
            number(f["goodput_mbit"]), _three(f["tcp_rtt_ms"]), _three(f["cwnd_segments"]),
            str(f["retransmits"]) if tcp else "–", "–" if not tcp or f["rtos"] is None else str(f["rtos"]),
            *(["–" if f["delivered_ce"] is None else str(f["delivered_ce"])] if marks else []),
        )  # fmt: skip
    tables = [flows] if flows.row_count else []
    if calls:
        tables.append(_datagrams(calls))
    if any(a["mean"] is not None for a in summary["ampdu"].values()):
        tables.append(_radios(summary))
    rest = Table(show_header=False, pad_edge=False)
    rest.add_column(style="bold")
    rest.add_column()
    pings = summary["pings"]
    # Not "lost": those that are under way as the run ends are among them.
    silent = f" ({pings['lost']} of {pings['sent']} without an answer)" if pings["lost"] else ""
    rest.add_row("ping ms p10/p50/p90", _three(summary["ping_ms"]) + silent)
    if summary["drops"]:
        rest.add_row("drops", ", ".join(f"{k} {v}" for k, v in summary["drops"].items()))
    if ended := [f"{f['name']} {f['error']}" for f in summary["flows"] if f.get("error")]:
        rest.add_row("connections that ended", ", ".join(ended))
    if summary["jain"] is not None and len(summary["flows"]) > 1:
        rest.add_row("Jain's index of the flows", f"{summary['jain']:.3f}")
    speed = summary["simulated_s"] / summary["wall_s"] if summary["wall_s"] else 0
    rest.add_row(
        "run",
        f"{number(summary['simulated_s'])} s in {summary['wall_s']:.2f} s ({speed:.0f} times real time)",
    )
    return [*tables, rest]


def _datagrams(flows: Sequence[Mapping[str, Any]]) -> Table:
    """UDP flows, as a call is judged: what was lost, one-way delay, jitter."""
    table = Table(header_style="bold", pad_edge=False)
    for c in ("flow", "direction", "mark", "goodput Mbit/s", "sent", "lost", "one-way ms p10/p50/p90/p99", "jitter ms"):
        table.add_column(c, justify="left" if c in ("flow", "direction", "mark") else "right")
    for f in flows:
        d = f["delivery"]
        delay = " / ".join(number(d["delay_ms"][k]) for k in ("p10", "p50", "p90", "p99")) if d["arrived"] else "–"
        jitter = "–" if d["jitter_ms"] is None else number(d["jitter_ms"])
        table.add_row(
            f["name"], f["direction"], f["dscp"], number(f["goodput_mbit"]), f"{d['sent']:,}", _percent(d["loss"]), delay, jitter
        )  # fmt: skip
    return table


def _radios(summary: Mapping[str, Any]) -> Table:
    """What each radio sent: aggregates, airtime; of stations their pings."""
    table = Table(header_style="bold", pad_edge=False)
    pings = summary["ping_ms_of"]
    columns = ("radio", "MPDUs mean", "p50", "p90", "single", "airtime sent", "airtime to it")
    for c in (*columns, *(["ping ms p10/p50/p90"] if pings else [])):
        table.add_column(c, justify="left" if c == "radio" else "right")
    for node, a in summary["ampdu"].items():
        sizes = ("–",) * 4 if a["mean"] is None else (
            number(a["mean"]), number(a["p50"]), number(a["p90"]), _percent(a["single_fraction"]),
        )  # fmt: skip
        air = [_percent(summary[k].get(node)) for k in ("airtime", "airtime_rx")]
        table.add_row(node, *sizes, *air, *([_three(pings.get(node))] if pings else []))
    return table


def _three(q: Mapping[str, float | None] | None) -> str:
    return "–" if q is None else " / ".join(number(q[k]) for k in ("p10", "p50", "p90"))


def forms_table(forms: Sequence[Mapping[str, Any]]) -> Table:
    """Every closed form at its defaults, each below the other: five columns of it broke words in any terminal."""
    table = Table(title="closed forms, at their defaults", title_justify="left", header_style="bold", pad_edge=False)
    table.add_column("form", no_wrap=True)
    for c in ("", "what"):
        table.add_column(c, no_wrap=not c)
    for f in forms:
        inputs = (_equals(i["symbol"], f"{i['default']:g}", i["unit"]) for i in f["inputs"])
        value = (_equals(k, f"{v:.5g}", unit) for k, unit, v in _outputs(f))
        for at, row in enumerate((("", f["title"]), ("source", f["source"]), ("inputs", ", ".join(inputs)))):
            table.add_row("" if at else f["name"], *row)
        table.add_row("", "value", ", ".join(value), end_section=True)
    return table


def _equals(symbol: str, value: str, unit: str) -> str:
    """A symbol and its value with its unit; one of the unit 1 has none."""
    return f"{symbol} = {value}" + ("" if unit in ("", "1") else f" {unit}")


def _outputs(form: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Symbol, unit and number of each of a form's values, which the core names as "goodput Mbit/s"."""
    for name, value in form["value"].items():
        symbol, _, unit = name.rpartition(" ")
        yield symbol, unit, value


def form_table(form: Mapping[str, Any]) -> Table:
    """One closed form: what it was given, and its value."""
    table = Table(
        title=f"{form['name']}: {form['title']} ({form['source']})",
        title_justify="left",
        header_style="bold",
        pad_edge=False,
    )
    for c in ("", "value", "unit", "range", "what"):
        table.add_column(c)
    for i in form["inputs"]:
        within = f"{i['low']:.12g} to {i['high']:.12g}"
        table.add_row(i["symbol"], f"{form['given'][i['symbol']]:g}", i["unit"], within, i["doc"])
    table.add_section()
    for k, unit, v in _outputs(form):
        table.add_row(f"[bold]{k}", f"[bold]{v:.6g}", f"[bold]{unit}", "", "")
    return table
