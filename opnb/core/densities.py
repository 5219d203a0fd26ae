"""Class densities of a fitted projection at any point, and the order in which directions matter.

Positions are in units of transform(): unit directions, bandwidth h_d on direction d. Log densities are exact at any
distance from the data (see `opnb.core.kernel_sums`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import logsumexp

from opnb.core.directions import plan_directions
from opnb.core.exact import Indices
from opnb.core.kernel import LOG_HEIGHT, Array, unit_directions
from opnb.core.kernel_sums import log_sums_at
from opnb.core.objective import Problem, scores_before_sums
from opnb.core.posterior import likelihood_and_pull, log_posterior

# Positions beyond this are taken for this: in units of any bandwidth, and summed over directions, they stay finite.
FARTHEST = 1e250
# Rows that decide the order of the directions: more would cost as much as the fit and change nothing.
_ORDERING_ROWS = 20_000


class NaiveBayesDensities(ABC):
    """Class densities on the directions of a projection, however they are kept."""

    components: Array
    bandwidths: Array
    counts: Indices
    priors: Array | None

    @property
    def log_prior(self) -> Array:
        """Log class probabilities, of shape (n_classes,)."""
        return np.log(self.counts / self.counts.sum() if self.priors is None else self.priors)

    def with_priors(self, priors: Array | None) -> Self:
        """Give the same densities with other class probabilities; None is the shares of the rows."""
        return replace(self, priors=priors)  # type: ignore[type-var]  # all subclasses are dataclasses

    @abstractmethod
    def log_densities(self, direction: int, z: Array) -> Array:
        """Log density of every class at positions z on one direction, of shape (n_classes, len(z)).

        On a direction of zero length (infinite bandwidth) the classes cannot be told apart; the common log
        density there is given as if the bandwidth were one.
        """

    def joint_log_likelihood(self, Z: Array, directions: Sequence[int] | None = None) -> Array:
        """Log of prior times density on some directions (all by default), of shape (m, n_classes).

        `Z` has one column for each of the directions.
        """
        chosen = range(self.bandwidths.size) if directions is None else directions
        result = np.repeat(self.log_prior[:, None], len(Z), axis=1)
        for column, direction in enumerate(chosen):
            result += self.log_densities(direction, Z[:, column])
        return result.T


@dataclass(frozen=True)
class ClassDensities(NaiveBayesDensities):
    """Naive Bayes with kernel densities on the directions of one projection.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        Unit directions.
    bandwidths : ndarray of shape (n_components,)
    members : ndarray of shape (n_components, n)
        Training positions divided by the bandwidths, class after class, sorted within each class.
    counts : ndarray of int of shape (n_classes,)
        Rows of every class.
    priors : ndarray of shape (n_classes,) or None
        Class probabilities; None is the shares of the rows.
    masses : ndarray of shape (n_components, n) or None
        What the members count, in their order, one on average over each class; None is one each.
    """

    components: Array
    bandwidths: Array
    members: Array
    counts: Indices
    priors: Array | None = None
    masses: Array | None = None

    @classmethod
    def from_projection(cls, V: Array, problem: Problem) -> "ClassDensities":
        """Take the training positions of a projection, of shape (n_features, n_components)."""
        components, bandwidths = unit_directions(V)
        counts = problem.classes.counts
        class_after_class = np.argsort(problem.classes.labels, kind="stable")
        members = np.empty((V.shape[1], problem.X.shape[0]))
        for d, v in enumerate(V.T):  # one direction at a time: a whole second copy would be the peak of a large fit
            members[d] = (problem.X @ v)[class_after_class]
        masses = problem.classes.masses
        if masses is not None:
            masses = np.tile(masses[class_after_class], (V.shape[1], 1))
        _sort_within_classes(members, masses, counts)
        return cls(components, bandwidths, members, counts, problem.priors, masses)

    def log_densities(self, direction: int, z: Array) -> Array:
        """See `NaiveBayesDensities`; exact at any distance from the data."""
        bandwidth = self.bandwidths[direction]
        finite = np.isfinite(bandwidth)
        order = np.argsort(z)
        scaled = np.clip(z[order], -FARTHEST, FARTHEST) / bandwidth
        result = np.empty((self.counts.size, z.size))
        log_sums = np.empty(z.size)
        ends = np.cumsum(self.counts)
        for k, block in enumerate(map(slice, ends - self.counts, ends)):
            masses = () if self.masses is None else (self.masses[direction, block],)
            log_sums_at(self.members[direction, block], scaled, log_sums, *masses)
            result[k, order] = log_sums
        return result + (LOG_HEIGHT - np.log(self.counts) - (np.log(bandwidth) if finite else 0.0))[:, None]


def joint_log_likelihood(models: Sequence[NaiveBayesDensities], X: Array) -> Array:
    """Give log p(x, class) at scaled rows, up to a constant of each row; several models are averaged.

    Parameters
    ----------
    models : sequence of NaiveBayesDensities
        As in `OPNBClassifier.densities_`.
    X : ndarray of shape (m, n_features)

    Returns
    -------
    ndarray of shape (m, n_classes)
    """
    joints = [model.joint_log_likelihood(X @ model.components.T) for model in models]
    if len(joints) == 1:
        return joints[0]
    return logsumexp([log_posterior(joint) for joint in joints], axis=0) - np.log(len(joints))


def _sort_within_classes(members: Array, masses: Array | None, counts: Indices) -> None:
    """Sort the members of every class on every direction in place, their masses with them."""
    ends = np.cumsum(counts)
    for block in map(slice, ends - counts, ends):
        if masses is None:
            members[:, block].sort(axis=1)
        else:
            order = np.argsort(members[:, block], axis=1, kind="stable")
            for array in (members, masses):
                array[:, block] = np.take_along_axis(array[:, block], order, axis=1)


def greedy_order(V: Array, problem: Problem) -> tuple[Indices, float]:
    """Order the directions by what each adds to the log-likelihood, and give the whole log-likelihood.

    The first direction is the best alone, the next adds most to it, and so on. Sums are exact. Beyond 20,000 rows
    an even selection of them decides the order; the log-likelihood is that of all rows.
    """
    classes, n_components = problem.classes, V.shape[1]
    n = classes.labels.size
    rows = np.arange(0, n, max(1, -(-n // _ORDERING_ROWS)))
    labels = classes.labels[rows]
    # Each direction brings its share of the constants, so that any subset of directions has the right scores.
    constants = problem.constants(rows)
    everything = scores_before_sums(problem, n_components)
    contributions = []
    for d in range(n_components):
        alone = np.zeros_like(everything)
        z = np.ascontiguousarray((problem.X @ V[:, d])[None, :])
        (direction,) = plan_directions(z, classes, problem.leave_out, None)
        direction.add_scores(alone)
        everything += alone
        contributions.append(alone[rows] + constants)
    weights = problem.row_weights
    log_likelihood = likelihood_and_pull(everything, classes.labels, classes.mass, weights, n, classes.lanes)[0]

    def likelihood(scores: Array) -> float:
        chosen = None if weights is None else weights[rows]
        return likelihood_and_pull(scores, labels, classes.mass, chosen, labels.size, classes.lanes)[0]

    return _add_one_by_one(problem.base[labels], contributions, likelihood), log_likelihood


def order_at(densities: NaiveBayesDensities, Z: Array, labels: Indices) -> Indices:
    """Order the directions as `greedy_order` does, by what they add at some rows of shape (n, n_components)."""
    rows = np.arange(labels.size)
    contributions = [densities.log_densities(d, np.ascontiguousarray(z)).T for d, z in enumerate(Z.T)]

    def likelihood(scores: Array) -> float:
        return float(log_posterior(scores)[rows, labels].mean())

    return _add_one_by_one(np.tile(densities.log_prior, (labels.size, 1)), contributions, likelihood)


def _add_one_by_one(scores: Array, contributions: list[Array], likelihood: Callable[[Array], float]) -> Indices:
    """Pick the contribution that raises the log-likelihood most, until none is left."""
    order: list[int] = []
    left = list(range(len(contributions)))
    while left:
        gains = [likelihood(scores + contributions[d]) for d in left]
        best = left.pop(int(np.argmax(gains)))
        scores = scores + contributions[best]
        order.append(best)
    return np.array(order, dtype=np.intp)
