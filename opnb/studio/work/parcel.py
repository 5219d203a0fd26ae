"""Work on its way to another process and back: what both ends hold comes back as itself.

A page tells data sets and fits apart by what they are, not by what is in them. So an outcome brings no copies of those
that were sent out, but their numbers, in whose place they are put again where they came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

from opnb.data import Dataset, Table
from opnb.studio.visit.results import FitResult

_HELD = ("table", "dataset")  # by a result


@dataclass(frozen=True)
class Number:
    """Stands for something that the other end has."""

    value: int


@dataclass(frozen=True, eq=False)
class Parcel:
    """Work, and what of it comes back as itself; sent as one thing, or the two would not hold the same."""

    work: Any
    kept: list[Any]


def parcel_of(work: Any) -> Parcel:
    """Pack work, and list the tables, data sets and fits among its arguments, each once."""
    found: list[Any] = []
    for thing in _arguments(work):
        if not any(thing is other for other in found):
            found.append(thing)
    return Parcel(work, found)


def _arguments(thing: Any) -> Iterator[Any]:
    if isinstance(thing, partial):
        for part in (*thing.args, *thing.keywords.values()):
            yield from _arguments(part)
    elif isinstance(thing, FitResult):
        yield from (thing, thing.table, thing.dataset)
    elif isinstance(thing, (Table, Dataset)):
        yield thing


def numbered(outcome: Any, kept: Sequence[Any]) -> Any:
    """Put numbers in the place of what came from the other end."""
    numbers = {id(thing): Number(place) for place, thing in enumerate(kept)}
    return _replaced(outcome, lambda thing: numbers.get(id(thing), thing))


def filled(outcome: Any, kept: Sequence[Any]) -> Any:
    """Put what is here in the place of its numbers."""
    return _replaced(outcome, lambda thing: kept[thing.value] if isinstance(thing, Number) else thing)


def _replaced(outcome: Any, other: Callable[[Any], Any]) -> Any:
    """Give an outcome with others in the place of results, and of what new results hold."""
    if type(outcome) is tuple:
        return tuple(_replaced(part, other) for part in outcome)
    found = other(outcome)
    if found is not outcome or not isinstance(outcome, FitResult):
        return found
    changed = copy(outcome)
    changed.__dict__.update({name: other(getattr(outcome, name)) for name in _HELD})
    return changed
