"""The three penalties lam * tr(V' C V).

C is the identity ("frobenius", the paper's default), the total covariance of X ("total") or the pooled within-class
covariance ("pooled"). The covariances have the unbiased divisors n - 1 and n - K. They punish scale where the data
have it, so that a long direction cannot buy a small bandwidth cheaply.

A weight counts like so many rows: the sum of the weights takes the place of n, and a weight of two is the row twice.
"""

import numpy as np

from opnb.core.exact import Indices
from opnb.core.kernel import Array

PENALTIES = ("frobenius", "total", "pooled")


def penalty_matrix(
    X: Array, labels: Indices, n_classes: int, penalty: str, weights: Array | None = None
) -> Array | None:
    """Give C, or None for the identity.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    labels : ndarray of int of shape (n,)
    penalty : {"frobenius", "total", "pooled"}
    weights : ndarray of shape (n,), optional
        Positive sample weights.
    """
    if penalty == "frobenius":
        return None
    if penalty == "total":
        return _covariance(X - _mean(X, weights), 1, weights)
    if penalty == "pooled":
        return within_covariance(X, labels, n_classes, weights)
    raise ValueError(f"penalty must be one of {', '.join(map(repr, PENALTIES))}, got {penalty!r}.")


def within_covariance(X: Array, labels: Indices, n_classes: int, weights: Array | None = None) -> Array:
    """Pooled within-class covariance of X."""
    members = [labels == k for k in range(n_classes)]
    means = np.stack([_mean(X[rows], None if weights is None else weights[rows]) for rows in members])
    return _covariance(X - means[labels], n_classes, weights)


def _mean(X: Array, weights: Array | None) -> Array:
    return X.mean(axis=0) if weights is None else weights @ X / weights.sum()


def _covariance(centred: Array, n_means: int, weights: Array | None) -> Array:
    if weights is None:
        return centred.T @ centred / covariance_divisor(len(centred), n_means)
    weighted = np.sqrt(weights)[:, None] * centred
    return weighted.T @ weighted / covariance_divisor(float(weights.sum()), n_means)


def covariance_divisor(whole: float, n_means: int) -> float:
    """Give what sums of squares around means are divided by, for so many rows or for the sum of their weights."""
    # Weights that sum to less than one cannot be counts of rows: nothing is taken off for the means then.
    return max(whole - n_means, min(whole, 1.0))


def penalty_and_gradient(V: Array, C: Array | None) -> tuple[float, Array]:
    """Evaluate tr(V' C V) and its derivative by V."""
    CV = V if C is None else C @ V
    return float(np.vdot(V, CV)), 2.0 * CV
