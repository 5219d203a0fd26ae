"""Class densities kept on a lattice: a model whose size and speed do not depend on the number of rows.

On every direction a table holds the log density of each class and its derivative at the points of a lattice, exactly:
no mass is binned. A member at z in the cell (b, b + 1) adds

    e^{-v}, v e^{-v}    with v the way from z up to b + 1      to the state of the walk from the left at b + 1
    e^{-w}, w e^{-w}    with w the way from z down to b        to the state of the walk from the right at b

and the recursion of `opnb.core.kernel_sums`, from point to point with a running logarithmic scale, gives every sum.
The states add up over rows, so rows may come in pieces. Between two points the log density is the cubic with these
values and derivatives; beyond the ends, where all members are on one side at distance g and more, it is exact:

    log f(g) = log f(0) - g + log(1 + g (1 - |derivative at 0|)).

With the step h the cubic is off by h^3 / 48 of a single kernel's height at the most (the third derivative of the kernel
jumps at its centre), and by about h^4 / 400 where many kernels add up. What it is on each direction is measured, by a
lattice twice as fine of which every second point is kept, and told in `errors` with a margin for other places.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from opnb.core.compiled import inline, kernel
from opnb.core.densities import FARTHEST, NaiveBayesDensities
from opnb.core.exact import Indices
from opnb.core.kernel import LOG_HEIGHT, Array, unit_directions

# In bandwidths: the cubic is then off by 5e-6 of a single kernel's height at the most.
STEP = 1.0 / 16.0
# How much larger the error may be elsewhere than half way between points: 1.19 beside a single kernel's centre, and
# several kernels may hide each other's there.
_ELSEWHERE = 1.5
_NOTHING = -np.inf


@dataclass(frozen=True)
class LatticeDensities(NaiveBayesDensities):
    """Naive Bayes with kernel densities on the directions of one projection, read off a lattice.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        Unit directions.
    bandwidths : ndarray of shape (n_components,)
    counts : ndarray of int of shape (n_classes,)
        Rows of every class.
    low : ndarray of shape (n_components,)
        Number of the first lattice point on each direction, in steps from zero.
    first : ndarray of int of shape (n_components + 1,)
        First row of each direction in the tables, and their length.
    levels, slopes : ndarray of shape (n_points, n_classes)
        Log densities in units of the bandwidths, and their derivatives.
    errors : ndarray of shape (n_components,)
        By how much log densities are off at the most.
    priors : ndarray of shape (n_classes,) or None
        Class probabilities; None is the shares of the rows.
    """

    components: Array
    bandwidths: Array
    counts: Indices
    low: Array
    first: Indices
    levels: Array
    slopes: Array
    errors: Array
    priors: Array | None = None

    @classmethod
    def from_states(
        cls, V: Array, counts: Indices, priors: Array | None, lattice: tuple[Array, Indices], states: Array
    ) -> "LatticeDensities":
        """Make the densities of a projection from what all members added to a lattice of half the step."""
        levels, slopes = np.empty((2, *states.shape[:2]))
        fine_low, fine_first = lattice
        for block in map(slice, fine_first[:-1], fine_first[1:]):
            _walk(states[block], STEP / 2, levels[block], slopes[block])
        levels += LOG_HEIGHT - np.log(counts)
        errors = [_error(levels[a:b], slopes[a:b], STEP) for a, b in pairwise(fine_first)]
        # Lattices begin at an even number and have an odd number of points: every second one is a lattice again.
        every_second = np.concatenate([np.arange(a, b, 2) for a, b in pairwise(fine_first)])
        first = np.concatenate([[0], np.cumsum(np.diff(fine_first) // 2 + 1)]).astype(np.intp)
        components, bandwidths = unit_directions(V)
        tables = levels[every_second], slopes[every_second]
        return cls(components, bandwidths, counts, fine_low / 2, first, *tables, np.array(errors), priors)

    def log_densities(self, direction: int, z: Array) -> Array:
        """Log density of every class at positions z on one direction, of shape (n_classes, len(z))."""
        bandwidth = self.bandwidths[direction]
        rows = slice(self.first[direction], self.first[direction + 1])
        result = np.empty((self.counts.size, z.size))
        scaled = np.clip(z, -FARTHEST, FARTHEST) / bandwidth
        _read(scaled, STEP, self.low[direction], self.levels[rows], self.slopes[rows], result)
        return result - np.log(bandwidth) if np.isfinite(bandwidth) else result


def fine_lattice(low: Array, high: Array) -> tuple[Array, Indices]:
    """Lay a lattice of half the step over the range of every direction: first lattice numbers, and first rows.

    Lattices begin at an even number and end at one, beyond the range on both sides.
    """
    starts = 2 * np.floor(low / STEP)
    ends = 2 * (np.floor(high / STEP) + 1)
    return starts, np.concatenate([[0], np.cumsum(ends - starts + 1)]).astype(np.intp)


def states_on(
    blocks: Iterable[tuple[Array, Indices, Array | None]], n_classes: int, lattice: tuple[Array, Indices]
) -> Array:
    """Add up what members add to the walks on a fine lattice, of shape (n_points, n_classes, 4).

    Parameters
    ----------
    blocks : iterable
        Positions of shape (n_components, n), classes, and masses or None for one each.
    n_classes : int
    lattice : tuple
        Of `fine_lattice`.
    """
    low, first = lattice
    states = np.zeros((first[-1], n_classes, 4))
    for Z, labels, masses in blocks:
        for d in range(low.size):
            _add_members(Z[d], labels, masses, STEP / 2, low[d], states[first[d] : first[d + 1]])
    return states


@kernel
def _add_members(z: Array, labels: Indices, masses: Array | None, step: float, low: float, states: Array) -> None:
    """Add what members on one direction add to the walks from the left and from the right."""
    for i in range(z.size):
        u = z[i] / step - low
        b = min(max(int(u), 0), states.shape[0] - 2)
        down = (u - b) * step
        up = step - down
        mass = 1.0 if masses is None else masses[i]
        left, right = mass * math.exp(-up), mass * math.exp(-down)
        k = labels[i]
        states[b + 1, k, 0] += left
        states[b + 1, k, 1] += up * left
        states[b, k, 2] += right
        states[b, k, 3] += down * right


@inline
def _step_and_add(A: float, B: float, scale: float, step: float, a: float, b: float) -> tuple[float, float, float]:
    """Move the state (A, B) exp(scale) to the next lattice point and add what members give there."""
    B += step * A
    scale -= step
    if a == 0.0:
        return A, B, scale
    if A == 0.0 or scale < -600.0:  # nothing so far, or nothing that counts beside a member
        return a, b, 0.0
    shrink = math.exp(scale)
    return A * shrink + a, B * shrink + b, 0.0


@kernel
def _walk(states: Array, step: float, levels: Array, slopes: Array) -> None:
    """Write log kernel sums and their derivatives at the points of one direction's lattice."""
    n, n_classes, _ = states.shape
    for k in range(n_classes):
        A, B, scale = 0.0, 0.0, 0.0
        for j in range(n):
            A, B, scale = _step_and_add(A, B, scale, step, states[j, k, 0], states[j, k, 1])
            levels[j, k] = scale + math.log(A + B) if A > 0.0 else _NOTHING
            slopes[j, k] = -B / (A + B) if A > 0.0 else 0.0
        A, B, scale = 0.0, 0.0, 0.0
        for j in range(n - 1, -1, -1):
            A, B, scale = _step_and_add(A, B, scale, step, states[j, k, 2], states[j, k, 3])
            right = scale + math.log(A + B) if A > 0.0 else _NOTHING
            slope = B / (A + B) if A > 0.0 else 0.0
            left = levels[j, k]
            top = max(left, right)
            from_left, from_right = math.exp(left - top), math.exp(right - top)
            whole = from_left + from_right
            levels[j, k] = top + math.log(whole)
            slopes[j, k] = (from_left * slopes[j, k] + from_right * slope) / whole


