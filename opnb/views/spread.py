"""A number of several methods over repeated splits: every value, its mean, and how far the mean can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from opnb.core.kernel import Array

LEVEL = 0.95
_FEWEST = 3  # repeats that an interval needs: of two it would be as wide as the world


@dataclass(frozen=True, eq=False)
class Spread:
    """Values of methods over repeats.

    Attributes
    ----------
    names : tuple of str
    repeats : tuple of int
    values : ndarray of shape (n_repeats, n_methods)
        NaN where there is none.
    centres : ndarray of shape (n_methods,)
        Means over the repeats that a method has.
    reaches : ndarray of shape (n_methods,)
        What to draw on either side of the mean: the standard deviation, or half of the interval of a difference. NaN
        with a single repeat, and with two for an interval.
    reference : str
        What the values are differences to; empty if they are none.
    """

    names: tuple[str, ...]
    repeats: tuple[int, ...]
    values: Array
    centres: Array
    reaches: Array
    reference: str = ""


def spread(values: Array, names: Sequence[str], repeats: Sequence[int]) -> Spread:
    """Give the means over repeats with their standard deviations (divisor n - 1).

    Parameters
    ----------
    values : ndarray of shape (n_repeats, n_methods)
        Every method has one at least.
    names : sequence of str
    repeats : sequence of int

    Returns
    -------
    Spread

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.views import spread
    >>> type(spread(np.array([[0.1, 0.2], [0.2, 0.2]]), ["OPNB", "LDA"], [0, 1])).__name__
    'Spread'
    """
    return Spread(tuple(names), tuple(repeats), values, np.nanmean(values, axis=0), _deviations(values))


def differences(values: Array, names: Sequence[str], repeats: Sequence[int], reference: int, ratio: float) -> Spread:
    """Give the differences to one method on the same splits, with intervals.

    The interval is that of Nadeau and Bengio (2003): splits of the same rows share most of them, so the variance of the
    mean over J of them is not s^2 / J but s^2 (1 / J + ratio).

    Parameters
    ----------
    values : ndarray of shape (n_repeats, n_methods)
    names : sequence of str
    repeats : sequence of int
    reference : int
        Which method to subtract; it is left out of the result.
    ratio : float
        Held-out rows over training rows.

    Returns
    -------
    Spread
        Centres are NaN for a method that shares no repeat with the reference.

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.views import differences
    >>> errors = np.array([[0.1, 0.2], [0.2, 0.2]])
    >>> type(differences(errors, ["OPNB", "LDA"], [0, 1], reference=0, ratio=False)).__name__
    'Spread'
    """
    others = [j for j in range(len(names)) if j != reference]
    apart = values[:, others] - values[:, [reference]]
    counts = (~np.isnan(apart)).sum(axis=0)
    sums = np.nansum(apart, axis=0)
    centres = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    quantiles = student.ppf((1 + LEVEL) / 2, np.maximum(counts - 1, 1))
    reaches = quantiles * _deviations(apart) * np.sqrt(1 / np.maximum(counts, 1) + ratio)
    reaches = np.where(counts >= _FEWEST, reaches, np.nan)
    kept = tuple(names[j] for j in others)
    return Spread(kept, tuple(repeats), apart, centres, reaches, names[reference])


def _deviations(values: Array) -> Array:
    """Give the standard deviations of the known values of every column; NaN of fewer than two."""
    known = (values[~np.isnan(values[:, j]), j] for j in range(values.shape[1]))
    return np.array([column.std(ddof=1) if column.size > 1 else np.nan for column in known])
