"""The binned objective over rows that come in pieces, wherever the pieces are.

Once the lattice is known the objective is a sum over rows. One value and gradient is four exchanges between the pieces
and the whole, with the kernels of `opnb.core.binned`:

    ranges of the directions              -> the lattice
    class masses on the lattice, added up -> kernel sums and their logarithms
    likelihood and adjoint, added up      -> derivatives by the masses
    X' G, added up                        -> the gradient

What travels are tables of the lattice's size, never rows. A piece keeps its rows as they were given (single precision
stays so); they are scaled block by block on the way, while they are in cache. Positions and derivatives of a piece are
kept from one exchange to the next where there is memory for them, and else computed again.

Who calls the functions is left to a runner (`opnb.core.runners`). None of them changes what it was given, so that any
can be called again.

This holds for the resubstitution likelihood. A row's own kernel is then always in its class, at no less than 1 / n of
the height of a kernel, so a class whose density is below `opnb.core.binned.LEAST_SUM` has no part in the row's
posterior and may count as that: directions may span as many bandwidths as there is room for on the lattice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core import binned, recycled
from opnb.core.directions import class_lanes
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.lattice_densities import LatticeDensities, fine_lattice, states_on
from opnb.core.objective import Evaluation, constant_scores, with_penalties
from opnb.core.posterior import likelihood_and_pull
from opnb.core.runners import Runner, add_arrays, add_up, fold, furthest
from opnb.errors import FitError

# Rows that are scaled and projected at a time: their positions stay in cache.
_BLOCK = 4096
# Lattice points of all directions together: beyond, tables would be larger than the data of many a piece.
_MOST_POINTS = 200_000
# Standard deviations from zero that a mean may be without costing more than two digits of sixteen.
_NEAR = 100.0

Tables = tuple[Array, Array]


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
                yield from (slice(at, min(at + _BLOCK, end)) for at in range(start, end, _BLOCK))


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
        return np.empty((min(_BLOCK, len(X)), X.shape[1]))

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
class _Part:
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
                yield number, rows, _writable(self.positions[number])

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


def positions(piece: Piece, whole: Whole, V: Array) -> list[Array]:
    """Project the rows of a piece: one array of shape (n_components, rows) a block."""
    part, m, room = _Part(piece, whole, V, None), V.shape[1], whole.room_for(piece.X)
    return [whole.projected(piece.X[rows], V, room, kept.reshape(m, -1)) for rows, kept in part.stretches(m)]


def reach(piece: Piece, whole: Whole, V: Array, kept: Sequence[Array] | None) -> Array:
    """Give how far the positions of a piece reach down (negated) and up, of shape (2, n_components)."""
    reached = np.full((2, V.shape[1]), -np.inf)
    for _, _, Z in _Part(piece, whole, V, kept).blocks():
        np.maximum(reached, [-np.minimum.reduce(Z, axis=1), np.maximum.reduce(Z, axis=1)], out=reached)
    return reached


def lattice_within(reached: Array, n_bins: int) -> binned.Lattice:
    """Lay the lattice over what all pieces reach."""
    low, high = -reached[0], reached[1]
    if not np.isfinite(reached).all():
        raise FitError("The projection left the finite numbers: its scale grows without bound. Raise lam.")
    lattice = binned.lattice_over(np.arange(low.size), low, high, binned.lattice_steps(low, high, n_bins))
    if lattice[-1][-1] > _MOST_POINTS:
        widest = int(np.argmax(high - low))
        raise FitError(
            f"Direction {widest + 1} spans {high[widest] - low[widest]:,.0f} bandwidths, too many for the lattice that "
            "rows in pieces are summed on. Raise lam, look for gross outliers in the columns, or fit a sample of the "
            "rows in memory."
        )
    return lattice


def class_masses(piece: Piece, whole: Whole, V: Array, kept: Sequence[Array] | None, lattice: binned.Lattice) -> Array:
    """Bin the masses of a piece, of shape (n_points, width)."""
    part, lattice = _Part(piece, whole, V, kept), _all_writable(lattice)
    _, mass = class_lanes(whole.n_classes)
    result, table = np.zeros((2, lattice[-1][-1], mass.shape[1]))
    for _, rows, Z in part.blocks():
        binned.bin_masses(Z, part.labels(rows), whole.masses_of(piece, rows), whole.n_classes, lattice, table)
        result += table
    return result


def log_sums(lattice: binned.Lattice, masses: Array, n_classes: int) -> Tables:
    """Turn the masses of all pieces into kernel sums and their logarithms."""
    sums = masses.copy()
    sums[:, n_classes:] = 1.0
    logs = np.empty_like(sums)
    binned.take_logs(_all_writable(lattice), sums, logs, class_lanes(n_classes)[0])
    return sums, logs


def likelihood_and_adjoint(
    piece: Piece,
    whole: Whole,
    V: Array,
    kept: Sequence[Array] | None,
    lattice: binned.Lattice,
    tables: Tables,
) -> tuple[tuple[Array, Array], list[Array] | None]:
    """Sum the likelihood of a piece with its two terms, and the derivatives by the log sums on the lattice.

    Returns
    -------
    (terms, adjoint) : ndarray of shape (3,) and of shape (n_points, width)
    pulls : list of ndarray or None
        Derivatives by the scores, block by block, if positions are kept, too.
    """
    part, lattice, logs = _Part(piece, whole, V, kept), _all_writable(lattice), _writable(tables[1])
    lanes, _ = class_lanes(whole.n_classes)
    terms, adjoint, pulls = np.zeros(3), np.zeros_like(logs), []
    room = part.stretches(logs.shape[1]) if kept is not None else None
    for _, rows, Z in part.blocks():
        pull = np.empty((Z.shape[1], logs.shape[1])) if room is None else next(room)[1].reshape(Z.shape[1], -1)
        terms += _pull(part, rows, Z, lattice, logs, pull)
        binned.scatter(pull, Z, lattice, adjoint, lanes)
        if kept is not None:
            pulls.append(pull)
    return (terms, adjoint), None if kept is None else pulls


def _pull(
    part: _Part, rows: slice, Z: Array, lattice: binned.Lattice, logs: Array, pull: Array
) -> tuple[float, float, float]:
    """Write the derivatives by the scores of a block of rows, and give its part of the likelihood."""
    whole, labels = part.whole, part.labels(rows)
    lanes, mass = class_lanes(whole.n_classes)
    base, each = constant_scores(whole.counts, mass, whole.shares)
    np.take(base + part.V.shape[1] * each, labels, axis=0, out=pull, mode="clip")  # as it is: clipping needs no copy
    binned.read_scores(pull, Z, lattice, logs, lanes)
    return likelihood_and_pull(pull, labels, mass, whole.counting_of(part.piece, rows), whole.n, lanes)


def rises(lattice: binned.Lattice, tables: Tables, adjoint: Array, n_classes: int) -> Tables:
    """Turn the adjoint of all pieces into what a position needs: the differences of log sums and of the adjoint."""
    logs, adjoint = tables[1].copy(), adjoint.copy()
    binned.turn_adjoint(_all_writable(lattice), _writable(tables[0]), logs, adjoint, class_lanes(n_classes)[0])
    return logs, adjoint


def gradient_part(
    piece: Piece,
    whole: Whole,
    V: Array,
    kept: Sequence[Array] | None,
    lattice: binned.Lattice,
    tables: Tables,
    turned: Tables,
    read: tuple[Any, Sequence[Array] | None],
) -> Array:
    """Give X' G of a piece, of shape (p, n_components), after what `likelihood_and_adjoint` and `rises` gave."""
    part, lattice, logs = _Part(piece, whole, V, kept), _all_writable(lattice), _writable(tables[1])
    slopes, adjoint = _all_writable(turned)
    lanes, _ = class_lanes(whole.n_classes)
    _, pulls = read
    result, room, moved = np.zeros(V.shape), whole.room_for(piece.X), np.empty((V.shape[1], _BLOCK))
    for number, rows, Z in part.blocks():
        if pulls is None:
            pull = np.empty((Z.shape[1], logs.shape[1]))
            _pull(part, rows, Z, lattice, logs, pull)
        else:
            pull = _writable(pulls[number])
        G = Z if kept is None else _copied(Z, moved)
        binned.write_slopes(pull, G, part.labels(rows), whole.masses_of(piece, rows), lattice, slopes, adjoint, lanes)
        result += whole.pulled_back(piece.X[rows], G, room)
    return result


