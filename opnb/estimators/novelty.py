"""How unlike the training rows a row is, from the densities of a fitted model.

A row is judged by the density of all classes together on all directions,

    s(x) = log sum_k pi_k prod_d f_kd(z_d),

and compared with the same number of every training row, whose own kernel is left out of its class: with it, each
training row would look more familiar than any new one can. The share of training rows with a density as low is the
row's familiarity: among new rows of the same kind as the training rows, about a share r has a familiarity of r or less.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from opnb.core.densities import NaiveBayesDensities
from opnb.core.kernel import LOG_HEIGHT, Array
from opnb.core.kernel_sums import class_log_sums
from opnb.core.lattice_densities import LatticeDensities
from opnb.errors import DataError
from opnb.estimators.classifier import OPNBClassifier

RATE = 0.02  # of rows like the training rows that are called unlike them
_BLOCK = 20_000  # rows at a time, or the positions of many would fill the memory
_MOST_SCORED = 20_000  # training rows that are scored: more would tell no finer shares
_LEAST_LEFT = 1e-4  # kernels: less cannot be told from nothing after one was taken off
_MOST_KEPT = 2_000  # scores that are kept, for a model file carries them


@dataclass(frozen=True, eq=False)
class Novelty:
    """What the densities of training rows are, to compare new rows with.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        Log densities of training rows, each without its own kernel, in ascending order.
    """

    scores: Array

    def __post_init__(self) -> None:
        if self.scores.ndim != 1 or self.scores.size == 0 or not (np.diff(self.scores) >= 0).all():
            raise DataError("The densities of the training rows must be a list of numbers in ascending order.")

    @property
    def rate(self) -> float:
        """The share of rows like the training rows that is called unlike them: `RATE`, or what so few rows can tell."""
        return max(RATE, 1 / (self.scores.size + 1))

    def familiarity(self, log_density: Array) -> Array:
        """Give the share of training rows whose density is as low, of shape (m,); never 0, for the row counts too."""
        below = np.searchsorted(self.scores, log_density, side="right")
        return (1 + below) / (self.scores.size + 1)

    def is_unlike(self, log_density: Array) -> NDArray[np.bool_]:
        """Tell which rows are unlike the training rows, at the nominal `rate`."""
        return self.familiarity(log_density) <= self.rate


def novelty_of(clf: OPNBClassifier) -> Novelty | None:
    """Give what a model that was read from a file carries to tell new rows by; None if it carries nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.estimators.novelty import novelty_of
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> novelty_of(clf) is None  # nothing was learnt of it yet
    True
    """
    scores = getattr(clf, "novelty_", None)
    return None if scores is None else Novelty(scores)


def log_density(clf: OPNBClassifier, X: ArrayLike) -> Array:
    """Give the log density of all classes together at rows, of shape (m,).

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted; of averaged starts the best counts.
    X : array-like of shape (m, n_features)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.estimators.novelty import log_density
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> bool(log_density(clf, X[:1])[0] > log_density(clf, X[:1] + 100)[0])
    True
    """
    rows = clf.scaled(X)
    parts = (rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK))
    densities = clf.densities_[0]
    joints = [densities.joint_log_likelihood(part @ densities.components.T) for part in parts]
    return logsumexp(np.concatenate(joints), axis=1)


def learn_novelty(clf: OPNBClassifier, X: ArrayLike, y: ArrayLike) -> Novelty:
    """Measure the training rows of a fitted model.

    Parameters
    ----------
    clf : OPNBClassifier
    X : array-like of shape (n, n_features)
        The rows it was fitted to, or the sample of them that a model of very many rows keeps.
    y : array-like of shape (n,)

    Returns
    -------
    Novelty
        Of at most 2,000 scores, evenly chosen among those of 20,000 rows. A class of a single row has no density
        without it, so such rows do not count, unless there are no others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.estimators.novelty import learn_novelty
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> learn_novelty(clf, X, y).scores.shape
    (150,)
    """
    densities, Z = clf.densities_[0], clf.transform(X)
    labels = np.searchsorted(clf.classes_, np.asarray(y))
    counts = np.bincount(labels, minlength=clf.classes_.size)
    alone = counts[labels] == 1
    rows = np.flatnonzero(~alone) if not alone.all() else np.arange(labels.size)
    rows = rows[:: -(-rows.size // _MOST_SCORED)]
    is_sample = isinstance(densities, LatticeDensities) and counts.sum() < densities.counts.sum()
    joint = np.repeat(densities.log_prior[None, :], rows.size, axis=0)
    for d, z in enumerate(Z.T):
        seen = densities.log_densities(d, z[rows])
        for k in np.flatnonzero(counts > 1).tolist():
            of_class = labels[rows] == k
            if is_sample:
                seen[k, of_class] = _without_one_kernel(densities, d, k, seen[k, of_class])
                continue
            members = np.flatnonzero(labels == k)
            own = _without_own_kernel(densities, d, z[members])
            seen[k, of_class] = own[np.isin(members, rows)]
        joint += seen.T
    return Novelty(_evenly(np.sort(logsumexp(joint, axis=1))))


def _without_own_kernel(densities: NaiveBayesDensities, direction: int, z: Array) -> Array:
    """Log density of a class at its own members z, each left out in turn."""
    bandwidth = densities.bandwidths[direction]
    unit = bandwidth if np.isfinite(bandwidth) else 1.0
    order = np.argsort(z)
    sums, slopes = np.empty(z.size), np.empty(z.size)
    class_log_sums(np.ascontiguousarray(z[order] / bandwidth), np.ones(z.size, dtype=bool), True, sums, slopes)
    result = np.empty(z.size)
    result[order] = sums + LOG_HEIGHT - np.log((z.size - 1) * unit)
    return result


def _without_one_kernel(densities: NaiveBayesDensities, direction: int, k: int, log_densities: Array) -> Array:
    """Take a row's own kernel off its class's density, which is known to more digits than the rest needs.

    Where hardly anything is left, many bandwidths from all other rows, what is left is lost in rounding.
    """
    bandwidth, n = densities.bandwidths[direction], densities.counts[k]
    log_kernel = LOG_HEIGHT - np.log(bandwidth if np.isfinite(bandwidth) else 1.0)
    kernels = n * np.exp(log_densities - log_kernel)
    return log_kernel + np.log(np.maximum(kernels - 1.0, _LEAST_LEFT)) - np.log(max(n - 1, 1))


def _evenly(scores: Array) -> Array:
    """Keep the quantiles of many scores; the lowest and the highest are among them."""
    if scores.size <= _MOST_KEPT:
        return scores
    return scores[np.linspace(0, scores.size - 1, _MOST_KEPT).round().astype(np.intp)]
