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
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from opnb.core.kernel import Array
from opnb.core.posterior import log_posterior
from opnb.core.weights import check_priors, class_shares, weights_in_objective
from opnb.estimators.base import losses_of
from opnb.estimators.race import Path, Race

# A row that is lost to its class is lost: how far must not decide for the others.
_LEAST_LOG = -60.0
# No class gains or loses more than this, in logarithms.
_MOST = 10.0
# Nor is a posterior raised to a larger power, or to a smaller one than one over this.
_SHARPEST = 10.0
# These numbers go into links, and are known to two digits.
_DIGITS = ".9g"


@dataclass(frozen=True, eq=False)
class Odds:
    """What is learnt from rows left out for a setting, and what it does.

    Attributes
    ----------
    priors : tuple of float or None
        Class probabilities in the order of the sorted classes; None if no row was left out.
    sharpness : float
    rows : ndarray of int of shape (n,)
        The rows left out, each once.
    before, after : ndarray of shape (n,)
        What each loses without and with what is learnt from the other folds.
    """

    priors: tuple[float, ...] | None
    sharpness: float
    rows: NDArray[np.intp]
    before: Array
    after: Array

    @classmethod
    def of(cls, race: Race, path: Path, place: int) -> "Odds":
        """Learn them for the lam at `place` of a path, from the folds that it has seen."""
        classes, labels = np.unique(race.y, return_inverse=True)
        priors = check_priors(race.template.priors, classes.size)
        there = np.ones(labels.size, dtype=bool) if race.weights is None else race.weights > 0
        counts = np.ones(labels.size)
        counted = weights_in_objective(labels[there], None if race.weights is None else race.weights[there], priors)
        counts[there] = 1.0 if counted is None else counted
        seen = [race.scores(path, place, number) for number in sorted(path.parts)]
        seen = [(rows[there[rows]], scores[there[rows]]) for rows, scores in seen]
        if not seen:
            return cls(None, 1.0, np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0))

        def learnt(parts: Sequence[tuple[NDArray, Array]]) -> tuple[Array, float]:
            rows = np.concatenate([rows for rows, _ in parts])
            return moves_and_sharpness(np.concatenate([scores for _, scores in parts]), labels[rows], counts[rows])

        shares = class_shares(labels, classes.size, race.weights) if priors is None else priors
        moves, sharpness = learnt(seen)
        moved = tuple(float(f"{share:{_DIGITS}}") for share in moved_priors(shares, moves))
        rows = np.concatenate([rows for rows, _ in seen])
        before = np.concatenate([losses_of(scores, labels[rows], race.scoring) for rows, scores in seen])
        after = before
        if len(seen) > 1:
            others = [[part for part in seen if part is not own] for own in seen]
            after = np.concatenate(
                [
                    losses_of(_revised(scores, *learnt(parts)), labels[rows], race.scoring)
                    for (rows, scores), parts in zip(seen, others, strict=True)
                ]
            )
        return cls(moved, float(f"{sharpness:{_DIGITS}}"), *_once_each(rows, before, after))

    @property
    def setting(self) -> dict[str, Any]:
        """The parameters of `OPNBClassifier` that say so."""
        return {"decision_priors": self.priors, "sharpness": self.sharpness}


def _revised(scores: Array, moves: Array, sharpness: float) -> Array:
    return log_posterior(sharpness * (scores + moves))


def _once_each(rows: NDArray[np.intp], *values: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Average the values of rows that are left out more than once."""
    unique, places, counts = np.unique(rows, return_inverse=True, return_counts=True)
    before, after = (np.bincount(places, value) / counts for value in values)
    return unique, before, after


def moves_and_sharpness(scores: Array, labels: NDArray[np.intp], weights: Array) -> tuple[Array, float]:
    """Give what to add to the log probability of every class, of shape (n_classes,), and t.

    Parameters
    ----------
    scores : ndarray of shape (n, n_classes)
        Joint log-likelihoods of rows left out, up to a constant of each row.
    labels : ndarray of int of shape (n,)
    weights : ndarray of shape (n,)
        What the rows count, one on average.
    """
    n, n_classes = scores.shape
    scores = np.maximum(log_posterior(scores), _LEAST_LOG)
    truth = np.zeros((n, n_classes))
    truth[np.arange(n), labels] = 1.0
    counts = weights[:, None]

    def loss(x: Array) -> tuple[float, Array]:
        sharpness = np.exp(x[0])
        moved = sharpness * scores + x[1:]
        log_posteriors = moved - logsumexp(moved, axis=1, keepdims=True)
        pull = counts * (np.exp(log_posteriors) - truth)
        value = -np.sum(counts * truth * log_posteriors) + x @ x / 2
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
