"""From rows and classes as a user has them to what a search sees, and the same way for new rows.

Rows are centred and divided by a spread of their column. A column that is constant in training, up to rounding, is
zero from then on: it says nothing about the classes, and its spread would blow rounding up into noise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from opnb.core.kernel import Array
from opnb.core.weights import check_sample_weight, class_shares
from opnb.estimators.radial import RadialColumns
from opnb.estimators.validation import check_class_sizes, check_distinct

Labels = NDArray[np.intp]
SCALES = (True, False, "robust")
# Steps of the largest value's precision within which a column counts as constant.
_ROUNDING = 20 * np.finfo(float).eps
# The middle half of a normal distribution spans so many standard deviations.
_MIDDLE_HALF = 1.3489795003921634


@dataclass(frozen=True, eq=False)
class Scaling:
    """What every column is centred at and divided by.

    Attributes
    ----------
    mean, scale : ndarray of shape (n_features,)
        The scale of a column that does not vary is one.
    varies : ndarray of bool of shape (n_features,)
    """

    mean: Array
    scale: Array
    varies: NDArray[np.bool_]

    @classmethod
    def of(cls, X: Array, scale: bool | str = True, weights: Array | None = None) -> "Scaling":
        """Measure training rows; `scale` as in `OPNBClassifier`, and weights count rows."""
        varies = is_more_than_rounding(X.min(axis=0), X.max(axis=0))
        centre, spread = _mean_and_deviation(X, weights)
        if not scale:
            spread = np.ones_like(spread)
        elif scale == "robust":
            # Quantiles of this kind take weights, and a weight of two is the row twice.
            low, centre, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0, weights=weights, method="inverted_cdf")
            # Where most values are equal there is no middle half, and the standard deviation has to do.
            spread = np.where(high > low, (high - low) / _MIDDLE_HALF, spread)
        return cls(centre, np.where(varies & (spread > 0), spread, 1.0), varies)

    def apply(self, X: Array) -> Array:
        """Bring rows to the scale of the training rows."""
        scaled = X - self.mean
        scaled /= self.scale
        scaled[:, ~self.varies] = 0.0
        return scaled


def _mean_and_deviation(X: Array, weights: Array | None) -> tuple[Array, Array]:
    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = _moments(X, weights)
    if not np.isfinite(deviation).all():  # squares beyond all numbers: measure in units of the largest value
        largest = np.abs(X).max(axis=0)
        unit = np.where(largest > 0, largest, 1.0)
        mean, deviation = (unit * moment for moment in _moments(X / unit, weights))
    return mean, deviation


def _moments(X: Array, weights: Array | None) -> tuple[Array, Array]:
    if weights is None:
        return X.mean(axis=0), X.std(axis=0, ddof=1)
    whole = weights.sum()
    mean = weights @ X / whole
    return mean, sample_deviation(weights @ np.square(X - mean), whole, weighted=True)


def sample_deviation(squares: Array, whole: float, weighted: bool) -> Array:
    """Give standard deviations from sums of squares around the mean, and the number of rows or their weights."""
    # Weights that sum to little cannot be counts of rows: less than one row is taken off for the mean then.
    return np.sqrt(squares / max(whole - 1.0, whole / 2 if weighted else 1.0))


def is_more_than_rounding(low: Array, high: Array) -> NDArray[np.bool_]:
    """Tell which columns vary by more than rounding, from their least and largest values."""
    return high - low > _ROUNDING * np.maximum(np.abs(low), np.abs(high))


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What estimators learn from.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        Centred and scaled; in the columns of a radial kernel if directions may bend, of shape (n, n_columns).
    labels : ndarray of int of shape (n,)
        Index into `classes`.
    classes : ndarray of shape (n_classes,)
    scaling : Scaling
    weights : ndarray of shape (n,) or None
        What the rows weigh, all positive; None is one each.
    columns : RadialColumns or None
        From the scaled rows to X; None if directions are straight, where both are the same.
    """

    X: Array
    labels: Labels
    classes: NDArray
    scaling: Scaling
    weights: Array | None = None
    columns: RadialColumns | None = None

    @property
    def shares(self) -> Array:
        """Share of each class in the rows, or in their weights, of shape (n_classes,)."""
        return class_shares(self.labels, self.classes.size, self.weights)


def validated(estimator: Any, X: ArrayLike, y: ArrayLike) -> tuple[Array, NDArray]:
    """Check rows and classes in scikit-learn's way, which sets the names of the features on the estimator."""
    rows, targets = validate_data(estimator, X, y, dtype=np.float64, order="C", ensure_min_samples=2)
    check_distinct(targets)
    check_classification_targets(targets)
    return rows, targets


def training_data(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    scale: bool | str = True,
    likelihood: str = "resubstitution",
    bend: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> TrainingData:
    """Check rows, classes and weights, number the classes and scale the rows; rows of weight zero are left out."""
    rows, targets = validated(estimator, X, y)
    weights = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, len(rows))
        there = weights > 0
        rows, targets, weights = rows[there], targets[there], weights[there]
    classes, labels = np.unique(targets, return_inverse=True)
    check_class_sizes(classes, np.bincount(labels), likelihood)
    scaling = Scaling.of(rows, scale, weights)
    scaled = scaling.apply(rows)
    if bend is None:
        return TrainingData(scaled, labels, classes, scaling, weights)
    columns = RadialColumns.of(scaled, bend, weights)
    return TrainingData(columns.apply(scaled), labels, classes, scaling, weights, columns)
