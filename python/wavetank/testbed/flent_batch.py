"""Flent's batch file for a scenario's traffic: which of Flent's tests it is, where Flent runs, and against whom.

src: Flent 2.3's flent/batch.py (sections, inheritance, `filename_extra`, `commands`), flent/settings.py (a batch's keys are the
options' names; lists are parted by commas, test parameters by semicolons) and flent/tests/*.conf.

Differs from the model's traffic: D1 processes start when they start: no jitter is drawn. D2 Flent's ping and its samples have one
step. D3 the time after the flows is as long as that before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import units
from ..linux.own import OWN_CC
from .asked import Bed
from .roles import Name, Role

#: A test run takes so long besides: start and end of its programs, files, the pause.
PAUSE = 5
#: Keys of [traffic] that decide the test; any other is refused or left, as own.py says.
READ = (
    "tcp_up", "tcp_down", "udp_up", "udp_down", "udp_payload", "rrul", "marks", "ping", "ping_stations", "start_step",
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """One of Flent's tests, as the bed runs it."""

    test: str
    #: Where Flent runs, and the hosts of its test, one a stream where there are several.
    at: Role
    hosts: tuple[Name, ...]
    #: A batch's keys and values.
    options: dict[str, str]
    #: Programs that have to run at the hosts.
    servers: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """How long one run takes."""
        return float(self.options["length"]) + 2 * float(self.options["delay"])


