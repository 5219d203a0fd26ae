"""How good the answers are class by class: precision, recall, ROC and calibration, each class against the others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import auc, precision_recall_fscore_support, roc_curve

from opnb.core.kernel import Array
from opnb.diagnostics.calibration import wilson_interval
from opnb.views.projected import Flags, Projected

_MOST_BINS, _ROWS_A_BIN = 10, 10
_MOST_STEPS = 400  # of a ROC curve: more cannot be told apart on a screen


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Share of a class that is found against share of the others that is taken for it; empty where one is missing."""

    false_positive: Array
    true_positive: Array
    area: float


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Stated probabilities of a class against how often it was the true one, in bins of equal width.

    Attributes
    ----------
    stated, observed : ndarray of shape (n_bins,)
        Mean posterior and share of the class; empty bins are left out.
    low, high : ndarray of shape (n_bins,)
        Wilson's 95 % interval of the share.
    sizes : ndarray of int of shape (n_bins,)
    """

    stated: Array
    observed: Array
    low: Array
    high: Array
    sizes: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Scores of every class on some rows.

    Attributes
    ----------
    class_names : tuple of str
    class_counts : ndarray of int of shape (n_classes,)
        Training rows, which decide the colours.
    precision, recall : ndarray of shape (n_classes,)
        Of those taken for the class, the share that is right; of the class, the share that is found. NaN of none.
    counts, taken : ndarray of int of shape (n_classes,)
        Rows of the class, and rows taken for it.
    roc : tuple of RocCurve
    calibration : tuple of CalibrationCurve
    held_out : bool
        Whether the rows are held-out ones; the training rows otherwise.
    """

    class_names: tuple[str, ...]
    class_counts: NDArray[np.intp]
    precision: Array
    recall: Array
    counts: NDArray[np.intp]
    taken: NDArray[np.intp]
    roc: tuple[RocCurve, ...]
    calibration: tuple[CalibrationCurve, ...]
    held_out: bool


def class_scores(projected: Projected) -> ClassScores:
    """Score the full model class by class on the held-out rows, or on the training rows where there are none.

    Parameters
    ----------
    projected : Projected

    Returns
    -------
    ClassScores

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import class_scores, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(class_scores(project(clf, X, y))).__name__
    'ClassScores'
    """
    held_out = bool(projected.is_test.any())
    rows = projected.is_test == held_out
    labels, posterior = projected.labels[rows], np.exp(projected.log_posterior[rows])
    predicted, classes = projected.predicted[rows], np.arange(len(projected.class_names))
    precision, recall, _, counts = precision_recall_fscore_support(
        labels, predicted, labels=classes, zero_division=np.nan
    )
    return ClassScores(
        class_names=projected.class_names,
        class_counts=projected.train_counts,
        precision=precision,
        recall=recall,
        counts=counts,
        taken=np.bincount(predicted, minlength=classes.size),
        roc=tuple(_roc(labels == k, posterior[:, k]) for k in classes),
        calibration=tuple(_calibration(labels == k, posterior[:, k]) for k in classes),
        held_out=held_out,
    )


def _roc(is_class: Flags, probability: Array) -> RocCurve:
    if is_class.all() or not is_class.any():
        return RocCurve(np.empty(0), np.empty(0), np.nan)
    false_positive, true_positive, _ = roc_curve(is_class, probability)
    area = float(auc(false_positive, true_positive))
    kept = np.unique(np.linspace(0, false_positive.size - 1, _MOST_STEPS).round().astype(int))
    return RocCurve(false_positive[kept], true_positive[kept], area)


def _calibration(is_class: Flags, probability: Array) -> CalibrationCurve:
    n_bins = int(np.clip(is_class.size // _ROWS_A_BIN, 2, _MOST_BINS))
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    sizes = np.bincount(bins, minlength=n_bins)
    full = np.flatnonzero(sizes)
    stated, right = (np.bincount(bins, values, n_bins)[full] / sizes[full] for values in (probability, is_class))
    low, high = wilson_interval(right, sizes[full].astype(float))
    return CalibrationCurve(stated, right, low, high, sizes[full])
