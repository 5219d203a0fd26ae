"""The objective of the method and its gradient, as a pure function of a projection and a problem.

    L(V) = 1/n sum_i [ log(pi_{y_i} f_{y_i}(z_i)) - log sum_k pi_k f_k(z_i) ]  -  lam tr(V' C V),      z_i = V' x_i

X is n x p, V is p x p', Z = X V; f_k is the product over directions of kernel density estimates with unit bandwidth.
One value and gradient cost two matrix products plus O(p' n K) (binned) or O(p' n (K + log n)) (exact).
Source: Hofmeyr, Kamper and Melonas, "Optimal Projections for Classification with Naive Bayes".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from opnb.core.directions import Classes, plan_directions
from opnb.core.exact import NEVER
from opnb.core.kernel import LOG_HEIGHT, Array
from opnb.core.penalties import penalty_and_gradient, penalty_matrix
from opnb.core.posterior import likelihood_and_pull

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
    """

    X: Array
    classes: Classes
    base: Array
    each: Array
    lam: float
    C: Array | None
    leave_out: bool
    n_bins: int | None


@dataclass(frozen=True)
class Evaluation:
    """The objective at one projection, with its parts: value = log-likelihood - lam * penalty."""

    value: float
    gradient: Array
    log_likelihood: float
    penalty: float
    class_term: float
    mixture_term: float


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
) -> Problem:
    """Prepare the parts of the objective that stay fixed while V moves.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    labels : array-like of int of shape (n,)
        Classes in 0..n_classes-1, each present.
    """
    if likelihood not in LIKELIHOODS:
        raise ValueError(f"likelihood must be one of {', '.join(map(repr, LIKELIHOODS))}, got {likelihood!r}.")
    classes = Classes.of(np.asarray(labels), n_classes)
    C = penalty_matrix(X, classes.labels, n_classes, penalty)
    leave_out = likelihood == "leave-one-out"
    n_lattice = resolve_n_bins(n_bins, len(X), leave_out)
    return Problem(X, classes, *_constant_scores(classes, leave_out), lam, C, leave_out, n_lattice)


def evaluate(V: Array, problem: Problem) -> Evaluation:
    """Evaluate the objective and its gradient at V, of shape (p, p')."""
    X, classes = problem.X, problem.classes
    Z = V.T @ X.T
    scores = np.take(problem.base + V.shape[1] * problem.each, classes.labels, axis=0)
    plan = plan_directions(Z, classes, problem.leave_out, problem.n_bins)
    for directions in plan:
        directions.add_scores(scores)
    likelihood, class_term, mixture_term = likelihood_and_pull(scores, classes.labels, classes.mass, classes.lanes)
    for directions in plan:
        directions.pull_back(scores)
    penalty, penalty_gradient = penalty_and_gradient(V, problem.C)
    gradient = (Z @ X).T - problem.lam * penalty_gradient
    value = likelihood - problem.lam * penalty
    return Evaluation(value, gradient, likelihood, penalty, class_term, mixture_term)


def _constant_scores(classes: Classes, leave_out: bool) -> tuple[Array, Array]:
    """Scores before any kernel sum, and what a direction adds to them besides its sums, for a row of each class."""
    counts = classes.counts
    base, each = np.full_like(classes.mass, NEVER), np.zeros_like(classes.mass)
    base[:, : counts.size] = np.log(counts / counts.sum())
    each[:, : counts.size] = LOG_HEIGHT - np.log(counts)
    if leave_out:
        own = np.arange(counts.size)
        each[own, own] += np.log(counts) - np.log(counts - 1)
    return base, each


def value_and_gradient(
    V: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    lam: float = 0.0,
    penalty: str = "frobenius",
    likelihood: str = "resubstitution",
    n_bins: int | str | None = None,
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

    Returns
    -------
    value : float
        L(V), to be maximised.
    gradient : ndarray of shape (n_features, n_components)
    """
    X, V = np.ascontiguousarray(X, dtype=float), np.asarray(V, dtype=float)
    if X.ndim != 2 or V.ndim != 2 or X.shape[1] != V.shape[0] or np.shape(y) != X.shape[:1]:
        raise ValueError(
            "V must be (n_features, n_components), X (n, n_features) and y (n,); "
            f"got {V.shape}, {X.shape} and {np.shape(y)}."
        )
    names, labels = np.unique(np.asarray(y), return_inverse=True)
    if likelihood == "leave-one-out" and np.bincount(labels).min() < 2:
        raise ValueError("leave-one-out needs at least two rows in every class.")
    problem = make_problem(X, labels, names.size, lam=lam, penalty=penalty, likelihood=likelihood, n_bins=n_bins)
    evaluation = evaluate(V, problem)
    return evaluation.value, evaluation.gradient
