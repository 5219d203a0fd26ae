"""Means and spreads of rows that come in pieces.

Every piece gives the mean of its rows and the sum of squares around it, class by class; these are put together without
the difference of two large numbers (Chan, Golub and LeVeque, 1983).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.estimators.training import is_more_than_rounding, sample_deviation


@dataclass(frozen=True, eq=False)
class Moments:
    """What is known of some rows.

    Attributes
    ----------
    n : int
    weight : float
        Sum of their weights; n without weights.
    mean, squares : ndarray of shape (p,)
        The mean, and the sum of squares around it.
    low, high : ndarray of shape (p,)
    """

    n: int
    weight: float
    mean: Array
    squares: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, X: NDArray, weights: Array | None) -> "Moments":
        """Measure rows, of which there is at least one, in double precision."""
        whole = float(len(X)) if weights is None else float(weights.sum())
        mean = X.mean(axis=0, dtype=float) if weights is None else weights @ X / whole
        away = X - mean
        squares = np.einsum("ij,ij->j", away, away if weights is None else weights[:, None] * away)
        return cls(len(X), whole, mean, squares, X.min(axis=0).astype(float), X.max(axis=0).astype(float))

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Which columns vary by more than rounding."""
        return is_more_than_rounding(self.low, self.high)

    def deviation(self, weighted: bool) -> Array:
        """Give the standard deviations of the columns."""
        return sample_deviation(self.squares, self.weight, weighted)


def merged(parts: Sequence[Moments | None]) -> Moments | None:
    """Put moments together; None stands for no rows."""
    there = [part for part in parts if part is not None]
    if not there:
        return None
    weights, means = np.array([part.weight for part in there]), np.stack([part.mean for part in there])
    mean = weights @ means / weights.sum()
    return Moments(
        sum(part.n for part in there),
        float(weights.sum()),
        mean,
        np.sum([part.squares for part in there], axis=0) + weights @ np.square(means - mean),
        np.min([part.low for part in there], axis=0),
        np.max([part.high for part in there], axis=0),
    )


def moments_by_class(X: NDArray, y: NDArray, weights: Array | None) -> dict:
    """Measure the rows of every class; classes are named as Python values."""
    names, labels = np.unique(y, return_inverse=True)
    found = {}
    for k, name in enumerate(names.tolist()):
        rows = np.flatnonzero(labels == k)
        found[name] = Moments.of(X[rows], None if weights is None else weights[rows])
    return found
