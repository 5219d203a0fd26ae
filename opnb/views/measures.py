"""Numbers beside the picture: errors, confusion, loadings, the course of the fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.estimators.base import single_fit
from opnb.estimators.search import HISTORY_FIELDS
from opnb.views.model import fitted_model
from opnb.views.projected import ErrorCount, Flags, Projected, checked_directions, checked_names, fitted_names


@dataclass(frozen=True, eq=False)
class Metrics:
    """How well the full model does on some points.

    Attributes
    ----------
    errors : ErrorCount
    log_loss : float
        Mean negative log posterior of the true class.
    confusion : ndarray of int of shape (n_classes, n_classes)
        Rows are true classes, columns predicted ones.
    class_names : tuple of str
    """

    errors: ErrorCount
    log_loss: float
    confusion: NDArray[np.int64]
    class_names: tuple[str, ...]

    @property
    def error(self) -> float:
        """Share of points misclassified."""
        return self.errors.error

    @property
    def counts(self) -> NDArray[np.int64]:
        """Points of every class."""
        return self.confusion.sum(axis=1)


@dataclass(frozen=True, eq=False)
class LoadingsView:
    """Weights of features on directions.

    Attributes
    ----------
    weights : ndarray of shape (n_features, n_directions)
        Of scaled features; every direction has unit length. Heaviest features first.
    feature_names : tuple of str
    directions : tuple of int
    n_features : int
        How many features there are in all.
    bent : bool
        Whether the directions bend, so that these are mean slopes and not weights.
    """

    weights: Array
    feature_names: tuple[str, ...]
    directions: tuple[int, ...]
    n_features: int
    bent: bool = False


@dataclass(frozen=True, eq=False)
class HistoryView:
    """The course of a fit, one value an iteration, the start included."""

    objective: Array
    log_likelihood: Array
    penalty: Array
    class_term: Array
    mixture_term: Array
    dependence: Array
    gradient_norm: Array
    seconds: Array


def metrics(projected: Projected) -> tuple[Metrics, Metrics | None]:
    """Measure the full model on the training points and on the held-out points, None if there are none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import metrics, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> train, held_out = metrics(project(clf, X, y))
    >>> round(train.error, 2), held_out
    (0.02, None)
    """
    test = _metrics_of(projected, projected.is_test) if projected.is_test.any() else None
    return _metrics_of(projected, ~projected.is_test), test


def guessing(train: Metrics, part: Metrics) -> tuple[ErrorCount, str]:
    """Count the errors on some points of naming the class that most training points have, and give its name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import guessing, metrics, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> train, _ = metrics(project(clf, X, y))
    >>> count, name = guessing(train, train)
    >>> round(count.error, 2)
    0.67
    """
    largest = int(train.counts.argmax())
    return ErrorCount(int(part.errors.n - part.counts[largest]), part.errors.n), train.class_names[largest]


def _metrics_of(projected: Projected, chosen: Flags) -> Metrics:
    labels, log_posterior = projected.labels[chosen], projected.log_posterior[chosen]
    predicted = log_posterior.argmax(axis=1)
    n_classes = len(projected.class_names)
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (labels, predicted), 1)
    log_loss = -float(log_posterior[np.arange(labels.size), labels].mean())
    wrong = int((predicted != labels).sum())
    return Metrics(ErrorCount(wrong, labels.size), log_loss, confusion, projected.class_names)


def loadings_view(
    clf: Any,
    feature_names: Sequence[str] | None = None,
    directions: Sequence[int] | None = None,
    *,
    most: int | None = 20,
) -> LoadingsView:
    """Give the weights of the heaviest features on some directions (all by default).

    Parameters
    ----------
    clf : OPNBClassifier
    feature_names : sequence of str, optional
        By default those the classifier was fitted with.
    directions : sequence of int, optional
    most : int or None, default=20
        Keep so many features, those with the largest weights; None keeps all.

    Returns
    -------
    LoadingsView

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import loadings_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> loadings_view(clf, most=2).weights.shape
    (2, 2)
    """
    model = fitted_model(clf)
    names = checked_names(feature_names, fitted_names(model), "feature_names")
    chosen = list(range(len(model.components_))) if directions is None else checked_directions(model, directions)
    weights = model.slopes_[chosen].T
    order = np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:most]
    bent = getattr(model, "columns_", None) is not None
    return LoadingsView(weights[order], tuple(names[j] for j in order), tuple(chosen), len(names), bent)


def history_view(history: Any) -> HistoryView:
    """Collect the course of a fit.

    Parameters
    ----------
    history : fitted OPNBClassifier, or sequence of its records
        Anything with the fields of `history_` will do, so a running fit can be shown from its callback.

    Returns
    -------
    HistoryView

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import history_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(history_view(clf.history_)).__name__
    'HistoryView'
    """
    if not isinstance(history, Sequence):
        history = single_fit(history).history_
    columns = ([getattr(record, name) for record in history] for name in HISTORY_FIELDS)
    return HistoryView(*(np.asarray(column, dtype=float) for column in columns))
