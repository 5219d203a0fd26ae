"""Doing one task: prepare the data set, split it, tune the method, and look at the held-out rows.

The preprocessing policy runs once a data set, before any split, as in the paper; it looks at no class beyond
leaving out rare ones. Everything else that is fitted, the scaling included, is fitted to the training rows of its
fold or split by the estimators themselves.
"""

from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from opnb.benchmark.methods import BENCHMARK_METHODS
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.rows import Row, params_text, unfinished
from opnb.comparators import Method, tune
from opnb.comparators.tuning import Fold, as_folds
from opnb.core.kernel import Array
from opnb.data import load_pmlb, paper_policy
from opnb.data.dataset import split_rows, stratified_rows
from opnb.errors import DataError
from opnb.estimators.base import log_losses
from opnb.quiet import own_warnings


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set after the policy."""

    X: Array
    y: NDArray
    share_binary: float


@dataclass(frozen=True)
class Characteristics:
    """What a row says about its data set and split."""

    n: int
    p: int
    K: int
    share_binary: float
    class_variance: float
    error_centroid: float
    error_1nn: float


@dataclass(frozen=True, eq=False)
class Split:
    """What all methods share in one repeat of a data set."""

    X_train: Array
    y_train: NDArray
    X_test: Array
    y_test: NDArray
    folds: list[Fold]
    about: Characteristics


def run_task(protocol: Protocol, task: Task) -> Row:
    """Do a task in this process, with one numerical thread; whatever goes wrong is in the row.

    Parameters
    ----------
    protocol : Protocol
    task : Task

    Returns
    -------
    Row
    """
    known: dict[str, Any] = {}
    try:
        with threadpool_limits(limits=1), own_warnings():
            split = split_of(protocol, task.dataset, task.repeat)
            known = asdict(split.about)
            seed = protocol.seed_for("method", task.dataset, task.repeat, task.method)
            parts = split.X_train, split.y_train, split.X_test, split.y_test
            found = judge(BENCHMARK_METHODS[task.method], *parts, split.folds, seed)
    # A benchmark of many hours must outlive any fault of one method on one data set.
    except Exception as fault:
        return unfinished(protocol, task, "failed", f"{type(fault).__name__}: {fault}", **known)
    return Row(
        task.dataset,
        task.method,
        task.repeat,
        found.error,
        found.log_loss,
        seconds_tune=found.seconds_tune,
        seconds_fit=found.seconds_fit,
        params=found.params,
        message=_remark(found.cut_short),
        protocol=protocol.settings(),
        **known,
    )


@dataclass(frozen=True, eq=False)
class Judgement:
    """What one method does on one split.

    Attributes
    ----------
    error, log_loss : float
        On the held-out rows; the log-loss is NaN where the method gives no posteriors.
    seconds_tune, seconds_fit : float
        Cross-validation, and the final fit.
    params : str
        The chosen setting as JSON text.
    predicted : ndarray
        Classes of the held-out rows.
    cut_short : int
        Searches that ended before convergence.
    """

    error: float
    log_loss: float
    seconds_tune: float
    seconds_fit: float
    params: str
    predicted: NDArray
    cut_short: int


def judge(
    method: Method,
    X_train: Array,
    y_train: NDArray,
    X_test: Array,
    y_test: NDArray,
    folds: int | list[Fold],
    seed: int,
) -> Judgement:
    """Tune a method on training rows and judge it on held-out ones, with any warnings to itself.

    Parameters
    ----------
    method : Method
    X_train, y_train, X_test, y_test : ndarray
    folds : int or list of Fold
        Of the cross-validation on the training rows.
    seed : int

    Returns
    -------
    Judgement
    """
    with own_warnings() as heard:
        tuned = tune(method, X_train, y_train, folds, seed)
        predicted = tuned.estimator.predict(X_test)
        log_loss = mean_log_loss(tuned.estimator, X_test, y_test)
    return Judgement(
        error=float(np.mean(predicted != y_test)),
        log_loss=log_loss,
        seconds_tune=tuned.seconds_tune,
        seconds_fit=tuned.seconds_fit,
        params=params_text(tuned.params | getattr(tuned.estimator, "best_params_", {})),
        predicted=predicted,
        cut_short=sum(isinstance(warning, ConvergenceWarning) for warning in heard),
    )


def _remark(searches: int) -> str:
    return f"{searches} {'search' if searches == 1 else 'searches'} ended before convergence" if searches else ""


# Methods of one repeat follow each other, so a few are enough.
@lru_cache(maxsize=2)
def split_of(protocol: Protocol, dataset: str, repeat: int) -> Split:
    """Split a data set for a repeat, and cut its training part into folds."""
    data = prepared(dataset, protocol.data_dir, protocol.max_rows, protocol.seed_for("policy", dataset))
    rng = np.random.default_rng(protocol.seed_for("split", dataset, repeat))
    train, test = split_rows(data.y, protocol.test_share, rng)
    folds = as_folds(protocol.folds, data.y[train], protocol.seed_for("folds", dataset, repeat))
    parts = data.X[train], data.y[train], data.X[test], data.y[test]
    return Split(*parts, folds, _characteristics(data, *parts))


@lru_cache(maxsize=4)
def prepared(dataset: str, data_dir: str | None, max_rows: int, seed: int) -> Prepared:
    """Load a data set and apply the paper's policy, with a smaller sample where one is asked for."""
    data = load_pmlb(dataset, data_dir)
    rows = np.arange(len(data.y))
    if len(rows) > max_rows:
        rows = stratified_rows(data.y, max_rows, np.random.default_rng(seed))
    result = paper_policy(data.X[rows], data.y[rows], seed)
    if np.unique(result.y).size < 2:
        raise DataError(f"'{dataset}' has fewer than two classes of enough rows after the preprocessing policy.")
    return Prepared(result.X, result.y, float(result.is_binary.mean()))


