"""Exact kernel sums of all classes at once, in plain arithmetic.

The recursion of `opnb.core.kernel_sums` with the states of all classes side by side in vector registers: one walk over
the sorted points serves every class, and one exponential a gap. A direction costs O(n K) after its sort. A first walk
from the left notes its state at every block; then the blocks are taken from the right, each walked from the left again
and then from the right while it is in cache. Densities are computed again for the gradient rather than kept, so memory
stays O(n K) for any number of directions.

Plain arithmetic is safe while a direction spans less than `PLAIN_SPAN` bandwidths: then no sum is below exp(-600) and
no reciprocal above exp(600). Wider directions take the log-domain kernels.

Rows of every (n, K) array here are padded to whole vectors. A padding lane carries the mass of every point, so that
its logarithm stays finite, and starts from `NEVER`, so that its posterior is exactly zero.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.compiled import inline, kernel
from opnb.core.kernel import Array
from opnb.core.simd import exp, fma, load, log, splat, store, total

Indices = NDArray[np.intp]

PLAIN_SPAN = 600.0
NEVER = -1e30

# Points handled at a time, so that what the walk from the left leaves for the walk from the right stays in cache.
_BLOCK = 256

_EIGHT = (0,) * 8


@inline
def _lay_out(z: Array, order: Indices, labels: Indices, by_place: Indices, gap: Array, decay: Array) -> None:
    """Write the classes in sorted order, the steps between sorted points, and exp(-step); the first step is 0.

    `gap` and `decay` are padded to whole vectors of eight.
    """
    n = order.size
    for j in range(n):
        by_place[j] = labels[order[j]]
    for j in range(1, n):
        gap[j] = z[order[j]] - z[order[j - 1]]
    zero = splat(0.0, _EIGHT)
    for j in range(0, gap.size, 8):
        store(decay, j, exp(zero - load(gap, j, _EIGHT), _EIGHT))


@inline
def _step(A: Any, B: Any, gap: float, decay: float, lanes: Any) -> tuple[Any, Any]:
    """Move the state of all classes over a gap."""
    e = splat(decay, lanes)
    return e * A, e * fma(splat(gap, lanes), A, B)


@kernel
def _left_states(labels: Indices, gap: Array, decay: Array, mass: Array, lane: int, states: Array, lanes: Any) -> None:
    """Write the state with which a walk from the left enters every block."""
    W, width = len(lanes), mass.shape[1]
    A, B = splat(0.0, lanes), splat(0.0, lanes)
    for j in range(labels.size):
        if j % _BLOCK == 0:
            store(states, j // _BLOCK * 2 * W, A)
            store(states, j // _BLOCK * 2 * W + W, B)
        A, B = _step(A, B, gap[j], decay[j], lanes)
        A = A + load(mass, labels[j] * width + lane, lanes)


@kernel
def add_log_sums(
    scores: Array, Z: Array, axes: Indices, order: Indices, labels: Indices, mass: Array, own: float, lanes: Any
) -> None:
    """Add the log kernel sums of the directions `axes` to `scores`.

    Parameters
    ----------
    scores : ndarray of shape (n, width)
        Padded class scores of every row, in the order of the rows.
    Z : ndarray of shape (n_components, n)
        Positions.
    axes : ndarray of int of shape (n_axes,)
    order : ndarray of int of shape (n_axes, n)
        Sorting permutations of the positions on these directions.
    labels : ndarray of int of shape (n,)
    mass : ndarray of shape (n_classes, width)
        The masses that a point of each class adds: one in its own lane, one in the padding.
    own : float
        1 to count a point's own kernel in its class, 0 to leave it out.
    """
    by_place = np.empty_like(labels)
    gap = np.zeros(-(-labels.size // 8) * 8)
    decay = np.empty_like(gap)
    for e in range(axes.size):
        _lay_out(Z[axes[e]], order[e], labels, by_place, gap, decay)
        _add_direction(scores, order[e], by_place, gap, decay, mass, own, lanes)


@kernel
def _add_direction(
    scores: Array, order: Indices, labels: Indices, gap: Array, decay: Array, mass: Array, own: float, lanes: Any
) -> None:
    """Add the log kernel sums of one direction; labels, gap and decay are in sorted order."""
    n, width = scores.shape
    W = len(lanes)
    left = np.empty((_BLOCK, W))
    states = np.empty((n // _BLOCK + 1, 2, W))
    kept = splat(own, lanes)
    for lane in range(0, width, W):
        _left_states(labels, gap, decay, mass, lane, states, lanes)
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for block in range((n - 1) // _BLOCK, -1, -1):
            start = block * _BLOCK
            stop = min(start + _BLOCK, n)
            a, b = load(states, block * 2 * W, lanes), load(states, block * 2 * W + W, lanes)
            for j in range(start, stop):
                a, b = _step(a, b, gap[j], decay[j], lanes)
                store(left, (j - start) * W, a + b)
                a = a + load(mass, labels[j] * width + lane, lanes)
            for j in range(stop - 1, start - 1, -1):
                here = load(mass, labels[j] * width + lane, lanes)
                density = fma(kept, here, load(left, (j - start) * W, lanes)) + (A + B)
                store(left, (j - start) * W, log(density, lanes))
                A, B = _step(A + here, B, gap[j], decay[j], lanes)
            # Rows lie scattered in memory: a loop of its own lets many of these accesses wait at the same time.
            for j in range(start, stop):
                at = order[j] * width + lane
                store(scores, at, load(scores, at, lanes) + load(left, (j - start) * W, lanes))


@kernel
def pull_back(
    pull: Array, Z: Array, axes: Indices, order: Indices, labels: Indices, mass: Array, own: float, lanes: Any
) -> None:
    """Replace the positions on the directions `axes` by the objective's derivatives by them.

    Parameters
    ----------
    pull : ndarray of shape (n, width)
        Derivative of the objective by each class score of each row. The other parameters are those of `add_log_sums`.
    """
    by_place = np.empty_like(labels)
    gap = np.zeros(-(-labels.size // 8) * 8)
    decay = np.empty_like(gap)
    for e in range(axes.size):
        _lay_out(Z[axes[e]], order[e], labels, by_place, gap, decay)
        _pull_direction(pull, Z[axes[e]], order[e], by_place, gap, decay, mass, own, lanes)


@kernel
def _pull_direction(
    pull: Array,
    out: Array,
    order: Indices,
    labels: Indices,
    gap: Array,
    decay: Array,
    mass: Array,
    own: float,
    lanes: Any,
) -> None:
    """Write the derivative by the position of each row on one direction; labels, gap and decay are in sorted order."""
    n, width = pull.shape
    W = len(lanes)
    left, left_slope = np.empty((_BLOCK, W)), np.empty((_BLOCK, W))
    weights = np.empty((n, W))
    states = np.empty((n // _BLOCK + 1, 2, W))
    kept = splat(own, lanes)
    sorted_out = np.zeros(n)
    for lane in range(0, width, W):
        _left_states(labels, gap, decay, mass, lane, states, lanes)
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        C, D = splat(0.0, lanes), splat(0.0, lanes)
        for block in range((n - 1) // _BLOCK, -1, -1):
            start = block * _BLOCK
            stop = min(start + _BLOCK, n)
            for j in range(start, stop):
                store(weights, j * W, load(pull, order[j] * width + lane, lanes))
            a, b = load(states, block * 2 * W, lanes), load(states, block * 2 * W + W, lanes)
            for j in range(start, stop):
                a, b = _step(a, b, gap[j], decay[j], lanes)
                store(left, (j - start) * W, a + b)
                store(left_slope, (j - start) * W, b)
                a = a + load(mass, labels[j] * width + lane, lanes)
            for j in range(stop - 1, start - 1, -1):
                here = load(mass, labels[j] * width + lane, lanes)
                density = fma(kept, here, load(left, (j - start) * W, lanes)) + (A + B)
                weight = load(weights, j * W, lanes) / density
                slope = B - load(left_slope, (j - start) * W, lanes)
                sorted_out[j] += total(fma(weight, slope, here * D))
                store(weights, j * W, weight)
                A, B = _step(A + here, B, gap[j], decay[j], lanes)
                C, D = _step(C + weight, D, gap[j], decay[j], lanes)
        C, D = splat(0.0, lanes), splat(0.0, lanes)
        for j in range(n):
            C, D = _step(C, D, gap[j], decay[j], lanes)
            here = load(mass, labels[j] * width + lane, lanes)
            sorted_out[j] -= total(here * D)
            C = C + load(weights, j * W, lanes)
    for j in range(n):
        out[order[j]] = sorted_out[j]
