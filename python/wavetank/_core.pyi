"""The laboratory's core, compiled from Rust.

Times are in seconds (``t``), round trips in milliseconds (``*_ms``), rates in Mbit/s (``*_mbit``) or bit/s (``*_bps``),
sizes in bytes, windows in segments. Arrays are one-dimensional float64, one value a sample.
"""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from .refused import ScenarioError as ScenarioError

FloatArray = NDArray[np.float64]

#: Whether it was built with checks of its own (profile ``checked``), which take a third more time.
CHECKED: bool

class CaptureError(ValueError):
    """A capture that cannot be used: which file and why."""

class CoreFlow(TypedDict):
    name: str
    direction: str
    station: int
    kind: str
    dscp: int
    cc: str
    bytes_window: int
    goodput_mbit: float
    retransmits: int
    rtos: int
    delivered_ce: int | None
    error: str | None
    delivery: dict[str, Any] | None
    series: dict[str, FloatArray]

class CorePing(TypedDict):
    name: str
    station: int
    t: FloatArray
    rtt_ms: FloatArray

class CoreNode(TypedDict):
    ampdu_hist: FloatArray
    rx_hist: FloatArray
    rx_bad: FloatArray
    ends: FloatArray
    runs: FloatArray
    modes: list[tuple[int, int, int, bool, float, int, int, str]]
    rx_modes: list[tuple[int, int, int, bool, float, int, int, str]]
    rate: dict[str, int]
    airtime_fraction: float
    airtime_rx_fraction: float
    unanswered: int
    acks: NotRequired[dict[str, float]]
    series: dict[str, FloatArray]

class FloorMap(TypedDict):
    size_m: tuple[float, float]
    ap_m: tuple[float, float]
    stations: list[tuple[float, float, float]]
    walk: list[tuple[float, float, float]]
    snr: FloatArray

class CoreResult(TypedDict):
    scenario: str
    seed: int
    simulated_s: float
    events: int
    resolved: dict[str, str]
    window: tuple[float, float]
    ledger: dict[str, int]
    drops: dict[str, int]
    digest: str
    flows: list[CoreFlow]
    pings: list[CorePing]
    nodes: dict[str, CoreNode]
    qdiscs: dict[str, dict[str, FloatArray]]
    states: list[dict[str, Any]]

class SchemaRow(TypedDict):
    section: str
    key: str
    kind: str
    unit: str
    default: str
    range: str
    doc: str
    source: str
    #: fact, assumed, calibrated or chosen; and the source without that word.
    basis: str
    evidence: str

class DriverRow(TypedDict):
    asks_for_aql: bool
    forms_anew: bool
    reorders: bool
    permits_amsdus: bool

def run(
    text: str, path: str, overrides: Sequence[tuple[str, str]] = (), seed: int | None = None, states: Sequence[int] = ()
) -> CoreResult:
    """Run a scenario; ``path`` is only for messages. ``states``: when it is looked at, ns, in order. Raises ScenarioError.
    Other threads go on meanwhile."""

