"""Kernel sums of all classes on a lattice: O(n K) without a sort.

Points hand their mass to the two lattice points around them in proportion to their nearness (linear binning), the
recursion of `opnb.core.kernel_sums` runs over the lattice, logarithms are taken there, and a point reads its log
density by linear interpolation. Interpolating logarithms is the better choice twice over: far from data log densities
are nearly linear, and one logarithm a lattice point replaces one a data point.

Linear binning and linear interpolation both add h^2/12 times the second derivative on average (h the step).
Subtracting a twelfth of the second difference on the lattice, once from the sums and once from their logarithms, takes
that bias out; what is left has mean zero over the points and falls with h^2 and with the number of points.

The lattice is fixed (multiples of the step), so the binned objective is a continuous function of the positions and its
derivative, computed here, is the derivative of the very value: with u = z / step, lattice point b and share t of z,

    S_ik  = sum_d (1 - t) L[b, k] + t L[b + 1, k],       L = s log(F),   F = s (M * k),   M = binned mass
    dS/dz = (L[b + 1, k] - L[b, k]) / step               through the reading
          + (D[b + 1, y] - D[b, y]) / step               through the mass, D = k * s (s a / F), a = adjoint of L

where s is the sharpening; it and the convolution are symmetric, hence their own adjoints.

Rows take part in sums alone, so they may come in pieces (`opnb.core.pieces`), and the kernels stand apart at each place
where sums over rows are complete. `add_masses` adds up the masses of rows on a lattice, and `move_masses` brings them
to one that all rows reach; `take_logs` turns them into log sums; rows read their scores there (`read_scores`), and
`scatter` adds up the derivatives by what they read, which `turn_adjoint` turns into derivatives by the masses; with
both `write_slopes` has the derivatives by the positions. What passes between them are tables of the lattice's size.

Lattices of all directions are stacked into one table of shape (n_points, width); `first[e]` is the row at which
the direction `axes[e]` begins and `low[e]` the lattice number of that row. Padding lanes are as in `opnb.core.exact`.
"""

import math
from typing import Any

import numpy as np

from opnb.core.compiled import inline, kernel
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.simd import fma, larger, load, log, splat, store, total

# Directions, their steps, first lattice numbers and first rows.
Lattice = tuple[Indices, Array, Array, Indices]

COARSEST_STEP = 0.1
# Sums below this, hundreds of bandwidths from all points of a class, count as this: their logarithms stay finite.
LEAST_SUM = 1e-300
# Rows handled at a time, so that their scores stay in cache while the directions pass over them.
_BLOCK = 512
# Below this share of the largest position a step would be lost in rounding.
_FINEST_SHARE = 2.0**-40
# A direction on which all points coincide has no range: its steps end here.
_SMALLEST = 1e-6


@kernel
def lattice_steps(low: Array, high: Array, n_bins: int) -> Array:
    """Choose a step for every direction: at most a tenth of the bandwidth, and at least `n_bins` points.

    Steps are halved from `COARSEST_STEP`, never fitted to the range: the step is then constant around almost every
    projection, and the derivative needs no term for it.
    """
    steps = np.empty(low.size)
    for d in range(low.size):
        step = COARSEST_STEP
        finest = max(abs(low[d]), abs(high[d]), _SMALLEST) * _FINEST_SHARE
        while (high[d] - low[d]) / step < n_bins - 1 and step / 2 > finest:
            step /= 2
        steps[d] = step
    return steps


@kernel
def lattice_over(axes: Indices, low: Array, high: Array, step: Array) -> Lattice:
    """Lay a lattice over the range of every direction in `axes`: these, steps, first lattice numbers, first rows.

    The first rows end with the number of rows of all lattices.
    """
    steps, starts = step[axes], np.empty(axes.size)
    first = np.zeros(axes.size + 1, dtype=np.intp)
    for e in range(axes.size):
        # Two points more than the data need at each end, which the sharpening spoils, and one at the upper end for a
        # value that rounding puts there.
        starts[e] = math.floor(low[axes[e]] / steps[e]) - 2
        n_points = math.floor(high[axes[e]] / steps[e]) - starts[e] + 5
        first[e + 1] = first[e] + int(n_points)
    return axes, steps, starts, first


@inline
def _locate(z: float, inverse_step: float, low: float) -> tuple[int, float]:
    """Lattice point at or below z, counted from the start of its lattice, and the share towards the next."""
    u = z * inverse_step - low
    b = max(int(u), 0)
    return b, u - b


@inline
def _add_masses(z: Array, labels: Indices, masses: Array | None, inverse_step: float, low: float, table: Array) -> None:
    """Add every point's mass on one direction to the two lattice points around it."""
    for i in range(z.size):
        b, t = _locate(z[i], inverse_step, low)
        mass = 1.0 if masses is None else masses[i]
        table[b, labels[i]] += mass * (1.0 - t)
        table[b + 1, labels[i]] += mass * t


