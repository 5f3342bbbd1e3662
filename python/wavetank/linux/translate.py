"""A scenario as the second water's guest carries it out (``linux/run --help``).

A key that the user set and that cannot be carried out is refused, with the reason. A key left at its default takes what the
second water has (:data:`own.OWN`, :data:`own.OWN_WIRED`, :func:`own.of_tc`), and the result's ``resolved`` says so. Keys of parts
that a scenario does not have (another driver's, another discipline's) say nothing here, as in the model.
"""

from __future__ import annotations

from .. import keys
from . import kernels, modules
from .air import Air
from .asked import Asks
from .own import ALIKE, OF_LINUX, OWN, OWN_WIRED, STAND_INS, WHY, of_tc
from .relevance import Relevance
from .tcp import Tcp
from .traffic import Traffic
from .translated import Translated

#: Where a scenario puts what a key stands in for, if that is not plain.
WHERE = {
    "linux.qdisc": ": give it one (backhaul.qdisc, the bottleneck's, one above a card: docs/second-water.md)",
    "linux.rate_control": ": there is no Wi-Fi",
}


class _Translator(Tcp, Air, Traffic):
    def translate(self) -> Translated:
        self.wifi = self.text("topology.kind") == "wifi"
        for key in ("name", "description", "seed"):
            if key in self.v:
                self.used[key] = self.v[key]
        self.older()
        self.given_to_linux()
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
        self.stood_in()
        self.finish()
        case = {**self.case, **{k: v for k, v in self.lines.items() if v}}
        if self.wifi:
            case["radio"] = self.radio
        nodes = ("ap", *(f"sta{i + 1}" for i in range(self.stations))) if self.wifi else ()
        values = dict(sorted(self.used.items()))
        queues, notes, own = tuple(self.queues), (*self.notes, *self.left_open), tuple(self.left_open)
        return Translated(case, self.seed, flows, echoes, queues, nodes, values, self.alike, notes, own, self.modules)

    def given_to_linux(self) -> None:
        """Modules of one's own, and what is to be used of them; the model is set up without."""
        self.modules = modules.read(self.text("linux.modules"), self.beside("linux.modules"))
        if self.modules:
            self.case["modules"] = [module.words() for module in self.modules]
        for module in self.modules:
            self.notes.append(f"linux.modules: {module.folder.resolve().name}, sources {module.digest()}")
        if self.modules and not any(self.stand_ins.values()):
            keys_of = ", ".join(STAND_INS)
            self.notes.append(f"linux.modules: loaded, and nothing in the scenario is told to use it ({keys_of})")
        for key in STAND_INS:
            self.text(key)
            for name in self.stand_ins[key].names():
                if not name or (len(name.split()) > 1 and key != "linux.qdisc"):
                    raise self.refuse(key, f'"{name}" is no name of the kernel\'s, expected one word')
            for theirs in self.stand_ins[key].twice:
                raise self.refuse(key, f"two stand in for {theirs or 'everything'}, expected one")
        self.alike |= {key: "off" for key in OF_LINUX if self.v[key] != "off"}

    def stood_in(self) -> None:
        """Tells what stands for what; refuses what stands for nothing."""
        for key, of in STAND_INS.items():
            stand_ins = self.stand_ins[key]
            asked = stand_ins.asked()
            for name in stand_ins.unmet():
                if not name:
                    raise self.refuse(key, f"the scenario has no {of} that it could be of{WHERE.get(key, '')}")
                has = f"it has {', '.join(asked)}" if asked else f"it has none{WHERE.get(key, '')}"
                raise self.refuse(key, f"the scenario has no {of} with {name}: {has}")
            for theirs in asked:
                if own := stand_ins.of(theirs):
                    self.notes.append(f"{key}: {own} in place of {theirs}")

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
