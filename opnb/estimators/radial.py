"""Columns in which a straight projection bends: the leading principal components of a radial kernel.

The kernel exp(-a ||x - x'||^2) is an inner product in a space of functions. Its principal components, divided by
sqrt(2 a), are columns whose distances are those of the rows where these are near, and level off at 1 / a far away: as a
falls they become the principal components of the rows themselves, so that a penalty means the same on both.
At most 500 rows span the kernel (Nystroem's approximation, exact up to 500 rows): O(n) for any number of rows.
"""

from typing import Self

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import StandardScaler

from opnb.core.kernel import Array

_MOST_COLUMNS, _MOST_LANDMARKS = 100, 500


class RadialColumns:
    """Map of rows to the leading components of a radial kernel.

    Parameters
    ----------
    bend : float
        The kernel's a, times the total variance of the columns: 1 lets it fall to exp(-2) at the usual distance of
        two rows. The smaller, the straighter.
    scale : bool
        Whether every column is divided by its standard deviation first.
    seed : int
        Of the rows that span the kernel.
    """

    def __init__(self, bend: float, scale: bool, seed: int) -> None:
        self.bend, self.scale, self.seed = bend, scale, seed

    def fit(self, X: Array) -> Self:
        """Find the components for rows X, of shape (n, n_features)."""
        self._scaler = StandardScaler(with_std=self.scale).fit(X)
        scaled = self._scaler.transform(X)
        a = self.bend / max(scaled.var(axis=0).sum(), np.finfo(float).tiny)
        landmarks = min(len(X), _MOST_LANDMARKS)
        self._kernel = Nystroem(gamma=a, n_components=landmarks, random_state=self.seed).fit(scaled)
        spanned = self._kernel.transform(scaled)
        self._centre = spanned.mean(axis=0)
        directions = np.linalg.eigh(np.atleast_2d(np.cov(spanned, rowvar=False)))[1]  # by rising variance
        self._directions = directions[:, ::-1][:, :_MOST_COLUMNS]
        self._factor = 1.0 / np.sqrt(2.0 * a)
        return self

    def transform(self, X: Array) -> Array:
        """Give the columns of rows X, of shape (m, n_columns)."""
        spanned = self._kernel.transform(self._scaler.transform(X))
        return self._factor * (spanned - self._centre) @ self._directions
