"""Which kernel sums serve which direction, behind one pair of calls.

Every kind of direction adds its log kernel sums to the class scores and later turns derivatives by the scores into
derivatives by its positions. `plan_directions` chooses: the lattice where it is asked for and pays, the log domain
where a direction spans too many bandwidths for plain arithmetic, exact plain sums otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from opnb.core import binned, exact
from opnb.core.compiled import kernel
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.kernel_sums import Members, class_log_sums, class_pull
from opnb.core.simd import lane_layout

# With more lattice points than this for every row, walking through the rows themselves costs no more.
_POINTS_PER_ROW = 4


class Directions(Protocol):
    """One or several directions of a projection."""

    def add_scores(self, scores: Array) -> None:
        """Add the log kernel sums of every class to `scores`, of shape (n, width)."""

    def pull_back(self, pull: Array) -> None:
        """Replace the positions by the derivatives by them, given the derivatives by the scores."""


def class_lanes(n_classes: int) -> tuple[tuple[int, ...], Array]:
    """Give the lanes of one vector, and the masses that a point of each class adds, of shape (n_classes, width).

    They are one in a class's own lane and in the padding lanes, else zero.
    """
    lanes, n_vectors = lane_layout(n_classes)
    mass = np.eye(n_classes, len(lanes) * n_vectors)
    mass[:, n_classes:] = 1.0
    return lanes, mass


@dataclass(frozen=True)
class Classes:
    """The labels in the forms that the kernels want.

    Attributes
    ----------
    labels : ndarray of int of shape (n,)
    counts : ndarray of int of shape (n_classes,)
    mass : ndarray of shape (n_classes, width)
        One in a class's own lane and in the padding lanes, else zero.
    lanes : tuple of int
        Its length is the width of one vector.
    masses : ndarray of shape (n,) or None
        What each row adds to the sums of its class, one on average over the class; None is one each.
    """

    labels: Indices
    counts: Indices
    mass: Array
    lanes: tuple[int, ...]
    masses: Array | None = None

    @classmethod
    def of(cls, labels: Indices, n_classes: int, masses: Array | None = None) -> "Classes":
        """Prepare `labels` in 0..n_classes-1."""
        lanes, mass = class_lanes(n_classes)
        counts = np.bincount(labels, minlength=n_classes)
        return cls(np.ascontiguousarray(labels, dtype=np.intp), counts, mass, lanes, masses)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.mass.shape[0]

    @cached_property
    def lane_masses(self) -> tuple[Indices, Array]:
        """Where each row finds the masses that it adds to every lane, and the table in which they stand.

        Rows of equal masses share one line of the table for each class; else every row has a line of its own.
        """
        if self.masses is None:
            return self.labels, self.mass
        every = np.arange(self.labels.size)
        table = self.mass[self.labels]
        table[every, self.labels] = self.masses
        return every, table

    @cached_property
    def plain_span(self) -> float:
        """How many bandwidths a direction may span for plain arithmetic.

        In its own class a row that is left out sees the others only, of which the heaviest has at least the second
        largest mass of the class. That can be far below one.
        """
        if self.masses is None:
            return exact.PLAIN_SPAN
        seconds = [np.sort(self.masses[self.labels == k])[-2:][0] for k in range(self.n_classes)]
        return exact.PLAIN_SPAN + min(0.0, float(np.log(min(seconds))))

    def members(self, k: int, rows: Indices) -> Members:
        """Which of `rows` belong to class k, or with unequal masses what each of them adds to it."""
        member = self.labels[rows] == k
        return member if self.masses is None else member * self.masses[rows]


class BinnedDirections:
    """Directions on a lattice."""

    def __init__(self, Z: Array, lattice: binned.Lattice, classes: Classes) -> None:
        self.Z, self.axes, self.classes = Z, lattice[0], classes
        self._lattice = lattice
        n_points = lattice[-1][-1]
        self.sums = np.empty((n_points, classes.mass.shape[1]))
        self.logs = np.empty_like(self.sums)

    def add_scores(self, scores: Array) -> None:
        """See `Directions`."""
        classes = self.classes
        binned.add_log_sums(
            scores,
            self.Z,
            classes.labels,
            classes.masses,
            classes.n_classes,
            self._lattice,
            self.sums,
            self.logs,
            classes.lanes,
        )

    def pull_back(self, pull: Array) -> None:
        """See `Directions`."""
        classes = self.classes
        binned.pull_back(
            pull, self.Z, classes.labels, classes.masses, self._lattice, self.sums, self.logs, classes.lanes
        )


class ExactDirections:
    """Directions summed exactly in plain arithmetic."""

    def __init__(self, Z: Array, axes: Indices, classes: Classes, leave_out: bool) -> None:
        order = np.argsort(Z if axes.size == len(Z) else Z[axes], axis=1)
        own = 0.0 if leave_out else 1.0
        self._sums = (Z, axes, order, *classes.lane_masses, own, classes.lanes)

    def add_scores(self, scores: Array) -> None:
        """See `Directions`."""
        exact.add_log_sums(scores, *self._sums)

    def pull_back(self, pull: Array) -> None:
        """See `Directions`."""
        exact.pull_back(pull, *self._sums)


class WideDirection:
    """One direction that spans too many bandwidths for plain arithmetic: summed in the log domain."""

    def __init__(self, z: Array, classes: Classes, leave_out: bool) -> None:
        self.z, self.classes, self.leave_out = z, classes, leave_out
        self.order = np.argsort(z)

    def _log_sums(self) -> Iterator[tuple[int, Array, Members, Array, Array]]:
        z = self.z[self.order]
        for k in range(self.classes.n_classes):
            member = self.classes.members(k, self.order)
            log_sum, score = np.empty_like(z), np.empty_like(z)
            class_log_sums(z, member, self.leave_out, log_sum, score)
            yield k, z, member, log_sum, score

    def add_scores(self, scores: Array) -> None:
        """See `Directions`."""
        for k, _, _, log_sum, _ in self._log_sums():
            scores[self.order, k] += log_sum

    def pull_back(self, pull: Array) -> None:
        """See `Directions`."""
        result = np.zeros_like(self.z)
        for k, z, member, log_sum, score in self._log_sums():
            weight = pull[self.order, k]
            result[self.order] += weight * score
            class_pull(z, member, weight, log_sum, self.order, result)
        self.z[:] = result


class OwnClassLeftOut:
    """Binned directions whose points leave themselves out of their own class.

    A lattice cannot leave a point out: subtracting its mass afterwards cancels. So each class is summed over its own
    points exactly, in the log domain, and the lattice serves the other classes.
    """

    def __init__(self, others: BinnedDirections) -> None:
        self.others = others
        self.labels = others.classes.labels
        self.every = np.arange(self.labels.size)
        self.rows = [np.flatnonzero(self.labels == k) for k in range(others.classes.n_classes)]

    def _log_sums(self, Z: Array) -> Iterator[tuple[int, Indices, Array, Members, Array, Array]]:
        for d in self.others.axes:
            for k, rows in enumerate(self.rows):
                rows_sorted = rows[np.argsort(Z[d, rows])]
                z, member = Z[d, rows_sorted], self.others.classes.members(k, rows_sorted)
                log_sum, score = np.empty_like(z), np.empty_like(z)
                class_log_sums(z, member, True, log_sum, score)
                yield d, rows_sorted, z, member, log_sum, score

    def add_scores(self, scores: Array) -> None:
        """See `Directions`."""
        own = scores[self.every, self.labels]
        for _, rows, _, _, log_sum, _ in self._log_sums(self.others.Z):
            own[rows] += log_sum
        self.others.add_scores(scores)
        scores[self.every, self.labels] = own

    def pull_back(self, pull: Array) -> None:
        """See `Directions`."""
        Z = self.others.Z
        positions = Z.copy()
        own = pull[self.every, self.labels]
        pull[self.every, self.labels] = 0.0
        self.others.pull_back(pull)
        pull[self.every, self.labels] = own
        for d, rows, z, member, log_sum, score in self._log_sums(positions):
            Z[d, rows] += own[rows] * score
            class_pull(z, member, own[rows], log_sum, rows, Z[d])


def plan_directions(Z: Array, classes: Classes, leave_out: bool, n_bins: int | None) -> list[Directions]:
    """Choose the kernel sums for every row of Z, of shape (n_components, n)."""
    low, high = np.minimum.reduce(Z, axis=1), np.maximum.reduce(Z, axis=1)
    most_points = 0 if n_bins is None else max(2 * n_bins, _POINTS_PER_ROW * Z.shape[1])
    plain, wide, lattice = _sort_out(low, high, classes.plain_span, n_bins or 0, most_points)
    plan: list[Directions] = [WideDirection(Z[d], classes, leave_out) for d in wide]
    if plain.size:
        plan.append(ExactDirections(Z, plain, classes, leave_out))
    if lattice[0].size:
        on_lattice = BinnedDirections(Z, lattice, classes)
        plan.append(OwnClassLeftOut(on_lattice) if leave_out else on_lattice)
    return plan


@kernel
def _sort_out(
    low: Array, high: Array, plain_span: float, n_bins: int, most_points: int
) -> tuple[Indices, Indices, binned.Lattice]:
    """Give the directions for plain and for log-domain sums, and a lattice for those on which it pays.

    A range that is not a number is left to the plain sums, whose outcome then is not a number either.
    """
    is_wide = high - low > plain_span
    steps = binned.lattice_steps(low, high, n_bins)
    pays = ~is_wide & ((high - low) / steps <= most_points) & (n_bins > 0)
    lattice = binned.lattice_over(np.flatnonzero(pays), low, high, steps)
    return np.flatnonzero(~is_wide & ~pays), np.flatnonzero(is_wide), lattice
