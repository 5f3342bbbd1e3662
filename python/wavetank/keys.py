"""Every key that a scenario can have, by its name in ``--set``: asked of the core once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from ._core import SchemaRow


@cache
def every() -> Mapping[str, SchemaRow]:
    """Each key with its row of the catalogue (kind, unit, default, range, doc, source), in the catalogue's order."""
    rows = _core.schema()
    return MappingProxyType({f"{r['section']}.{r['key']}" if r["section"] else r["key"]: r for r in rows})


@cache
def defaults() -> Mapping[str, str]:
    """Each key's default."""
    return MappingProxyType({key: row["default"] for key, row in every().items()})
