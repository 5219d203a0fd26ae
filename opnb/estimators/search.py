"""The search that all estimators share: training data in, starts, outcomes out.

    data = training_data(estimator, X, y)      rows and classes as a search sees them
    problem = pose(settings, data, lam)        the objective for them
    starts = starting_points(settings, data.X, data.labels, data.weights)
    outcome = search(settings, problem, starts, max_iter)

`settings` is anything with the parameters of `OPNBClassifier`.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from opnb.core.initialisation import pca_start, random_start
from opnb.core.kernel import Array
from opnb.core.objective import PenalisedProblem, Problem, make_problem
from opnb.core.optimise import Callback, Iteration, Trace, maximise
from opnb.core.weights import check_priors
from opnb.estimators.training import Labels, TrainingData
from opnb.estimators.validation import check_start

# Directions of a fit that was not told how many, where there are so many features.
MOST_COMPONENTS = 20
# What is kept of an iteration.
HISTORY_FIELDS = (
    "objective",
    "log_likelihood",
    "penalty",
    "class_term",
    "mixture_term",
    "dependence",
    "gradient_norm",
    "seconds",
)


class SearchSettings(Protocol):
    """The parameters of `OPNBClassifier` that decide a search."""

    n_components: int | None
    penalty: str
    init: str | ArrayLike | Callable[[Array, Labels, int], Array]
    n_init: int
    likelihood: str
    independence: float
    priors: str | ArrayLike | None
    n_bins: int | str | None
    tol: float
    n_jobs: int | None
    random_state: int | np.random.RandomState | None
    callback: Callback | None
    verbose: int


@dataclass(frozen=True)
class Start:
    """Where one search begins, and the seed that gave it."""

    V: Array
    seed: int | None


class PosedProblem(PenalisedProblem, Protocol):
    """An objective with the class probabilities that it was posed with."""

    @property
    def priors(self) -> Array | None:
        """Class probabilities; None is the shares of the rows."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of the starts on a problem; starts that a stop left out have no trace."""

    problem: PosedProblem
    starts: Sequence[Start]
    traces: Sequence[Trace]

    @property
    def best(self) -> int:
        """Number of the start with the highest objective."""
        return max(range(len(self.traces)), key=lambda number: self.traces[number].last.objective)


def default_components(n_features: int) -> int:
    """Give the number of directions where none was asked for."""
    return min(n_features, MOST_COMPONENTS)


def pose(settings: SearchSettings, data: TrainingData, lam: float) -> Problem:
    """Give the objective for some data."""
    return make_problem(
        data.X,
        data.labels,
        data.classes.size,
        lam=lam,
        penalty=settings.penalty,
        likelihood=settings.likelihood,
        n_bins=settings.n_bins,
        independence=settings.independence,
        sample_weight=data.weights,
        priors=check_priors(settings.priors, data.classes.size),
    )


def starting_points(settings: SearchSettings, X: Array, labels: Labels, weights: Array | None = None) -> list[Start]:
    """Make the projections from which the searches begin, for scaled rows; a column of zeros has no weight in any."""

    def called(m: int) -> Array:
        return settings.init(X, labels, m)  # type: ignore[operator]

    return starts_of(settings, np.any(X, axis=0), lambda m: pca_start(X, m, weights), called)


def starts_of(
    settings: SearchSettings,
    varies: NDArray[np.bool_],
    pca: Callable[[int], Array],
    called: Callable[[int], Array] | None = None,
) -> list[Start]:
    """Make the starts for rows that are elsewhere.

    Parameters
    ----------
    settings : SearchSettings
    varies : ndarray of bool of shape (p,)
        Which columns are not zero throughout; the others have no weight in any start.
    pca, called : callable
        Give so many principal directions, and what an `init` that is a function gives; None where it cannot be one.
    """
    starts = _starts(settings, varies.size, pca, called)
    return [Start(start.V * varies[:, None], start.seed) for start in starts]


def _starts(
    settings: SearchSettings, p: int, pca: Callable[[int], Array], called: Callable[[int], Array] | None
) -> list[Start]:
    m = _n_components(settings, p)
    if isinstance(settings.init, str) and settings.init == "random":
        # Plain integers, so that a single start can be repeated by its seed.
        seeds = check_random_state(settings.random_state).randint(2**31 - 1, size=settings.n_init)
        return [Start(random_start(p, m, np.random.default_rng(seed)), int(seed)) for seed in seeds]
    if isinstance(settings.init, str):
        return [Start(pca(m), None)]
    given = called(m) if called is not None and callable(settings.init) else settings.init
    return [Start(check_start(given, (p, m)), None)]


def _n_components(settings: SearchSettings, p: int) -> int:
    if settings.n_components is not None:
        m = int(settings.n_components)
        if m > p:
            raise ValueError(f"n_components={m} must be at most the number of features, {p}. Lower it, or use None.")
        return m
    if isinstance(settings.init, str) or callable(settings.init):
        return default_components(p)
    shape = np.shape(settings.init)
    return shape[1] if len(shape) == 2 else default_components(p)


def search(settings: SearchSettings, problem: PosedProblem, starts: Sequence[Start], max_iter: int) -> Outcome:
    """Run every start. After a stop by the callback the starts that have not begun are left out.

    Without iterations (`max_iter` 0) nothing is searched: the outcome is the starts themselves, evaluated.
    """
    stop = threading.Event()

    def run(number: int, start: Start) -> Trace | None:
        if stop.is_set():
            return None

        def watch(iteration: Iteration) -> bool:
            _print(settings.verbose, number, iteration)
            if settings.callback is not None and settings.callback(iteration):
                stop.set()
            return stop.is_set() or max_iter == 0

        limit = max(max_iter, 1)  # SciPy takes a step before it looks at a limit of none
        trace = maximise(problem, start.V, max_iter=limit, tol=settings.tol, callback=watch, start_number=number)
        return trace if max_iter else replace(trace, stopped=stop.is_set(), message="No search was asked for.")

    return Outcome(problem, starts, [trace for trace in _each(run, starts, settings.n_jobs) if trace is not None])


def _each(run: Callable[[int, Start], Trace | None], starts: Sequence[Start], n_jobs: int | None) -> list[Any]:
    if len(starts) == 1:  # a path of lambdas is many short searches: no machinery around each
        return [run(0, starts[0])]
    jobs = (delayed(run)(number, start) for number, start in enumerate(starts))
    return Parallel(n_jobs=n_jobs, require="sharedmem")(jobs)


def _print(verbose: int, number: int, iteration: Iteration) -> None:
    if verbose and iteration.number % verbose == 0:
        print(f"start {number}  iteration {iteration.number:4d}  objective {iteration.objective:.6f}")
