"""Choosing among settings by what rows left out lose, and an honest estimate of the error of such a choice.

Settings come as paths of lambdas, in the order in which they are preferred. A setting is judged together with its
neighbours on the path, since errors of single settings jump by chance; and where the rows cannot tell two paths apart
the one that comes first is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array

# Standard errors of the paired difference within which paths count as equal. On half of the data sets of the experiment
# those from 0.5 to 1.5 had about the same errors.
_EQUAL = 1.0
# Draws of the half of the rows that chooses.
_DRAWS = 100


@dataclass(frozen=True, eq=False)
class Losses:
    """What rows left out lose under every setting.

    Attributes
    ----------
    chooses, judges : ndarray of shape (n_settings, n_rows)
        What the choice goes by, and what it is judged by.
    sizes : tuple of int
        Settings of every path, which follow one another in ascending order of lam.
    weights : ndarray of shape (n_rows,)
    rows : ndarray of int of shape (n_rows,)
        Their numbers in the table.
    """

    chooses: Array
    judges: Array
    sizes: tuple[int, ...]
    weights: Array
    rows: NDArray[np.intp]

    @cached_property
    def smooth(self) -> Array:
        """`chooses`, averaged a little over neighbouring lambdas."""
        return np.concatenate([_smoothed(part) for part in np.split(self.chooses, np.cumsum(self.sizes)[:-1])])

    def best_of_paths(self, weights: Array | None = None) -> NDArray[np.intp]:
        """Give the best setting of every path; of equals that with the largest lam."""
        mean = self.smooth @ self._shares(weights)
        parts = np.split(np.arange(mean.size), np.cumsum(self.sizes)[:-1])
        # Means of the same losses in another order may differ in the last digit.
        return np.array([part[np.flatnonzero(mean[part] <= mean[part].min() + 1e-12)[-1]] for part in parts])

    def choose(self, weights: Array | None = None) -> int:
        """Choose a setting.

        Parameters
        ----------
        weights : ndarray of shape (n_rows,), optional
            Of the rows that choose; those of the table by default.
        """
        best = self.best_of_paths(weights)
        behind, margin = paired_lead(self, best, weights)
        return int(best[np.flatnonzero(behind <= _EQUAL * margin)[0]])

    def _shares(self, weights: Array | None) -> Array:
        chosen = self.weights if weights is None else weights
        return chosen / chosen.sum()


def _smoothed(part: Array) -> Array:
    """Average every row of a path with its neighbours, the row itself counting twice."""
    total, count = 2 * part, np.full((len(part), 1), 2.0)
    total[1:] += part[:-1]
    total[:-1] += part[1:]
    count[1:] += 1
    count[:-1] += 1
    return total / count


def paired_lead(losses: Losses, settings: Sequence[int] | NDArray, weights: Array | None = None) -> tuple[Array, Array]:
    """Say how far settings are behind the best of them, with the standard error of that difference.

    Both come from the differences of the same rows, which vary far less than the losses themselves.
    """
    shares = losses._shares(weights)
    rows = losses.smooth[np.asarray(settings)]
    differences = rows - rows[int((rows @ shares).argmin())]
    behind = differences @ shares
    return behind, np.sqrt((differences - behind[:, None]) ** 2 @ shares**2)


def honest_losses(losses: Losses, random: np.random.RandomState) -> tuple[Array, Array]:
    """Estimate what the procedure loses on every row, the choice included, without another search.

    Again and again a random half of the rows chooses, by the same rule as all of them, and the other half judges the
    choice. The least of many errors flatters itself; this hardly does: no row judges a setting that it helped to
    choose, though all had a part in what revises posteriors, and those of the first folds in what was tried further.
    The choice of half the rows is a little worse than that of all, so the estimate errs on the careful side.

    Returns
    -------
    losses, squares : ndarray of shape (n_rows,)
        Means of `losses.judges` and of its square over the draws in which the row judged.
    """
    n = losses.rows.size
    total, squares, count = np.zeros(n), np.zeros(n), np.zeros(n)
    for _ in range(_DRAWS):
        chooses = np.zeros(n, dtype=bool)
        chooses[random.permutation(n)[: n // 2]] = True
        for half in (chooses, ~chooses):
            judged = losses.judges[losses.choose(losses.weights * half), ~half]
            total[~half] += judged
            squares[~half] += judged**2
            count[~half] += 1
    return total / count, squares / count


def mean_and_error(of_rows: Array, squares: Array, weights: Array) -> tuple[float, float]:
    """Average what rows lose, with the standard error for rows whose losses came by a single choice."""
    shares = weights / weights.sum()
    mean = float(of_rows @ shares)
    return mean, float(np.sqrt((squares - 2 * mean * of_rows + mean**2) @ shares**2))
