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


def log_densities(Z, y, n_classes, leave_out, weights=None):
    """log f_kd(z_id) for every row, class and direction: shape (n, n_classes, n_components)."""
    n, m = Z.shape
    weights = np.ones(n) if weights is None else weights
    result = np.empty((n, n_classes, m))
    for k in range(n_classes):
        members = np.flatnonzero(y == k)
        sizes = class_sizes(y, k, leave_out, weights)
        for d in range(m):
            terms = log_kernel(Z[:, d][:, None] - Z[members, d][None, :]) + np.log(weights[members])
            if leave_out:
                terms[members, np.arange(members.size)] = -np.inf
            result[:, k, d] = logsumexp(terms, axis=1) - np.log(sizes)
    return result


def class_sizes(y, k, leave_out, weights):
    """What divides the kernel sum of class k at every row: the weight of the class, a row itself left out or not."""
    members = np.flatnonzero(y == k)
    sizes = np.full(len(y), weights[members].sum())
    if leave_out:
        for i in members:
            sizes[i] = sum(weights[j] for j in members if j != i)
    return sizes


def objective(V, X, y, lam=0.0, C=None, leave_out=False, independence=0.0, weights=None, priors=None):
    """Value and gradient of the objective by direct double sums."""
    n, n_classes = len(y), y.max() + 1
    weights = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    class_weight = np.array([weights[y == k].sum() for k in range(n_classes)])
    shares = class_weight / weights.sum() if priors is None else np.asarray(priors)
    counts_for = weights * (shares * weights.sum() / class_weight)[y] / weights.sum()  # sums to one
    Z = X @ V
    log_f = log_densities(Z, y, n_classes, leave_out, weights)
    scores = np.log(shares) + log_f.sum(axis=2)
    log_posterior = scores - logsumexp(scores, axis=1, keepdims=True)
    own = np.arange(n)
    value = np.sum(counts_for * _own_log_posterior(scores, y))
    pull = -np.exp(log_posterior)
    pull[own, y] = [-np.expm1(v) for v in _own_log_posterior(scores, y)]
    pull *= counts_for[:, None]
    dZ = np.zeros_like(Z)
    for d in range(Z.shape[1]):
        for k in range(n_classes):
            members = np.flatnonzero(y == k)
            size = class_sizes(y, k, leave_out, weights)
            # slope[i, l] = w_l K'(z_i - z_l) / (size_i f_k(z_i)) for members l
            slope = kernel_over(Z[:, d][:, None] - Z[members, d][None, :], log_f[:, k, d][:, None]) / size[:, None]
            slope = slope * weights[members]
            dZ[:, d] += pull[:, k] * slope.sum(axis=1)
            dZ[members, d] -= pull[:, k] @ slope
    C = np.eye(X.shape[1]) if C is None else C
    apart, apart_slope = dependence(V, X, y, weights)
    value = value - lam * np.trace(V.T @ C @ V) - independence * apart
    return value, X.T @ dZ - 2 * lam * C @ V - independence * apart_slope


def covariance(X, y=None, weights=None):
    """Covariance of X, pooled within the classes y if they are given, a weight being so many rows."""
    weights = np.ones(len(X)) if weights is None else weights
    y = np.zeros(len(X), dtype=int) if y is None else y
    result = np.zeros((X.shape[1], X.shape[1]))
    for k in np.unique(y):
        mean = np.average(X[y == k], axis=0, weights=weights[y == k])
        for x, w in zip(X[y == k], weights[y == k], strict=True):
            result += w * np.outer(x - mean, x - mean)
    return result / (weights.sum() - np.unique(y).size)


def dependence(V, X, y, weights=None):
    """Sum over pairs of directions of their squared correlation within classes, over p' - 1, and its derivative."""
    W = covariance(X, y, weights)
    value, slope = 0.0, np.zeros_like(V)
    m = V.shape[1]
    for d in range(m):
        for e in range(d):
            v, u = V[:, d], V[:, e]
            vv, uu, vu = v @ W @ v, u @ W @ u, v @ W @ u
            r = vu / np.sqrt(vv * uu)
            value += r**2
            slope[:, d] += 2 * r * (W @ u / np.sqrt(vv * uu) - r * W @ v / vv)
            slope[:, e] += 2 * r * (W @ v / np.sqrt(vv * uu) - r * W @ u / uu)
    return value / max(m - 1, 1), slope / max(m - 1, 1)


def _own_log_posterior(scores, y):
    """log posterior of every row's own class, accurate where it is nearly certain."""
    others = scores.copy()
    own = scores[np.arange(len(y)), y]
    others[np.arange(len(y)), y] = -np.inf
    excess = logsumexp(others, axis=1) - own
    return np.array([-np.logaddexp(0.0, e) if e > 0 else -np.log1p(np.exp(e)) for e in excess])