def check(text: str, path: str, overrides: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
    """Validate a scenario without running it; every key with its value as it would be used."""

def modelled(text: str, path: str, overrides: Sequence[tuple[str, str]] = ()) -> None:
    """Raises ScenarioError where a scenario asks for what the real kernel alone has (``[linux]``)."""

def value(source: str, key: str, text: str) -> str:
    """One key's value alone, as it would be used; ``source`` stands in messages where a file would. Raises ScenarioError."""

def meant(key: str) -> str | None:
    """The key that is meant by ``key``, which is none: what a scenario's error would name as near; None if nothing is."""

def nearest(got: str, names: Sequence[str]) -> str | None:
    """The name nearest to ``got``, if any is near; capitals count for nothing. The rule is the one of the core's own messages."""

def category(dscp: int, rfc8325: bool) -> str:
    """The access category of a DSCP ("vo", "vi", "be", "bk"): by RFC 8325, or by its upper three bits."""

def minstrel_replay(recording: bytes, never_probes: bool = False) -> dict[str, Any]:
    """Holds a recording of the kernel's Minstrel-HT (``linux/radio/minstrel.c``) against the model, call by call.

    ``stations``, ``statuses``, ``updates`` (of statistics), ``decisions`` (on a rate chain), ``probes``, ``no_probes``
    (frames that came before it was time for one), ``wrong_updates``, ``wrong_decisions``, ``wrong_probes``,
    ``differences`` (single values) and ``told``, the first ten of them in words. ``never_probes``: of a model that never
    probes. Raises ValueError for what is no whole recording.
    """

def air_views(text: str, path: str, overrides: Sequence[tuple[str, str]]) -> list[str]:
    """Whose views a capture of a scenario can have: "monitor" and every radio; nothing without Wi-Fi."""

#: Captures (view, file), bytes kept of each frame (none: 256, and A-MSDUs whole), their window, the timeline's, and whether there
#: is an analysis.
Look = tuple[Sequence[tuple[str, str]], int | None, tuple[float, float] | None, tuple[float | None, float] | None, bool]
#: The timeline and the analysis (JSON), and of how many A-MSDUs the captures do not keep every header.
Seen = tuple[str | None, str | None, int]

def run_watched(
    text: str, path: str, overrides: Sequence[tuple[str, str]], seed: int | None, look: Look, states: Sequence[int] = ()
) -> tuple[CoreResult, Seen]:
    """Run a scenario and look at its air. Raises ScenarioError, OSError."""

def watch_log(
    text: str,
    path: str,
    overrides: Sequence[tuple[str, str]],
    seed: int | None,
    look: Look,
    log: str,
    ips: Sequence[str],
) -> tuple[Seen, float | None]:
    """Show the virtual radio's log of its air; and when its room ended. Raises CaptureError, OSError."""

def compress_acks(path: str) -> str:
    """Compress a capture's pure TCP ACKs, restore, compare; JSON. Raises CaptureError, OSError."""

def analyze(path: str, window: tuple[float, float] | None, whole: bool, interface: int | None = ...) -> str:
    """Count a capture's frames, or one interface's; JSON. Raises CaptureError, OSError."""

def deliveries(path: str, interface: int | None = ...) -> list[tuple[str, str, bool, list[tuple[int, int]]]]:
    """Of each link of a capture, or of one interface's: from, to (names or MAC addresses), whether it is from an access
    point, and its packets: when each was handed up, ns of the capture's clock, and its bytes from IP's header on. Raises
    CaptureError, OSError.
    """

def effective_snr(csi: bytes, subcarriers: int, snr_db: bytes) -> FloatArray:
    """Effective SNR in dB, n x 4 (BPSK, QPSK, 16-QAM, 64-QAM), of n reports; NaN for one with nothing in it.

    ``csi``: int16, n x subcarriers x 2 (real, imaginary); ``snr_db``: float64, n. Raises ValueError if they do not fit.
    """

def ppdu_ms(standard: str, mcs: int, streams: int, width_mhz: int, gi_ns: int, octets: int) -> float:
    """How long a PPDU of a PSDU of ``octets`` is on the air by itself, preamble included, at 5 GHz, ms.

    ``standard``: "n" (whose MCS says the streams, too), "ac" or "ax"; ``gi_ns``: the guard interval, ns. Raises ValueError for a
    mode that it does not have.
    """

def channel_trace(
    text: str, path: str, overrides: list[tuple[str, str]] = ..., seed: int | None = ..., csi: bool = ...
) -> bytes | None:
    """The channel of a scenario, written down for the virtual radio; None if it has none. Raises ScenarioError."""

def given(text: str, path: str) -> list[str]:
    """The keys that a scenario's text names. Raises ScenarioError where it is no TOML."""

def starts(
    text: str, path: str, overrides: list[tuple[str, str]] = ..., seed: int | None = ...
) -> tuple[list[int], list[int]]:
    """When each flow begins after the flows' start, and each series of echoes after the run's, ns. Raises ScenarioError."""

def floor(text: str, path: str, overrides: list[tuple[str, str]] = ..., step: float = ...) -> FloorMap:
    """The floor of a scenario, every ``step`` m. Raises ScenarioError."""

def schema() -> list[SchemaRow]:
    """Every key that a scenario can have."""

def registry() -> dict[str, list[str]]:
    """Names of what can be chosen: ``cc``, ``qdisc``, ``driver``, ``rate``, ``kernel``."""

def drivers() -> dict[str, DriverRow]:
    """Of each Wi-Fi driver by its name: whether it asks for airtime queue limits (AQL); whether its firmware forms each PPDU
    anew; whether it puts received frames in order in mac80211's place; whether it permits A-MSDUs within A-MPDUs that it gets.
    """

def theory() -> list[dict[str, Any]]:
    """The closed forms: name, source, inputs with unit and default, outputs with unit."""

def theory_eval(name: str, inputs: dict[str, float]) -> dict[str, float]:
    """Evaluate a closed form; inputs left out take their default."""

def dcf_check(row: dict[str, str]) -> None:
    """Raises KeyError if a row of the saturation table names what there is not."""

def dcf_bianchi(row: dict[str, str]) -> float:
    """Bianchi's saturation goodput with a retry limit, Mbit/s, for a row of single frames."""

def dcf_case(row: dict[str, str], seed: int, seconds: float) -> float:
    """UDP goodput (Mbit/s) of one row of the saturation reference."""

def dcf_categories(row: dict[str, str], seed: int, seconds: float) -> list[float]:
    """UDP goodput (Mbit/s) of VO, VI, BE and BK of one row of the reference of several categories."""

def packetdrill(text: str, kernel: str = ..., hz: int = ..., max_header: int | None = ...) -> dict[str, Any]:
    """Runs a packetdrill script: verdict, held, checked, skipped, failure, trace, printed.

    `max_header`: the kernel's MAX_HEADER, bytes; None: a usual one's.
    """

def workload_names() -> list[str]:
    """The standard workloads, in their order."""

def bench(name: str) -> dict[str, Any]:
    """Run a standard workload: simulated_s, wall_s, events, goodput_mbit, ..."""
