"""The binned objective over rows that come in pieces, wherever the pieces are.

The objective is a sum over rows once the lattice is known. One value and gradient is three exchanges between the pieces
and the whole, with the kernels of `opnb.core.binned`:

    class masses on lattices of the pieces, added up -> the lattice of all, kernel sums and their logarithms
    likelihood and adjoint on it, added up           -> derivatives by the masses
    X' G, added up                                   -> the gradient

What travels are tables of the lattice's size, never rows. Positions and derivatives of a piece are kept from one
exchange to the next where there is memory for them, and else computed again.

Who calls the functions is left to a runner (`opnb.core.runners`). None of them changes what it was given, so that any
can be called again.

This holds for the resubstitution likelihood. A row's own kernel is then always in its class, at no less than 1 / n of
the height of a kernel, so a class whose density is below `opnb.core.binned.LEAST_SUM` has no part in the row's
posterior and may count as that: directions may span as many bandwidths as there is room for on the lattice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from opnb.core import binned, recycled
from opnb.core.directions import class_lanes
from opnb.core.exact import Indices
from opnb.core.gathered import Masses, gather, reach_of, together, writable_lattice
from opnb.core.kernel import Array
from opnb.core.lattice_densities import LatticeDensities, fine_lattice, states_on
from opnb.core.objective import Evaluation, constant_scores, with_penalties
from opnb.core.pieces import BLOCK, Part, Piece, Whole, writable
from opnb.core.posterior import likelihood_and_pull
from opnb.core.runners import Runner, add_arrays, add_up, few, fold, furthest

# Block by block; None where they are computed again.
Kept = Sequence[Array] | None


@dataclass(frozen=True, eq=False)
class Sums:
    """What every piece has to know of all of them.

    Attributes
    ----------
    lattice : binned.Lattice
    sums, logs : ndarray of shape (n_points, width)
        Kernel sums of all rows, and their logarithms.
    """

    lattice: binned.Lattice
    sums: Array
    logs: Array


def measure(piece: Piece, whole: Whole, V: Array, n_bins: int, keep: bool) -> tuple[Masses, Kept]:
    """Bin the masses of a piece, and give its positions if they are to be kept."""
    part, m = Part(piece, whole, V, None), V.shape[1]
    memory = part.stretches(m) if keep else None
    kept: list[Array] = []

    def blocks() -> Iterator[tuple[Array, Indices, Array | None]]:
        room = whole.room_for(piece.X)
        for rows in piece.blocks(whole.learns_from):
            into = None if memory is None else next(memory)[1].reshape(m, -1)
            Z = whole.projected(piece.X[rows], V, room, into)
            if keep:
                kept.append(Z)
            yield Z, part.labels(rows), part.masses(rows)

    return gather(blocks(), m, whole.n_classes, n_bins), kept if keep else None


def kernel_sums(parts: Sequence[Masses], n_classes: int) -> Sums:
    """Turn the masses of all pieces into kernel sums and their logarithms."""
    masses = together(*parts)
    sums, logs = masses.table, np.empty_like(masses.table)
    sums[:, n_classes:] = 1.0  # padding lanes
    binned.take_logs(masses.lattice, sums, logs, class_lanes(n_classes)[0])
    return Sums(masses.lattice, sums, logs)


def likelihood_and_adjoint(
    piece: Piece, whole: Whole, V: Array, kept: tuple[Any, Kept], *masses: Masses
) -> tuple[tuple[Array, Array], tuple[Sums, Kept]]:
    """Sum the likelihood of a piece with its two terms, and the derivatives by the log sums on the lattice.

    Returns
    -------
    (terms, adjoint) : ndarray of shape (3,) and of shape (n_points, width)
    (sums, pulls) : Sums, and list of ndarray or None
        Sums of all `masses`, and derivatives by the scores if positions are kept, too.
    """
    part, sums = Part(piece, whole, V, kept[1]), kernel_sums(masses, whole.n_classes)
    lanes, _ = class_lanes(whole.n_classes)
    terms, adjoint, pulls = np.zeros(3), np.zeros_like(sums.logs), []
    room = None if part.positions is None else part.stretches(adjoint.shape[1])
    for _, rows, Z in part.blocks():
        pull = np.empty((Z.shape[1], adjoint.shape[1])) if room is None else next(room)[1].reshape(Z.shape[1], -1)
        terms += _pull(part, rows, Z, sums, pull)
        binned.scatter(pull, Z, sums.lattice, adjoint, lanes)
        if room is not None:
            pulls.append(pull)
    return (terms, adjoint), (sums, None if room is None else pulls)


def _pull(part: Part, rows: slice, Z: Array, sums: Sums, pull: Array) -> tuple[float, float, float]:
    """Write the derivatives by the scores of a block of rows, and give its part of the likelihood."""
    whole, labels = part.whole, part.labels(rows)
    lanes, mass = class_lanes(whole.n_classes)
    base, each = constant_scores(whole.counts, mass, whole.shares)
    np.take(base + part.V.shape[1] * each, labels, axis=0, out=pull, mode="clip")  # as it is: clipping needs no copy
    binned.read_scores(pull, Z, sums.lattice, sums.logs, lanes)
    return likelihood_and_pull(pull, labels, mass, whole.counting_of(part.piece, rows), whole.n, lanes)


def gradient_part(
    piece: Piece,
    whole: Whole,
    V: Array,
    kept: tuple[Any, Kept],
    read: tuple[Any, tuple[Sums, Kept]],
    *adjoints: tuple[Array, Array],
) -> tuple[Array, Array]:
    """Give the likelihood of all pieces with its terms, and X' G of this one, of shape (p, n_components)."""
    part, (sums, pulls) = Part(piece, whole, V, kept[1]), read[1]
    sums = Sums(writable_lattice(sums.lattice), writable(sums.sums), writable(sums.logs))
    lanes, _ = class_lanes(whole.n_classes)
    terms, adjoint = add_up(*adjoints)
    adjoint, rises = adjoint.copy(), sums.logs.copy()
    binned.turn_adjoint(sums.lattice, sums.sums, rises, adjoint, lanes)
    result, room, moved = np.zeros(V.shape), whole.room_for(piece.X), np.empty((V.shape[1], BLOCK))
    for number, rows, Z in part.blocks():
        if pulls is None:
            pull = np.empty((Z.shape[1], adjoint.shape[1]))
            _pull(part, rows, Z, sums, pull)
        else:
            pull = writable(pulls[number])
        G = Z if part.positions is None else _copied(Z, moved)
        binned.write_slopes(pull, G, part.labels(rows), part.masses(rows), sums.lattice, rises, adjoint, lanes)
        result += whole.pulled_back(piece.X[rows], G, room)
    return terms, result


