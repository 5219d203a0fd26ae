"""Which rows a model keeps for pictures."""

import numpy as np
from numpy.typing import NDArray

from opnb.core.exact import Indices

# Rows of a sample, and how many of a class there are in it at least (or all that the class has).
SAMPLE_ROWS, _LEAST_OF_A_CLASS = 5_000, 50


def sample_quotas(counts: Indices) -> Indices:
    """Give how many rows of every class a sample for pictures has: its share, but not too few."""
    shares = np.ceil(SAMPLE_ROWS * counts / counts.sum()).astype(np.intp)
    return np.minimum(counts, np.maximum(shares, _LEAST_OF_A_CLASS))


def rows_of_quotas(labels: NDArray, quotas: Indices, rng: np.random.Generator) -> Indices:
    """Choose so many rows of every class at random, or all that there are."""
    chosen = [rng.permutation(np.flatnonzero(labels == k))[:quota] for k, quota in enumerate(quotas)]
    return np.sort(np.concatenate(chosen))
