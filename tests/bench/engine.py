"""Speed and memory of the objective, a fit, a path and a first use."""

import functools
import itertools
import os
import subprocess
import sys
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.svm import SVC

from opnb import OPNBClassifier, OPNBClassifierCV
from opnb.core.objective import evaluate, make_problem, value_and_gradient
from opnb.estimators.parallel import one_blas_thread
from tests.bench.timing import heading, in_turn, row

_P, _M, _K = 50, 20, 5


def _arrays(n, seed=0):
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.standard_normal((_P, _M)))[0]
    return rng.standard_normal((n, _P)), rng.integers(0, _K, n), V, rng.standard_normal((n, _M))


def objective():
    """One value and gradient, in units of the two matrix products X V and X' G."""
    heading("One value and gradient, p = 50, p' = 20, K = 5, in units of X V and X' G")
    row("", "n = 3,000", "n = 100,000", "goal", "goal")
    cases = {
        "binned, as auto chooses": ("auto", "resubstitution", 6, 3),
        "binned, 1,000 points at least": (1000, "resubstitution", "", ""),
        "exact": (None, "resubstitution", 12, 15),
        "exact, leave-one-out": (None, "leave-one-out", "", ""),
    }
    for name, (n_bins, likelihood, *goals) in cases.items():
        row(name, *(f"{_units(n, n_bins, likelihood):.1f}" for n in (3_000, 100_000)), *goals)


def _units(n, n_bins, likelihood):
    X, y, V, G = _arrays(n)
    problem = make_problem(X, y, _K, lam=1e-3, n_bins=n_bins, likelihood=likelihood)
    with one_blas_thread():
        unit, ours = in_turn(60 if n < 10_000 else 8, lambda: (X @ V, X.T @ G), lambda: evaluate(V, problem))
    return ours / unit


def growth():
    """From 100,000 to 1,000,000 rows, and the peak memory of a fit."""
    heading("Growth of the binned objective, and memory of a fit at n = 1,000,000, p = 50")
    row("time of n = 1,000,000 over n = 100,000", f"{_growth():.1f}", "goal 11")
    result = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True)
    beside_x, with_x = result.stdout.split()
    row("peak memory of the fit, in sizes of X", beside_x, "goal 2.5", f"with X: {with_x}")


def _growth():
    cases = []
    for n in (100_000, 1_000_000):
        X, y, V, _ = _arrays(n)
        cases.append((V, make_problem(X, y, _K, lam=1e-3, n_bins="auto")))
    with one_blas_thread():
        small, large = in_turn(4, *(functools.partial(evaluate, *case) for case in cases))
    return large / small


# The peak of the resident set, less what the process held before X; once without X itself and once with it.
# VmHWM belongs to this program alone, unlike ru_maxrss, which a child inherits.
_MEMORY = """
import re, warnings
from pathlib import Path
import numpy as np
from opnb import OPNBClassifier
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
OPNBClassifier(max_iter=1).fit(rng.standard_normal((2000, 50)), rng.integers(0, 5, 2000))
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
X, y = rng.standard_normal((1_000_000, 50)), rng.integers(0, 5, 1_000_000)
OPNBClassifier(max_iter=3).fit(X, y)
held = (peak() - before) / (X.nbytes / 1024)
print(f"{held - 1:.2f} {held:.2f}")
"""


def _digits():
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).integers(0, len(X), 3000)
    return X[rows] + np.random.default_rng(1).normal(0, 0.1, (3000, X.shape[1])), y[rows]


def fits():
    """A default fit against scikit-learn's SVC and NCA on the same data."""
    heading("A default fit of digits upsampled to 3000 x 64, K = 10")
    X, y = _digits()
    rival = NeighborhoodComponentsAnalysis(n_components=20, max_iter=100, random_state=0)
    with one_blas_thread():
        ours, svc = in_turn(5, lambda: OPNBClassifier().fit(X, y), lambda: SVC().fit(X, y))
        ours_again, nca = in_turn(2, lambda: OPNBClassifier().fit(X, y), lambda: rival.fit(X, y))
    row("ours over SVC().fit", f"{ours / svc:.1f}", "goal 10")
    row("NeighborhoodComponentsAnalysis over ours", f"{nca / ours_again:.1f}", "goal 5 or more")


def path():
    """Ten values of lam, five folds, against one default fit."""
    heading("The lambda path: 10 values, 5 folds, over one default fit")
    for name, (X, y) in {"digits, 3000 x 64": _digits(), "digits, 1797 x 64": load_digits(return_X_y=True)}.items():
        one, whole = in_turn(1, lambda: OPNBClassifier().fit(X, y), lambda: OPNBClassifierCV().fit(X, y))  # noqa: B023
        row(name, f"{whole / one:.1f}", "goal 20")


def startup():
    """Import and first fit in a new process, the compile cache being warm."""
    heading("Seconds of a new process, compile cache warm")
    for name, code, goal in (
        ("import opnb", "import opnb", 1),
        ("import OPNBClassifier", "from opnb import OPNBClassifier", ""),
        ("import and first fit of iris", _FIRST_FIT, 2),
    ):
        command = [sys.executable, "-W", "ignore", "-c", code]
        (seconds,) = in_turn(3, lambda: subprocess.run(command, check=True, env=os.environ))  # noqa: B023
        row(name, f"{seconds:.2f}", f"goal {goal}" if goal else "")


_FIRST_FIT = """
from sklearn.datasets import load_iris
from opnb import OPNBClassifier
OPNBClassifier().fit(*load_iris(return_X_y=True))
"""


def convergence():
    """How fast the binned value and gradient approach the exact ones."""
    heading("Binned against exact: root mean square over 20 random projections (n = 2,000, K = 3, p' = 3)")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2000)
    X = rng.standard_normal((2000, 5)) + rng.standard_normal((3, 5))[y]
    projections = rng.standard_normal((20, 5, 3))
    points = (100, 200, 400, 800, 1600, 3200)
    values, slopes = np.transpose([_binning_errors(projections, X, y, n) for n in points])
    row("points", *(f"{n:,}" for n in points))
    for name, errors in (("value, absolute", values), ("gradient, relative", slopes)):
        row(name, *(f"{error:.1e}" for error in errors))
        row("  order", "", *(f"{np.log2(a / b):.2f}" for a, b in itertools.pairwise(errors)))


def _binning_errors(projections, X, y, n_bins):
    errors = []
    for V in projections:
        (value, slope), (exact, exact_slope) = (value_and_gradient(V, X, y, n_bins=n) for n in (n_bins, None))
        errors.append((value - exact, np.linalg.norm(slope - exact_slope) / np.linalg.norm(exact_slope)))
    return np.sqrt(np.mean(np.square(errors), axis=0))


SECTIONS = {f.__name__: f for f in (objective, growth, fits, path, startup, convergence)}
warnings.simplefilter("ignore")
