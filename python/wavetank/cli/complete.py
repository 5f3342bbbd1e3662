"""What a TAB offers: scenarios, experiments, keys of a scenario and their values.

A shell waits for it, so nothing is imported here that needs time.
"""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from .. import _core, keys, shipped

_Items = list[CompletionItem]

#: What ``list`` has, by the names that its JSON gives it.
KINDS = (
    "experiments", "congestion_controls", "qdiscs", "drivers", "rates", "kernels", "theory", "scenarios", "metrics",
)  # fmt: skip


def _rows() -> Iterator[tuple[str, str, list[str]]]:
    """Each key of a scenario, what it is, and its values where they can be listed."""
    for key, row in keys.every().items():
        values = row["range"].split(" | ") if " | " in row["range"] else []
        yield key, row["doc"], ["true", "false"] if row["kind"] == "switch" else values


def _starting(incomplete: str, offered: Iterator[tuple[str, str]]) -> _Items:
    """Those that begin so, with the first sentence that explains them."""
    return [CompletionItem(name, help=_sentence(doc)) for name, doc in offered if name.startswith(incomplete)]


def _sentence(text: str) -> str | None:
    return text.partition(". ")[0].rstrip(".") or None


def scenario(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> _Items:
    """Scenario files, and the scenarios that come with it."""
    names = ((p.stem, "") for p in sorted(shipped.SCENARIOS.glob("*.toml")))
    return [CompletionItem(incomplete, type="file"), *_starting(incomplete, names)]


def experiment(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> _Items:
    """Experiments, and files of figures of one's own."""
    names = ((name, "") for name in (*shipped.experiments(), "all"))
    return [CompletionItem(incomplete, type="file"), *_starting(incomplete, names)]


def key(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> _Items:
    """Keys of a scenario."""
    return _starting(incomplete, ((k, doc) for k, doc, _ in _rows()))


def setting(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> _Items:
    """KEY=VALUE: keys until the sign is there, then what the key can be. Of a list, as an axis has it, its last value."""
    name, sign, value = incomplete.partition("=")
    if not sign:
        return _starting(incomplete, ((f"{k}=", doc) for k, doc, _ in _rows()))
    before, comma, _ = value.rpartition(",")
    names = name.split("+")
    values = next((v for k, _, v in _rows() if k == names[-1]), [])
    # What has a space in it needs quotes, which the shell alone could set.
    return _starting(incomplete, ((f"{name}={before}{comma}{v}", "") for v in values if " " not in v))


def form(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> _Items:
    """Closed forms."""
    return _starting(incomplete, ((f["name"], f["title"]) for f in _core.theory()))


def kind(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> _Items:
    """What ``list`` has."""
    return _starting(incomplete, ((k, "") for k in KINDS))
