"""Disciplines as ``tc`` has them, and the wires that they stand before."""

from __future__ import annotations

from collections.abc import Iterator

from .. import units
from .asked import Asked

#: CAKE's ACK filter by the scenario's word.
ACK_FILTER = {"disabled": "no-ack-filter", "enabled": "ack-filter", "aggressive": "ack-filter-aggressive"}


class Queues(Asked):
    """Queues and wires."""

    def words(self, key: str, kind: str) -> str:
        """A discipline as ``tc`` has it, with the values of its section, or what stands in for it on linux."""
        own = "" if key == "netem.delay" else self.stand_ins["linux.qdisc"].of(kind)
        if not own:
            return self.words_of(key, kind)
        for of in (k for k in self.v if k.startswith(f"{kind}.")):
            self.text(of)
        return own

    def words_of(self, key: str, kind: str) -> str:
        """The model's discipline as ``tc`` has it."""
        n = {k.partition(".")[2]: k for k in self.v if k.startswith(f"{kind}.")}

        def size(key: str) -> int:
            return units.size(self.text(n[key]))

        def span(key: str) -> str:
            return units.tc_span(self.text(n[key]))

        if kind in ("pfifo", "bfifo", "aaq"):
            return f"{kind} limit {size('limit')}"
        if kind == "pfifo_fast":
            return kind
        if kind == "netem":
            return self.netem(self.span("netem.delay"), size("limit"))
        if kind == "fq_codel":
            ecn = "ecn" if self.on("fq_codel.ecn") else "noecn"
            marks = "" if self.text(n["ce_threshold"]) == "off" else f"ce_threshold {span('ce_threshold')} "
            return (
                f"fq_codel limit {size('limit')} flows {size('flows')} quantum {size('quantum')} target {span('target')} "
                f"{marks}interval {span('interval')} memory_limit {size('memory_limit')} drop_batch {size('drop_batch')} {ecn}"
            )
        if kind == "fq":
            until = "" if self.lacks("fq.horizon") else f"horizon {span('horizon')} "
            if not self.lacks("fq.timer_slack"):
                until += f"timer_slack {units.span(self.text('fq.timer_slack'))} "
            if self.text(n["ce_threshold"]) != "off":
                until += f"ce_threshold {span('ce_threshold')} "
            return (
                f"fq limit {size('limit')} flow_limit {size('flow_limit')} quantum {size('quantum')} initial_quantum "
                f"{size('initial_quantum')} refill_delay {span('refill_delay')} {until}orphan_mask {size('orphan_flows') - 1}"
            )
        if kind == "cake":
            return self.cake()
        raise self.refuse(key, "linux/ knows no words for this discipline there")

    def netem(self, delay: int, limit: int, *, rest: bool = True) -> str:
        """netem as ``tc`` has it, with this delay (ns) and, if asked for, the ``rest`` of its section."""
        words = ["netem", "delay", units.tc_span(f"{delay} ns"), *(self.netem_rest() if rest else ())]
        return " ".join([*words, "limit", str(limit)])

    def netem_rest(self) -> Iterator[str]:
        """What ``tc`` wants of netem behind its delay. src: iproute2 tc/q_netem.c netem_parse_opt"""

        def over(key: str) -> bool:
            return float(self.text(f"netem.{key}")) > 0

        def percent(key: str) -> str:
            return f"{100 * float(self.text(f'netem.{key}')):.9g}%"

        def leaning(key: str) -> list[str]:
            return [percent(key)] if over(key) else []

        # tc hands the kernel a correlation of duplicates with one of delays or losses only: that of delays is said, if it is 0
        told = [percent("delay_correlation")] if over("duplicate_correlation") else leaning("delay_correlation")
        if self.span("netem.jitter") or told:
            yield from (units.tc_span(self.text("netem.jitter")), *told)
            if self.text("netem.distribution") != "uniform":
                yield from ("distribution", self.text("netem.distribution"))
        if self.text("netem.gemodel_p") != "off":
            yield from ("loss", "gemodel", *(percent(f"gemodel_{of}") for of in ("p", "r", "1h", "1k")))
        elif over("loss"):
            yield from ("loss", percent("loss"), *leaning("loss_correlation"))
        if over("duplicate"):
            yield from ("duplicate", percent("duplicate"), *leaning("duplicate_correlation"))
        if self.on("netem.ecn"):
            yield "ecn"
        if over("reorder"):
            yield from ("reorder", percent("reorder"), *leaning("reorder_correlation"), "gap", self.text("netem.gap"))
        if self.text("netem.rate") != "off":
            yield from ("rate", f"{units.rate(self.text('netem.rate'))}bit")
            if self.number("netem.rate_overhead"):
                yield self.text("netem.rate_overhead")

    def netem_alters(self) -> bool:
        """Whether netem does anything to a packet; else it is not there."""
        spans = ("netem.delay", "netem.jitter")
        given = ("netem.gemodel_p", "netem.rate")
        return (
            any(self.span(key) for key in spans)
            or any(self.text(key) != "off" for key in given)
            or any(float(self.text(key)) > 0 for key in ("netem.loss", "netem.duplicate"))
        )

    def cake(self) -> str:
        """CAKE as ``tc`` has it: every option that does not say its default."""

        def text(key: str) -> str:
            return self.text(f"cake.{key}")

        rate = "unlimited" if text("bandwidth") == "off" else f"bandwidth {units.rate(text('bandwidth'))}bit"
        words = ["cake", rate, text("diffserv"), text("flowmode"), "rtt", units.tc_span(text("rtt"))]
        if text("overhead") != "off":
            words += ["overhead", text("overhead")]
        if text("mpu") != "0":
            words += ["mpu", text("mpu")]
        if text("atm") != "noatm":
            words.append(text("atm"))
        words.append(ACK_FILTER[text("ack_filter")])
        words += [word for key, word in (("ingress", "ingress"), ("wash", "wash")) if self.on(f"cake.{key}")]
        if not self.on("cake.split_gso"):
            words.append("no-split-gso")
        if text("memlimit") != "auto":
            words += ["memlimit", str(units.size(text("memlimit")))]
        return " ".join(words)

    def attach(self, key: str, kind: str, ns: str, dev: str, name: str) -> None:
        """Puts a discipline on a device and watches it under this name."""
        self.lines["tc"].append(f"{ns} qdisc replace dev {dev} root handle 10: {self.words(key, kind)}")
        self.lines["watch"].append(f"{ns} {dev} 10")
        self.queues.append(name)

    def wire(self) -> None:
        """Behind the AP: a veth pair, whose delay is netem's on both ends."""
        if not self.backhaul:
            return
        kind, delay = self.text("backhaul.qdisc"), units.span(self.v["backhaul.delay"])
        if "backhaul.delay" in self.given:
            self.used["backhaul.delay"] = self.v["backhaul.delay"]
        else:
            delay = 0
            self.used["backhaul.delay"] = self.alike["backhaul.delay"] = "0 ns"
        at = self.text("backhaul.at")
        ends = [("AP", "apw", "ap eth"), ("S", "sw", "server eth")]
        ends = [end for end, of in zip(ends, ("ap", "server"), strict=True) if delay or at in ("both", of)]
        if kind == "netem" or delay:
            if kind not in ("netem", "pfifo_fast") or (kind == "netem" and delay and at != "both"):
                raise self.refuse(
                    "backhaul.delay", f"netem makes it, and the device has room for one discipline ({kind})"
                )
            limit = 100000
            if kind == "netem":
                delay += self.span("netem.delay")
                limit = self.number("netem.limit")
            else:  # a cable drops nothing
                self.alike["netem.limit"] = str(limit)
            for ns, dev, name in ends:
                words = self.netem(delay, limit, rest=kind == "netem")
                self.lines["tc"].append(f"{ns} qdisc replace dev {dev} root handle 10: {words}")
                self.lines["watch"].append(f"{ns} {dev} 10")
                self.queues.append(name)
        elif kind != "pfifo_fast" or "backhaul.qdisc" in self.given:
            for ns, dev, name in ends:
                self.attach("backhaul.qdisc", kind, ns, dev, name)

    def bucket(self) -> tuple[int, str, str]:
        """HTB's rate (bit/s), depths and leaf, as the scenario has them."""
        depths = " ".join(f"{k} {units.size(self.text(f'htb.{k}'))}" for k in ("burst", "cburst", "quantum"))
        return units.rate(self.text("htb.rate")), depths, self.words("htb.leaf", self.text("htb.leaf"))

    def bottleneck(self) -> None:
        """C - R - S: HTB on both ways there, or CAKE on the one that is the bottleneck; netem on the way back."""
        local = self.text("bottleneck.place") == "local"
        access = units.rate(self.text("bottleneck.access_rate"))
        own = None if self.text("bottleneck.qdisc") == "cake" else self.bucket()
        for ns, dev, name, here in [("C", "cr", "C", local), ("R", "rs", "R", not local)]:
            bucket = own if here else (access, "burst 1600 cburst 1600 quantum 1514", "pfifo limit 1000")
            if bucket is None:
                self.attach("bottleneck.qdisc", "cake", ns, dev, "bottleneck")
                continue
            bps, shape, words = bucket
            self.lines["tc"] += [
                f"{ns} qdisc add dev {dev} root handle 1: htb default 1",
                f"{ns} class add dev {dev} parent 1: classid 1:1 htb rate {bps}bit {shape}",
                f"{ns} qdisc add dev {dev} parent 1:1 handle 10: {words}",
            ]
            self.lines["watch"].append(f"{ns} {dev} 10")
            self.queues.append("bottleneck" if here else name)
        if self.netem_alters():
            self.attach("netem.delay", "netem", "S", "sr", "S")
