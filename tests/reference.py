"""Slow and obvious versions of everything fast, written from the formulas alone: nothing of `opnb` is imported."""

import numpy as np
from scipy.special import logsumexp


def log_kernel(u):
    distance = np.abs(u)
    return np.log1p(distance) - distance - np.log(4.0)


def kernel_over(u, log_scale):
    """K'(u) / exp(log_scale), formed in the log domain."""
    distance = np.abs(u)
    with np.errstate(divide="ignore"):
        return -np.sign(u) * np.exp(np.log(distance) - distance - np.log(4.0) - log_scale)


def log_densities(Z, y, n_classes, leave_out):
    """log f_kd(z_id) for every row, class and direction: shape (n, n_classes, n_components)."""
    n, m = Z.shape
    result = np.empty((n, n_classes, m))
    for k in range(n_classes):
        members = np.flatnonzero(y == k)
        for d in range(m):
            terms = log_kernel(Z[:, d][:, None] - Z[members, d][None, :])
            size = np.full(n, members.size)
            if leave_out:
                terms[members, np.arange(members.size)] = -np.inf
                size[members] -= 1
            result[:, k, d] = logsumexp(terms, axis=1) - np.log(size)
    return result


def objective(V, X, y, lam=0.0, C=None, leave_out=False):
    """Value and gradient of the objective by direct double sums."""
    n, n_classes = len(y), y.max() + 1
    counts = np.bincount(y)
    Z = X @ V
    log_f = log_densities(Z, y, n_classes, leave_out)
    scores = np.log(counts / n) + log_f.sum(axis=2)
    log_posterior = scores - logsumexp(scores, axis=1, keepdims=True)
    own = np.arange(n)
    value = np.mean(_own_log_posterior(scores, y))
    pull = -np.exp(log_posterior)
    pull[own, y] = [-np.expm1(v) for v in _own_log_posterior(scores, y)]
    dZ = np.zeros_like(Z)
    for d in range(Z.shape[1]):
        for k in range(n_classes):
            members = np.flatnonzero(y == k)
            size = np.full(n, counts[k]) - (leave_out & (y == k))
            # slope[i, l] = K'(z_i - z_l) / (size_i f_k(z_i)) for members l
            slope = kernel_over(Z[:, d][:, None] - Z[members, d][None, :], log_f[:, k, d][:, None]) / size[:, None]
            dZ[:, d] += pull[:, k] * slope.sum(axis=1)
            dZ[members, d] -= pull[:, k] @ slope
    C = np.eye(X.shape[1]) if C is None else C
    return value - lam * np.trace(V.T @ C @ V), X.T @ dZ / n - 2 * lam * C @ V


def _own_log_posterior(scores, y):
    """log posterior of every row's own class, accurate where it is nearly certain."""
    others = scores.copy()
    own = scores[np.arange(len(y)), y]
    others[np.arange(len(y)), y] = -np.inf
    excess = logsumexp(others, axis=1) - own
    return np.array([-np.logaddexp(0.0, e) if e > 0 else -np.log1p(np.exp(e)) for e in excess])
