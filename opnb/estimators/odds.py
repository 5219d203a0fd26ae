"""Class probabilities and a sharpness of the posteriors, learnt from rows left out.

The projection is chosen for a likelihood, and the kernel densities of classes of unequal size and spread are off by
unequal amounts, so that the classes' shares are not the best weights for the posteriors. Given the scores
s_ik = log pi_k f_k(z_i) of rows that the densities have not seen, the log probability of class k is moved by b_k / t
and posteriors are raised to the power t, where t and b

    maximise   sum_i w_i [ t s_{i, y_i} + b_{y_i} - log sum_k exp(t s_ik + b_k) ] - (|b|^2 + log(t)^2) / 2.

The sharpness t takes up that naive Bayes counts dependent directions twice, and that densities are smooth.
Directions and densities stay what they are: only the places where two classes balance move, by b alone.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from opnb.core.kernel import Array
from opnb.core.posterior import log_posterior

# A row that is lost to its class is lost: how far must not decide for the others.
_LEAST_LOG = -60.0
# No class gains or loses more than this, in logarithms.
_MOST = 10.0
# Nor is a posterior raised to a larger power, or to a smaller one than one over this.
_SHARPEST = 10.0
# These numbers go into links, and are known to two digits.
_DIGITS = ".9g"


def revised_by_others(
    parts: Sequence[Array], rows: Sequence[NDArray[np.intp]], labels: NDArray[np.intp], weights: Sequence[Array]
) -> list[Array]:
    """Give the log posteriors of rows left out, revised by what other rows of the other parts teach.

    Parameters
    ----------
    parts : sequence of ndarray of shape (n_rows_of_part, n_classes)
        Scores, as in `moves_and_sharpness`. A single part is left as it is.
    rows : sequence of ndarray of int of shape (n_rows_of_part,)
        The numbers of the rows of every part.
    labels : ndarray of int
        The class of every row, by its number.
    weights : sequence of ndarray of shape (n_rows_of_part,)
    """
    scores, numbers, counts = np.concatenate(parts), np.concatenate(rows), np.concatenate(weights)
    revised = []
    for part, own in zip(parts, rows, strict=True):
        others = np.isin(numbers, own, invert=True)
        if others.any():
            moves, sharpness = moves_and_sharpness(scores[others], labels[numbers[others]], counts[others])
            part = sharpness * (part + moves)
        revised.append(log_posterior(part))
    return revised


def brier_losses(log_posteriors: Array, labels: NDArray[np.intp]) -> Array:
    """Give the squared distance of every row's posteriors from its class, of shape (n,)."""
    return np.square(np.exp(log_posteriors) - np.eye(log_posteriors.shape[1])[labels]).sum(axis=1)


def moves_and_sharpness(scores: Array, labels: NDArray[np.intp], weights: Array) -> tuple[Array, float]:
    """Give what to add to the log probability of every class, of shape (n_classes,), and t.

    Parameters
    ----------
    scores : ndarray of shape (n, n_classes)
        Joint log-likelihoods of rows left out, up to a constant of each row; minus infinity for a class that was not
        learnt.
    labels : ndarray of int of shape (n,)
    weights : ndarray of shape (n,)
        What the rows count, one on average.
    """
    # A class that was not learnt has no score, and a row of it tells nothing of those that were.
    learnt = scores[np.arange(labels.size), labels] > -np.inf
    scores, labels, weights = scores[learnt], labels[learnt], weights[learnt]
    n, n_classes = scores.shape
    scores = np.maximum(log_posterior(scores), _LEAST_LOG)
    of_truth = np.arange(n), labels

    def loss(x: Array) -> tuple[float, Array]:
        sharpness = np.exp(x[0])
        moved = sharpness * scores + x[1:]
        moved -= moved.max(axis=1, keepdims=True)
        pull = np.exp(moved)
        total = pull.sum(axis=1)
        value = weights @ (np.log(total) - moved[of_truth]) + x @ x / 2
        pull *= (weights / total)[:, None]
        pull[of_truth] -= weights
        return value, np.append(np.vdot(pull, scores) * sharpness, pull.sum(axis=0)) + x

    # A line search may try any sharpness, and the exponential of most of them is infinite.
    sharpest = np.log(_SHARPEST)
    bounds = [(-sharpest, sharpest), *[(None, None)] * n_classes]
    x = minimize(loss, np.zeros(n_classes + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    sharpness = float(np.exp(x[0]))
    return np.clip((x[1:] - x[1:].mean()) / sharpness, -_MOST, _MOST), sharpness


def moved_priors(priors: Array, moves: Array) -> Array:
    """Give class probabilities with their logarithms moved."""
    log_priors = np.log(priors) + moves
    return np.exp(log_priors - logsumexp(log_priors))


def shortened(number: float) -> float:
    """Keep the digits of a number that go into a link."""
    return float(f"{number:{_DIGITS}}")
