"""Kernel sums of all classes on a lattice: O(n K) without a sort.

Points hand their mass to the two lattice points around them in proportion to their nearness (linear binning), the
recursion of `opnb.core.kernel_sums` runs over the lattice, logarithms are taken there, and a point reads its log
density by linear interpolation. Both approximations err by O(step^2). Interpolating logarithms is the better choice
twice over: far from data log densities are nearly linear, and one logarithm a lattice point replaces one a data point.

The lattice is fixed (multiples of the step), so the binned objective is a continuous function of the positions and its
derivative, computed here, is the derivative of the very value: with u = z / step, lattice point b and share t of z,

    S_ik  = sum_d (1 - t) L[b, k] + t L[b + 1, k],       L = log(M * k),   M = binned mass
    dS/dz = (L[b + 1, k] - L[b, k]) / step               through the reading
          + (D[b + 1, y] - D[b, y]) / step               through the mass, D = k * (adjoint of L / (M * k))

Lattices of all directions are stacked into one table of shape (n_points, width); `first[e]` is the row at which
the direction `axes[e]` begins and `low[e]` the lattice number of that row. Padding lanes are those of `opnb.core.exact`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from opnb.core.compiled import inline, kernel
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.simd import fma, load, log, splat, store, total

COARSEST_STEP = 0.1
_BLOCK = 512
# Below this share of the largest position a step would be lost in rounding.
_FINEST_SHARE = 2.0**-40
# Keeps the quotients below finite for a direction on which all points coincide.
_SMALLEST = 1e-100


@dataclass(frozen=True)
class Lattice:
    """Where the lattices of the directions `axes` lie: step, first lattice number and first row of each."""

    axes: Indices
    step: Array
    low: Array
    first: Indices
    n_points: int


def lattice_steps(low: Array, high: Array, n_bins: int) -> Array:
    """Choose a step for every direction: at most a tenth of the bandwidth, and at least `n_bins` points.

    Steps are halved from `COARSEST_STEP`, never fitted to the range: the step is then constant around almost every
    projection, and the derivative needs no term for it.
    """
    span = np.maximum(high - low, _SMALLEST)
    halvings = np.ceil(np.log2(np.maximum(COARSEST_STEP * (n_bins - 1) / span, 1.0)))
    finest = np.maximum(np.abs(low), np.abs(high)) * _FINEST_SHARE
    allowed = np.floor(np.log2(COARSEST_STEP / np.maximum(finest, _SMALLEST)))
    return COARSEST_STEP * 2.0 ** -np.maximum(np.minimum(halvings, allowed), 0.0)


def lattice_over(axes: Indices, low: Array, high: Array, step: Array) -> Lattice:
    """Lay a lattice over the range of every direction in `axes`."""
    low, high, step = low[axes], high[axes], step[axes]
    start = np.floor(low / step)
    # One point more than the range needs: rounding may put the largest value a hair above its lattice point.
    n_points = (np.floor(high / step) - start + 3).astype(np.intp)
    first = np.concatenate([[0], np.cumsum(n_points)[:-1]]).astype(np.intp)
    return Lattice(axes, step, start, first, int(n_points.sum()))


@inline
def _locate(z: float, inverse_step: float, low: float) -> tuple[int, float]:
    """Lattice point at or below z, counted from the start of its lattice, and the share towards the next."""
    u = z * inverse_step - low
    b = max(int(u), 0)
    return b, u - b


@kernel
def bin_masses(
    Z: Array, labels: Indices, n_classes: int, axes: Indices, step: Array, low: Array, first: Indices, table: Array
) -> None:
    """Add every point's mass to the two lattice points around it. Padding lanes get one, so that logarithms stay finite."""
    for e in range(axes.size):
        d = axes[e]
        inverse_step = 1.0 / step[e]
        for i in range(Z.shape[1]):
            b, t = _locate(Z[d, i], inverse_step, low[e])
            row = first[e] + b
            table[row, labels[i]] += 1.0 - t
            table[row + 1, labels[i]] += t
    for row in range(table.shape[0]):
        table[row, n_classes:] = 1.0


@kernel
def convolve(table: Array, first: int, last: int, step: float, lanes: Any) -> None:
    """Replace rows first..last-1 by their sums with the kernel (1 + |u|) exp(-|u|), in place."""
    width = table.shape[1]
    W = len(lanes)
    decay = splat(math.exp(-step), lanes)
    gap = splat(step, lanes)
    left = np.empty((last - first, W))
    for lane in range(0, width, W):
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for row in range(first, last):
            B = decay * fma(gap, A, B)
            A = decay * A
            store(left, (row - first) * W, A + B)
            A = A + load(table, row * width + lane, lanes)
        A, B = splat(0.0, lanes), splat(0.0, lanes)
        for row in range(last - 1, first - 1, -1):
            here = load(table, row * width + lane, lanes)
            store(table, row * width + lane, (load(left, (row - first) * W, lanes) + here) + (A + B))
            A = A + here
            B = decay * fma(gap, A, B)
            A = decay * A


@kernel
def log_table(sums: Array, logs: Array, lanes: Any) -> None:
    """Take logarithms of every entry."""
    for at in range(0, sums.size, len(lanes)):
        store(logs, at, log(load(sums, at, lanes), lanes))


@kernel
def read_scores(
    scores: Array, Z: Array, axes: Indices, step: Array, low: Array, first: Indices, logs: Array, lanes: Any
) -> None:
    """Add the interpolated log sums of every direction to the scores, in blocks of rows that stay in cache."""
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
def scatter_pull(
    pull: Array, Z: Array, axes: Indices, step: Array, low: Array, first: Indices, table: Array, lanes: Any
) -> None:
    """Add the derivative by every score to the two lattice points it was read from: the adjoint of `read_scores`."""
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
                    store(table, at + lane, fma(below, g, load(table, at + lane, lanes)))
                    store(table, at + width + lane, fma(above, g, load(table, at + width + lane, lanes)))


@kernel
def divide_by_sums(table: Array, sums: Array, lanes: Any) -> None:
    """Turn derivatives by logarithms into derivatives by sums."""
    for at in range(0, sums.size, len(lanes)):
        store(table, at, load(table, at, lanes) / load(sums, at, lanes))


@kernel
def pull_back(
    pull: Array,
    Z: Array,
    labels: Indices,
    axes: Indices,
    step: Array,
    low: Array,
    first: Indices,
    logs: Array,
    adjoint: Array,
    lanes: Any,
) -> None:
    """Replace the positions by the objective's derivatives by them, in place."""
    n, width = pull.shape
    W = len(lanes)
    for start in range(0, n, _BLOCK):
        for e in range(axes.size):
            d = axes[e]
            inverse_step = 1.0 / step[e]
            for i in range(start, min(start + _BLOCK, n)):
                b, _ = _locate(Z[d, i], inverse_step, low[e])
                row = first[e] + b
                at = row * width
                slope = splat(0.0, lanes)
                for lane in range(0, width, W):
                    rise = load(logs, at + width + lane, lanes) - load(logs, at + lane, lanes)
                    slope = fma(load(pull, i * width + lane, lanes), rise, slope)
                through_mass = adjoint[row + 1, labels[i]] - adjoint[row, labels[i]]
                Z[d, i] = (total(slope) + through_mass) * inverse_step
