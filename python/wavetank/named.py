"""What is looked up by name: a wrong one is answered with those that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn, TypeVar

from .errors import unknown
from .refused import UserError

V = TypeVar("V")


class UnknownName(UserError, KeyError):
    """There is nothing of that name; the text says what there is. A KeyError, too, for who asks mappings so."""

    __str__ = Exception.__str__  # KeyError's own is the text as Python writes it


class Named(dict[str, V]):
    """A mapping by names; ``what`` one of them is ("radio"). Raises UnknownName where a dict raises KeyError."""

    def __init__(self, values: Mapping[str, V] | Iterable[tuple[str, V]] = (), what: str = "name") -> None:
        super().__init__(values)
        self.what = what

    def __missing__(self, name: object) -> NoReturn:
        """There is none of that name."""
        if not self:
            raise UnknownName(f'unknown {self.what} "{name}": there is none here')
        raise UnknownName(str(unknown(self.what, str(name), self)))