def _copied(Z: Array, room: Array) -> Array:
    """Copy positions to memory that is there."""
    copy = room.reshape(-1)[: Z.size].reshape(Z.shape)
    copy[...] = Z
    return copy


def _writable(array: NDArray) -> NDArray:
    """Give an array that may be written to: one from another process may not, and Numba would compile for it anew."""
    return array if array.flags.writeable else array.copy()


def _all_writable(arrays: Any) -> Any:
    return tuple(map(_writable, arrays))


def likelihood_and_gradient(
    V: Array, pieces: Sequence[Any], whole: Whole, n_bins: int, run: Runner, keep: bool
) -> tuple[Array, Array]:
    """Evaluate the log-likelihood with its two terms, and its gradient, over all pieces.

    Parameters
    ----------
    V : ndarray of shape (p, n_components)
    pieces : sequence of Piece, or of promises of them
    whole : Whole
    n_bins : int
        Least number of lattice points a direction.
    run : Runner
    keep : bool
        Whether pieces keep their positions and derivatives from one exchange to the next.

    Returns
    -------
    terms : ndarray of shape (3,)
        Log-likelihood, class term and mixture term.
    gradient : ndarray of shape (p, n_components)
    """
    n_classes = whole.n_classes
    whole, V = run.hold(whole), run.hold(V)
    parts = [(piece, whole, V, run.call(positions, piece, whole, V) if keep else None) for piece in pieces]
    reached = fold(run, furthest, [run.call(reach, *part) for part in parts])
    lattice = run.call(lattice_within, reached, n_bins)
    masses = fold(run, add_arrays, [run.call(class_masses, *part, lattice) for part in parts])
    tables = run.call(log_sums, lattice, masses, n_classes)
    read = [run.call(likelihood_and_adjoint, *part, lattice, tables) for part in parts]
    sums = fold(run, add_up, [run.call(itemgetter(0), both) for both in read])
    turned = run.call(rises, lattice, tables, run.call(itemgetter(1), sums), n_classes)
    gradients = [
        run.call(gradient_part, *part, lattice, tables, turned, both) for part, both in zip(parts, read, strict=True)
    ]
    return run.result((run.call(itemgetter(0), sums), fold(run, add_arrays, gradients)))


