"""Sums of kernels over sorted points in the log domain: exact however far the points lie apart.

For sorted points x_j the sum over the points at or left of x,

    sum_j (1 + x - x_j) exp(-(x - x_j)) = A + B,   A = sum_j exp(-(x - x_j)),   B = sum_j (x - x_j) exp(-(x - x_j)),

needs two numbers that a step of length `gap` turns into B <- exp(-gap) (B + gap A), A <- exp(-gap) A. All terms are
non-negative, so nothing cancels, and only differences of positions enter, so an offset costs no digits. Going left to
right and then right to left gives every sum in O(n) after one sort.

A point far from a class sees a density that no double can hold. Its logarithm is still exact: with the state taken at
the last member of the class,

    log(left sum) = -gap + log(A (1 + gap) + B).

The state at a member is at least the member's mass (its own kernel), so it never underflows. The two sides are
combined with logaddexp. Sums weighted by reciprocal densities, which the gradient needs, keep a running logarithmic
scale instead.

A point may have a mass other than one, by which its kernel is multiplied. Numba compiles each kernel apart for members
given as booleans (mass one) and as masses.

These kernels handle one class in one direction at a time. They serve prediction, the leave-one-out density of a point
in its own class, and every direction whose span would underflow in `opnb.core.exact`, which is three times faster.
"""

import math

import numpy as np
from numpy.typing import NDArray

from opnb.core.compiled import inline, kernel
from opnb.core.kernel import Array

Members = NDArray[np.bool_] | Array

_NOTHING = -np.inf


@inline
def _log_side(A: float, B: float, gap: float) -> float:
    """Logarithm of one side's sum at distance `gap` from the last member."""
    return -gap + math.log(A * (1.0 + gap) + B) if A > 0.0 else _NOTHING


@inline
def _slope_of_side(A: float, B: float, gap: float) -> float:
    """Magnitude of the derivative of one side's logarithm: below one, and growing with the distance."""
    return (A * gap + B) / (A * (1.0 + gap) + B) if A > 0.0 else 0.0


@inline
def _add_logs(a: float, b: float) -> float:
    high, low = (a, b) if a > b else (b, a)
    return high + math.log1p(math.exp(low - high)) if low > _NOTHING else high


@inline
def _after_member(A: float, B: float, gap: float, mass: float) -> tuple[float, float]:
    """Move the state over a gap to the next member and count that member."""
    decay = math.exp(-gap)
    return decay * A + mass, decay * (B + gap * A)


@kernel
def class_log_sums(z: Array, member: Members, leave_out: bool, log_sum: Array, score: Array) -> None:
    """Logarithm of one class's kernel sum at every sorted point, and its derivative.

    Parameters
    ----------
    z : ndarray of shape (n,)
        Sorted positions.
    member : ndarray of bool or float of shape (n,)
        Which of them belong to the class, or their masses in it, zero for the others.
    leave_out : bool
        Whether a member's own kernel is left out of its sum.
    log_sum, score : ndarray of shape (n,)
        Written: log sum_j m_j (1 + |u|) exp(-|u|) over the members of mass m_j, and its derivative.
    """
    n = z.size
    A, B, last = 0.0, 0.0, z[0]
    for j in range(n):
        gap = z[j] - last
        log_sum[j] = _log_side(A, B, gap)
        score[j] = _slope_of_side(A, B, gap)
        if member[j]:
            A, B = _after_member(A, B, gap, member[j])
            last = z[j]
    A, B, last = 0.0, 0.0, z[n - 1]
    for j in range(n - 1, -1, -1):
        gap = last - z[j]
        right = _log_side(A, B, gap)
        slope = _slope_of_side(A, B, gap)
        both = _add_logs(log_sum[j], right)
        if member[j]:
            A, B = _after_member(A, B, gap, member[j])
            last = z[j]
            if not leave_out:
                both = _add_logs(both, math.log(member[j]) if member[j] != 1.0 else 0.0)
        from_left = score[j] * math.exp(log_sum[j] - both) if log_sum[j] > _NOTHING else 0.0
        from_right = slope * math.exp(right - both) if right > _NOTHING else 0.0
        log_sum[j] = both
        score[j] = from_right - from_left


@inline
def _add_weight(A: float, B: float, scale: float, weight: float, log_scale: float) -> tuple[float, float, float]:
    """Count a weight `weight * exp(log_scale)` in the state (A, B) * exp(scale)."""
    if weight == 0.0:
        return A, B, scale
    if log_scale > scale:
        shrink = math.exp(scale - log_scale)
        return A * shrink + weight, B * shrink, log_scale
    return A + weight * math.exp(log_scale - scale), B, scale


@kernel
def class_pull(z: Array, member: Members, weight: Array, log_sum: Array, order: NDArray[np.intp], out: Array) -> None:
    """Add what the members' positions change in the other points' densities: the gradient's second sum.

    For every member s of mass m_s adds m_s sum_j weight_j exp(-log_sum_j) k'(z_s - z_j), k' = -u exp(-|u|), to
    `out[order[s]]`.
    """
    n = z.size
    A, B, scale = 0.0, 0.0, _NOTHING
    for j in range(n):
        if j > 0:
            gap = z[j] - z[j - 1]
            B += gap * A
            scale -= gap
        if member[j] and B != 0.0:
            out[order[j]] -= member[j] * (B * math.exp(scale))
        A, B, scale = _add_weight(A, B, scale, weight[j], -log_sum[j])
    A, B, scale = 0.0, 0.0, _NOTHING
    for j in range(n - 1, -1, -1):
        if j < n - 1:
            gap = z[j + 1] - z[j]
            B += gap * A
            scale -= gap
        if member[j] and B != 0.0:
            out[order[j]] += member[j] * (B * math.exp(scale))
        A, B, scale = _add_weight(A, B, scale, weight[j], -log_sum[j])


@kernel
def log_sums_at(members: Array, z: Array, log_sum: Array, masses: Array | None = None) -> None:
    """Logarithm of the kernel sum over sorted `members` at any sorted positions `z`.

    The members have mass one unless `masses` are given.
    """
    n = members.size
    left = np.empty((n, 2))
    right = np.empty((n, 2))
    A, B = 0.0, 0.0
    for j in range(n):
        mass = 1.0 if masses is None else masses[j]
        A, B = _after_member(A, B, members[j] - members[max(j - 1, 0)], mass)
        left[j, 0], left[j, 1] = A, B
    A, B = 0.0, 0.0
    for j in range(n - 1, -1, -1):
        mass = 1.0 if masses is None else masses[j]
        A, B = _after_member(A, B, members[min(j + 1, n - 1)] - members[j], mass)
        right[j, 0], right[j, 1] = A, B
    after = 0  # number of members at or left of z
    for i in range(z.size):
        while after < n and members[after] <= z[i]:
            after += 1
        both = _NOTHING
        if after > 0:
            both = _log_side(left[after - 1, 0], left[after - 1, 1], z[i] - members[after - 1])
        if after < n:
            both = _add_logs(both, _log_side(right[after, 0], right[after, 1], members[after] - z[i]))
        log_sum[i] = both
