"""What keeps directions apart: the squared correlations of the projections within classes.

    D(V) = 1 / (p' - 1) * sum over d < e of r_de^2,        r_de = v_d' W v_e / sqrt(v_d' W v_d * v_e' W v_e)

W is the pooled within-class covariance of X, so r_de is the pooled within-class correlation of projections d and e.
Naive Bayes takes them for independent there, yet nothing in its likelihood asks for it: two equal directions square the
class densities, which often pays. D lies between 0 and p' / 2, and is 0 for a single direction. With G = V' W V,
s_d = sqrt(G_dd), R = G / (s s') with a zero diagonal, A = R / (s s') and b_d = sum_e R_de^2 / G_dd,

    dD / dV = 2 / (p' - 1) * W V (A - diag(b)).

D does not change with the length of a direction, so none gains by shrinking. It costs one product W V, nothing in n.
"""

import numpy as np

from opnb.core.compiled import kernel
from opnb.core.kernel import Array

# Share of the average variance that every direction gets on top, so that one without spread within classes has a
# correlation too. Being a part of W it shrinks with the direction: a short one gains nothing by it.
_RIDGE = 1e-10


def with_ridge(W: Array) -> Array:
    """Add the same small variance to every direction; without any variance within classes give the identity."""
    p = len(W)
    average = np.trace(W) / p
    return W + _RIDGE * average * np.eye(p) if average > 0 else np.eye(p)


def dependence_and_gradient(V: Array, W: Array) -> tuple[float, Array]:
    """Evaluate D and its derivative by V, of shape (p, p').

    A direction of zero length has no correlation, and its derivative is zero.

    Parameters
    ----------
    V : ndarray of shape (p, p')
    W : ndarray of shape (p, p)
        Positive definite, see `with_ridge`.
    """
    n_components = V.shape[1]
    if n_components < 2:
        return 0.0, np.zeros_like(V)
    U, per_length = _to_units(V)
    WU = W @ U
    A = U.T @ WU
    value = _to_slopes(A, per_length)
    return value, (WU @ A) * per_length


@kernel
def _to_units(V: Array) -> tuple[Array, Array]:
    """Give the directions at length one, and what they were multiplied by: 0 for one of zero length."""
    p, n_components = V.shape
    U, per_length = np.zeros_like(V), np.zeros(n_components)
    for d in range(n_components):
        square = 0.0
        for j in range(p):
            square += V[j, d] * V[j, d]
        if square > 0.0:
            per_length[d] = 1.0 / np.sqrt(square)
            for j in range(p):
                U[j, d] = V[j, d] * per_length[d]
    return U, per_length


@kernel
def _to_slopes(G: Array, there: Array) -> float:
    """Give D, and turn G into 2 / (p' - 1) * (A - diag(b)); directions for which `there` is 0 have no part in it."""
    n_components = len(G)
    per_spread = np.zeros(n_components)
    for d in range(n_components):
        if there[d] > 0.0:
            per_spread[d] = 1.0 / np.sqrt(G[d, d])
    scale = 1.0 / (n_components - 1)
    whole = 0.0
    for d in range(n_components):
        squares = 0.0
        for e in range(n_components):
            if e != d:
                r = G[d, e] * per_spread[d] * per_spread[e]
                squares += r * r
                G[d, e] = 2.0 * scale * r * per_spread[d] * per_spread[e]
        G[d, d] = -2.0 * scale * squares * per_spread[d] * per_spread[d]
        whole += squares
    return 0.5 * scale * whole
