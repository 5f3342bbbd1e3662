"""A scenario: a TOML text and what is set on top of it. The core parses, validates and runs it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core, files, keys
from .errors import SettingError, UserError, nearest, printable, shortened, unknown, unreadable, whole
from .result import Result
from .shipped import SCENARIOS
from .state import At, instants

Value = str | int | float | bool | np.generic | Sequence[str | int | float | bool | np.generic] | np.ndarray[Any, Any]
#: What a scenario can run on.
WATERS = ("model", "linux")
#: What is loaded, in messages.
SCENARIO = "a scenario file (TOML)"
#: How what `analyze` reads begins: gzip (as Flent's files are), pcapng, pcap in both byte orders.
ANALYZED = (
    b"\x1f\x8b",
    b"\x0a\x0d\x0d\x0a",
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
)


@contextmanager
def _told() -> Iterator[None]:
    """What was set has no option's name before it: here it was no option."""
    try:
        yield
    except _core.ScenarioError as e:
        text = str(e)
        if not text.startswith("--set: "):
            raise
        raise SettingError(text.removeprefix("--set: ")) from None


@dataclass(frozen=True)
class Scenario:
    """A scenario file's text; ``path`` is used in messages only. Immutable: ``set`` gives another one."""

    text: str
    path: str = "<text>"
    overrides: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Raises UserError for what is no text, or not UTF-8's."""
        if not isinstance(self.text, str):
            raise UserError(
                f"{self.text!r}: expected a scenario's text (TOML); Scenario.load reads a file, Scenario.from_dict takes values"
            )
        for what, given in (("text", self.text), *self.overrides):
            for part in (what, given):
                if part != printable(part):
                    raise UserError(f"{printable(what)}: {part!r} is not UTF-8 text")
        object.__setattr__(self, "path", printable(self.path))

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """Reads a scenario file. Raises UserError if it cannot be read."""
        path = files.place(path, SCENARIO)
        try:
            return cls(path.read_text(encoding="utf-8-sig"), str(path))
        except (OSError, UnicodeDecodeError) as e:
            if isinstance(e, UnicodeDecodeError) and e.object.startswith(ANALYZED):
                raise UserError(
                    f"{path}: is a capture, or compressed, expected {SCENARIO}; `wavetank analyze` reads captures and Flent files"
                ) from None
            raise unreadable(path, e, SCENARIO) from None

    @classmethod
    def from_dict(cls, values: Mapping[str, Value | Mapping[str, Value]], path: str = "<dict>") -> Scenario:
        """Builds a scenario from nested values: ``{"name": "x", "tcp": {"cc": "cubic"}}``."""
        if not isinstance(values, Mapping):
            raise UserError(f'{values!r}: expected keys and values, such as {{"tcp": {{"cc": "cubic"}}}}')
        top, sections = [], []
        for key, value in values.items():
            if isinstance(value, Mapping):
                sections.append(f"\n[{_key(key)}]")
                sections.extend(f"{_key(k)} = {_toml(v)}" for k, v in value.items())
            else:
                top.append(f"{_key(key)} = {_toml(value)}")
        return cls("\n".join(top + sections) + "\n", path)

    def set(self, values: Mapping[str, Value] | None = None, **kwargs: Value) -> Scenario:
        """The same with keys set: ``set({"tcp.cc": "cubic"})``, or ``set(tcp__cc="cubic")``. Later ones win.

        Raises ScenarioError for a key that there is not; values are looked at by :meth:`check` and :meth:`run`.
        """
        if values is not None and not isinstance(values, Mapping):
            raise UserError(f'set: {values!r}, expected keys and values, such as {{"tcp.cc": "cubic"}}')
        pairs = {**(values or {}), **{k.replace("__", "."): v for k, v in kwargs.items()}}
        for k, v in pairs.items():
            if not isinstance(k, str):
                raise UserError(f'set: {k!r}, expected a key, such as "tcp.cc"')
            if k != printable(k):
                raise UserError(f"set: {k!r} is not UTF-8 text, expected a key")
            if k not in keys.every():
                with _told():
                    _core.value("--set", k, show(v))  # which says what is near
        return Scenario(self.text, self.path, self.overrides + tuple((k, show(v)) for k, v in pairs.items()))

    def check(self) -> dict[str, str]:
        """Validates without running: every key with its value as it would be used. Raises ScenarioError."""
        with _told():
            return _core.check(self.text, self.path, list(self.overrides))

    def channel_trace(self, seed: int | None = None, *, csi: bool = False) -> bytes | None:
        """Its channel, written down for the virtual radio (linux/radio/air/channel.c has the format); None if it has none."""
        with _told():
            return _core.channel_trace(self.text, self.path, list(self.overrides), _seed(seed), csi)

    def starts(self, seed: int | None = None) -> tuple[list[int], list[int]]:
        """How long after the flows' start each flow begins, and after the run's start each series of echoes, ns."""
        with _told():
            return _core.starts(self.text, self.path, list(self.overrides), _seed(seed))

    def floor(self, step: float = 0.5) -> _core.FloorMap:
        """Its floor: the access point, the stations of its topology, the walk, and the mean SNR every ``step`` m."""
        with _told():
            return _core.floor(self.text, self.path, list(self.overrides), step)

    def given(self) -> frozenset[str]:
        """The keys that the file or an override names. Raises ScenarioError for what is no TOML."""
        return frozenset(_core.given(self.text, self.path)) | {k for k, _ in self.overrides}

    def beside(self, key: str) -> Path:
        """The folder that a path of this key is relative to: the file's, where that has the key, else the current one."""
        told = key not in dict(self.overrides) and Path(self.path).is_file()
        return Path(self.path).parent if told else Path()

    def run(self, seed: int | None = None, on: str = "model", states: At | Sequence[At] = ()) -> Result:
        """Runs it on a water of :data:`WATERS`. ``seed`` replaces the file's.

        ``states``: times in the run ("5 s", or seconds) at which every host's state is looked at (:attr:`Result.states`); the
        result is the same without. Raises ScenarioError, and UserError for what the water cannot express, and for what is no
        time of the run.
        """
        at = () if isinstance(states, tuple) and not states else instants(states, self.check(), "states")
        seed = _seed(seed)
        if on == "linux":
            from . import linux

            return linux.simulate(self, seed, states=at)
        if on != "model":
            raise unknown("water", str(on), WATERS)
        start = time.perf_counter()
        with _told():
            raw = _core.run(self.text, self.path, list(self.overrides), seed, at)
        return Result.from_core(raw, time.perf_counter() - start)


