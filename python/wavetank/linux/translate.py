"""A scenario as the second water's guest carries it out (``linux/run --help``).

A key that the user set and that cannot be carried out is refused, with the reason. A key left at its default takes what the
second water has (:data:`own.OWN`, :data:`own.OWN_WIRED`, :func:`own.of_tc`), and the result's ``resolved`` says so. Keys of parts
that a scenario does not have (another driver's, another discipline's) say nothing here, as in the model.
"""

from __future__ import annotations

from .. import keys
from . import kernels
from .air import Air
from .asked import Asks
from .own import ALIKE, OWN, OWN_WIRED, WHY, of_tc
from .relevance import Relevance
from .tcp import Tcp
from .traffic import Traffic
from .translated import Translated


class _Translator(Tcp, Air, Traffic):
    def translate(self) -> Translated:
        self.wifi = self.text("topology.kind") == "wifi"
        for key in ("name", "description", "seed"):
            if key in self.v:
                self.used[key] = self.v[key]
        self.older()
        self.time()
        self.case["topology"] = "wifi" if self.wifi else "wired"
        self.stations = self.number("wifi.stations") if self.wifi else 1
        self.backhaul = self.wifi and self.on("backhaul.present")
        self.tcp()
        if self.wifi:
            self.cards()
            self.wire()
        else:
            self.bottleneck()
        flows, echoes = self.traffic()
        self.finish()
        case = {**self.case, **{k: v for k, v in self.lines.items() if v}}
        if self.wifi:
            case["radio"] = self.radio
        nodes = ("ap", *(f"sta{i + 1}" for i in range(self.stations))) if self.wifi else ()
        values = dict(sorted(self.used.items()))
        queues, notes, own = tuple(self.queues), (*self.notes, *self.left_open), tuple(self.left_open)
        return Translated(case, self.seed, flows, echoes, queues, nodes, values, self.alike, notes, own)

    def older(self) -> None:
        """An older kernel, where that can be had; refuses what it lacks."""
        kernel = self.v["kernel"]
        if self.wifi or kernel not in kernels.OLDER:
            return
        self.used["kernel"] = kernel
        if lacks := kernels.lacking(kernel, self.v, self.given):
            key, need = lacks
            since = ".".join(map(str, need.since))
            raise self.refuse(key, f"Linux {kernel} has no {need.what}: that is {since}'s ({need.src})")
        if self.v["tcp.rmem_default"] == "auto":
            self.v["tcp.rmem_default"] = f"{kernels.rmem_default(kernel)} B"

    def lacks(self, key: str) -> bool:
        return not self.wifi and not kernels.has(self.v["kernel"], key)

    def time(self) -> None:
        start, flows = self.span("time.lead_in"), self.span("time.flows")
        step = self.span("time.sample")
        self.start = start
        self.case |= {
            "flows_end": start + flows,
            "end": start + flows + self.span("time.tail"),
            "sample": step,
            "sample_first": start % step,
            "window_start": start + self.span("time.warmup"),
            "window_end": start + flows - self.span("time.cooldown"),
        }

    def finish(self) -> None:
        """Refuses what was set and is not carried out; notes what the second water has of its own."""
        default = keys.defaults()
        parts = Relevance(self)
        all_own = OWN | of_tc() if self.wifi else OWN | of_tc() | OWN_WIRED
        for key in sorted(self.v):
            if key in self.used or not parts.of(key):
                continue
            of_section = WHY.get(key.partition(".")[0], "the kernel's own value holds")
            own, why = all_own.get(key, (None, WHY.get(key, of_section)))
            if key == "tcp.tsq_pkts" and self.v["tcp.tsq"] != "cotsq":
                continue
            if key in ("tcp.tsq_bytes", "tcp.tsq_ms"):
                continue  # of a TSQ that was not chosen
            if own is not None:
                own = self.v.get(own, own)  # another key's
                said = ALIKE.get(key, own)  # "off" where a key can be set to no such thing
                if key in self.given and self.v[key] not in (own, said):
                    raise self.refuse(key, f"{why}; leave it out, or set {said}")
                self.used[key] = own
                if self.v[key] not in (own, said):
                    self.alike[key] = said
                    self.left_open.append(f"{key} is {own}: {why}")
            elif key in self.given and self.v[key] != default.get(key):
                raise self.refuse(key, f"{why}; leave it out, or set {default.get(key)}")


def translate(scenario: Asks, seed: int | None = None) -> Translated:
    """Raises ScenarioError for a bad scenario, UserError for what the second water cannot express."""
    return _Translator(scenario, seed).translate()
