"""LDA in a chosen number of discriminant directions.

scikit-learn's LinearDiscriminantAnalysis finds directions on which the pooled covariance is the identity, the
best separating first. In the space of the first q of them a class is a standard normal around its mean, so

    log p(x, k) = log pi_k - 1/2 * sum over d <= q of (z_d - m_kd)^2 + constant:

a running sum over d gives every q from one fit. With all directions this is LDA itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from opnb.comparators.base import (
    Labels,
    ProjectionClassifier,
    Setting,
    by_class,
    check_dimension,
    log_shares,
)
from opnb.core.initialisation import pca_start
from opnb.core.kernel import Array
from opnb.errors import DataError

# Deviation within classes, where one is that of the whole column, below which a column counts as constant in
# them.
_CONSTANT = 1e-10


@dataclass(frozen=True)
class _Model:
    directions: Array
    centres: Array
    log_shares: Array

    def joint(self, X: Array, settings: Sequence[Setting]) -> Array:
        Z = X @ self.directions
        squared = (Z[:, None, :] - self.centres) ** 2 + np.log(2 * np.pi)
        # Starts at no direction at all: classes with equal means have none, and are told by their shares.
        running = np.concatenate([np.zeros((*squared.shape[:2], 1)), np.cumsum(squared, axis=2)], axis=2)
        chosen = [self.dimension(setting) for setting in settings]
        return self.log_shares - 0.5 * np.moveaxis(running[:, :, chosen], 2, 0)

    def dimension(self, setting: Setting) -> int:
        available = self.directions.shape[1]
        return available if setting["n_components"] is None else min(available, int(setting["n_components"]))


class ReducedLinearDiscriminant(ProjectionClassifier):
    """Linear discriminant analysis that classifies on its leading directions.

    Parameters
    ----------
    n_components : int, default=None
        Number of discriminant directions, at most min(n_classes - 1, n_features); None takes all, which is
        scikit-learn's LinearDiscriminantAnalysis.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions in the space of standardised features, on which the pooled covariance is the identity.
    classes_, class_prior_ : ndarray of shape (n_classes,)
    mean_, scale_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when X has feature names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb.comparators import ReducedLinearDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> ReducedLinearDiscriminant().fit(X, y).score(X, y) > 0.9
    True
    """

    _tuned: ClassVar[tuple[str, ...]] = ("n_components",)

    def __init__(self, *, n_components: int | None = None) -> None:
        self.n_components = n_components

    def _check_setting(self, setting: Setting, n_features: int) -> None:
        check_dimension(setting["n_components"], min(n_features, self.classes_.size - 1))

    def _learn(self, X: Array, labels: Labels, settings: Sequence[Setting]) -> _Model:
        useless = np.flatnonzero(self._scaling.varies & ~_varies_within(X, labels))
        if useless.size:
            raise DataError(
                f"Column {useless[0]} differs between the classes but is constant within each, so linear "
                "discriminant analysis has no covariance to measure it by. Drop it, or add a little noise to it."
            )
        directions = discriminant_directions(X, labels)
        centres = np.array([group.mean(axis=0) for group in by_class(X @ directions, labels)])
        model = _Model(directions, centres, log_shares(labels))
        self.components_ = directions[:, : model.dimension(settings[0])].T
        return model


def _varies_within(X: Array, labels: Labels) -> NDArray[np.bool_]:
    """Tell which columns of standardised X vary within some class."""
    spreads = [np.ptp(group, axis=0) for group in by_class(X, labels)]
    return np.max(spreads, axis=0) > _CONSTANT


def discriminant_directions(X: Array, labels: Labels) -> Array:
    """Find the discriminant directions of standardised X, scaled to unit pooled variance, the best first.

    Columns that vary within no class are left out, as are directions without variance within classes: there
    may be fewer directions than n_classes - 1, or none.
    """
    varies = _varies_within(X, labels)
    if not varies.any():
        return np.empty((X.shape[1], 0))
    # Rounding must not pass for variance.
    lda = LinearDiscriminantAnalysis(solver="svd").fit(np.where(varies, X, 0.0), labels)
    return lda.scalings_[:, : min(X.shape[1], labels.max())]


def completed_directions(X: Array, labels: Labels, n_components: int) -> Array:
    """Discriminant directions, then the leading principal directions of what they leave, as unit columns.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Standardised rows.
    labels : ndarray of int of shape (n,)
    n_components : int
        At most p.

    Returns
    -------
    ndarray of shape (p, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.comparators import completed_directions
    >>> rng = np.random.default_rng(0)
    >>> completed_directions(rng.normal(size=(20, 3)), np.arange(20) % 2, 2).shape
    (3, 2)
    """
    leading = discriminant_directions(X, labels)[:, :n_components]
    leading = leading / np.linalg.norm(leading, axis=0)
    missing = n_components - leading.shape[1]
    if missing == 0:
        return leading
    basis = np.linalg.qr(leading)[0]
    return np.hstack([leading, pca_start(X - (X @ basis) @ basis.T, missing)])