def density_states(piece: Piece, whole: Whole, V: Array, lattice: tuple[Array, Indices]) -> Array:
    """Give what the rows of a piece add to the densities on a lattice, see `opnb.core.lattice_densities`."""
    recycled.forget()  # it ends a search
    part = _Part(piece, whole, V, None)
    blocks = ((Z, part.labels(rows), whole.masses_of(piece, rows)) for _, rows, Z in part.blocks())
    return states_on(blocks, whole.n_classes, lattice)


def densities_of_pieces(
    V: Array, pieces: Sequence[Any], whole: Whole, priors: Array | None, run: Runner
) -> LatticeDensities:
    """Give the class densities of all pieces on a projection, of shape (p, n_components)."""
    held, projection = run.hold(whole), run.hold(V)
    reached = fold(run, furthest, [run.call(reach, piece, held, projection, None) for piece in pieces])
    lattice = run.call(lattice_of_reach, reached)
    states = fold(run, add_arrays, [run.call(density_states, piece, held, projection, lattice) for piece in pieces])
    return LatticeDensities.from_states(V, whole.counts, priors, *run.result((lattice, states)))


def lattice_of_reach(reached: Array) -> tuple[Array, Indices]:
    """Lay the lattice of the densities over what all pieces reach."""
    return fine_lattice(-reached[0], reached[1])


@dataclass(frozen=True, eq=False)
class ScatteredProblem:
    """The objective over rows in pieces: what `opnb.core.objective.Problem` is over rows in one memory.

    Attributes
    ----------
    pieces : sequence of Piece, or of promises of them
    whole : Whole
    run : Runner
    lam : float
    n_bins : int
    C : ndarray of shape (p, p) or None
        Matrix of the penalty; None is the identity.
    independence : float
    within : ndarray of shape (p, p)
        Pooled within-class covariance with its ridge.
    priors : ndarray of shape (n_classes,) or None
        Class probabilities; None is the shares of the rows.
    keep : bool
        As in `likelihood_and_gradient`.
    """

    pieces: Sequence[Any]
    whole: Whole
    run: Runner
    lam: float
    n_bins: int
    C: Array | None
    independence: float
    within: Array
    priors: Array | None = None
    keep: bool = True

    def at(self, V: Array) -> Evaluation:
        """Evaluate the objective and its gradient at V, of shape (p, n_components)."""
        terms, gradient = likelihood_and_gradient(V, self.pieces, self.whole, self.n_bins, self.run, self.keep)
        likelihood, class_term, mixture_term = map(float, terms)
        return with_penalties(V, gradient, (likelihood, class_term, mixture_term), self)
