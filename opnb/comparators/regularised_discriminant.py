"""RDA: Gaussian classes whose covariances lie between their own and the pooled one.

    Sigma_k(lam) = lam S_k + (1 - lam) S_W,       S_k with divisor n_k,   S_W = sum_k n_k S_k / n

so that lam = 0 is scikit-learn's linear and lam = 1 its quadratic discriminant analysis. With S_W = B^-T B^-1
and B' S_k B = U_k diag(e_k) U_k',

    Sigma_k(lam)^-1 = W_k diag(1 / (lam e_k + 1 - lam)) W_k',      W_k = B U_k:

one decomposition a class serves every lam. The squared coordinates of a point under W_k are computed once,
and its distances for all lam are one matrix product. It costs O(n p^2 + K p^3) to fit and O(K m p^2) to
predict m points.

Singular covariances: eigenvalues of S_W (of standardised columns) below 1e-10 of the largest are raised to
it, and so is lam e_k + 1 - lam. Nothing else is changed, so a regular problem is solved as it stands.
Directions in which no class varies keep a minute variance: they separate classes whose means differ there and
are harmless otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from opnb.comparators.base import ClassDensityClassifier, Labels, Setting, by_class, check_share, log_shares
from opnb.core.kernel import Array

_LEAST_EIGENVALUE = 1e-10


@dataclass(frozen=True)
class _GaussianClass:
    """One class: its mean, and the coordinates in which all its covariances are diagonal."""

    mean: Array
    coordinates: Array
    eigenvalues: Array

    def log_density(self, X: Array, lams: Array) -> Array:
        """Log densities for every lam but for the determinant of S_W, of shape (n_lams, m)."""
        mixed = lams[:, None] * self.eigenvalues + (1.0 - lams)[:, None]
        mixed = np.maximum(mixed, _LEAST_EIGENVALUE)
        squared = ((X - self.mean) @ self.coordinates) ** 2
        return -0.5 * ((1.0 / mixed) @ squared.T + np.log(mixed).sum(axis=1)[:, None])


@dataclass(frozen=True)
class _Model:
    log_shares: Array
    log_height: float
    classes: list[_GaussianClass]

    def joint(self, X: Array, settings: Sequence[Setting]) -> Array:
        lams = np.array([setting["lam"] for setting in settings], dtype=float)
        densities = np.stack([gaussian.log_density(X, lams) for gaussian in self.classes], axis=2)
        return densities + (self.log_shares + self.log_height)


class RegularisedDiscriminant(ClassDensityClassifier):
    """Gaussian discriminant analysis with covariances lam S_k + (1 - lam) S_W.

    Parameters
    ----------
    lam : float, default=0.5
        Weight of the class's own covariance: 0 is linear, 1 quadratic discriminant analysis. S_k has divisor
        n_k and S_W divisor n, as in scikit-learn.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
    mean_, scale_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when X has feature names that are all strings.

    Notes ----- A singular covariance (collinear columns, more columns than rows, a column constant in a
    class) gets a minute variance, 1e-10 of the largest of S_W, in the directions in which it has none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb.comparators import RegularisedDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> round(RegularisedDiscriminant(lam=0.5).fit(X, y).score(X, y), 2)
    0.98
    """

    _tuned: ClassVar[tuple[str, ...]] = ("lam",)

    def __init__(self, *, lam: float = 0.5) -> None:
        self.lam = lam

    def _check_setting(self, setting: Setting, n_features: int) -> None:
        check_share("lam", setting["lam"])

    def _learn(self, X: Array, labels: Labels, settings: Sequence[Setting]) -> _Model:
        groups = by_class(X, labels)
        means = [group.mean(axis=0) for group in groups]
        centred = [group - mean for group, mean in zip(groups, means, strict=True)]
        whitening, log_determinant = _whitening(np.concatenate(centred))
        classes = [
            _GaussianClass(mean, *_diagonalised(rows, whitening)) for mean, rows in zip(means, centred, strict=True)
        ]
        log_height = -0.5 * (log_determinant + X.shape[1] * np.log(2 * np.pi))
        return _Model(log_shares(labels), log_height, classes)


def _whitening(rows: Array) -> tuple[Array, float]:
    """B with B' S_W B = I, and the log determinant of S_W, from rows centred in their classes."""
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    # No class varies at all: the columns' own scale, one, is the only measure left.
    values = np.maximum(values, _LEAST_EIGENVALUE * (values[-1] if values[-1] > 0 else 1.0))
    return vectors / np.sqrt(values), float(np.log(values).sum())


def _diagonalised(rows: Array, whitening: Array) -> tuple[Array, Array]:
    """Coordinates in which both S_W and the class's covariance are diagonal, and the latter's eigenvalues."""
    white = rows @ whitening
    values, rotation = np.linalg.eigh(white.T @ white / len(rows))
    return whitening @ rotation, np.maximum(values, 0.0)
