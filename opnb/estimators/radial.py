"""Columns in which a straight projection bends: the leading principal components of a radial kernel.

The kernel k(x, x') = exp(-a ||x - x'||^2) is an inner product in a space of functions. Its principal components,
divided by sqrt(2 a), are columns whose distances are those of the rows where these are near, and level off at 1 / a
far away: as a falls they become the principal components of the rows themselves, so that a penalty means the same on
both. At most 500 rows l span the kernel (Nystroem's approximation, exact up to 500 rows), and every column is

    c_j(x) = sum_l k(x, l) W_lj - b_j,

O(n) for any number of rows, with the derivative -2 a sum_l k(x, l) W_lj (x - l).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from opnb.core.kernel import Array

_MOST_COLUMNS, _MOST_LANDMARKS = 100, 500
# Share of the largest spread below which a component is rounding.
_ROUNDING = 1e-10
# Rows whose kernel with all landmarks is held at a time.
_BLOCK = 5000


@dataclass(frozen=True, eq=False)
class RadialColumns:
    """Map of scaled rows to the leading components of a radial kernel.

    Attributes
    ----------
    a : float
        Of the kernel.
    landmarks : ndarray of shape (n_landmarks, n_features)
        Rows that span it.
    weights : ndarray of shape (n_landmarks, n_columns)
    centre : ndarray of shape (n_columns,)
    """

    a: float
    landmarks: Array
    weights: Array
    centre: Array

    @classmethod
    def of(cls, X: Array, bend: float, sample_weight: Array | None = None) -> "RadialColumns":
        """Find the components for scaled training rows.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
        bend : float
            The kernel's a, times the total variance of the rows: 1 lets it fall to exp(-2) at the usual distance of
            two rows. The smaller, the straighter.
        sample_weight : ndarray of shape (n,), optional
        """
        deviations = X - np.average(X, axis=0, weights=sample_weight)
        variance = np.average(np.square(deviations).sum(axis=1), weights=sample_weight)
        a = bend / max(float(variance), np.finfo(float).tiny)
        # The same rows whenever the same table is fitted.
        drawn = np.random.default_rng(0).permutation(len(X))[:_MOST_LANDMARKS]
        landmarks = X[np.sort(drawn)]
        values, vectors = _leading(rbf_kernel(landmarks, gamma=a))
        basis = vectors / np.sqrt(values)
        spanned = np.concatenate([kernel @ basis for kernel in _kernels(X, landmarks, a)])
        centre = np.average(spanned, axis=0, weights=sample_weight)
        covariance = np.atleast_2d(np.cov(spanned, rowvar=False, aweights=sample_weight, ddof=0))
        components = _leading(covariance)[1][:, :_MOST_COLUMNS]
        factor = 1.0 / np.sqrt(2.0 * a)
        return cls(a, landmarks, factor * basis @ components, factor * centre @ components)

    def apply(self, X: Array) -> Array:
        """Give the columns of scaled rows, of shape (m, n_columns)."""
        kernels = _kernels(X, self.landmarks, self.a)
        return np.concatenate([kernel @ self.weights for kernel in kernels]) - self.centre

    def slopes(self, directions: Array) -> Array:
        """Say how directions change with each feature where the training rows are.

        Parameters
        ----------
        directions : ndarray of shape (n_components, n_columns)

        Returns
        -------
        ndarray of shape (n_components, n_features)
            Root mean square of the derivative at the landmarks, with the sign of its mean, every row of unit length.
        """
        spread = rbf_kernel(self.landmarks, gamma=self.a)
        slopes = np.array([_slopes(self.landmarks, spread * (self.weights @ v), self.a) for v in directions])
        length = np.linalg.norm(slopes, axis=1, keepdims=True)
        return slopes / np.where(length > 0, length, 1.0)


def _kernels(X: Array, landmarks: Array, a: float) -> Iterator[Array]:
    for begin in range(0, max(len(X), 1), _BLOCK):
        yield rbf_kernel(X[begin : begin + _BLOCK], landmarks, gamma=a)


def _leading(symmetric: Array) -> tuple[Array, Array]:
    """Give eigenvalues above rounding with their vectors, the largest first; a vector's largest entry is positive."""
    values, vectors = np.linalg.eigh(symmetric)
    kept = values > _ROUNDING * values[-1]
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return values, vectors * np.where(largest < 0, -1.0, 1.0)


def _slopes(landmarks: Array, pulls: Array, a: float) -> Array:
    """Give the root mean square derivative of one direction at the landmarks, signed by its mean.

    The derivative at x is -2 a sum_l pulls_l (x - l), with the kernel in the pulls.
    """
    at_rows = -2.0 * a * (pulls.sum(axis=1)[:, None] * landmarks - pulls @ landmarks)
    size = np.sqrt(np.mean(at_rows**2, axis=0))
    return np.where(at_rows.mean(axis=0) < 0, -size, size)