class Traffic(Bed):
    """The scenario's traffic as one of Flent's tests."""

    def plan(self) -> Plan:
        """Raises UserError for what no test of Flent's is."""
        t = {k: self.text(f"traffic.{k}") for k in READ}
        up, down = int(t["tcp_up"]), int(t["tcp_down"])
        udp = {way: t[f"udp_{way}"] for way in ("up", "down")}
        parameters: dict[str, str] = {}
        options = self.lengths(t["ping"])
        flood = [way for way, offered in udp.items() if offered != "off"]
        several = self.wifi and self.stations > 1
        if flood:
            test = self.flood(flood, up, down, several, t, parameters)
        elif t["rrul"] == "true":
            test = self.rrul(up, down, several, t, parameters)
        elif several:
            test = self.stations_of(up, down, parameters)
            options["swap_updown"] = "yes"  # Flent runs at the far end: what it downloads goes up
        else:
            test = self.bulk(up, down, t["ping"], parameters)
        self.starts(t, up or down, test, parameters)
        if test != "ping" and not flood:
            self.choose_controls(test, max(up, down), parameters)
        if parameters:
            options["test_parameters"] = ";".join(f"{k}={v}" for k, v in parameters.items())
        at, hosts = self.ends(flood, several, max(up, down, 1))
        if t["ping"] == "off" and test != "tcp_1up_noping":
            self.notes.append("traffic.ping: this test of Flent's pings, as nearly all do")
        if several and int(t["ping_stations"]) < self.stations:
            self.notes.append("traffic.ping_stations: Flent pings every station")
        servers: tuple[str, ...] = ("iperf -s -u",) if flood else ("netserver",)
        if test.startswith("rrul"):
            servers += ("irtt server",)
        return Plan(test, at, hosts, options, servers)

    def lengths(self, ping: str) -> dict[str, str]:
        """Flent's DELAY, LENGTH and STEP_SIZE."""
        for key in ("time.flows", "time.lead_in"):
            if self.span(key) % 10**9:
                raise self.refuse(key, "Flent counts whole seconds")
        self.used |= {k: self.v[k] for k in ("time.warmup", "time.cooldown", "time.tail")}
        if self.v["time.tail"] != self.v["time.lead_in"]:
            self.notes.append(f"time.tail: Flent's is as long as what is before the flows, {self.v['time.lead_in']}")
        step = self.span("time.sample")
        if ping != "off" and units.span(ping) != step:
            self.notes.append(f"time.sample: Flent samples as it pings, every {ping}")
            step = units.span(ping)
        return {
            "length": str(self.span("time.flows") // 10**9),
            "delay": str(self.span("time.lead_in") // 10**9),
            "step_size": f"{step / 1e9:g}",
        }

    def bulk(self, up: int, down: int, ping: str, parameters: dict[str, str]) -> str:
        """TCP between two hosts."""
        if up and down:
            if up == down == 1:
                return "tcp_bidirectional"
            parameters |= {"upload_streams": str(up), "download_streams": str(down)}
            self.notes.append("traffic: Flent's rrul_be_nflows has a UDP echo beside the flows")
            return "rrul_be_nflows"
        if up == 1 and ping == "off":
            return "tcp_1up_noping"
        if up:
            if up > 1:
                parameters["upload_streams"] = str(up)
            return "tcp_upload" if up == 1 else "tcp_nup"
        if down:
            if down > 1:
                parameters["download_streams"] = str(down)
            return "tcp_download" if down == 1 else "tcp_ndown"
        return "ping"

    def rrul(self, up: int, down: int, several: bool, t: dict[str, str], parameters: dict[str, str]) -> str:
        """Flent's RRUL, with marks or without."""
        if several:
            raise self.refuse("traffic.rrul", "Flent's RRUL has one host; give wifi.stations = 1")
        if t["marks"] == "true":
            if (up, down) != (4, 4):
                raise self.refuse(
                    "traffic.rrul", f"Flent's has four flows each way with four marks, not {up} and {down}"
                )
            return "rrul"
        if (up, down) == (4, 4):
            return "rrul_be"
        parameters |= {"upload_streams": str(up), "download_streams": str(down)}
        return "rrul_be_nflows"

    def flood(
        self, ways: list[str], up: int, down: int, several: bool, t: dict[str, str], parameters: dict[str, str]
    ) -> str:
        """UDP at a rate."""
        key = f"traffic.udp_{ways[0]}"
        if len(ways) > 1 or up or down or t["rrul"] == "true":
            raise self.refuse(key, "Flent's UDP floods go one way, with nothing beside them")
        if several and ways == ["up"]:
            raise self.refuse(
                key, "Flent's UDP floods start where Flent runs, which is one station; udp_down can be had"
            )
        self.notes.append(f"{key}: Flent notes what iperf sends, not what arrives: compare the pings")
        parameters["udp_bandwidth"] = str(units.rate(t[f"udp_{ways[0]}"]))
        parameters["udp_pktsize"] = t["udp_payload"]
        # Flent 2.3's own udp_flood hands iperf its parameters as a list, which iperf takes for next to nothing
        return "udp_flood_var_up"

    def stations_of(self, up: int, down: int, parameters: dict[str, str]) -> str:
        """Several stations: Flent runs at the far end, and has a stream to each."""
        if up and down and up != down:
            raise self.refuse(
                "traffic.tcp_up", f"Flent's rtt_fair_var has as many flows up as down, not {up} and {down}"
            )
        each = max(up, down)
        if not each:
            raise self.refuse("wifi.stations", "Flent pings several stations only beside TCP flows")
        labels = [f"BE{i + 1}" for _ in range(self.stations) for i in range(each)]
        parameters["labels"] = ",".join(labels)
        return "rtt_fair_var" if up and down else "rtt_fair_var_up" if up else "rtt_fair_var_down"

    def starts(self, t: dict[str, str], flows: int, test: str, parameters: dict[str, str]) -> None:
        """Flows that start one after the other."""
        step = units.span(t["start_step"])
        if not step:
            return
        if step % 10**9 or not test.startswith(("tcp_n", "rtt_fair")):
            raise self.refuse("traffic.start_step", "Flent has whole seconds, for flows of one direction")
        seconds = step // 10**9
        times = self.stations if test.startswith("rtt_fair") else 1
        parameters["stream_delays"] = ",".join(str(i * seconds) for _ in range(times) for i in range(flows))

    def choose_controls(self, test: str, streams: int, parameters: dict[str, str]) -> None:
        """Flows' congestion controls: one for all, or by stream where Flent's test takes them so."""
        controls = [OWN_CC.get(cc, cc) for cc in (self.control(0, i) for i in range(streams))]
        if len(set(controls)) == 1:
            parameters["tcp_cong_control"] = controls[0]
        elif test in ("tcp_nup", "tcp_ndown"):
            parameters["cc_algos"] = ",".join(controls)
        else:
            raise self.refuse("traffic.cc", f"Flent's {test} has one control; tcp_nup and tcp_ndown have one a stream")

    def ends(self, flood: list[str], several: bool, streams: int) -> tuple[Role, tuple[Name, ...]]:
        """Where Flent runs, and its hosts."""
        near = self.roles["client"] if not self.wifi else self.roles["sta1"]
        if several:
            stations = [self.roles[f"sta{i + 1}"].host for i in range(self.stations)]
            return self.far, tuple(h for h in stations for _ in range(streams))
        if flood == ["down"]:
            return self.far, (near.host,)
        return near, (self.far.host,)


def text(plan: Plan, name: str, digest: str, repetitions: int, defaults: dict[str, str], version: str) -> str:
    """The batch file. ``defaults``: bed.env's, for hosts; ``flent.sh`` hands over what bed.env has by then."""
    options: dict[str, Any] = {
        "test_name": plan.test,
        "hosts": ",".join(defaults[h.variable] for h in plan.hosts),
        "ip_version": "4",
        **plan.options,
        "title": " ".join(name.split()),
        "note": note(name, digest),
        "socket_stats": "yes",
        "extended_metadata": "yes",
        "output_path": "results",
        "filename_extra": "${repetition}",
        "repetitions": str(repetitions),
        "pause": str(PAUSE),
        "commands": "check",
    }
    lines = [
        f"# Made by wavetank {version}. ./flent.sh runs it, here, with bed.env's hosts.",
        f"[Batch::{section(name)}]",
        *(f"{k} = {v}" for k, v in options.items()),
        "",
        "# What this machine was set to must still hold: a run is not begun where it does not.",
        "[Command::check]",
        f"exec = ./{plan.at.name}.sh check",
        "type = pre",
        "essential = yes",
    ]
    return "\n".join(lines) + "\n"


def section(name: str) -> str:
    """A batch's name: Flent folds it to lower case and makes file names of it."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name.lower()) or "wavetank"


def note(name: str, digest: str) -> str:
    """What the data files bear, so that results find their scenario."""
    return f"wavetank testbed {section(name)} digest {digest}"
