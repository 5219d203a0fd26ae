"""Choosing a method's setting by cross-validation, sharing the work of a fold among the settings.

A fold needs one thing of a method: predictions for the held-out rows under every setting. An estimator that
has `predict_on_grid` gives them in one pass; `predict_one_by_one` fits each setting anew and serves all
others. A `Method` may bring its own pair of functions, as OPNB does with its path of lambdas. Everything that
is fitted, the scaling included, is fitted to the training rows of the fold.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.utils import check_array, column_or_1d

from opnb.comparators.base import Setting
from opnb.core.kernel import Array
from opnb.estimators.parallel import one_blas_thread

Grid = Mapping[str, Sequence[Any]]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
Folds = int | NDArray[np.integer] | Sequence[Fold]
GridPredictor = Callable[[Any, ArrayLike, ArrayLike, ArrayLike, Sequence[Setting]], Sequence[NDArray]]
Finisher = Callable[[Any, ArrayLike, ArrayLike, Setting, Sequence[Setting]], Any]


@runtime_checkable
class SharesWork(Protocol):
    """An estimator that evaluates many settings at once."""

    def predict_on_grid(
        self, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
    ) -> Sequence[NDArray]:
        """Predict the classes of X_new under every setting, fitted to X and y."""


def predict_one_by_one(
    estimator: Any, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
) -> Sequence[NDArray]:
    """Fit every setting anew and predict with it: what any shared pass must agree with."""
    return [clone(estimator).set_params(**setting).fit(X, y).predict(X_new) for setting in settings]


def predict_in_one_pass(
    estimator: Any, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
) -> Sequence[NDArray]:
    """Use the estimator's own shared pass if it has one."""
    if isinstance(estimator, SharesWork):
        return estimator.predict_on_grid(X, y, X_new, settings)
    return predict_one_by_one(estimator, X, y, X_new, settings)


def fit_setting(estimator: Any, X: ArrayLike, y: ArrayLike, setting: Setting, settings: Sequence[Setting]) -> Any:
    """Fit the chosen setting to all rows."""
    return clone(estimator).set_params(**setting).fit(X, y)


@dataclass(frozen=True)
class Method:
    """A classifier with the grid over which it is tuned.

    Attributes
    ----------
    name, description : str
    estimator : callable
        Makes an unfitted estimator.
    grid : callable
        Gives the parameter grid for training data X, y, in scikit-learn's form.
    simplest : tuple of (str, int)
        Which of equally good settings is taken: parameters in order of importance, with 1 where a smaller
        value is simpler and -1 where a larger one is.
    predict_grid : callable
        Predictions for every setting; by default the estimator's own shared pass, or one fit a setting.
    finish : callable
        Fits the chosen setting to all rows.
    judges_itself : bool
        Whether the estimator has settings of its own to choose while it fits, on the folds that it is given as `cv`.
    """

    name: str
    description: str
    estimator: Callable[[], Any]
    grid: Callable[[ArrayLike, ArrayLike], dict[str, list[Any]]]
    simplest: tuple[tuple[str, int], ...]
    predict_grid: GridPredictor = field(default=predict_in_one_pass, repr=False)
    finish: Finisher = field(default=fit_setting, repr=False)
    judges_itself: bool = False

    def errors_on_grid(
        self,
        X_train: ArrayLike,
        y_train: ArrayLike,
        X_test: ArrayLike,
        y_test: ArrayLike,
        grid: Grid,
        seed: int | None = None,
    ) -> Array:
        """Error of every setting on held-out rows, fitted to the training rows.

        Parameters
        ----------
        X_train, X_test : array-like of shape (n, n_features) and (m, n_features)
        y_train, y_test : array-like of shape (n,) and (m,)
        grid : mapping
            As `grid(X, y)` gives it.
        seed : int, optional
            Seed of a method that makes random choices.

        Returns
        -------
        ndarray of shape (n_settings,)
            In the order of scikit-learn's ParameterGrid.
        """
        settings = list(ParameterGrid(dict(grid)))
        predictions = self.predict_grid(self.seeded(seed), X_train, y_train, X_test, settings)
        return np.array([np.mean(predicted != np.asarray(y_test)) for predicted in predictions])

    def seeded(self, seed: int | None) -> Any:
        """Make an estimator whose random choices, if it makes any, come from the seed."""
        estimator = self.estimator()
        if "random_state" in estimator.get_params(deep=False):
            estimator.set_params(random_state=seed)
        return estimator