def _seed(seed: int | None) -> int | None:
    """A seed, if one is given. Raises UserError."""
    if seed is None:
        return None
    expected = "a whole number from 0 to 2^64 - 1"
    if not 0 <= (found := whole("seed", seed, expected)) < 2**64:
        raise UserError(f"seed: {found}, expected {expected}")
    return found


def _plain(value: Any) -> Any:
    """A value of Python's; numpy has scalars and arrays of its own."""
    return value.tolist() if hasattr(value, "tolist") else value


def show(value: Value) -> str:
    """A value as ``--set`` has it; a list, of stations, with commas."""
    value = _plain(value)
    if isinstance(value, bytes | bytearray):  # a sequence of numbers, too: b"x" was 120
        raise UserError(f"{value!r}: expected a text or a number, or a list of them")
    if not isinstance(value, str) and isinstance(value, Sequence):
        return ", ".join(show(v) for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _toml(value: Value) -> str:
    value = _plain(value)
    if isinstance(value, str) or not isinstance(value, int | float):
        return _quoted(show(value))
    return show(value)


def _quoted(text: str) -> str:
    """As TOML has a text: JSON's escapes, and one for a character that JSON takes as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: object) -> str:
    """A key, dotted or not, as TOML has it; what is no bare one in quotes."""
    return ".".join(p if re.fullmatch(r"[A-Za-z0-9_-]+", p) else _quoted(p) for p in str(key).split("."))


def load(name: str | Path) -> Scenario:
    """The scenario in that file, or of that name: here, or among those of ``wavetank list``. Raises UserError."""
    path = files.place(name, f"{SCENARIO}, or a name of `wavetank list`")
    try:
        if path.is_dir():
            raise UserError(f"{name}: is a folder, expected {SCENARIO}")
        for p in (path, path.with_name(f"{path.name}.toml"), SCENARIOS / f"{path.name}.toml"):
            if p.is_file() and (p.parent != SCENARIOS or path.name == str(name)):
                return Scenario.load(p)
    except OSError as e:  # a name that is longer than any file's
        raise UserError(f"{shortened(path)}: cannot be read ({e.strerror}), expected {SCENARIO}") from None
    if path.suffix == ".toml" or len(path.parts) != 1:
        return Scenario.load(path)
    listed, here = {p.stem for p in SCENARIOS.glob("*.toml")}, {p.name for p in Path().glob("*.toml")}
    near = nearest(str(name), listed | here | {n.removesuffix(".toml") for n in here})
    raise UserError(
        f'unknown scenario "{name}", expected {SCENARIO}, or one of the {len(listed)} names of `wavetank list`'
        + (f'; did you mean "{near}"?' if near else "")
    )
