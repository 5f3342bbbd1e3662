"""What the papers measured: claims, with where this laboratory measures each.

The file is ``data/claims.csv``. The first columns are the papers' (ids, conditions, figures; no quotations, ``sentence`` is a
number that rows from one sentence share); ours are

* ``class``: judged, theory, input, calibrates, contradicted, unmeasured;
* ``reason``: why it is not simply judged (for ``calibrates``, the device constant's name);
* ``measure``: ``FIGURE:POINT[,POINT...]`` (``*`` for every point);
* ``quantity``: what is read off there (see ``metrics``);
* ``reduce``: how several points become one verdict (see ``judge``).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).parent.parent / "data" / "claims.csv"
COLUMNS = (
    "id", "source", "where", "experiment", "system", "condition", "metric", "unit", "relation", "value", "low", "high",
    "sentence", "class", "reason", "measure", "quantity", "reduce",
)  # fmt: skip
CLASSES = ("judged", "theory", "input", "calibrates", "contradicted", "unmeasured")
#: Notes that are assumptions: their rows are judged.
ASSUMPTIONS = {"direction-inferred", "pacing-not-stated"}


@dataclass(frozen=True)
class Claim:
    """One row. ``relation`` is the operator (``~``, ``ratio-to``, ``gt``, ...), ``refers`` the other row's id or empty."""

    id: str
    source: str
    where: str
    experiment: str
    system: str
    condition: str
    metric: str
    unit: str
    relation: str
    refers: str
    value: float | None
    low: float | None
    high: float | None
    sentence: int
    cls: str
    reason: str
    figure: str
    points: tuple[str, ...]
    quantity: str
    reduce: str

    @property
    def keys(self) -> dict[str, str]:
        """The condition's key=value pairs."""
        return dict(p.split("=", 1) for p in self.condition.split(";") if "=" in p)

    @property
    def mirror(self) -> bool:
        """Only there so that an id resolves: not shown, not counted."""
        return self.keys.get("mirror") == "yes"


def _number(text: str) -> float | None:
    return float(text) if text else None


def parse(row: dict[str, str]) -> Claim:
    """Reads a row of the file."""
    relation, _, refers = row["relation"].partition(":")
    figure, _, points = row["measure"].partition(":")
    return Claim(
        id=row["id"], source=row["source"], where=row["where"], experiment=row["experiment"], system=row["system"],
        condition=row["condition"], metric=row["metric"], unit=row["unit"], relation=relation, refers=refers,
        value=_number(row["value"]), low=_number(row["low"]), high=_number(row["high"]), sentence=int(row["sentence"]),
        cls=row["class"], reason=row["reason"], figure=figure, points=tuple(points.split(",")) if points else (),
        quantity=row["quantity"], reduce=row["reduce"],
    )  # fmt: skip


def load(path: Path = PATH) -> dict[str, Claim]:
    """Every claim by id, in the file's order."""
    with path.open(encoding="utf-8", newline="") as f:
        return {row["id"]: parse(row) for row in csv.DictReader(f)}


#: Which claims a command measures: prefixes of their ``experiment`` (and single headline rows).
COMMANDS: dict[str, tuple[str, ...]] = {
    "cotsq": ("cotsq-",),
    "tsqtp": ("tsqtp-",),
    "bbrp": ("bbrp-",),
    "hard-times": ("hard-times-",),
    "thesis-intro": ("thesis-intro-", "thesis-model-11n"),
    "aaq": ("thesis-aaq-", "thesis-tao-", "id:thesis-s13-aaq", "id:thesis-s13-tao"),
    "hack": ("thesis-hack-", "id:thesis-s13-hack"),
    "aarc": (
        "thesis-minstrel-",
        "thesis-aasrc-",
        "thesis-csi",
        "thesis-rc-",
        "id:thesis-s13-aarc",
        "id:thesis-abs-2x",
    ),
}


def of_command(name: str, claims: Iterable[Claim]) -> list[Claim]:
    """The claims of ``reproduce NAME``, without mirrors."""

    def belongs(c: Claim) -> bool:
        rules = COMMANDS.get(name, ())
        ids = {r[3:] for r in rules if r.startswith("id:")}
        other_ids = {r[3:] for rs in COMMANDS.values() for r in rs if r.startswith("id:")}
        if c.id in other_ids:
            return c.id in ids
        return any(c.experiment.startswith(r) for r in rules if not r.startswith("id:"))

    return [c for c in claims if not c.mirror and belongs(c)]
