"""Rows that come in pieces, wherever the pieces are, and what a piece has to know of all of them.

A piece keeps its rows as they were given (single precision stays so); they are scaled block by block on the way, while
they are in cache. What is summed over pieces is in `opnb.core.scattered`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opnb.core import recycled
from opnb.core.exact import Indices
from opnb.core.kernel import Array

# Rows that are scaled and projected at a time: their positions stay in cache.
BLOCK = 4096
# Standard deviations from zero that a mean may be without costing more than two digits of sixteen.
_NEAR = 100.0


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows as they were given, in parts that can be held out.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Of single or double precision; neither centred nor scaled.
    labels : ndarray of int of shape (n,)
        Classes from 0; any kind of integer.
    weights : ndarray of shape (n,) or None
        What rows weigh, all positive.
    ends : tuple of int
        Where each part ends; the last one is n.
    """

    X: NDArray
    labels: NDArray
    weights: Array | None
    ends: tuple[int, ...]

    def blocks(self, chosen: Callable[[int], bool] = lambda part: True) -> Iterator[slice]:
        """Go through the rows of the chosen parts, a block at a time."""
        for part, (start, end) in enumerate(zip((0, *self.ends), self.ends, strict=False)):
            if chosen(part):
                yield from (slice(at, min(at + BLOCK, end)) for at in range(start, end, BLOCK))


@dataclass(frozen=True, eq=False)
class Whole:
    """What a piece has to know of all rows that a model learns from.

    Attributes
    ----------
    centre, factor : ndarray of shape (p,)
        What every column is centred at and multiplied by.
    counts : ndarray of int of shape (n_classes,)
    shares : ndarray of shape (n_classes,)
        Class probabilities.
    masses, counting : ndarray of shape (n_classes,) or None
        By which a row's weight is multiplied for its mass in its class and for what it counts in the objective; None is
        one for every row.
    held_out : int or None
        The part of every piece from which nothing is learnt.
    """

    centre: Array
    factor: Array
    counts: Indices
    shares: Array
    masses: Array | None = None
    counting: Array | None = None
    held_out: int | None = None

    @classmethod
    def of(
        cls,
        centre: Array,
        factor: Array,
        counts: Indices,
        weights: Array | None = None,
        priors: Array | None = None,
        held_out: int | None = None,
    ) -> "Whole":
        """Make it from the number and the weights of the rows of every class; see `opnb.core.weights`."""
        sums = counts if weights is None else weights
        masses = None if weights is None else counts / weights
        if priors is not None:
            return cls(centre, factor, counts, priors, masses, priors * counts.sum() / sums, held_out)
        counting = None if weights is None else np.full(counts.size, counts.sum() / weights.sum())
        return cls(centre, factor, counts, sums / sums.sum(), masses, counting, held_out)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.counts.size

    def learns_from(self, part: int) -> bool:
        """Whether a part of every piece is learnt from."""
        return part != self.held_out

    def scaled(self, X: NDArray, room: Array | None = None) -> Array:
        """Bring rows to the scale of the model, in double precision; into the first rows of `room` if it is given."""
        scaled: Array = np.subtract(X, self.centre, dtype=float, out=None if room is None else room[: len(X)])
        scaled *= self.factor
        return scaled

    def projected(self, X: NDArray, V: Array, room: Array | None, out: Array | None = None) -> Array:
        """Give V' times the scaled rows, of shape (n_components, n), into `out` if it is given."""
        if room is not None:
            return np.matmul(V.T, self.scaled(X, room).T, out=out)
        Z = np.matmul((self.factor[:, None] * V).T, X.T, out=out)
        Z -= ((self.centre * self.factor) @ V)[:, None]
        return Z

    def pulled_back(self, X: NDArray, G: Array, room: Array | None) -> Array:
        """Give the scaled rows, transposed, times G', of shape (p, n_components)."""
        if room is not None:
            return (G @ self.scaled(X, room)).T
        return self.factor[:, None] * (G @ X - np.outer(G.sum(axis=1), self.centre)).T

    def room_for(self, X: NDArray) -> Array | None:
        """Give memory for a block of scaled rows; None where products can be scaled instead of rows.

        That saves two passes over the rows, and loses digits where a mean is many standard deviations from zero. The
        memory serves all blocks: a worker of Dask gives back at once what is not used, and would be given it anew.
        """
        if X.dtype == np.float64 and np.abs(self.centre * self.factor).max(initial=0.0) <= _NEAR:
            return None
        return np.empty((min(BLOCK, len(X)), X.shape[1]))

    def masses_of(self, piece: Piece, rows: slice) -> Array | None:
        """Give what rows add to their classes; None is one each."""
        if self.masses is None or piece.weights is None:
            return None
        return piece.weights[rows] * self.masses[piece.labels[rows]]

    def counting_of(self, piece: Piece, rows: slice) -> Array | None:
        """Give what rows count in the objective; None is one each."""
        if self.counting is None:
            return None
        factors = self.counting[piece.labels[rows]]
        return factors if piece.weights is None else piece.weights[rows] * factors


@dataclass(frozen=True, eq=False)
class Part:
    """A piece in one evaluation: rows, what is known of the whole, the projection, and positions if they are kept."""

    piece: Piece
    whole: Whole
    V: Array
    positions: Sequence[Array] | None

    def blocks(self) -> Iterator[tuple[int, slice, Array]]:
        """Go through the rows that are learnt from: the number of the block, its rows and their positions."""
        X, room = self.piece.X, None if self.positions is not None else self.whole.room_for(self.piece.X)
        for number, rows in enumerate(self.piece.blocks(self.whole.learns_from)):
            if self.positions is None:
                yield number, rows, self.whole.projected(X[rows], self.V, room)
            else:
                yield number, rows, writable(self.positions[number])

    def stretches(self, width: int) -> Iterator[tuple[slice, Array]]:
        """Go through the rows that are learnt from with memory for so many numbers a row, all of it in one stretch."""
        blocks = list(self.piece.blocks(self.whole.learns_from))
        memory, at = recycled.array(width * sum(rows.stop - rows.start for rows in blocks)), 0
        for rows in blocks:
            end = at + width * (rows.stop - rows.start)
            yield rows, memory[at:end]
            at = end

    def labels(self, rows: slice) -> Indices:
        """Give labels as the kernels want them."""
        return self.piece.labels[rows].astype(np.intp)

    def masses(self, rows: slice) -> Array | None:
        """Give what rows add to their classes; None is one each."""
        return self.whole.masses_of(self.piece, rows)


def writable(array: NDArray) -> NDArray:
    """Give an array that may be written to: one from another process may not, and Numba would compile for it anew."""
    return array if array.flags.writeable else array.copy()