@kernel
def _read(z: Array, step: float, low: float, levels: Array, slopes: Array, out: Array) -> None:
    """Write log densities at positions z on one direction, of shape (n_classes, len(z))."""
    last = levels.shape[0] - 1
    for i in range(z.size):
        u = z[i] / step - low
        if 0.0 <= u < last:
            b = int(u)
            t = u - b
            s = 1.0 - t
            below, above = s * s * (1.0 + 2.0 * t), t * t * (1.0 + 2.0 * s)
            rise, fall = step * s * s * t, -step * t * t * s
            for k in range(levels.shape[1]):
                value = below * levels[b, k] + above * levels[b + 1, k]
                out[k, i] = value + rise * slopes[b, k] + fall * slopes[b + 1, k]
        else:
            end = 0 if u < 0.0 else last
            gap = step * (abs(u) if u < 0.0 else u - last)
            for k in range(levels.shape[1]):
                out[k, i] = levels[end, k] - gap + math.log1p(gap * (1.0 - abs(slopes[end, k])))


def _error(levels: Array, slopes: Array, step: float) -> float:
    """By how much the cubic through every second point is off, from the points between."""
    below, between, above = levels[:-1:2], levels[1::2], levels[2::2]
    middle = (below + above) / 2 + step * (slopes[:-1:2] - slopes[2::2]) / 8
    return _ELSEWHERE * float(np.abs(middle - between).max())
