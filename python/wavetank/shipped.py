"""Where the experiments that come with the package stand, and the scenarios that they start from."""

from __future__ import annotations

import tomllib
from pathlib import Path

#: A folder an experiment; beside them its scenarios and settings.
ROOT = Path(__file__).parent / "experiments"
#: The scenarios that the experiments start from.
SCENARIOS = ROOT / "scenarios"


def is_one(path: str) -> bool:
    """Whether a scenario's file is one that comes with the package: nobody who runs it wrote it."""
    return Path(path).resolve().parent == SCENARIOS.resolve()


def experiments(root: Path = ROOT) -> list[str]:
    """Names of the experiments."""
    return sorted(p.name for p in root.iterdir() if p.is_dir() and p.name != SCENARIOS.name and any(p.glob("*.toml")))


def figures(name: str) -> list[dict[str, str]]:
    """An experiment's figures: ``id``, ``figure`` (as the paper calls it), ``title``. Their points, each a scenario, are not
    made for it."""
    found = []
    for path in sorted((ROOT / name).glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        ident = f"{name}/{path.stem}"
        found.append({"id": ident, "figure": data.get("figure", ident), "title": data.get("title", "")})
    return found
