"""Which columns are binary, and how far the values of a class spread.

A binary column has two values in the training rows, or two bunches of values so narrow that the standard
deviation within them is at most 2 % of the column's. The second case is a two-valued column after the
experiments' preprocessing, which adds noise of 1 %. Values are told apart at the middle of the gap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.errors import DataError

# The experiments add noise of 1 % of a column's standard deviation.
_WIDEST_BUNCH = 0.02
# Smallest spread of a class, in units of the whole column's: a column that is constant in one class keeps a
# density.
_LEAST_DEVIATION = 1e-3


@dataclass(frozen=True)
class Columns:
    """Continuous and binary columns.

    Attributes
    ----------
    continuous, binary : ndarray of int
        Column numbers. Columns that do not vary are in neither.
    thresholds : ndarray of shape (n_binary,)
        Where the lower value of a binary column ends.
    """

    continuous: NDArray[np.intp]
    binary: NDArray[np.intp]
    thresholds: Array

    def high(self, X: Array) -> Array:
        """Give 1 where a binary column has its higher value, else 0, of shape (m, n_binary)."""
        return (X[:, self.binary] > self.thresholds).astype(float)


def split_columns(X: Array, is_binary: Any) -> Columns:
    """Tell binary from continuous columns.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Training rows, standardised.
    is_binary : "auto" or array-like of bool of shape (p,)
    """
    varies = np.ptp(X, axis=0) > 0
    thresholds = np.array([_gap(column) for column in X.T])
    found = np.isfinite(thresholds)
    asked = found if isinstance(is_binary, str) and is_binary == "auto" else _mask(is_binary, X.shape[1])
    wrong = np.flatnonzero(asked & varies & ~found)
    if wrong.size:
        raise DataError(
            f"is_binary marks column {wrong[0]}, which has more than two values. "
            "Leave it out of is_binary, or encode it."
        )
    binary = asked & varies
    return Columns(np.flatnonzero(varies & ~binary), np.flatnonzero(binary), thresholds[binary])


def binary_columns(X: Array) -> NDArray[np.bool_]:
    """Find the binary columns of raw data, of shape (p,)."""
    return np.array([np.isfinite(_gap(column)) for column in X.T], dtype=bool)


def _mask(is_binary: Any, n_features: int) -> NDArray[np.bool_]:
    mask = np.asarray(is_binary)
    if mask.dtype != np.bool_ or mask.shape != (n_features,):
        raise ValueError(
            f"is_binary must be 'auto' or one truth value for each of the {n_features} columns, got {is_binary!r}."
        )
    return mask


def _gap(column: Array) -> float:
    """Middle of the gap between the two values of a binary column; NaN for any other column."""
    values = np.sort(column)
    gaps = np.diff(values)
    at = int(gaps.argmax())
    if gaps[at] <= 0:
        return np.nan
    low, high = values[: at + 1], values[at + 1 :]
    within = np.sqrt((low.var() * low.size + high.var() * high.size) / values.size)
    two_values = within == 0 or (low[0] == low[-1] and high[0] == high[-1])
    # One far outlier is not a value of its own.
    two_bunches = min(low.size, high.size) > 1 and within <= _WIDEST_BUNCH * values.std()
    return 0.5 * (low[-1] + high[0]) if two_values or two_bunches else np.nan


def class_deviations(groups: Sequence[Array]) -> Array:
    """Give the standard deviations of standardised columns in every class, of shape (n_classes, p).

    The divisor is n_k - 1. They are at least 1e-3, and one, the deviation of the whole column, in a class of
    one row.
    """
    deviations = [group.std(axis=0, ddof=1) if len(group) > 1 else np.ones(group.shape[1]) for group in groups]
    return np.maximum(deviations, _LEAST_DEVIATION)