@dataclass(frozen=True)
class Tuned:
    """The outcome of tuning.

    Attributes
    ----------
    estimator : estimator
        Fitted to all rows with the chosen setting.
    params : dict
        The chosen setting.
    settings : list of dict
    cv_errors : ndarray of shape (n_settings, n_folds)
        Without columns if there was only one setting.
    seconds_tune, seconds_fit : float
        Of the processor, for cross-validation and for the final fit: other programs on the machine lengthen
        them little.
    """

    estimator: Any
    params: dict[str, Any]
    settings: list[dict[str, Any]]
    cv_errors: Array
    seconds_tune: float
    seconds_fit: float


def tune(
    method: Method,
    X: ArrayLike,
    y: ArrayLike,
    folds: Folds = 5,
    seed: int | None = 0,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Tuned:
    """Choose a setting by cross-validation and fit it to all rows.

    Parameters
    ----------
    method : Method
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    folds : int, ndarray of int of shape (n_samples,), or sequence of (train, test), default=5
        Number of stratified folds, shuffled by the seed; the fold number of every row; or the row numbers
        themselves.
    seed : int, default=0
        Source of all random choices.
    progress : callable, optional
        Called with the folds done and their number, before the first fold and after each. It may raise to
        give up.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from opnb.comparators import METHODS, tune
    >>> X, y = load_iris(return_X_y=True)
    >>> folds = list(StratifiedKFold(3).split(X, y))
    >>> tune(METHODS["LDA"], X, y, folds).estimator.score(X, y) > 0.9
    True
    """
    rows, targets = check_array(X, dtype=np.float64), column_or_1d(y)
    with one_blas_thread():
        begin = time.thread_time()
        grid = method.grid(rows, targets)
        settings = list(ParameterGrid(grid))
        # Without a choice there is nothing to cross-validate.
        parts = as_folds(folds, targets, seed) if len(settings) > 1 else []
        columns = []
        for number, (train, test) in enumerate(parts):
            _report(progress, number, len(parts))
            data = rows[train], targets[train], rows[test], targets[test]
            columns.append(method.errors_on_grid(*data, grid, seed))
        _report(progress, len(parts), len(parts))
        errors = np.column_stack(columns) if columns else np.empty((len(settings), 0))
        chosen = settings[best_setting(settings, errors, method.simplest) if columns else 0]
        middle = time.thread_time()
        estimator = method.seeded(seed)
        if method.judges_itself:
            estimator.set_params(cv=as_folds(folds, targets, seed))
        fitted = method.finish(estimator, X, y, chosen, settings)
        end = time.thread_time()
    return Tuned(fitted, chosen, settings, errors, middle - begin, end - middle)


def _report(progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def as_folds(folds: Folds, y: NDArray, seed: int | None) -> list[Fold]:
    """Turn any form of folds into pairs of training and held-out row numbers."""
    if isinstance(folds, (int, np.integer)):
        splitter = StratifiedKFold(int(folds), shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros((len(y), 1)), y))
    if not isinstance(folds, np.ndarray):
        return [(np.asarray(train), np.asarray(test)) for train, test in folds]
    if folds.shape != (len(y),):
        raise ValueError(
            "folds must be a number, one fold number for each row, or pairs (training rows, held-out rows); "
            f"got an array of shape {folds.shape} for {len(y)} rows."
        )
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in np.unique(folds)]


def best_setting(settings: Sequence[Setting], errors: Array, simplest: Sequence[tuple[str, int]]) -> int:
    """Find the setting with the least mean error, of equals the simplest."""
    mean = errors.mean(axis=1)
    # Means of the same errors in another order may differ in the last digit.
    equal = np.flatnonzero(mean <= mean.min() + 1e-12)
    return min(equal.tolist(), key=lambda s: [sign * settings[s].get(name, 0) for name, sign in simplest])
