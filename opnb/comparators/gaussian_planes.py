"""LDA and OPGD on two directions, in the form in which the picture of OPNB is computed.

On its directions a class of either method is a product of normal densities, so both are naive Bayes there:

    LDA     means of the classes, and the variance within classes, which all share;
    OPGD    mean and variance of every class.

LDA has one direction fewer than there are classes. What it lacks for a plane is filled with the leading principal
direction of the rest, as in the paper; there all classes have the same density, so that it decides nothing.
"""

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from opnb.comparators import OptimalGaussianProjection, ReducedLinearDiscriminant, completed_directions
from opnb.comparators.gaussian_objective import GaussianProblem
from opnb.core.kernel import Array
from opnb.errors import DataError

_LEAST_VARIANCE = 1e-6  # as in `OptimalGaussianProjection`


class GaussianPlane(ClassifierMixin, BaseEstimator):
    """A method on two directions on which its classes are normal and independent.

    Attributes
    ----------
    components_ : ndarray of shape (2, n_features)
        Unit directions in the space of standardised features.
    means_, deviations_ : ndarray of shape (n_classes, 2)
        Of the classes on the directions.
    bandwidths_ : ndarray of shape (2,)
        The least deviation on each direction: the finest detail of the densities.
    classes_, class_prior_ : ndarray of shape (n_classes,)
    mean_, scale_ : ndarray of shape (n_features,)
    """

    components_: Array
    means_: Array
    deviations_: Array
    mean_: Array
    scale_: Array

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the directions and the classes' densities on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With two features at least.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        rows, targets = validate_data(self, X, y, dtype=np.float64)
        if rows.shape[1] < 2:
            raise DataError("A plane needs two columns at least. Bring more columns.")
        self.classes_, labels, counts = np.unique(targets, return_inverse=True, return_counts=True)
        self.class_prior_ = counts / counts.sum()
        self._learn(rows, labels)
        self.bandwidths_ = self.deviations_.min(axis=0)
        return self

    sharpness_ = 1.0  # posteriors are what the densities say

    @property
    def slopes_(self) -> Array:
        """How directions change with each standardised feature, of shape (2, n_features)."""
        return self.components_

    @abstractmethod
    def _learn(self, X: Array, labels: NDArray[np.intp]) -> None:
        """Set components, means and deviations."""

    def transform(self, X: ArrayLike) -> Array:
        """Project points, to shape (n_samples, 2)."""
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return (rows - self.mean_) / self.scale_ @ self.components_.T

    def log_marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        """Give the log density of every class along a direction, of shape (n_classes, len(grid))."""
        mean, deviation = self.means_[:, [direction]], self.deviations_[:, [direction]]
        standard = (np.asarray(grid) - mean) / deviation
        return -0.5 * (standard**2 + np.log(2 * np.pi)) - np.log(deviation)

    def marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        """Give the density of every class along a direction, of shape (n_classes, len(grid))."""
        return np.exp(self.log_marginal_densities(direction, grid))

    def predict_log_proba_on(self, Z: Array, directions: tuple[int, ...]) -> Array:
        """Give the log posteriors at projected points on some directions, of shape (len(Z), n_classes)."""
        joint = np.log(self.class_prior_) + sum(
            self.log_marginal_densities(direction, z).T for direction, z in zip(directions, Z.T, strict=True)
        )
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Give the log posteriors, of shape (n_samples, n_classes)."""
        return self.predict_log_proba_on(self.transform(X), (0, 1))

    def predict(self, X: ArrayLike) -> NDArray:
        """Predict the classes."""
        return self.classes_[self.predict_log_proba(X).argmax(axis=1)]


class DiscriminantPlane(GaussianPlane):
    """Linear discriminant analysis on its two leading directions."""

    def _learn(self, X: Array, labels: NDArray[np.intp]) -> None:
        most = min(2, len(self.classes_) - 1)
        model = ReducedLinearDiscriminant(n_components=most).fit(X, labels)
        self.mean_, self.scale_ = model.mean_, model.scale_
        standardised = (X - self.mean_) / self.scale_
        self.components_ = completed_directions(standardised, labels, 2).T
        Z = standardised @ self.components_.T
        self.means_ = np.array([Z[labels == k].mean(axis=0) for k in range(len(self.classes_))])
        within = ((Z - self.means_[labels]) ** 2).mean(axis=0)
        filled = np.arange(2) >= len(model.components_)
        self.means_ = np.where(filled, Z.mean(axis=0), self.means_)
        deviations = np.sqrt(np.maximum(np.where(filled, Z.var(axis=0), within), _LEAST_VARIANCE))
        self.deviations_ = np.broadcast_to(deviations, self.means_.shape).copy()


class GaussianProjectionPlane(GaussianPlane):
    """OPGD with two directions."""

    def _learn(self, X: Array, labels: NDArray[np.intp]) -> None:
        model = OptimalGaussianProjection(n_components=2).fit(X, labels)
        self.mean_, self.scale_, self.components_ = model.mean_, model.scale_, model.components_
        # The method's own moments: its covariances have a floor that counts where few directions hold the variance.
        moments = GaussianProblem.from_data((X - self.mean_) / self.scale_, labels)
        self.means_ = moments.means @ self.components_.T
        self.deviations_ = np.sqrt(moments.moments(self.components_.T)[1])
