"""A run's air: captures, the timeline and the analysis that a run leaves besides its result."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import _core, files, linux, units, workers
from ..errors import UserError, unknown
from ..result import Result
from ..scenario import Scenario

Window = tuple[float, float]
#: A window; or none and a length: from the judging window's begin on, when flows run and nothing starts.
Glance = tuple[float | None, float]
#: Octets of each MSDU that the real kernel's radio writes down for captures unless told otherwise: as many as these keep of a
#: frame (``crates/py/src/air.rs``); A-MSDUs they keep whole, and so each MSDU's headers.
SNAPLEN = 256
#: Length of the timeline's window unless told otherwise, s.
GLANCE = 0.012
#: Seconds before the judging window from which on an analysis looks at the real kernel's air: what is under way is known then.
BEFORE = 1.0


@dataclass(frozen=True)
class Watched:
    """A run and what was seen of its air. ``timeline`` is what ``timeline.write`` draws, ``analysis`` an ``analyze`` document."""

    result: Result
    timeline: dict[str, Any] | None = None
    analysis: dict[str, Any] | None = None
    captures: tuple[Path, ...] = ()
    #: What whoever asked should know of them.
    notes: tuple[str, ...] = ()


def window(text: str, option: str, end: float = math.inf) -> Window:
    """``FROM:TO`` in seconds of the run, which begins before its ``end``. Raises UserError."""
    a, sign, b = text.partition(":")
    try:
        w = (float(a.removesuffix("s")), float(b.removesuffix("s")))
    except ValueError:
        sign = ""
        w = (0.0, 0.0)
    if sign and math.isfinite(w[0]) and w[1] <= w[0]:
        raise UserError(f'{option}: "{text}", expected FROM:TO with FROM below TO, such as 12.5:12.52')
    if not sign or not 0 <= w[0] < w[1] < math.inf:
        raise UserError(f'{option}: "{text}", expected FROM:TO in seconds, such as 12.5:12.52')
    if w[0] >= end:
        raise UserError(f'{option}: "{text}" is after the end, expected seconds from 0 to {end:g}')
    return w


def views(scenario: Scenario, asked: str) -> list[str]:
    """The views that ``monitor``, ``all``, or names with commas between stand for. Raises UserError, ScenarioError."""
    known = _core.air_views(scenario.text, scenario.path, list(scenario.overrides))
    if not known:
        raise UserError(f"--pcap: {scenario.path} has no Wi-Fi, there is nothing to capture on the air")
    out: list[str] = []
    for name in asked.split(","):
        if name != "all" and name not in known:
            raise unknown("view", name, ["all", *known], "--pcap")
        out += known if name == "all" else [name]
    return list(dict.fromkeys(out))


@dataclass(frozen=True)
class _Look:
    """What shall be seen of a run's air."""

    captures: Sequence[tuple[str, Path]]
    snaplen: int | None
    capture_window: Window | None
    timeline: Glance | None
    analysis: bool

    def raw(self) -> _core.Look:
        """As the core takes it."""
        captures = [(view, str(file)) for view, file in self.captures]
        return captures, self.snaplen, self.capture_window, self.timeline, self.analysis


def watch(
    scenario: Scenario,
    seed: int | None = None,
    captures: Sequence[tuple[str, Path]] = (),
    snaplen: int | None = None,
    capture_window: Window | None = None,
    timeline: Glance | None = None,
    analysis: bool = False,
    on: str = "model",
    progress: Callable[[float, float], None] = lambda done, of: None,
    states: Sequence[int] = (),
) -> Watched:
    """Runs a scenario and looks at its air.

    ``captures``: pairs of a view (``monitor`` or a radio's name) and a file. ``snaplen``: bytes kept of each frame, 0: all,
    None: 256, and A-MSDUs whole.
    Windows in seconds of the run; ``states``: times, ns, at which its state is looked at. ``on``: ``model``, or ``linux``, where
    frames are the octets that the kernel's mac80211 handed to the virtual radio, and ``progress`` gets (seconds done, of).
    Raises ScenarioError, UserError; on linux LinuxFailed, too.
    """
    look = _Look(captures, snaplen, capture_window, timeline, analysis)
    try:
        if on == "linux":
            return _watch_linux(scenario, seed, look, progress, states)
        return _watch_model(scenario, seed, look, states)
    except OSError as e:
        raise UserError(f"{e.filename}: cannot be written ({e.strerror}), expected a file for a capture") from None


def _watch_model(scenario: Scenario, seed: int | None, look: _Look, states: Sequence[int]) -> Watched:
    start = time.perf_counter()
    raw, seen = _core.run_watched(scenario.text, scenario.path, list(scenario.overrides), seed, look.raw(), states)
    return _watched(Result.from_core(raw, time.perf_counter() - start), look, seen)


def _watch_linux(
    scenario: Scenario,
    seed: int | None,
    look: _Look,
    progress: Callable[[float, float], None],
    states: Sequence[int],
) -> Watched:
    with tempfile.TemporaryDirectory(prefix="wavetank-air-") as folder:
        snaplen = SNAPLEN if look.snaplen is None else look.snaplen
        log = linux.RadioLog(
            Path(folder) / "log", _spans(scenario, seed, look), snaplen if look.captures else linux.HEADERS
        )
        result = linux.simulate(scenario, seed, progress, log, states)
        radios = _core.air_views(scenario.text, scenario.path, list(scenario.overrides))[1:]
        looked, cut = _core.watch_log(
            scenario.text, scenario.path, list(scenario.overrides), seed, look.raw(), str(log.file),
            linux.addresses([*radios, "server"]),
        )  # fmt: skip
    seen = _watched(result, look, looked)
    if cut is None:
        return seen
    full = (
        f"what was seen of the air ends at {cut:.1f} s, where the guest's {linux.ROOM} MiB for it were full: "
        "--snaplen keeps less of each frame, --pcap-window fewer of them"
    )
    return replace(seen, notes=(*seen.notes, full))


