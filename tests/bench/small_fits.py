"""Where the time of a default fit of few rows goes: in sums over rows, or in what is done around them."""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from opnb import OPNBClassifier
from opnb.core.objective import AUTO_POINTS, evaluate
from opnb.core.optimise import maximise
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.rows import training_rows
from tests.bench.timing import heading, in_turn, row

_CALLS = 50


def small_fits():
    """Share of a fit in values and gradients, in SciPy's steps around them, and in the rest."""
    heading("A default fit below 1,000 rows: milliseconds, and shares of it")
    row("data", "ms", "iterations", "evaluations", "steps", "the rest", "lattice/exact")
    digits = load_digits()
    data = {
        "iris, 150 x 4": load_iris(return_X_y=True),
        "wine, 178 x 13": load_wine(return_X_y=True),
        "breast cancer, 569 x 30": load_breast_cancer(return_X_y=True),
        "digits, 900 x 64": (digits.data[:900], digits.target[:900]),
    }
    for name, (X, y) in data.items():
        row(name, *_profile(X, y))


def _profile(X, y):
    clf = OPNBClassifier().fit(X, y)
    with one_blas_thread():
        rows = training_rows(clf, X, y)
        problem, start = rows.pose(clf, clf.lam), rows.starts(clf)[0].V
        counting = _Counting(problem)
        maximise(counting, start, max_iter=clf.max_iter, tol=clf.tol)
        on_lattice = replace(problem, n_bins=AUTO_POINTS)
        fit, search, exact, lattice = in_turn(
            5,
            lambda: clf.fit(X, y),
            lambda: maximise(problem, start, max_iter=clf.max_iter, tol=clf.tol),
            lambda: [evaluate(start, problem) for _ in range(_CALLS)],
            lambda: [evaluate(start, on_lattice) for _ in range(_CALLS)],
        )
    sums = counting.calls * exact / _CALLS
    shares = np.array([sums, search - sums, fit - search]) / fit
    return f"{1e3 * fit:.0f}", clf.n_iter_, *(f"{share:.2f}" for share in shares), f"{lattice / exact:.2f}"


class _Counting:
    """A problem that counts its evaluations."""

    def __init__(self, problem):
        self.problem, self.calls, self.lam = problem, 0, problem.lam

    def at(self, V):
        self.calls += 1
        return self.problem.at(V)


SECTIONS = {"small_fits": small_fits}
warnings.simplefilter("ignore")
