"""The same search on shuffled labels: what separation means where there is nothing to separate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context, Labels, sampled_rows
from opnb.diagnostics.finding import Finding
from opnb.diagnostics.probes import WORK, iterations_within, probe_problem, probe_rows, search
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.search import starting_points

# How many standard deviations the true labels must stand above the shuffled ones: noise reaches 3.2 in 120 simulations
# (nine shuffles tell their spread only roughly), clean problems start at 11.
DISTANCE_WARNING = 3.5
_PERMUTATIONS, _FEWEST_PERMUTATIONS = 9, 6
_LEAST_ITERATIONS = 5


@dataclass(frozen=True, eq=False)
class PermutedLabels:
    """True labels beside shuffled ones: equal rows, settings, start and iterations.

    Attributes
    ----------
    objective, log_likelihood : float
        Of the true labels, a row.
    shuffled_objectives, shuffled_log_likelihoods : ndarray of shape (n_permutations,)
    n_rows, max_iter : int
        What every search had.
    """

    objective: float
    log_likelihood: float
    shuffled_objectives: Array
    shuffled_log_likelihoods: Array
    n_rows: int
    max_iter: int

    @property
    def share_as_good(self) -> float:
        """How often shuffled labels did at least as well as the true ones."""
        return float(np.mean(self.shuffled_objectives >= self.objective))

    @property
    def distance(self) -> float:
        """How far the true labels stand above the shuffled ones, in standard deviations of a new shuffle."""
        shuffled = self.shuffled_objectives
        spread = shuffled.std(ddof=1) * np.sqrt(1 + 1 / shuffled.size) if shuffled.size > 1 else np.nan
        return float((self.objective - shuffled.mean()) / max(spread, 1e-9))


def permuted_labels(
    clf: OPNBClassifier,
    X: ArrayLike,
    y: ArrayLike,
    n_permutations: int = 20,
    *,
    max_iter: int | None = None,
    max_rows: int | None = None,
    random_state: int = 0,
) -> PermutedLabels:
    """Run the search of a fit on its labels and on shuffled ones.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted.
    X, y : array-like of shape (n, n_features) and (n,)
        The rows of the fit.
    n_permutations : int, default=20
    max_iter : int, optional
        Iterations of every search; by default those of the fit's setting.
    max_rows : int, optional
        Search on so many rows; by default on all.
    random_state : int, default=0

    Returns
    -------
    PermutedLabels

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import permuted_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(permuted_labels(clf, X, y, n_permutations=2)).__name__
    'PermutedLabels'
    """
    context = Context.of(clf, X, y, None, None, random_state)
    rows = sampled_rows(context.labels, max_rows or context.labels.size, context.rng())
    return _compare(context, rows, n_permutations, max_iter or context.clf.max_iter)


def _compare(context: Context, rows: Labels, n_permutations: int, max_iter: int) -> PermutedLabels:
    rng, clf = context.rng(), context.clf
    outcomes = []
    for number in range(1 + n_permutations):
        labels = context.labels.copy()
        if number:
            labels[rows] = rng.permutation(labels[rows])
        if number == 0 or callable(clf.init):  # such a start may look at the labels
            start = starting_points(clf, context.X[rows], labels[rows])[0].V
        (trace,) = search(probe_problem(context, rows, labels), [start], max_iter, clf.tol)
        outcomes.append((trace.last.objective, trace.last.log_likelihood))
    objectives, likelihoods = np.array(outcomes).T
    return PermutedLabels(
        float(objectives[0]), float(likelihoods[0]), objectives[1:], likelihoods[1:], rows.size, max_iter
    )


def _affordable(context: Context, rows: Labels) -> tuple[int, int]:
    """Permutations and iterations: many of both for a small fit, few for a large one."""
    problem, most = probe_problem(context, rows), context.clf.max_iter
    iterations = iterations_within(problem, context.n_components, 1 + _PERMUTATIONS, WORK, _LEAST_ITERATIONS, most)
    return _PERMUTATIONS if iterations > _LEAST_ITERATIONS else _FEWEST_PERMUTATIONS, iterations


def noise_separable(context: Context) -> Finding:
    """See whether shuffled labels separate as well as the true ones."""
    rows = probe_rows(context)
    result = _compare(context, rows, *_affordable(context, rows))
    evidence = {
        "objective": result.objective,
        "shuffled_objectives": result.shuffled_objectives,
        "share_as_good": result.share_as_good,
        "distance": result.distance,
        "n_rows": result.n_rows,
    }
    shuffled = result.shuffled_objectives
    numbers = (
        f"The same search on shuffled labels did as well in {np.sum(shuffled >= result.objective)} of {shuffled.size} "
        f"trials: objective {result.objective:.3f} with the true labels, {shuffled.mean():.3f} on average with "
        f"shuffled ones, {result.distance:.1f} standard deviations apart."
    )
    if result.distance >= DISTANCE_WARNING:
        return Finding("noise-separable", "good", "True labels separate better than shuffled ones", numbers, evidence)
    text = (
        f"{numbers} With these settings the separation in the picture could be there without any relation of "
        "features and classes. Trust held-out results only."
    )
    return Finding("noise-separable", "warning", "Shuffled labels separate as well", text, evidence)