def _spans(scenario: Scenario, seed: int | None, look: _Look) -> list[Window]:
    """The seconds of a run that are looked at in any way."""
    judged = linux.check(scenario, seed).case
    begin, end = judged["window_start"] / 1e9, judged["window_end"] / 1e9
    spans = [look.capture_window or (0.0, math.inf)] if look.captures else []
    if look.timeline is not None:
        first, last = look.timeline
        spans.append((begin, begin + last) if first is None else (first, last))
    if look.analysis:
        spans.append((max(0.0, begin - BEFORE), end))
    return spans


def _watched(result: Result, look: _Look, seen: _core.Seen) -> Watched:
    picture, report, cut_amsdus = seen
    cut = (
        f"of {cut_amsdus} A-MSDUs the captures do not have all MSDUs' headers, for they keep {look.snaplen} bytes of a frame: "
        "`wavetank analyze` will miss UDP and pings (without --snaplen A-MSDUs are whole)"
    )
    return Watched(
        result,
        json.loads(picture) if picture is not None else None,
        json.loads(report) if report is not None else None,
        tuple(p for _, p in look.captures),
        (cut,) if cut_amsdus else (),
    )


@dataclass(frozen=True)
class Ask:
    """What a run is asked for besides its result."""

    captures: tuple[tuple[str, Path], ...]
    snaplen: int | None
    capture_window: Window | None
    picture: Path | None
    timeline: Glance | None
    analysis: bool

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        path: Path,
        out: Path | None,
        pcap: str | None,
        pcap_window: str | None,
        snaplen: int | None,
        picture: Path | None,
        timeline: str | None,
        analysis: bool,
    ) -> Ask:
        """From the command's options. Captures are OUT/VIEW.pcapng, or SCENARIO-VIEW.pcapng here.

        Raises UserError, ScenarioError.
        """
        from . import timeline as drawing

        captures = []
        for view in views(scenario, pcap) if pcap is not None else []:
            name = f"{view}.pcapng" if out is not None else f"{path.stem}-{view}.pcapng"
            captures.append((view, (out or Path()) / name))
        values = scenario.check()
        end = sum(units.span(values[f"time.{part}"]) for part in ("lead_in", "flows", "tail")) / 1e9
        span: Glance | None = window(timeline, "--window", end) if timeline is not None else None
        if analysis and not _core.air_views(scenario.text, scenario.path, list(scenario.overrides)):
            raise UserError(f"--analyze: {scenario.path} has no Wi-Fi, there is no air to look at")
        if picture is not None:
            drawing.suffix(picture)
            if not _core.air_views(scenario.text, scenario.path, list(scenario.overrides)):
                raise UserError(f"--timeline: {scenario.path} has no Wi-Fi, there is no air to draw")
            span = span or (None, GLANCE)
        cut = window(pcap_window, "--pcap-window", end) if pcap_window is not None else None
        return cls(tuple(captures), snaplen, cut, picture, span, analysis)

    @property
    def nothing(self) -> bool:
        """Whether a plain run will do."""
        return not (self.captures or self.picture or self.analysis)

    def watch(
        self,
        scenario: Scenario,
        seed: int | None,
        on: str = "model",
        progress: Callable[[float, float], None] = lambda done, of: None,
        states: Sequence[int] = (),
    ) -> Watched:
        """The run. A capture becomes its file when it is whole. ``progress`` gets seconds done, and of how many, on linux;
        ``states``: times, ns, at which its state is looked at."""
        with ExitStack() as folders:
            for f in dict.fromkeys(p.parent for _, p in self.captures):
                folders.enter_context(files.made(f))
            return self._watch(scenario, seed, on, progress, states)

    def _watch(
        self,
        scenario: Scenario,
        seed: int | None,
        on: str,
        progress: Callable[[float, float], None],
        states: Sequence[int],
    ) -> Watched:
        parts = []
        try:
            for view, path in self.captures:
                try:
                    with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent, delete=False) as part:
                        parts.append((view, Path(part.name), path))
                except OSError as e:  # which names the file that was to become it
                    why = f"cannot be written ({e.strerror}), expected a file for a capture"
                    raise UserError(f"{path}: {why}") from None
            # In a thread, so that Ctrl-C comes through, and what is half done is taken away below.
            seen = workers.in_thread(
                lambda: watch(
                    scenario, seed, [(v, p) for v, p, _ in parts], self.snaplen, self.capture_window, self.timeline,
                    self.analysis, on, progress, states,
                )
            )  # fmt: skip
            for _, part_path, path in parts:
                part_path.chmod(0o644)
                part_path.replace(path)
        except UserError as e:
            text = str(e)
            for _, part_path, path in parts:
                text = text.replace(str(part_path), str(path))
            raise UserError(text) from None
        except OSError as e:
            raise UserError(f"{e.filename}: cannot be written ({e.strerror}), expected a file for a capture") from None
        finally:
            for _, part_path, _ in parts:
                part_path.unlink(missing_ok=True)
        return seen

    def finish(self, seen: Watched, title: str) -> list[Path]:
        """Writes the picture; answers all files that there are now."""
        from . import timeline as drawing

        written = [path for _, path in self.captures]
        if self.picture is not None and seen.timeline is not None:
            written.append(drawing.write(self.picture, seen.timeline, title))
        return written
