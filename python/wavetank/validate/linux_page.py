"""The standing Wi-Fi scenarios' report as a table of the docs."""

from __future__ import annotations

from pathlib import Path

from .. import files
from ..errors import UserError, unreadable
from .linux import POINTS
from .report import Report, Row

COLUMNS = {
    "goodput_mbit": "goodput",
    "cwnd_p50": "cwnd",
    "srtt_p50": "srtt",
    "ping_p50": "ping",
    "ampdu_mean": "A-MPDU",
    "mcs_share": "MCS",
    "probes": "probes",
    "ack_ampdu_mean": "ACKs' A-MPDU",
    "acks_carried": "ACKs that rode",
}
#: What the table of the docs stands between.
BEGIN, END = "<!-- wavetank validate linux -->", "<!-- end -->"


def markdown(report: Report) -> str:
    """The table for the docs: relative errors in percent, a row a scenario."""
    s = report.summary()
    cases = report.cases()
    held = sum(ok is True for ok in cases.values())
    medians = ", ".join(
        f"{COLUMNS[m]} {100 * (v['median_abs_error'] or 0):.1f} %"
        for m, v in s["by_metric"].items()
        if m != "mcs_share" and m not in POINTS
    )
    lines = [
        f"**{held} of {s['cases']} scenarios hold; {s['unmeasured']} cannot be run yet.** Median absolute error: {medians}.",
        "",
        "Relative errors of the medians in percent; of the MCS whose share differs most, and of the ACKs that rode, in points "
        "(bold: outside):",
        "",
        f"| scenario | {' | '.join(COLUMNS.values())} | |",
        f"| --- |{' --- |' * len(COLUMNS)} --- |",
    ]
    for name, ok in cases.items():
        rows = {r.metric: r for r in report.rows if r.name == name}
        if ok is None:
            reason = next(iter(rows.values())).reason
            lines.append(f"| {name} | - |{' |' * (len(COLUMNS) - 1)} {reason} |")
            continue
        cells = [_cell(rows.get(m)) for m in COLUMNS]
        lines.append(f"| {name} | {' | '.join(cells)} | {'holds' if ok else 'misses'} |")
    return "\n".join(lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row.ok is None:
        return "n/a"
    if (row.metric == "mcs_share" or row.metric in POINTS) and row.ours is not None and row.reference is not None:
        error = f"{row.ours - row.reference:+.1f}"  # points
        return error if row.ok else f"**{error}**"
    error = "?" if row.relative_error is None else f"{100 * row.relative_error:+.1f}"
    return error if row.ok else f"**{error}**"


def marked(path: Path) -> tuple[str, str]:
    """What stands before and behind the marks of a Markdown file. Raises UserError where they are missing."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise unreadable(path, e, f"a Markdown file with {BEGIN} and {END} in it") from None
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{path}: has no marks {BEGIN} and {END} around the table")
    return head, tail


def write_docs(report: Report, path: Path) -> None:
    """Puts the table between its marks in a Markdown file. Raises UserError where the marks are missing."""
    head, tail = marked(path)
    files.write_text(path, f"{head}{BEGIN}\n{markdown(report)}\n{END}{tail}")
