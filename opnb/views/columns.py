"""Which columns matter: the error when one is shuffled, and what every direction is made of in the table's units."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.data.feature_columns import FeatureColumn, feature_columns
from opnb.errors import DataError
from opnb.estimators.base import log_losses
from opnb.views.model import fitted_model
from opnb.views.projected import fitted_names

SHUFFLES = 20
_MOST_ROWS = 5_000
_MOST_CELLS = 2_000_000  # predicted at a time


@dataclass(frozen=True, eq=False)
class ColumnImportance:
    """What shuffling a column costs.

    Attributes
    ----------
    columns : tuple of FeatureColumn
        The one that costs most first.
    error, log_loss : float
        Of the rows as they are.
    errors, log_losses : ndarray of shape (n_columns, n_shuffles)
        Of the rows with the column shuffled.
    n_rows : int
    """

    columns: tuple[FeatureColumn, ...]
    error: float
    log_loss: float
    errors: Array
    log_losses: Array
    n_rows: int

    @property
    def rise(self) -> Array:
        """By how much the error rises on average, of shape (n_columns,)."""
        return self.errors.mean(axis=1) - self.error

    @property
    def spread(self) -> Array:
        """Standard deviation of the rise over the shuffles, of shape (n_columns,)."""
        return self.errors.std(axis=1, ddof=1)


def column_importance(
    clf: Any,
    X: ArrayLike,
    y: ArrayLike,
    columns: Sequence[FeatureColumn] | None = None,
    *,
    shuffles: int = SHUFFLES,
    random_state: int = 0,
    progress: Callable[[float], None] = lambda share: None,
) -> ColumnImportance:
    """Measure the error when one column after the other is shuffled: its features together, the others untouched.

    Parameters
    ----------
    clf : OPNBClassifier
    X, y : array-like of shape (n, n_features) and (n,)
        Rows the model was not fitted to; of more than 5,000, as many are drawn.
    columns : sequence of FeatureColumn, optional
        By default each feature is a column.
    shuffles : int, default=20
        At least 2.
    random_state : int, default=0
    progress : callable
        Gets the share that is done, before every column; may raise to end it.

    Returns
    -------
    ColumnImportance

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import column_importance
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(column_importance(clf, X, y, shuffles=2)).__name__
    'ColumnImportance'
    """
    model = fitted_model(clf)
    known = tuple(columns or feature_columns(fitted_names(model)))
    rng = np.random.default_rng(random_state)
    rows, labels = _some_rows(np.asarray(X, dtype=np.float64), np.asarray(y), rng)
    error, log_loss = _measured(model, rows, labels)
    orders = np.array([rng.permutation(len(rows)) for _ in range(shuffles)])
    found = []
    for number, column in enumerate(known):
        progress(number / len(known))
        found.append(_shuffled(model, rows, labels, column, orders))
    errors, losses = np.array(found).transpose(1, 0, 2)
    order = np.lexsort((-losses.mean(axis=1), -errors.mean(axis=1)))
    ranked = tuple(known[j] for j in order)
    return ColumnImportance(ranked, error, log_loss, errors[order], losses[order], len(rows))


def _some_rows(X: Array, y: NDArray, rng: np.random.Generator) -> tuple[Array, NDArray]:
    if not len(X):
        raise DataError("There are no rows to measure by. Hold some out, or give the training rows.")
    if len(X) <= _MOST_ROWS:
        return X, y
    drawn = np.sort(rng.choice(len(X), _MOST_ROWS, replace=False))
    return X[drawn], y[drawn]


def _shuffled(model: Any, X: Array, y: NDArray, column: FeatureColumn, orders: NDArray) -> tuple[Array, Array]:
    """Give error and log-loss for every order of the column's values."""
    places = list(column.places)
    a_time = max(1, _MOST_CELLS // X.size)
    errors, losses = [], []
    for start in range(0, len(orders), a_time):
        some = orders[start : start + a_time]
        rows = np.tile(X, (len(some), 1))
        rows[:, places] = X[some.ravel()][:, places]
        truth = np.tile(y, len(some))
        wrong = (model.predict(rows) != truth).reshape(len(some), -1)
        errors.append(wrong.mean(axis=1))
        losses.append(log_losses(model, rows, truth).reshape(len(some), -1).mean(axis=1))
    return np.concatenate(errors), np.concatenate(losses)


def _measured(model: Any, X: Array, y: NDArray) -> tuple[float, float]:
    return float((model.predict(X) != y).mean()), float(log_losses(model, X, y).mean())


@dataclass(frozen=True, eq=False)
class Composition:
    """What directions are made of, in the units of the table.

    On straight directions a row lies at the sum of `per_unit` times (value - mean) over all features.

    Attributes
    ----------
    feature_names : tuple of str
    means, spreads : ndarray of shape (n_features,)
        What features are centred at and divided by: as a rule mean and standard deviation of the training rows.
    per_unit : ndarray of shape (n_components, n_features)
        How far one unit more of a feature moves a row on a direction; of bent directions, on average.
    per_spread : ndarray of shape (n_components, n_features)
        How far one usual spread more moves it; the squares of a direction sum to one.
    straight : bool
    """

    feature_names: tuple[str, ...]
    means: Array
    spreads: Array
    per_unit: Array
    per_spread: Array
    straight: bool


def composition(clf: Any, feature_names: Sequence[str] | None = None) -> Composition:
    """Say what the directions of a model are made of.

    Parameters
    ----------
    clf : OPNBClassifier
    feature_names : sequence of str, optional
        By default those the classifier was fitted with.

    Returns
    -------
    Composition

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import composition
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(composition(clf)).__name__
    'Composition'
    """
    model: Any = fitted_model(clf)
    names = tuple(fitted_names(model) if feature_names is None else map(str, feature_names))
    slopes, straight = model.slopes_, model.columns_ is None
    return Composition(names, model.mean_, model.scale_, slopes / model.scale_, slopes, straight)