@inline
def _convolve(table: Array, step: float, lanes: Any) -> None:
    """Replace the lattice of one direction by its sums with the kernel (1 + |u|) exp(-|u|), in place."""
    n_points, width = table.shape
    W = len(lanes)
    left = np.empty((n_points, W))
    decay, gap = splat(math.exp(-step), lanes), splat(step, lanes)
    for lane in range(0, width, W):
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for row in range(n_points):
            B = decay * fma(gap, A, B)
            A = decay * A
            store(left, row * W, A + B)
            A = A + load(table, row * width + lane, lanes)
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for row in range(n_points - 1, -1, -1):
            here = load(table, row * width + lane, lanes)
            store(table, row * width + lane, (load(left, row * W, lanes) + here) + (A + B))
            A = A + here
            B = decay * fma(gap, A, B)
            A = decay * A


@inline
def _sharpen(table: Array, lanes: Any) -> None:
    """Subtract a twelfth of the second difference from every row, in place, as if there were zeros around."""
    width, W = table.shape[1], len(lanes)
    middle, side = splat(7.0 / 6.0, lanes), splat(-1.0 / 12.0, lanes)
    for lane in range(0, width, W):
        before, here = splat(0.0, lanes), load(table, lane, lanes)
        for at in range(lane, table.size, width):
            after = load(table, at + width, lanes) if at + width < table.size else splat(0.0, lanes)
            store(table, at, fma(middle, here, side * (before + after)))
            before, here = here, after


@kernel
def add_masses(Z: Array, labels: Indices, masses: Array | None, lattice: Lattice, table: Array) -> None:
    """Add the binned masses of some rows to a table of shape (n_points, width), which `take_logs` makes kernel sums."""
    axes, step, low, first = lattice
    for e in range(axes.size):
        _add_masses(Z[axes[e]], labels, masses, 1.0 / step[e], low[e], table[first[e] : first[e + 1]])


@kernel
def move_masses(lattice: Lattice, table: Array, wider: Lattice, result: Array) -> None:
    """Add masses to another lattice of the same directions, whose steps are those or a power of two times them.

    Nothing is lost: a mass that is shared out between two points of a lattice and then between points of a coarser one
    ends where the coarser one would have had it at once. Points without masses need not be there.
    """
    _, step, low, first = lattice
    _, wide_step, wide_low, wide_first = wider
    for e in range(step.size):
        ratio = step[e] / wide_step[e]
        for row in range(first[e], first[e + 1]):
            u = (low[e] + (row - first[e])) * ratio
            b = math.floor(u)
            at = wide_first[e] + int(b - wide_low[e])
            for k in range(table.shape[1]):
                if table[row, k] != 0.0:
                    result[at, k] += table[row, k] * (1.0 - (u - b))
                    if u > b:
                        result[at + 1, k] += table[row, k] * (u - b)


@kernel
def take_logs(lattice: Lattice, sums: Array, logs: Array, lanes: Any) -> None:
    """Turn the masses of all rows into kernel sums, in place, and write their logarithms, both sharpened."""
    _, step, _, first = lattice
    for e in range(step.size):
        _take_logs(step[e], sums[first[e] : first[e + 1]], logs[first[e] : first[e + 1]], lanes)


@inline
def _take_logs(step: float, sums: Array, logs: Array, lanes: Any) -> None:
    """See `take_logs`, for one direction."""
    _convolve(sums, step, lanes)
    _sharpen(sums, lanes)
    least = splat(LEAST_SUM, lanes)
    for at in range(0, sums.size, len(lanes)):
        here = larger(load(sums, at, lanes), least)
        store(sums, at, here)
        store(logs, at, log(here, lanes))
    _sharpen(logs, lanes)


@kernel
def read_scores(scores: Array, Z: Array, lattice: Lattice, logs: Array, lanes: Any) -> None:
    """Add the interpolated log sums of every direction to the scores of some rows."""
    axes, step, low, first = lattice
    n, width = scores.shape
    W = len(lanes)
    for start in range(0, n, _BLOCK):
        for e in range(axes.size):
            d = axes[e]
            inverse_step = 1.0 / step[e]
            for i in range(start, min(start + _BLOCK, n)):
                b, t = _locate(Z[d, i], inverse_step, low[e])
                below, above = splat(1.0 - t, lanes), splat(t, lanes)
                at = (first[e] + b) * width
                for lane in range(0, width, W):
                    read = fma(below, load(logs, at + lane, lanes), load(scores, i * width + lane, lanes))
                    read = fma(above, load(logs, at + width + lane, lanes), read)
                    store(scores, i * width + lane, read)


