"""Flent files of real machines, which stand beside: read, not run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .. import units
from ..result import Result
from ..scenario import Scenario


def beside(scenario: Scenario, measured: Sequence[Path]) -> list[tuple[Path, Result]]:
    """Reads Flent files as this scenario's. Raises UserError."""
    from ..captures import flent_result

    values = scenario.check() if measured else {}
    return [(p, flent_result.result(p, values)) for p in measured]


def remarks(scenario: Scenario, measured: Sequence[Path]) -> list[str]:
    """What to know before trusting that Flent files are of this scenario: their notes' digests, lengths, controls."""
    from .. import testbed
    from ..captures import flent_file, flent_radios

    own, out = testbed.digest_of(scenario), []
    values = scenario.check()
    flows = units.span(values["time.flows"]) / 1e9
    for path in measured:
        file = flent_file.read(path)
        of = re.search(r"digest ([0-9a-f]{16})", file.note or "")
        if of is None:
            out.append(f"{path}: has no note of `wavetank testbed`; taken as measured for this scenario")
        elif not (file.note or "").startswith("wavetank testbed "):
            out.append(f"{path}: is a simulated run's file, not a test bed's")
        elif of[1] != own:
            out.append(f"{path}: was measured for another scenario (digest {of[1]}, this one's is {own})")
        if abs(file.span[1] - file.span[0] - flows) > 1e-6:
            out.append(f"{path}: its flows lasted {file.span[1] - file.span[0]:g} s, the scenario's {flows:g}")
        if file.judged is None and any(f.kind == "udp" for f in file.flows):
            out.append(f"{path}: its UDP flows are what iperf's client sent; what arrived of them is not known")
        of_ap = flent_radios.of_access_point(file)
        if len(of_ap) > 1:
            order = ", ".join(f"sta{i} is {r.station}" for i, r in enumerate(of_ap, 1))
            out.append(f"{path}: its stations' airtime is taken in the order of Flent's wifi_stats_stations: {order}")
        others = {str(f.meta["CONG_CONTROL"]) for f in file.flows if f.meta.get("CONG_CONTROL")}
        asked = [c.strip() for key in ("tcp.cc", "traffic.cc") for c in values[key].split(",") if c.strip() != "off"]
        others -= {spelt for c in asked for spelt in (c, c.replace("-", "_"))}
        if others:
            out.append(f"{path}: its congestion control was {', '.join(sorted(others))}, not {' or '.join(asked)}")
    return out


def strangers(measured: Sequence[tuple[Path, Result]], ran: Result) -> list[str]:
    """Files of which no flow is one of the run's: nothing of their flows stands in the same row."""
    ours = [f.name for f in ran.flows]
    return [
        f"{path}: none of its flows ({_some([f.name for f in r.flows])}) is the scenario's ({_some(ours)})"
        for path, r in measured
        if r.flows and ours and not {f.name for f in r.flows} & set(ours)
    ]


def _some(names: Sequence[str]) -> str:
    """A few of them."""
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
