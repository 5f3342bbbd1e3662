"""Experiments as data: one TOML a figure, read into points to run and panels to draw.

    experiments/settings.toml            named settings (TSQ, 6TSQ, NoTSQ, ...)
    experiments/linux.toml               what the second water is given in place of what it cannot have
    experiments/scenarios/*.toml         scenarios that figures start from; each runs on its own, too
    experiments/EXPERIMENT/FIGURE.toml   points, repetitions, panels
    anywhere/FIGURE.toml                 a figure of one's own; its scenarios may lie beside it

A point is a scenario with named settings and keys set on top; the same point in two figures is run once.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import ScenarioError, SettingError, UserError, unknown, unreadable
from ..scenario import Scenario, show
from ..shipped import ROOT, experiments
from . import shape

#: Keys that a figure's file may have.
FIGURE_KEYS = {
    "figure",
    "title",
    "base",
    "repetitions",
    "set",
    "points",
    "grid",
    "panels",
    "model",
    "columns",
    "note",
}
POINT_KEYS = {"name", "use", "base", "set", "x"}
PANEL_KEYS = {
    "title",
    "kind",
    "points",
    "schemes",
    "quantity",
    "label",
    "x",
    "x_label",
    "y_label",
    "by",
    "by_unit",
    "model",
    "claims",
    "claim",
    "log_x",
    "log_y",
    "ymax",
}
#: Every kind of panel: the file of ``plots`` that draws it, in a function of that name. Named, not imported: a plan needs no
#: matplotlib.
PANEL_KINDS: Mapping[str, str] = {
    "candles": "points",
    "bars": "points",
    "distribution": "points",
    "curves": "points",
    "tradeoff": "points",
    "time": "over_time",
    "series": "over_time",
    "settings": "aggregate",
    "tornado": "tornado",
    "cdf": "aggregate",
    "clients": "aggregate",
    "groups": "aggregate",
    "ends": "aggregate",
    "lines": "ack",
    "stacks": "ack",
    "schemes": "ack",
    "hidden": "ack",
    "heatmap": "rate",
    "scatter": "rate",
    "seconds": "rate",
    "scheme_cdf": "rate",
    "per_client": "rate",
    "envelope": "channel",
    "csi_examples": "channel",
    "csi_scatter": "channel",
    "snr_time": "channel",
    "sweep": "sweeps",
    "pareto": "sweeps",
    "field": "sweeps",
    "loop": "loop",
    "placements": "place",
    "walk": "place",
    "walk_snr": "place",
    "csi_change": "place",
}
#: Of these modules are pictures that are made without runs.
UNRUN = {"channel", "place"}


@dataclass(frozen=True)
class Point:
    """One set-up of a figure: what is set on which scenario, and where it stands on axes of numbers (``x``) and names."""

    name: str
    scenario: Scenario
    x: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """One figure of a paper: its points, how often each is run, and how it is drawn."""

    id: str
    source: str
    title: str
    repetitions: int
    points: Mapping[str, Point]
    panels: tuple[Mapping[str, Any], ...]
    columns: int
    model: Mapping[str, Any]
    note: str
    first_seed: int = 1

    def seeds(self, quick: bool) -> list[int]:
        """Seeds of the repetitions; ``--quick`` makes two. A figure of closed forms has none."""
        if self.repetitions == 0:
            return []
        return list(range(self.first_seed, self.first_seed + (2 if quick else self.repetitions)))


def is_file(name: str) -> bool:
    """Whether this names a file with a figure of one's own, and not an experiment."""
    return name.endswith(".toml")


def load(name: str, root: Path = ROOT) -> list[Figure]:
    """The figures of an experiment, or of a file. Raises UserError for an unknown name or a bad file."""
    if is_file(name):
        return [_figure(Path(name), f"own/{Path(name).stem}", root, _toml(root / "settings.toml"))]
    if name not in experiments(root):
        raise unknown("experiment", name, [*experiments(root), "all"])
    settings = _toml(root / "settings.toml")
    return [_figure(p, f"{name}/{p.stem}", root, settings) for p in sorted((root / name).glob("*.toml"))]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as e:
        raise unreadable(path, e, "a figure's file (TOML)") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise UserError(f"{path}: not TOML: {e}") from None


def _known(where: Path, what: str, keys: Mapping[str, Any], known: set[str]) -> None:
    for k in keys:
        if k not in known:
            raise unknown(f"key of a {what}", k, known, str(where))


def _needed(where: Path, what: str, keys: Mapping[str, Any], key: str, why: str) -> Any:
    if key not in keys:
        raise UserError(f'{where}: a {what} has no "{key}", expected {why}')
    return keys[key]


def _scenario(figure: Path, base: str, root: Path) -> Path:
    """The scenario of that name beside the figure's file, else the experiments' own."""
    beside = figure.parent / base
    if beside.is_file():
        return beside
    own = root / "scenarios" / base
    if not own.is_file():
        there = {p.name for folder in (own.parent, figure.parent) for p in folder.glob("*.toml") if p != figure}
        raise unknown("scenario", base, there, str(figure), "`wavetank list scenarios`, or a file beside this one")
    return own


@contextmanager
def told_of(path: Path, point: str) -> Iterator[None]:
    """What a scenario refuses of a point is the file's, not of the command line's ``--set``."""
    try:
        yield
    except SettingError as e:
        raise ScenarioError(f'{path}: the point "{point}": {e}') from None


