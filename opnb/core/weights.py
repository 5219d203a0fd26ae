"""What rows count: sample weights and class priors, in the forms that the sums want.

With weights w_i, W_k their sum over class k and W over all rows, a weight takes part in three places:

    f_kd(z) = sum_{l in k} m_l K(z - z_ld) / n_k        masses m_l = w_l n_k / W_k, one on average over each class
    pi_k    = W_k / W                                   or the priors, where they are given
    L(V)    = 1/n sum_i r_i l_i + ...                   r_i = w_i n / W, or w_i pi_k n / W_k with priors

so that scaling all weights changes nothing. Leaving row i out of its class leaves n_k - m_i. Rows of weight zero are
not there at all: drop them before anything else. What is one for every row is given as None, which spares the sums the
multiplication: constant weights, and priors alone, cost nothing in the densities.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.exact import Indices
from opnb.core.kernel import Array

# How far from one the given priors may sum.
_ROUNDING = 1e-6


def class_shares(labels: Indices, n_classes: int, weights: Array | None) -> Array:
    """Share of each class in the rows, or in their weights, of shape (n_classes,)."""
    sums = np.bincount(labels, weights, minlength=n_classes)
    return sums / sums.sum()


def masses_within_classes(labels: Indices, n_classes: int, weights: Array | None) -> Array | None:
    """Give what each row adds to the density of its class, one on average over the class; None: one each."""
    if weights is None:
        return None
    means = np.bincount(labels, weights, minlength=n_classes) / np.bincount(labels, minlength=n_classes)
    first = weights[np.unique(labels, return_index=True)[1]]
    return None if (weights == first[labels]).all() else weights / means[labels]


def weights_in_objective(labels: Indices, weights: Array | None, priors: Array | None) -> Array | None:
    """Give what each row counts in the objective, one on average; None: one each."""
    if priors is None:
        return None if weights is None or (weights == weights[0]).all() else weights / weights.mean()
    given = np.ones(labels.size) if weights is None else weights
    factors = priors * labels.size / np.bincount(labels, given, minlength=priors.size)
    return given * factors[labels]


def left_by_each_row(labels: Indices, masses: Array) -> Array:
    """Mass of a row's class without the row, of shape (n,).

    Summed from both ends rather than subtracted: beside one heavy row the others would be lost in rounding.
    """
    left = np.empty_like(masses)
    for k in range(labels.max() + 1):
        rows = np.flatnonzero(labels == k)
        before, after = np.cumsum(masses[rows]), np.cumsum(masses[rows[::-1]])[::-1]
        left[rows] = np.append(0.0, before[:-1]) + np.append(after[1:], 0.0)
    return left


def check_sample_weight(sample_weight: ArrayLike, n: int) -> Array:
    """Give sample weights as an array of shape (n,), or say what is wrong with them."""
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have one entry for each of the {n} rows, got shape {weights.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise ValueError(f"sample_weight must be finite and not negative; row {wrong[0]} has {weights[wrong[0]]}.")
    if not 0 < weights.sum() < np.inf:
        raise ValueError("sample_weight must not be zero for every row, nor have a sum beyond all numbers.")
    return weights


def check_priors(priors: ArrayLike | None, n_classes: int, name: str = "priors") -> Array | None:
    """Give priors as an array of shape (n_classes,) that sums to one, or say what is wrong with them.

    None stays None (the class shares); "uniform" is the same prior for every class.
    """
    if priors is None:
        return None
    if isinstance(priors, str):
        if priors != "uniform":
            raise ValueError(f'{name} must be None, "uniform" or one number for each class, got {priors!r}.')
        return np.full(n_classes, 1.0 / n_classes)
    given = np.asarray(priors, dtype=float)
    if given.shape != (n_classes,):
        raise ValueError(f"{name} must have one entry for each of the {n_classes} classes, got shape {given.shape}.")
    if not (given > 0).all() or not abs(given.sum() - 1.0) <= _ROUNDING:
        raise ValueError(f"{name} must be positive and sum to one, got {given.tolist()}, which sum to {given.sum():g}.")
    return given / given.sum()


def priors_of_some(priors: ArrayLike | None, there: NDArray[np.bool_]) -> ArrayLike | None:
    """Restrict given priors to the classes that are there; what is no number for each class stays what it is."""
    if priors is None or isinstance(priors, str) or np.shape(priors) != there.shape:
        return priors
    some = np.asarray(priors, dtype=float)[there]
    return some / some.sum()
