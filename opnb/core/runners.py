"""Who calls the functions that work on pieces of rows, and how what they give is put together.

The functions know nothing of it: `Here` calls them one after the other, that of `opnb.estimators.distributed` makes
tasks of them.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np

from opnb.core.kernel import Array

# Parts that are added up at a time.
_FAN_IN = 8


class Runner(Protocol):
    """Who calls the functions of this module."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function, or promise to; arguments may be promises."""

    def hold(self, value: Any) -> Any:
        """Give a value that many calls share."""

    def result(self, promise: Any) -> Any:
        """Give what was promised."""

    def stored(self, promises: list[Any]) -> list[Any]:
        """Give what was promised where it is, to stay there for many calls."""

    def spread(self, promises: list[Any]) -> list[Any]:
        """Give what was promised, stored for many calls, and no more of it in one place than in another."""


class Here:
    """Calls at once."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """See `Runner`."""
        return function(*arguments)

    def hold(self, value: Any) -> Any:
        """See `Runner`."""
        return value

    def result(self, promise: Any) -> Any:
        """See `Runner`."""
        return promise

    def stored(self, promises: list[Any]) -> list[Any]:
        """See `Runner`."""
        return promises

    def spread(self, promises: list[Any]) -> list[Any]:
        """See `Runner`."""
        return promises


def add_up(*parts: tuple[Array, ...]) -> tuple[Array, ...]:
    """Add tuples of arrays."""
    return tuple(reduce(np.add, arrays) for arrays in zip(*parts, strict=True))


def add_arrays(*parts: Array) -> Array:
    """Add arrays."""
    return reduce(np.add, parts)


def furthest(*parts: Array) -> Array:
    """Give the largest entries of arrays."""
    return reduce(np.maximum, parts)


def fold(run: Runner, combine: Callable[..., Any], parts: Sequence[Any]) -> Any:
    """Combine what the pieces gave, a few at a time, so that no place has to hold them all."""
    while len(parts) > 1:
        parts = [run.call(combine, *parts[at : at + _FAN_IN]) for at in range(0, len(parts), _FAN_IN)]
    return parts[0]


def few(run: Runner, combine: Callable[..., Any], parts: Sequence[Any]) -> Sequence[Any]:
    """Give the parts themselves if they are few, for everyone to combine: that is one message less to wait for."""
    return parts if len(parts) <= _FAN_IN else [fold(run, combine, parts)]