def _figure(path: Path, ident: str, root: Path, settings: dict[str, Any]) -> Figure:
    data = _toml(path)
    _known(path, "figure", data, FIGURE_KEYS)
    shape.check(path, data)
    scenarios: dict[str, Scenario] = {}
    points: dict[str, Point] = {}
    for spec in _expand(path, data):
        _known(path, "point", spec, POINT_KEYS)
        base = str(_needed(path, "point or figure", {**data, **spec}, "base", "the scenario that it starts from"))
        if base not in scenarios:
            scenarios[base] = Scenario.load(_scenario(path, base, root))
        keys: dict[str, Any] = dict(data.get("set", {}))
        for use in spec.get("use", []):
            if use not in settings:
                raise unknown("setting", use, settings, str(path))
            keys.update(settings[use])
        keys.update(spec.get("set", {}))
        name = str(_needed(path, "point", spec, "name", "what it is called"))
        if name in points:
            raise UserError(f'{path}: the point "{name}" is there twice, expected each name once')
        scenario = Scenario(scenarios[base].text, str(_scenario(path, base, root)))
        at: dict[str, Any] = spec.get("x", {})
        numbers = {k: v for k, v in at.items() if not isinstance(v, str)}
        names = {k: v for k, v in at.items() if isinstance(v, str)}
        with told_of(path, name):
            scenario = scenario.set({k: show(v) for k, v in keys.items()})
        points[name] = Point(name, scenario, numbers, names)
    panels = tuple(data.get("panels", []))
    for panel in panels:
        _known(path, "panel", panel, PANEL_KEYS)
        if panel.get("kind") not in PANEL_KINDS:
            raise unknown("kind of panel", str(panel.get("kind")), PANEL_KINDS, str(path), "docs/figures.md")
        for p in panel.get("points", []):
            if p not in points:
                raise unknown("point", p, points, str(path))
    repetitions = int(data.get("repetitions", 10))
    runs = points and "form" not in data.get("model", {}) and any(PANEL_KINDS[p["kind"]] not in UNRUN for p in panels)
    least = 1 if runs else 0
    if repetitions < least:
        raise UserError(f"{path}: repetitions = {repetitions}, expected {least} or more")
    return Figure(
        ident,
        str(data.get("figure", ident)),
        str(data.get("title", "")),
        repetitions,
        points,
        panels,
        int(data.get("columns", 0)),
        data.get("model", {}),
        str(data.get("note", "")),
    )


def _expand(path: Path, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Points as tables: a name alone means the setting of that name; a grid multiplies its axes.

    In a grid ``name`` and the values of ``set`` are templates: ``"t={t}"``.
    """
    for p in data.get("points", []):
        yield {"name": p, "use": [p]} if isinstance(p, str) else dict(p)
    for grid in data.get("grid", []):
        axes: dict[str, list[Any]] = _needed(path, "grid", grid, "axes", "a table of lists")
        template = str(_needed(path, "grid", grid, "name", 'a template such as "{n} flows"'))
        for values in itertools.product(*axes.values()):
            x = dict(zip(axes, values, strict=True))
            texts = {k: show(v) for k, v in x.items()}
            try:
                keys = {k: _render(v, texts, x) for k, v in grid.get("set", {}).items()}
                name = template.format(**texts)
            except (KeyError, IndexError, ValueError) as e:
                raise unknown("axis in a template", str(e).strip("'"), axes, str(path)) from None
            spec = {k: v for k, v in grid.items() if k not in ("axes", "set", "name")}
            yield {**spec, "name": name, "set": keys, "x": x}


def _render(value: Any, texts: dict[str, str], axes: Mapping[str, Any]) -> Any:
    """``"{t}"`` is the axis' value, ``"{p%}"`` 100 times it, ``"{t*p}"`` a product, both rounded to whole numbers."""
    if not isinstance(value, str):
        return value
    x = {k: v for k, v in axes.items() if not isinstance(v, str)}
    for k, v in x.items():
        value = value.replace("{" + k + "%}", str(round(100 * v)))
        for k2, v2 in x.items():
            value = value.replace("{" + f"{k}*{k2}" + "}", str(max(1, round(v * v2))))
    return value.format(**texts)


def on_linux(figures: Sequence[Figure], root: Path = ROOT) -> tuple[list[Figure], list[str]]:
    """The figures as the second water runs them (``experiments/linux.toml``), and what was replaced, with the reasons."""
    rules = _toml(root / "linux.toml")["replace"]
    used: dict[str, None] = {}

    def changed(scenario: Scenario) -> Scenario:
        given = scenario.given()
        values = scenario.check()
        for rule in rules:
            key, to = rule["key"], show(rule["to"])
            if key not in given or values[key] == to:
                continue
            also = {k: v for k, v in rule.get("also", {}).items() if k not in given}
            scenario = scenario.set({key: rule["to"], **also})
            more = "".join(f", {k} = {show(v)}" for k, v in also.items())
            used[f"{key} = {to}{more} in place of {values[key]}: {rule['why']}"] = None
        return scenario

    out = []
    for f in figures:
        points = {n: replace(p, scenario=changed(p.scenario)) for n, p in f.points.items()}
        out.append(replace(f, points=points))
    return out, list(used)