def _copied(Z: Array, room: Array) -> Array:
    """Copy positions to memory that is there."""
    copy = room.reshape(-1)[: Z.size].reshape(Z.shape)
    copy[...] = Z
    return copy


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
    # A product's last digit may depend on the order of a matrix in memory, and that on the way which it has travelled.
    whole, V = run.hold(whole), run.hold(np.ascontiguousarray(V))
    parts = [(piece, whole, V, run.call(measure, piece, whole, V, n_bins, keep)) for piece in pieces]
    masses = few(run, together, _firsts(run, [kept for *_, kept in parts]))
    read = [run.call(likelihood_and_adjoint, *part, *masses) for part in parts]
    adjoints = few(run, add_up, _firsts(run, read))
    gradients = [run.call(gradient_part, *part, both, *adjoints) for part, both in zip(parts, read, strict=True)]
    return _added(*run.result(list(few(run, _added, gradients))))


def _added(*parts: tuple[Array, Array]) -> tuple[Array, Array]:
    """Add gradients up; every piece knows the same likelihood."""
    terms, gradients = zip(*parts, strict=True)
    return terms[0], add_arrays(*gradients)


def _firsts(run: Runner, pairs: Sequence[Any]) -> list[Any]:
    """Give what travels of what the pieces gave; the rest stays where it is."""
    return [run.call(itemgetter(0), pair) for pair in pairs]


def reach(piece: Piece, whole: Whole, V: Array) -> Array:
    """Give how far the positions of a piece reach down (negated) and up, of shape (2, n_components)."""
    reached = np.full((2, V.shape[1]), -np.inf)
    for _, _, Z in Part(piece, whole, V, None).blocks():
        np.maximum(reached, reach_of(Z), out=reached)
    return reached


def density_states(piece: Piece, whole: Whole, V: Array, lattice: tuple[Array, Indices]) -> Array:
    """Give what the rows of a piece add to the densities on a lattice, see `opnb.core.lattice_densities`."""
    recycled.forget()  # it ends a search
    part = Part(piece, whole, V, None)
    blocks = ((Z, part.labels(rows), part.masses(rows)) for _, rows, Z in part.blocks())
    return states_on(blocks, whole.n_classes, lattice)


def densities_of_pieces(
    V: Array, pieces: Sequence[Any], whole: Whole, priors: Array | None, run: Runner
) -> LatticeDensities:
    """Give the class densities of all pieces on a projection, of shape (p, n_components)."""
    held, projection = run.hold(whole), run.hold(np.ascontiguousarray(V))
    reached = fold(run, furthest, [run.call(reach, piece, held, projection) for piece in pieces])
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
