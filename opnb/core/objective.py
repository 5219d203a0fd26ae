"""The objective of the method and its gradient, as a pure function of a projection and a problem.

    L(V) = 1/n sum_i [ log(pi_{y_i} f_{y_i}(z_i)) - log sum_k pi_k f_k(z_i) ]  -  lam tr(V' C V)  -  mu D(V)

X is n x p, V is p x p', Z = X V with rows z_i; f_k is the product over directions of kernel density estimates with unit
bandwidth. D is the dependence of the directions on one another (`opnb.core.independence`) and mu, the parameter
`independence`, its weight; mu = 0 is the paper's method. Rows may have weights, and classes priors
(`opnb.core.weights`).
One value and gradient cost two matrix products plus O(p' n K) (binned) or O(p' n (K + log n)) (exact).
Source: Hofmeyr, Kamper and Melonas, "Optimal Projections for Classification with Naive Bayes".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from opnb.core.directions import Classes, plan_directions
from opnb.core.exact import NEVER, Indices
from opnb.core.independence import dependence_and_gradient, with_ridge
from opnb.core.kernel import LOG_HEIGHT, Array
from opnb.core.penalties import penalty_and_gradient, penalty_matrix, within_covariance
from opnb.core.posterior import likelihood_and_pull
from opnb.core.weights import (
    check_priors,
    check_sample_weight,
    class_shares,
    left_by_each_row,
    masses_within_classes,
    weights_in_objective,
)

LIKELIHOODS = ("resubstitution", "leave-one-out")
# A lattice halves the time of an evaluation, but below so many rows a fit takes a fraction of a second either way,
# and exact sums have no kinks at which a search could end short of its tolerance.
_ROWS_FOR_BINNING = 1000
AUTO_POINTS = 100


@dataclass(frozen=True)
class Problem:
    """Everything that the objective depends on besides V.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Used as given: neither centred nor scaled.
    classes : Classes
    base, each : ndarray of shape (n_classes, width)
        Scores of a row of each class before any kernel sum (priors), and what every direction adds to them besides
        its kernel sums (kernel heights and class sizes).
    lam : float
    C : ndarray of shape (p, p) or None
        Matrix of the penalty; None is the identity.
    leave_out : bool
        Whether a point's own kernel is left out of its class's density.
    n_bins : int or None
        Least number of lattice points a direction, or None for exact sums.
    independence : float
        Weight of the dependence of the directions on one another; 0 leaves that term out.
    sample_weight : ndarray of shape (n,) or None
        What rows weigh, all positive, as given.
    priors : ndarray of shape (n_classes,) or None
        Class probabilities; None is the shares of the rows.
    row_weights : ndarray of shape (n,) or None
        What rows count in the objective, one on average; None is one each.
    left : ndarray of shape (n,) or None
        With unequal weights within classes and a row left out of its class, the mass of the others in it.
    """

    X: Array
    classes: Classes
    base: Array
    each: Array
    lam: float
    C: Array | None
    leave_out: bool
    n_bins: int | None
    independence: float = 0.0
    sample_weight: Array | None = None
    priors: Array | None = None
    row_weights: Array | None = None
    left: Array | None = None

    @cached_property
    def within(self) -> Array:
        """Pooled within-class covariance of X with its ridge, computed when it is first asked for."""
        classes = self.classes
        return with_ridge(within_covariance(self.X, classes.labels, classes.n_classes, self.sample_weight))

    def at(self, V: Array) -> "Evaluation":
        """Evaluate the objective and its gradient at V, of shape (p, n_components)."""
        return evaluate(V, self)

    def constants(self, rows: Indices | slice = slice(None)) -> Array:
        """Give what a direction adds to the scores of `rows` besides its kernel sums, of shape (len(rows), width)."""
        labels = self.classes.labels[rows]
        constants = np.take(self.each, labels, axis=0)
        if self.left is not None:
            constants[np.arange(labels.size), labels] -= np.log(self.left[rows])
        return constants


class PenalisedProblem(Protocol):
    """What an objective has besides its likelihood, and where it can be evaluated."""

    @property
    def lam(self) -> float:
        """Weight of the penalty."""

    @property
    def C(self) -> Array | None:
        """Matrix of the penalty; None is the identity."""

    @property
    def independence(self) -> float:
        """Weight of the dependence of the directions."""

    @property
    def within(self) -> Array:
        """Pooled within-class covariance with its ridge; asked for where independence is not zero."""

    def at(self, V: Array) -> "Evaluation":
        """Evaluate the objective and its gradient at V, of shape (p, n_components)."""


@dataclass(frozen=True)
class Evaluation:
    """The objective at one projection: value = log-likelihood - lam * penalty - independence * dependence."""

    value: float
    gradient: Array
    log_likelihood: float
    penalty: float
    class_term: float
    mixture_term: float
    dependence: float = 0.0


def resolve_n_bins(n_bins: int | str | None, n: int, leave_out: bool) -> int | None:
    """Turn "auto" into a number of lattice points, or None for exact sums.

    Leaving a point out needs a sorted walk through its class even on a lattice, so nothing is gained there.
    """
    if n_bins == "auto":
        return None if leave_out or n < _ROWS_FOR_BINNING else AUTO_POINTS
    return n_bins  # type: ignore[return-value]


def make_problem(
    X: Array,
    labels: ArrayLike,
    n_classes: int,
    *,
    lam: float,
    penalty: str = "frobenius",
    likelihood: str = "resubstitution",
    n_bins: int | str | None = None,
    independence: float = 0.0,
    sample_weight: Array | None = None,
    priors: Array | None = None,
) -> Problem:
    """Prepare the parts of the objective that stay fixed while V moves.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    labels : array-like of int of shape (n,)
        Classes in 0..n_classes-1, each present.
    independence : float, default=0.0
    sample_weight : ndarray of shape (n,), optional
        All positive: a row of weight zero is left out before.
    priors : ndarray of shape (n_classes,), optional
        Positive with sum one; by default the class shares.
    """
    if likelihood not in LIKELIHOODS:
        raise ValueError(f"likelihood must be one of {', '.join(map(repr, LIKELIHOODS))}, got {likelihood!r}.")
    labels = np.asarray(labels)
    classes = Classes.of(labels, n_classes, masses_within_classes(labels, n_classes, sample_weight))
    leave_out = likelihood == "leave-one-out"
    shares = class_shares(labels, n_classes, sample_weight) if priors is None else priors
    base, each = constant_scores(classes.counts, classes.mass, shares)
    if leave_out:
        _leave_out_of_own_class(each, classes)
    return Problem(
        X,
        classes,
        base,
        each,
        lam,
        C=penalty_matrix(X, classes.labels, n_classes, penalty, sample_weight),
        leave_out=leave_out,
        n_bins=resolve_n_bins(n_bins, len(X), leave_out),
        independence=independence,
        sample_weight=sample_weight,
        priors=None if priors is None and sample_weight is None else shares,
        row_weights=weights_in_objective(labels, sample_weight, priors),
        left=left_by_each_row(labels, classes.masses) if leave_out and classes.masses is not None else None,
    )


def evaluate(V: Array, problem: Problem) -> Evaluation:
    """Evaluate the objective and its gradient at V, of shape (p, p')."""
    X, classes = problem.X, problem.classes
    Z = V.T @ X.T
    scores = scores_before_sums(problem, V.shape[1])
    plan = plan_directions(Z, classes, problem.leave_out, problem.n_bins)
    for directions in plan:
        directions.add_scores(scores)
    terms = likelihood_and_pull(scores, classes.labels, classes.mass, problem.row_weights, len(X), classes.lanes)
    for directions in plan:
        directions.pull_back(scores)
    return with_penalties(V, (Z @ X).T, terms, problem)


def with_penalties(
    V: Array, gradient: Array, terms: tuple[float, float, float], problem: PenalisedProblem
) -> Evaluation:
    """Take off what the penalties cost from a log-likelihood, given with its two terms, and from its gradient."""
    likelihood, class_term, mixture_term = terms
    penalty, penalty_gradient = penalty_and_gradient(V, problem.C)
    gradient = gradient - problem.lam * penalty_gradient
    value, dependence = likelihood - problem.lam * penalty, 0.0
    if problem.independence:
        dependence, dependence_gradient = dependence_and_gradient(V, problem.within)
        gradient -= problem.independence * dependence_gradient
        value -= problem.independence * dependence
    return Evaluation(value, gradient, likelihood, penalty, class_term, mixture_term, dependence)


def scores_before_sums(problem: Problem, n_directions: int) -> Array:
    """Scores of every row with all constants and no kernel sum."""
    labels = problem.classes.labels
    scores = np.take(problem.base + n_directions * problem.each, labels, axis=0)
    if problem.left is not None:
        scores[np.arange(labels.size), labels] -= n_directions * np.log(problem.left)
    return scores


def constant_scores(counts: Indices, mass: Array, shares: Array) -> tuple[Array, Array]:
    """Scores before any kernel sum, and what a direction adds to them besides its sums, for a row of each class."""
    base, each = np.full_like(mass, NEVER), np.zeros_like(mass)
    base[:, : counts.size] = np.log(shares)
    each[:, : counts.size] = LOG_HEIGHT - np.log(counts)
    return base, each


def _leave_out_of_own_class(each: Array, classes: Classes) -> None:
    """Divide by one row less in a row's own class.

    With unequal masses a row that is left out leaves a mass of its own in its class, which is not divided by here.
    """
    own, counts = np.arange(classes.n_classes), classes.counts
    each[own, own] += np.log(counts) - (np.log(counts - 1) if classes.masses is None else 0.0)


def value_and_gradient(
    V: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    lam: float = 0.0,
    penalty: str = "frobenius",
    likelihood: str = "resubstitution",
    n_bins: int | str | None = None,
    independence: float = 0.0,
    sample_weight: ArrayLike | None = None,
    priors: ArrayLike | None = None,
) -> tuple[float, Array]:
    """Evaluate the objective and its gradient.

    Parameters
    ----------
    V : array-like of shape (n_features, n_components)
        The projection. The bandwidth is 1, so its scale counts.
    X : array-like of shape (n, n_features)
        Used as given: neither centred nor scaled.
    y : array-like of shape (n,)
        Class labels of any kind.
    lam : float, default=0.0
        Weight of the penalty.
    penalty : {"frobenius", "total", "pooled"}, default="frobenius"
    likelihood : {"resubstitution", "leave-one-out"}, default="resubstitution"
    n_bins : int, "auto" or None, default=None
        Least number of lattice points a direction; None sums exactly.
    independence : float, default=0.0
        Weight of the squared correlations of the projections within classes, see `opnb.core.independence`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows, zero or more. A weight of two counts like the row twice; with "leave-one-out" a row is left
        out of its class with its whole weight.
    priors : array-like of shape (n_classes,), "uniform" or None, default=None
        Class probabilities in the order of the sorted labels; None takes the class shares.

    Returns
    -------
    value : float
        L(V), to be maximised.
    gradient : ndarray of shape (n_features, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.core.objective import value_and_gradient
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    >>> value, gradient = value_and_gradient(np.eye(3)[:, :2], X, y, lam=0.001)
    >>> gradient.shape
    (3, 2)
    """
    X, V = np.ascontiguousarray(X, dtype=float), np.asarray(V, dtype=float)
    if X.ndim != 2 or V.ndim != 2 or X.shape[1] != V.shape[0] or np.shape(y) != X.shape[:1]:
        raise ValueError(
            "V must be (n_features, n_components), X (n, n_features) and y (n,); "
            f"got {V.shape}, {X.shape} and {np.shape(y)}."
        )
    y = np.asarray(y)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, len(X))
        counts = sample_weight > 0
        X, y, sample_weight = X[counts], y[counts], sample_weight[counts]
    names, labels = np.unique(y, return_inverse=True)
    if likelihood == "leave-one-out" and np.bincount(labels).min() < 2:
        raise ValueError("leave-one-out needs at least two rows (of positive weight) in every class.")
    problem = make_problem(
        X,
        labels,
        names.size,
        lam=lam,
        penalty=penalty,
        likelihood=likelihood,
        n_bins=n_bins,
        independence=independence,
        sample_weight=sample_weight,
        priors=check_priors(priors, names.size),
    )
    evaluation = evaluate(V, problem)
    return evaluation.value, evaluation.gradient
