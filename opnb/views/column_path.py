"""How few columns would do: columns are left out one after the other, and the model is fitted anew each time.

At every step the column goes that moves rows least: with unit directions v_d and bandwidths h_d on scaled features,

    w_j^2 = sum over the features of column j and all directions of (v_dj / h_d)^2,

as far as one usual spread of the column goes, in bandwidths (of bent directions, v are their mean slopes). Among many
columns several go at once. The errors are honest: every fold of the training rows leaves its own columns out, without
a look at the rows it is judged by. One more path on all training rows says which columns they are. Cost: (folds + 1)
fits a step.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from opnb.core.kernel import Array
from opnb.data.feature_columns import FeatureColumn
from opnb.views.model import fitted_model
from opnb.views.projected import ErrorCount

FOLDS = 5
_ONE_AT_A_TIME = 12  # columns; of more, a quarter goes at once
_SHARE = 0.25

Make = Callable[[int], Any]
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class ColumnPath:
    """Errors with ever fewer columns.

    Attributes
    ----------
    counts : tuple of int
        How many columns every step has, from all to one.
    columns : tuple of tuple of str
        Which they are when all training rows choose, in the order of the table.
    fold_errors : ndarray of shape (n_steps, n_folds)
        On the left-out rows of every fold.
    test : tuple of ErrorCount
        On held-out rows, of the fits to all training rows; empty without any.
    """

    counts: tuple[int, ...]
    columns: tuple[tuple[str, ...], ...]
    fold_errors: Array
    test: tuple[ErrorCount, ...]

    @property
    def mean_errors(self) -> Array:
        """Mean over the folds, of shape (n_steps,)."""
        return self.fold_errors.mean(axis=1)

    @property
    def standard_errors(self) -> Array:
        """Standard error of the mean over the folds, of shape (n_steps,)."""
        return self.fold_errors.std(axis=1, ddof=1) / np.sqrt(self.fold_errors.shape[1])

    @property
    def best(self) -> int:
        """Step with the least mean error, of equals the one with fewest columns."""
        return int(np.flatnonzero(self.mean_errors == self.mean_errors.min())[-1])

    @property
    def fewest(self) -> int:
        """Step with the fewest columns whose error cannot be told from the least: within one standard error of it."""
        limit = self.mean_errors[self.best] + self.standard_errors[self.best]
        return int(np.flatnonzero(self.mean_errors <= limit)[-1])


def path_counts(n_columns: int) -> tuple[int, ...]:
    """Give the numbers of columns along a path: one goes at a time, a quarter at once while there are many."""
    counts = [n_columns]
    while counts[-1] > 1:
        at_once = int(counts[-1] * _SHARE) if counts[-1] > _ONE_AT_A_TIME else 1
        counts.append(max(counts[-1] - at_once, min(counts[-1] - 1, _ONE_AT_A_TIME)))
    return tuple(counts)


def column_weights(clf: Any, columns: Sequence[FeatureColumn]) -> Array:
    """Give how far one usual spread of every column moves a row, in bandwidths, of shape (n_columns,)."""
    model = fitted_model(clf)
    squares = ((model.slopes_ / model.bandwidths_[:, None]) ** 2).sum(axis=0)
    return np.sqrt([squares[list(column.places)].sum() for column in columns])


def column_path(
    make: Make,
    X: Array,
    y: NDArray,
    columns: Sequence[FeatureColumn],
    X_test: Array,
    y_test: NDArray,
    *,
    random_state: int = 0,
    progress: Progress = lambda share: None,
) -> ColumnPath:
    """Leave columns out one after the other.

    Parameters
    ----------
    make : callable
        Makes an unfitted classifier for a number of features.
    X, y : ndarray of shape (n, n_features) and (n,)
        Training rows.
    columns : sequence of FeatureColumn
    X_test, y_test : ndarray
        Held-out rows; may be empty.
    random_state : int, default=0
        Of the folds.
    progress : callable
        Gets the share that is done, before every fit; may raise to end it.

    Returns
    -------
    ColumnPath
    """
    counts = path_counts(len(columns))
    folds = list(_folds(X, y, random_state))
    total = len(counts) * (len(folds) + 1)
    errors = np.empty((len(counts), len(folds)))
    for number, (train, left_out) in enumerate(folds):
        steps = _steps(make, X[train], y[train], columns, counts, partial(_part, progress, number, len(counts), total))
        for step, (kept, clf) in enumerate(steps):
            errors[step, number] = np.mean(clf.predict(X[left_out][:, _places(kept)]) != y[left_out])
    last = partial(_part, progress, len(folds), len(counts), total)
    named, test = [], []
    for kept, clf in _steps(make, X, y, columns, counts, last):
        named.append(tuple(column.name for column in kept))
        if len(y_test):
            test.append(ErrorCount(int(np.sum(clf.predict(X_test[:, _places(kept)]) != y_test)), len(y_test)))
    return ColumnPath(counts, tuple(named), errors, tuple(test))


def _folds(X: Array, y: NDArray, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    smallest = int(np.unique(y, return_counts=True)[1].min())
    folds = StratifiedKFold(int(np.clip(smallest, 2, FOLDS)), shuffle=True, random_state=seed)
    yield from folds.split(X, y)


def _part(progress: Progress, number: int, steps: int, total: int, step: int) -> None:
    progress((number * steps + step) / total)


def _steps(
    make: Make,
    X: Array,
    y: NDArray,
    columns: Sequence[FeatureColumn],
    counts: Sequence[int],
    progress: Callable[[int], None],
) -> Iterator[tuple[list[FeatureColumn], Any]]:
    """Fit with ever fewer columns; yields those that are left, and the fit."""
    kept, weights = list(columns), np.ones(len(columns))
    for step, count in enumerate(counts):
        gone = np.argsort(weights, kind="stable")[: len(kept) - count]
        kept = [column for place, column in enumerate(kept) if place not in gone]
        progress(step)
        places = _places(kept)
        clf = make(len(places)).fit(X[:, places], y)
        yield kept, clf
        weights = column_weights(clf, _moved(kept))


def _places(columns: Sequence[FeatureColumn]) -> list[int]:
    return [place for column in columns for place in column.places]


def _moved(columns: Sequence[FeatureColumn]) -> list[FeatureColumn]:
    """Give the columns as they lie where only they are left."""
    moved, first = [], 0
    for column in columns:
        after = first + len(column.places)
        moved.append(FeatureColumn(column.name, tuple(range(first, after)), column.levels))
        first = after
    return moved
