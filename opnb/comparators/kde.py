"""One-dimensional kernel densities of a class in many columns, exact at any distance.

The kernel is that of the whole package, K(u) = (1 + |u|) exp(-|u|) / 4, because its sums cost O(n) after one
sort and their logarithms are exact where every term underflows (see `opnb.core.kernel_sums`).

Silverman's rule is (4 / (n (d + 2)))^(1 / (d + 4)) * sd for a Gaussian kernel in d dimensions. The rule
minimises the asymptotic mean integrated squared error for normal data. For another kernel in one dimension
the same minimum lies at

    (8 sqrt(pi) R / (3 mu^2 n))^(1/5) * sd,        R = integral of K^2 = 5/32,   mu = variance of K = 4,

which is `GAUSSIAN_EQUIVALENT` = 0.51 times the rule for a Gaussian kernel.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from opnb.core.compiled import kernel
from opnb.core.kernel import LOG_HEIGHT, Array
from opnb.core.kernel_sums import log_sums_at

_ROUGHNESS, _VARIANCE = 5 / 32, 4.0
GAUSSIAN_EQUIVALENT = float((2 * np.sqrt(np.pi) * _ROUGHNESS / _VARIANCE**2) ** 0.2)
FACTORS = (1 / 3, 1 / 2, 1.0, 2.0, 3.0)


def silverman(n: int, dimension: int = 1) -> float:
    """Bandwidth of a Gaussian kernel for n points of unit standard deviation."""
    return float((4 / (n * (dimension + 2))) ** (1 / (dimension + 4)))


@kernel
def _add_log_sums(members: Array, bandwidths: Array, Z: Array, order: NDArray[np.intp], total: Array) -> None:
    """Add the log kernel sums of every row of `members` at the same row of `Z`, less the log bandwidths.

    Rows of `order` sort the rows of `Z`.
    """
    log_sum = np.empty(Z.shape[1])
    for j in range(members.shape[0]):
        log_sums_at(members[j] / bandwidths[j], Z[j][order[j]] / bandwidths[j], log_sum)
        total[order[j]] += log_sum - math.log(bandwidths[j])


class ProductDensity:
    """The product of one-dimensional kernel densities of one class.

    Parameters
    ----------
    group : ndarray of shape (n_k, d)
        The class's points.
    bandwidths : ndarray of shape (d,)
        Bandwidths of kernel K at factor one.
    """

    def __init__(self, group: Array, bandwidths: Array) -> None:
        self.members = np.ascontiguousarray(np.sort(group, axis=0).T)
        self.bandwidths = bandwidths

    def log_density(self, Z: Array, factors: Sequence[float]) -> Array:
        """Give log densities at the columns of Z, of shape (d, m), for every factor: (n_factors, m)."""
        d, n = self.members.shape
        total = np.full((len(factors), Z.shape[1]), d * (LOG_HEIGHT - np.log(n)))
        Z = np.ascontiguousarray(Z)
        order = np.argsort(Z, axis=1)
        for row, factor in zip(total, factors, strict=True):
            _add_log_sums(self.members, factor * self.bandwidths, Z, order, row)
        return total