@kernel
def add_log_sums(
    scores: Array,
    Z: Array,
    labels: Indices,
    masses: Array | None,
    n_classes: int,
    lattice: Lattice,
    sums: Array,
    logs: Array,
    lanes: Any,
) -> None:
    """Add the log kernel sums of the lattice's directions to `scores`, for all rows at once.

    Parameters
    ----------
    scores : ndarray of shape (n, width)
        Padded class scores of every row.
    Z : ndarray of shape (n_components, n)
        Positions.
    labels : ndarray of shape (n,)
    masses : ndarray of shape (n,) or None
        What every point adds to its class; None is one each, and Numba compiles that case apart.
    lattice : tuple
        As `lattice_over` gives it.
    sums, logs : ndarray of shape (n_points, width)
        Written: kernel sums on the lattice, and their logarithms.
    """
    axes, step, low, first = lattice
    for e in range(axes.size):  # direction by direction: its table is in the cache from the first point to the last log
        table, table_logs = sums[first[e] : first[e + 1]], logs[first[e] : first[e + 1]]
        table[:, :n_classes] = 0.0
        table[:, n_classes:] = 1.0  # padding lanes
        _add_masses(Z[axes[e]], labels, masses, 1.0 / step[e], low[e], table)
        _take_logs(step[e], table, table_logs, lanes)
    read_scores(scores, Z, lattice, logs, lanes)


@kernel
def scatter(pull: Array, Z: Array, lattice: Lattice, adjoint: Array, lanes: Any) -> None:
    """Add the derivative by every score of some rows to the two lattice points it was read from."""
    axes, step, low, first = lattice
    n, width = pull.shape
    W = len(lanes)
    for start in range(0, n, _BLOCK):
        for e in range(axes.size):
            d = axes[e]
            inverse_step = 1.0 / step[e]
            for i in range(start, min(start + _BLOCK, n)):
                b, t = _locate(Z[d, i], inverse_step, low[e])
                below, above = splat(1.0 - t, lanes), splat(t, lanes)
                at = (first[e] + b) * width
                for lane in range(0, width, W):
                    g = load(pull, i * width + lane, lanes)
                    store(adjoint, at + lane, fma(below, g, load(adjoint, at + lane, lanes)))
                    store(adjoint, at + width + lane, fma(above, g, load(adjoint, at + width + lane, lanes)))


@inline
def _differences(table: Array, lanes: Any) -> None:
    """Replace every row by its difference to the next, in place."""
    width = table.shape[1]
    for at in range(0, table.size - width, len(lanes)):
        store(table, at, load(table, at + width, lanes) - load(table, at, lanes))


@kernel
def turn_adjoint(lattice: Lattice, sums: Array, logs: Array, adjoint: Array, lanes: Any) -> None:
    """Turn derivatives by the log sums into differences of those by the masses, and `logs` into theirs, in place."""
    _, step, _, first = lattice
    for e in range(step.size):
        table, table_sums = adjoint[first[e] : first[e + 1]], sums[first[e] : first[e + 1]]
        _sharpen(table, lanes)
        for at in range(0, table.size, len(lanes)):
            store(table, at, load(table, at, lanes) / load(table_sums, at, lanes))
        _sharpen(table, lanes)
        _convolve(table, step[e], lanes)
        _differences(table, lanes)
        _differences(logs[first[e] : first[e + 1]], lanes)


@kernel
def write_slopes(
    pull: Array,
    Z: Array,
    labels: Indices,
    masses: Array | None,
    lattice: Lattice,
    rises: Array,
    adjoint: Array,
    lanes: Any,
) -> None:
    """Replace the positions of some rows by the objective's derivatives by them.

    `rises` and `adjoint` are the differences that `turn_adjoint` left in `logs` and `adjoint`.
    """
    axes, step, low, first = lattice
    n, width = pull.shape
    for start in range(0, n, _BLOCK):
        for e in range(axes.size):
            d = axes[e]
            inverse_step = 1.0 / step[e]
            for i in range(start, min(start + _BLOCK, n)):
                b, _ = _locate(Z[d, i], inverse_step, low[e])
                row = first[e] + b
                slope = splat(0.0, lanes)
                for lane in range(0, width, len(lanes)):
                    rise = load(rises, row * width + lane, lanes)
                    slope = fma(load(pull, i * width + lane, lanes), rise, slope)
                mass = 1.0 if masses is None else masses[i]
                Z[d, i] = (total(slope) + mass * adjoint[row, labels[i]]) * inverse_step


@kernel
def pull_back(
    pull: Array,
    Z: Array,
    labels: Indices,
    masses: Array | None,
    lattice: Lattice,
    sums: Array,
    logs: Array,
    lanes: Any,
) -> None:
    """Replace the positions on the lattice's directions by the objective's derivatives by them, for all rows at once.

    Parameters
    ----------
    pull : ndarray of shape (n, width)
        Derivative of the objective by each class score of each row.
    sums, logs : ndarray of shape (n_points, width)
        What `add_log_sums` wrote; `logs` is overwritten. The other parameters are those of `add_log_sums`.
    """
    adjoint = np.zeros_like(sums)
    scatter(pull, Z, lattice, adjoint, lanes)
    turn_adjoint(lattice, sums, logs, adjoint, lanes)
    write_slopes(pull, Z, labels, masses, lattice, logs, adjoint, lanes)
