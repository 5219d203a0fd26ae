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
    lengths = np.linalg.norm(V, axis=0)
    there = lengths > 0
    per_length = np.divide(1.0, lengths, where=there, out=np.zeros_like(lengths))
    WU = W @ (V * per_length)
    G = (V * per_length).T @ WU
    per_spread = np.divide(1.0, np.sqrt(G.diagonal()), where=there, out=np.zeros_like(lengths))
    per_spreads = np.outer(per_spread, per_spread)
    R = G * per_spreads
    np.fill_diagonal(R, 0.0)
    A = R * per_spreads
    np.fill_diagonal(A, -np.square(R).sum(axis=1) * np.square(per_spread))
    scale = 1.0 / (n_components - 1)
    return 0.5 * scale * float(np.vdot(R, R)), 2.0 * scale * (WU @ A) * per_length
