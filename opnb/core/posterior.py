"""From class scores to the log-likelihood and its derivative, row by row.

With scores S_ik = log(pi_k f_k(z_i)), y_i the class of row i and w_i its weight,

    l_i = S_{i, y_i} - log sum_k exp(S_ik),        dl_i / dS_ik = 1[y_i = k] - r_ik,        L = 1/n sum_i w_i l_i.

Both are computed from the other classes' share of the row, so that a nearly certain row keeps its relative accuracy:
neither 1 - r nor a difference of two large logarithms is ever formed.
"""

import math
from typing import Any

import numpy as np
from scipy.special import logsumexp

from opnb.core.compiled import kernel
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.simd import exp, largest, load, splat, store, total


@kernel
def likelihood_and_pull(
    scores: Array, labels: Indices, mass: Array, weights: Array | None, n: int, lanes: Any
) -> tuple[float, float, float]:
    """Average log-likelihood and its two terms; `scores` become derivatives of the average.

    The rows may be some of all rows over which the average is taken; what they give is then their part of it.

    Parameters
    ----------
    scores : ndarray of shape (n, width)
        Padded class scores; overwritten by the derivative of the average log-likelihood by each of them.
    labels : ndarray of shape (n,)
    mass : ndarray of shape (n_classes, width)
        One in a class's own lane, and in the padding.
    weights : ndarray of shape (n,) or None
        What every row counts, one on average; None is one each, and Numba compiles that case apart.
    n : int
        Number of all rows.

    Returns
    -------
    log_likelihood, class_term, mixture_term : float
        Averages over the rows: log-likelihood = class term - mixture term.
    """
    width = scores.shape[1]
    W = len(lanes)
    log_likelihood, class_term, mixture_term = 0.0, 0.0, 0.0
    for i in range(labels.size):
        row = i * width
        weight = 1.0 if weights is None else weights[i]
        own = scores[i, labels[i]]
        top = -np.inf
        for lane in range(0, width, W):
            top = max(top, largest(load(scores, row + lane, lanes)))
        everything, others = splat(0.0, lanes), splat(0.0, lanes)
        for lane in range(0, width, W):
            share = exp(load(scores, row + lane, lanes) - splat(top, lanes), lanes)
            store(scores, row + lane, share)
            is_other = splat(1.0, lanes) - load(mass, labels[i] * width + lane, lanes)
            everything = everything + share
            others = others + share * is_other
        whole, rest = total(everything), total(others)
        log_likelihood += weight * (-math.log1p(rest) if own == top else own - top - math.log(whole))
        class_term += weight * own
        mixture_term += weight * (top + math.log(whole))
        factor = splat(-weight / (n * whole), lanes)
        for lane in range(0, width, W):
            store(scores, row + lane, load(scores, row + lane, lanes) * factor)
        scores[i, labels[i]] = weight * rest / (n * whole)
    return log_likelihood / n, class_term / n, mixture_term / n


def log_posterior(joint: Array) -> Array:
    """Turn joint log-likelihoods into log posteriors, row by row.

    The largest entry of a row is taken off first: a normalising constant of order one is lost beside entries of order
    1e16, as points far from all data have them, and the posteriors would no longer sum to one.

    Parameters
    ----------
    joint : ndarray of shape (m, n_classes)
        Up to a constant of each row.
    """
    below = joint - joint.max(axis=1, keepdims=True)
    # SciPy's sum keeps the logarithm of a nearly certain posterior to its last digit.
    return below - logsumexp(below, axis=1, keepdims=True)
