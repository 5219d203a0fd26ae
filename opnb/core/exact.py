"""Exact kernel sums of all classes at once, in plain arithmetic.

The recursion of `opnb.core.kernel_sums` with the states of all classes side by side in vector registers: one sweep
over the sorted points serves every class, and one exponential a gap. A direction costs O(n K) after its sort, in two
sweeps for the densities and three for the gradient. Densities are computed again for the gradient rather than kept,
so memory stays O(n K) for any number of directions.

Plain arithmetic is safe while a direction spans less than `PLAIN_SPAN` bandwidths: then no sum is below exp(-600) and
no reciprocal above exp(600). Wider directions take the log-domain kernels.

Rows of every (n, K) array here are padded to whole vectors. A padding lane carries the mass of every point, so that
its logarithm stays finite, and starts from `NEVER`, so that its posterior is exactly zero.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.compiled import kernel
from opnb.core.kernel import Array
from opnb.core.simd import exp, fma, load, log, splat, store, total

Indices = NDArray[np.intp]

PLAIN_SPAN = 600.0
NEVER = -1e30

_EIGHT = (0,) * 8


def gaps_and_decays(z: Array) -> tuple[Array, Array]:
    """Steps between sorted points, and exp(-step), both led by the step 0 of the first point."""
    n = z.size
    padded = np.zeros(-(-n // 8) * 8)
    np.subtract(z[1:], z[:-1], out=padded[1:n])
    decay = np.empty_like(padded)
    _exp_of_negative(padded, decay, _EIGHT)
    return padded[:n], decay[:n]


@kernel
def _exp_of_negative(x: Array, out: Array, lanes: Any) -> None:
    zero = splat(0.0, lanes)
    for i in range(0, x.size, len(lanes)):
        store(out, i, exp(zero - load(x, i, lanes), lanes))


@kernel
def add_log_sums(
    scores: Array,
    order: Indices,
    labels: Indices,
    gap: Array,
    decay: Array,
    mass: Array,
    own: float,
    lanes: Any,
) -> None:
    """Add one direction's log kernel sums of every class to `scores`.

    Parameters
    ----------
    scores : ndarray of shape (n, width)
        Padded class scores of every row, in the order of the rows.
    order, labels, gap, decay : ndarray of shape (n,)
        Sorting permutation; classes, steps and decays in sorted order.
    mass : ndarray of shape (n_classes, width)
        The masses that a point of each class adds: one in its own lane, one in the padding.
    own : float
        1 to count a point's own kernel in its class, 0 to leave it out.
    """
    n, width = scores.shape
    W = len(lanes)
    left = np.empty((n, W))
    kept = splat(own, lanes)
    for lane in range(0, width, W):
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for j in range(n):
            e = splat(decay[j], lanes)
            B = e * fma(splat(gap[j], lanes), A, B)
            A = e * A
            store(left, j * W, A + B)
            A = A + load(mass, labels[j] * width + lane, lanes)
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for j in range(n - 1, -1, -1):
            here = load(mass, labels[j] * width + lane, lanes)
            density = fma(kept, here, load(left, j * W, lanes)) + (A + B)
            at = order[j] * width + lane
            store(scores, at, load(scores, at, lanes) + log(density, lanes))
            A = A + here
            e = splat(decay[j], lanes)
            B = e * fma(splat(gap[j], lanes), A, B)
            A = e * A


@kernel
def pull_back(
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
    """Turn derivatives by the scores into derivatives by the positions, for one direction.

    Parameters
    ----------
    pull : ndarray of shape (n, width)
        Derivative of the objective by each class score of each row.
    out : ndarray of shape (n,)
        Written: derivative by the position of each row. The other parameters are those of `add_log_sums`.
    """
    n, width = pull.shape
    W = len(lanes)
    left = np.empty((n, W))
    left_slope = np.empty((n, W))
    kept = splat(own, lanes)
    out[:] = 0.0
    for lane in range(0, width, W):
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for j in range(n):
            e = splat(decay[j], lanes)
            B = e * fma(splat(gap[j], lanes), A, B)
            A = e * A
            store(left, j * W, A + B)
            store(left_slope, j * W, B)
            A = A + load(mass, labels[j] * width + lane, lanes)
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        C, D = splat(0.0, lanes), splat(0.0, lanes)
        for j in range(n - 1, -1, -1):
            here = load(mass, labels[j] * width + lane, lanes)
            density = fma(kept, here, load(left, j * W, lanes)) + (A + B)
            weight = load(pull, order[j] * width + lane, lanes) / density
            slope = B - load(left_slope, j * W, lanes)
            out[order[j]] += total(fma(weight, slope, here * D))
            store(left, j * W, weight)
            e, step = splat(decay[j], lanes), splat(gap[j], lanes)
            A, C = A + here, C + weight
            B, D = e * fma(step, A, B), e * fma(step, C, D)
            A, C = e * A, e * C
        C, D = splat(0.0, lanes), splat(0.0, lanes)
        for j in range(n):
            e = splat(decay[j], lanes)
            D = e * fma(splat(gap[j], lanes), C, D)
            C = e * C
            here = load(mass, labels[j] * width + lane, lanes)
            out[order[j]] -= total(here * D)
            C = C + load(left, j * W, lanes)