def _characteristics(
    data: Prepared, X_train: Array, y_train: NDArray, X_test: Array, y_test: NDArray
) -> Characteristics:
    shares = np.unique(data.y, return_counts=True)[1] / len(data.y)
    centroid, neighbour = (
        _error(make_pipeline(StandardScaler(), reference).fit(X_train, y_train), X_test, y_test)
        for reference in (NearestCentroid(), KNeighborsClassifier(1))
    )
    n, p = data.X.shape
    return Characteristics(n, p, shares.size, data.share_binary, float(shares.var()), centroid, neighbour)


def _error(estimator: Any, X: Array, y: NDArray) -> float:
    return float(np.mean(estimator.predict(X) != y))


def mean_log_loss(estimator: Any, X: Array, y: NDArray) -> float:
    """Mean negative log posterior of the true class, see `log_losses`; NaN without posteriors.

    A support vector machine has none. Calibrating it would take a second cross-validation, which the paper's
    method does not have, and its figures would not be the method's own.
    """
    if not hasattr(estimator, "predict_proba"):
        return float("nan")
    return float(log_losses(estimator, X, y).mean())


def warm_up(methods: tuple[str, ...]) -> None:
    """Compile what the methods need, so that processes started afterwards find it in Numba's cache.

    The cache must not be written by several processes at once.
    """
    rng = np.random.default_rng(0)
    with threadpool_limits(limits=1), own_warnings():
        for name in methods:
            make = partial(BENCHMARK_METHODS[name].seeded, 0)
            # Kernels are compiled apart for 2, up to 4, and more classes.
            for n_classes in (2, 3, 5):
                y = np.arange(60) % n_classes
                X = rng.normal(size=(60, 3)) + y[:, None]
                for settings in _warm_settings(make().get_params(deep=False)):
                    make().set_params(**settings).fit(X, y).predict(X)


def _warm_settings(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """Give short fits: exact and binned ones where there is the choice."""
    short: dict[str, Any] = {name: 2 for name in ("max_iter", "cv") if name in parameters}
    return [{**short, "n_bins": n_bins} for n_bins in (None, 100)] if "n_bins" in parameters else [short]
