"""Flows and echoes, and what they are called."""

from __future__ import annotations

import hashlib

from . import units
from .asked import Asked
from .own import MARKS, UDP_ECHOES
from .translated import FlowName


class Traffic(Asked):
    """Traffic."""

    def traffic(self) -> tuple[tuple[FlowName, ...], tuple[tuple[str, int], ...]]:
        """Flows and echoes of every station."""
        flows: list[FlowName] = []
        echoes: list[tuple[str, int]] = []
        rrul, marks, mark_acks = (self.on(f"traffic.{k}") for k in ("rrul", "marks", "mark_acks"))
        jitter, step = self.span("traffic.start_jitter"), self.span("traffic.start_step")
        up, down = self.number("traffic.tcp_up"), self.number("traffic.tcp_down")
        floods = [(way, self.text(f"traffic.udp_{way}")) for way in ("up", "down")]
        payload = self.number("traffic.udp_payload")
        # the kernel doubles what SO_SNDBUF asks for
        sndbuf = units.size(self.text("traffic.udp_sndbuf")) // 2
        ping, pinging = self.text("traffic.ping"), self.number("traffic.ping_stations")
        beside = self.on("traffic.rrul_echoes")
        for station in range(self.stations):
            suffix = f" sta{station + 1}" if self.stations > 1 else ""

            def add(kind: str, name: str, way: str, i: int, station: int = station, suffix: str = suffix) -> str:
                dscp = MARKS[i % 4] if rrul and marks else 0
                flows.append(FlowName(f"{name}{i + 1}{suffix}", kind, way, str(station), dscp))
                start = self.start + int(jitter * self.unit(f"start/{len(flows)}")) + step * i
                acks = f" {dscp << 2 if mark_acks else 0}" if kind == "tcp" else ""
                return f"{kind} {way} {station} {dscp << 2}{acks} {start}"

            for way, count in (("up", up), ("down", down)):
                self.lines["flow"] += [add("tcp", way, way, i) for i in range(count)]
            for way, offered in floods:
                if offered != "off":
                    gap = round(payload * 8e9 / units.rate(offered))
                    self.lines["flow"].append(f"{add('udp', f'udp_{way}', way, 0)} {gap} {payload} {sndbuf}")
            if ping != "off" and station < pinging:
                kinds = [("icmp", 0), *(UDP_ECHOES if rrul and beside else ())]
                for name, dscp in kinds:
                    tos = dscp << 2 if marks else 0
                    self.lines["echo"].append(f"{'icmp' if name == 'icmp' else 'udp'} {station} {tos}")
                    echoes.append((f"{name}{suffix}", station))
        if ping != "off":
            self.case |= {"ping": units.span(ping), "ping_payload": self.number("traffic.ping_payload")}
        if self.wifi:
            self.case |= {"stations": self.stations, "backhaul": self.backhaul}
        return tuple(flows), tuple(echoes)

    def unit(self, name: str) -> float:
        """A number in [0, 1) of its own random stream."""
        h = hashlib.sha256(f"{self.seed}/{name}".encode()).digest()
        return int.from_bytes(h[:7], "big") / 2**56
