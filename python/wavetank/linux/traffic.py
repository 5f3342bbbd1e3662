"""Flows and echoes, and what they are called."""

from __future__ import annotations

from .. import units
from ..measured import DSCP
from .asked import Asked
from .own import MARKS, UDP_ECHOES
from .translated import FlowName


def number_of_mark(text: str) -> int:
    """A DSCP by its name, or as a number."""
    return next((n for n, name in DSCP.items() if name == text), None) or int(text if text.isdigit() else 0)


class Traffic(Asked):
    """Traffic."""

    def traffic(self) -> tuple[tuple[FlowName, ...], tuple[tuple[str, int], ...]]:
        """Flows and echoes of every station."""
        flows: list[FlowName] = []
        echoes: list[tuple[str, int]] = []
        rrul, marks, mark_acks = (self.on(f"traffic.{k}") for k in ("rrul", "marks", "mark_acks"))
        for key in ("traffic.start_jitter", "traffic.start_step"):
            self.text(key)
        marks_of = {k: number_of_mark(self.text(f"traffic.{k}_dscp")) for k in ("tcp", "ping")}
        udp_marks = [number_of_mark(m) for m in self.own("udp_dscp")]
        counts = {way: self.own(f"tcp_{way}") for way in ("up", "down")}
        floods = {way: self.own(f"udp_{way}") for way in ("up", "down")}
        payloads = [int(n) for n in self.own("udp_payload")]
        # the kernel doubles what SO_SNDBUF asks for
        sndbuf = units.size(self.text("traffic.udp_sndbuf")) // 2
        ping, pinging = self.text("traffic.ping"), self.number("traffic.ping_stations")
        beside, own = self.on("traffic.rrul_echoes"), "udp" if self.on("traffic.ping_udp") else "icmp"
        for station in range(self.stations):
            suffix = f" sta{station + 1}" if self.stations > 1 else ""

            def add(kind: str, name: str, way: str, i: int, station: int = station, suffix: str = suffix) -> str:
                of_all = udp_marks[station] if kind == "udp" else marks_of[kind]
                dscp = MARKS[i % 4] if rrul and marks and kind == "tcp" else of_all
                cc = self.control(station, i) if kind == "tcp" else ""
                start = self.start + self.flow_starts[len(flows)]
                its = self.of_the_kernel(cc) if cc else ""
                told = self.stand_ins["linux.cc"].of(cc) if cc else ""
                flows.append(FlowName(f"{name}{i + 1}{suffix}", kind, way, str(station), dscp, told or cc))
                if kind == "tcp":
                    acks = dscp << 2 if mark_acks else 0
                    return f"tcp {way} {station} {dscp << 2} {acks} {start} {its}"
                return f"{kind} {way} {station} {dscp << 2} {start}"

            for way, count in counts.items():
                self.lines["flow"] += [add("tcp", way, way, i) for i in range(int(count[station]))]
            for way, offered_by in floods.items():
                if (offered := offered_by[station]) != "off":
                    payload = payloads[station]
                    gap = round(payload * 8e9 / units.rate(offered))
                    self.lines["flow"].append(f"{add('udp', f'udp_{way}', way, 0)} {gap} {payload} {sndbuf}")
            if ping != "off" and station < pinging:
                kinds = [(own, marks_of["ping"]), *(UDP_ECHOES if rrul and beside else ())]
                for name, dscp in kinds:
                    tos = dscp << 2 if marks or name == own else 0
                    begin = self.echo_starts[len(echoes)]
                    self.lines["echo"].append(f"{'icmp' if name == 'icmp' else 'udp'} {station} {tos} {begin}")
                    echoes.append((f"{name}{suffix}", station))
        if ping != "off":
            self.case |= {"ping": units.span(ping), "ping_payload": self.number("traffic.ping_payload")}
        if self.wifi:
            self.case |= {"stations": self.stations, "backhaul": self.backhaul}
        return tuple(flows), tuple(echoes)
