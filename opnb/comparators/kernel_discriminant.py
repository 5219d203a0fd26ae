"""KDDA: discriminant analysis with a multivariate kernel density for every class.

    f_k(x) = 1/n_k * sum over l in class k of  prod over continuous j of phi((x_j - x_lj) / h_kj) / h_kj
                                               * prod over binary j of (1 - alpha if x_j = x_lj else alpha)

with h_kj = factor * (4 / (n_k (p_c + 2)))^(1 / (p_c + 4)) * sd_kj, p_c the number of continuous columns and
phi the standard normal density. The logarithm of a term is -1/2 (squared distance) / factor^2 plus the number
of differing binary columns times log(alpha / (1 - alpha)), plus constants. Both tables come from matrix
products, once for all settings, in blocks of at most `_BLOCK` pairs: memory stays small and O(n m p) work
runs at the speed of BLAS.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opnb.comparators.base import Labels, Setting, log_shares
from opnb.comparators.columns import Columns
from opnb.comparators.kde import silverman
from opnb.comparators.mixed_columns import ClassValues, MixedColumnClassifier
from opnb.core.kernel import Array

# Pairs of a point and a training row handled at a time: 4 MB a table.
_BLOCK = 500_000


@dataclass(frozen=True)
class _ClassKernels:
    """The training rows of one class, in units of the bandwidths at factor one."""

    centre: Array
    bandwidths: Array
    scaled: Array
    high: Array

    def log_density(self, continuous: Array, high: Array, settings: Sequence[Setting]) -> Array:
        """Log densities at points, of shape (n_settings, m)."""
        result = np.empty((len(settings), len(continuous)))
        step = max(1, _BLOCK // len(self.scaled))
        for start in range(0, len(continuous), step):
            rows = slice(start, start + step)
            squared = squared_distances((continuous[rows] - self.centre) / self.bandwidths, self.scaled)
            differing = squared_distances(high[rows], self.high)
            for s, setting in enumerate(settings):
                result[s, rows] = _log_sums(squared, differing, setting)
        return result + np.array([self._constant(setting) for setting in settings])[:, None]

    def _constant(self, setting: Setting) -> float:
        height = np.log(setting["factor"] * self.bandwidths * np.sqrt(2 * np.pi)).sum()
        return self.high.shape[1] * np.log1p(-setting["alpha"]) - height - np.log(len(self.scaled))


def squared_distances(A: Array, B: Array) -> Array:
    """Squared distances between the rows of A and of B, by a matrix product."""
    squared = A @ (-2.0 * B.T)
    squared += np.einsum("ij,ij->i", A, A)[:, None]
    squared += np.einsum("ij,ij->i", B, B)
    return np.maximum(squared, 0.0, out=squared)


def _log_sums(squared: Array, differing: Array, setting: Setting) -> Array:
    """Log of the kernel sum over the training rows for every point."""
    terms = squared * (-0.5 / setting["factor"] ** 2)
    odds = np.log(setting["alpha"]) - np.log1p(-setting["alpha"])
    if odds != 0 and differing.any():
        terms += differing * odds
    highest = terms.max(axis=1)
    terms -= highest[:, None]
    return highest + np.log(np.exp(terms, out=terms).sum(axis=1))


@dataclass(frozen=True)
class _Model:
    columns: Columns
    log_shares: Array
    classes: list[_ClassKernels]

    def joint(self, X: Array, settings: Sequence[Setting]) -> Array:
        continuous, high = X[:, self.columns.continuous], self.columns.high(X)
        densities = [kernels.log_density(continuous, high, settings) for kernels in self.classes]
        return np.stack(densities, axis=2) + self.log_shares


class KernelDensityDiscriminant(MixedColumnClassifier):
    """Discriminant analysis with Gaussian product kernel densities.

    Parameters
    ----------
    factor : float, default=1.0
        Bandwidths of the continuous columns in units of the normal reference rule
        (4 / (n_k (p_c + 2)))^(1 / (p_c + 4)) sd_kj, with p_c the number of continuous columns and sd_kj the
        column's standard deviation in class k, at least 0.001 of that in all rows.
    alpha : float, default=0.1
        Bandwidth of the binary columns, in (0, 0.5], as in `KDENaiveBayes`.
    is_binary : "auto" or array-like of bool of shape (n_features,), default="auto"
        Which columns are binary, as in `KDENaiveBayes`.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
    mean_, scale_ : ndarray of shape (n_features,)
    binary_columns_ : ndarray of int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when X has feature names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import KernelDensityDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelDensityDiscriminant().fit(X, y).score(X, y) > 0.9
    True
    """

    def _learn(self, X: Array, labels: Labels, settings: Sequence[Setting]) -> _Model:
        columns, classes = self._class_values(X, labels)
        return _Model(columns, log_shares(labels), [_class_kernels(values) for values in classes])


def _class_kernels(values: ClassValues) -> _ClassKernels:
    n, p = values.continuous.shape
    # Centred first: squared distances by a matrix product lose digits far from zero.
    centre = values.continuous.mean(axis=0)
    bandwidths = silverman(n, p) * values.deviations
    return _ClassKernels(centre, bandwidths, (values.continuous - centre) / bandwidths, values.high)
