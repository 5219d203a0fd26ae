"""Data of a lesson: points to fit, and new points of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.data import simulate

CLASSES = ("A", "B", "C")
_ANOTHER = 10_000  # seeds of new points, beyond those that can be chosen


@dataclass(frozen=True, eq=False)
class Sample:
    """Points to fit and new points, with the numbers of their classes.

    Attributes
    ----------
    X, X_new : ndarray of shape (n, p) and (m, p)
    labels, labels_new : ndarray of int of shape (n,) and (m,)
    """

    X: Array
    labels: NDArray[np.intp]
    X_new: Array
    labels_new: NDArray[np.intp]


def draw(simulator: str, n: int, seed: int, new: int, **parameters: float) -> Sample:
    """Draw from a simulator of three classes; the new points do not depend on how many are fitted."""
    train = simulate(simulator, n=n, seed=seed, test_size=None, **parameters)
    test = simulate(simulator, n=new, seed=seed + _ANOTHER, test_size=None, **parameters)
    return Sample(train.X, np.searchsorted(CLASSES, train.y), test.X, np.searchsorted(CLASSES, test.y))
