"""The three penalties lam * tr(V' C V).

C is the identity ("frobenius", the paper's default), the total covariance of X ("total") or the pooled within-class
covariance ("pooled"). The covariances have the unbiased divisors n - 1 and n - K. They punish scale where the data
have it, so that a long direction cannot buy a small bandwidth cheaply.
"""

import numpy as np

from opnb.core.exact import Indices
from opnb.core.kernel import Array

PENALTIES = ("frobenius", "total", "pooled")


def penalty_matrix(X: Array, labels: Indices, n_classes: int, penalty: str) -> Array | None:
    """Give C, or None for the identity.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    labels : ndarray of int of shape (n,)
    penalty : {"frobenius", "total", "pooled"}
    """
    if penalty == "frobenius":
        return None
    if penalty == "total":
        centred, divisor = X - X.mean(axis=0), len(X) - 1
    elif penalty == "pooled":
        centred, divisor = X - _class_means(X, labels, n_classes)[labels], len(X) - n_classes
    else:
        raise ValueError(f"penalty must be one of {', '.join(map(repr, PENALTIES))}, got {penalty!r}.")
    return centred.T @ centred / max(divisor, 1)


def _class_means(X: Array, labels: Indices, n_classes: int) -> Array:
    return np.stack([X[labels == k].mean(axis=0) for k in range(n_classes)])


def penalty_and_gradient(V: Array, C: Array | None) -> tuple[float, Array]:
    """Evaluate tr(V' C V) and its derivative by V."""
    CV = V if C is None else C @ V
    return float(np.vdot(V, CV)), 2.0 * CV
