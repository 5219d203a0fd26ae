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
    def of(cls, X: Array, scale: bool | str = True) -> "Scaling":
        """Measure training rows; `scale` as in `OPNBClassifier`."""
        varies = np.ptp(X, axis=0) > _ROUNDING * np.abs(X).max(axis=0)
        if scale == "robust":
            low, centre, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
            spread = (high - low) / _MIDDLE_HALF
            # Where most values are equal there is no middle half, and the standard deviation has to do.
            spread = np.where(spread > 0, spread, X.std(axis=0, ddof=1))
        else:
            centre, spread = X.mean(axis=0), X.std(axis=0, ddof=1) if scale else np.ones(X.shape[1])
        return cls(centre, np.where(varies & (spread > 0), spread, 1.0), varies)

    def apply(self, X: Array) -> Array:
        """Bring rows to the scale of the training rows."""
        scaled = X - self.mean
        scaled /= self.scale
        scaled[:, ~self.varies] = 0.0
        return scaled


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What estimators learn from.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        Centred and scaled.
    labels : ndarray of int of shape (n,)
        Index into `classes`.
    classes, counts : ndarray of shape (n_classes,)
    scaling : Scaling
    """

    X: Array
    labels: Labels
    classes: NDArray
    counts: Labels
    scaling: Scaling

    @property
    def shares(self) -> Array:
        """Share of the rows of each class, of shape (n_classes,)."""
        return self.counts / self.counts.sum()


def validated(estimator: Any, X: ArrayLike, y: ArrayLike) -> tuple[Array, NDArray]:
    """Check rows and classes in scikit-learn's way, which sets the names of the features on the estimator."""
    rows, targets = validate_data(estimator, X, y, dtype=np.float64, order="C", ensure_min_samples=2)
    check_distinct(targets)
    check_classification_targets(targets)
    return rows, targets


def training_data(
    estimator: Any, X: ArrayLike, y: ArrayLike, *, scale: bool | str = True, likelihood: str = "resubstitution"
) -> TrainingData:
    """Check rows and classes, number the classes and scale the rows."""
    rows, targets = validated(estimator, X, y)
    classes, labels = np.unique(targets, return_inverse=True)
    counts = np.bincount(labels)
    check_class_sizes(classes, counts, likelihood)
    scaling = Scaling.of(rows, scale)
    return TrainingData(scaling.apply(rows), labels, classes, counts, scaling)
