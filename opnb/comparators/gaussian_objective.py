"""The class log-likelihood of Gaussian naive Bayes on a projection, with its gradient.

With z_i = V' x_i, class means m_k = V' mu_k and variances s_kd = v_d' S_k v_d,

    L(V) = 1/n * sum_i [ score_{i, y_i} - log sum_k exp(score_ik) ],
    score_ik = log pi_k - 1/2 * sum_d [ log(2 pi s_kd) + (z_id - m_kd)^2 / s_kd ].

With r_ik the posteriors, g_ik = 1[y_i = k] - r_ik and t_ikd = z_id - m_kd,

    n * dL/dv_d = - sum_k sum_i g_ik t_ikd / s_kd (x_i - mu_k)  +  sum_k S_k v_d / s_kd * sum_i g_ik (t_ikd^2
    / s_kd - 1).

L does not change with the length of a column of V. One evaluation costs O(n p d + K p^2 d + K n d).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from opnb.comparators.base import Labels, by_class, log_shares
from opnb.core.kernel import Array

# Least variance of a class in any direction, where one is the variance of a whole column.
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True)
class GaussianProblem:
    """Data and class moments.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Standardised rows.
    labels : ndarray of int of shape (n,)
    log_shares : ndarray of shape (K,)
    means : ndarray of shape (K, p)
    covariances : ndarray of shape (K, p, p)
        With divisor n_k.
    """

    X: Array
    labels: Labels
    log_shares: Array
    means: Array
    covariances: Array

    @classmethod
    def from_data(cls, X: Array, labels: Labels) -> "GaussianProblem":
        """Estimate the moments of the classes."""
        groups = by_class(X, labels)
        means = np.array([group.mean(axis=0) for group in groups])
        covariances = np.array([_covariance(group) for group in groups])
        return cls(X, labels, log_shares(labels), means, covariances)

    def scores(self, Z: Array, V: Array, variances: Array) -> Array:
        """Log of share times density at projected points, of shape (m, K)."""
        columns = [
            share - 0.5 * (np.log(2 * np.pi * s).sum() + ((Z - m) ** 2) @ (1.0 / s))
            for share, m, s in zip(self.log_shares, self.means @ V, variances, strict=True)
        ]
        return np.column_stack(columns)

    def in_coordinates(self, B: Array) -> "GaussianProblem":
        """Give the same problem for X B, whose projections U are the projections B U of this one."""
        covariances = B.T @ self.covariances @ B
        return GaussianProblem(self.X @ B, self.labels, self.log_shares, self.means @ B, covariances)

    def moments(self, V: Array) -> tuple[Array, Array]:
        """S_k V, of shape (K, p, d), and the variances of the classes on the columns of V, of shape (K, d)."""
        moved = self.covariances @ V
        return moved, np.einsum("pd,kpd->kd", V, moved)


def _covariance(group: Array) -> Array:
    """Covariance of a class, with eigenvalues raised to the least variance where they are below it."""
    centred = group - group.mean(axis=0)
    covariance = centred.T @ centred / len(group)
    values, vectors = np.linalg.eigh(covariance)
    if values[0] >= _LEAST_VARIANCE:
        return covariance
    return (vectors * np.maximum(values, _LEAST_VARIANCE)) @ vectors.T


def value_and_gradient(V: Array, problem: GaussianProblem) -> tuple[float, Array]:
    """Evaluate L and its gradient, which has V's shape.

    Parameters
    ----------
    V : ndarray of shape (p, d)
    problem : GaussianProblem
    """
    X, n = problem.X, len(problem.X)
    Z = X @ V
    moved, variances = problem.moments(V)
    scores = problem.scores(Z, V, variances)
    log_posteriors = scores - logsumexp(scores, axis=1, keepdims=True)
    rows = np.arange(n)
    residuals = -np.exp(log_posteriors)
    residuals[rows, problem.labels] += 1.0
    pull = np.zeros_like(Z)
    gradient = np.zeros_like(V)
    for g, mean, S_V, s in zip(residuals.T, problem.means, moved, variances, strict=True):
        t = Z - mean @ V
        weighted = g[:, None] * t / s
        pull -= weighted
        gradient += np.outer(mean, weighted.sum(axis=0))
        gradient += S_V * ((np.einsum("id,id->d", weighted, t) - g.sum()) / s)
    return float(log_posteriors[rows, problem.labels].mean()), (gradient + X.T @ pull) / n
