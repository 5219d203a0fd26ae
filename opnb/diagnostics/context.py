"""What several findings need, computed once and only when one asks for it.

The dear part is the log density of every class on every direction at the training rows, with and without each row's
own kernel. At most `MOST_ROWS` rows are looked at (densities always come from all of them): a mean over so many is
known to a few per cent, which is finer than any threshold here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from opnb.core.densities import NaiveBayesDensities, joint_log_likelihood
from opnb.core.kernel import LOG_HEIGHT, Array
from opnb.core.kernel_sums import class_log_sums
from opnb.core.posterior import log_posterior
from opnb.errors import DataError
from opnb.estimators.base import single_fit
from opnb.estimators.classifier import OPNBClassifier

Labels = NDArray[np.intp]
T = TypeVar("T")
MOST_ROWS = 1000


@dataclass(frozen=True, eq=False)
class Curves:
    """Log posterior of the true class with the first 1, 2, ... directions, each of shape (n_components, n_rows).

    In `left_out` a row's own kernel does not count in its class; the row of a class of one has NaN there, and minus
    infinity in its own class of `joint_left_out`.
    `wrong` and `wrong_left_out` tell whether another class is the more probable. `joint_left_out`, of
    shape (n_rows, n_classes), is the joint log-likelihood on all directions, the own class without the row.
    """

    resubstituted: Array
    left_out: Array
    wrong: NDArray[np.bool_]
    wrong_left_out: NDArray[np.bool_]
    joint_left_out: Array


@dataclass(frozen=True, eq=False)
class Context:
    """A fit and its data, as the findings see them.

    Attributes
    ----------
    clf : OPNBClassifier
    X, X_test : ndarray of shape (n, n_features) and (n_test, n_features)
        Centred and scaled as in the fit; without held-out data `X_test` is None.
    labels, test_labels : ndarray of int
        Index into `clf.classes_`.
    seed : int
        Of every random choice.
    searched : OPNBClassifierCV or None
        The search over lam that `clf` came from.
    """

    clf: OPNBClassifier
    X: Array
    labels: Labels
    X_test: Array | None
    test_labels: Labels | None
    seed: int
    searched: Any = None
    _remembered: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        clf: OPNBClassifier,
        X: ArrayLike,
        y: ArrayLike,
        X_test: ArrayLike | None,
        y_test: ArrayLike | None,
        seed: int,
    ) -> "Context":
        """Check a fit against its data and prepare both."""
        searched = clf if hasattr(clf, "cv_errors_") else None
        clf = single_fit(clf)
        check_is_fitted(clf)
        if (X_test is None) != (y_test is None):
            raise DataError("Give both X_test and y_test, or neither of them.")
        train = scaled_rows(clf, X, y)
        if not np.array_equal(np.bincount(train[1], minlength=clf.classes_.size), clf.densities_[0].counts):
            raise DataError("X_train and y_train are not the rows of this fit: the class counts differ.")
        if clf.densities_[0].counts.max() < 2:
            raise DataError("Every class has a single row: there is nothing to diagnose. Give more rows.")
        if getattr(clf.densities_[0], "masses", None) is not None:
            raise DataError("This fit has sample weights, which a diagnosis does not know. Fit without them.")
        has_test = X_test is not None and len(np.asarray(y_test)) > 0
        test = scaled_rows(clf, X_test, y_test) if has_test else (None, None)  # type: ignore[arg-type]
        return cls(clf, train[0], train[1], test[0], test[1], seed, searched)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Give what several checks need and one has to make; it is remembered by its name."""
        if name not in self._remembered:
            self._remembered[name] = make()
        made: T = self._remembered[name]
        return made

    def rng(self) -> np.random.Generator:
        """Give a new stream of random numbers, the same one every time."""
        return np.random.default_rng(self.seed)

    @property
    def model(self) -> NaiveBayesDensities:
        """The class densities on the directions of the fit."""
        return self.clf.densities_[0]

    @property
    def counts(self) -> Labels:
        """Training rows of every class."""
        return self.model.counts

    @property
    def n_components(self) -> int:
        """Number of directions."""
        return self.model.bandwidths.size

    @cached_property
    def class_names(self) -> list[str]:
        """Names of the classes as text."""
        return [str(name) for name in self.clf.classes_]

    @property
    def guessing(self) -> float:
        """Mean log-likelihood of the rows when only the probabilities of the classes are known."""
        return float(self.counts / self.counts.sum() @ self.model.log_prior)

    @cached_property
    def V(self) -> Array:
        """The projection with unit bandwidth, of shape (n_features, n_components)."""
        return (self.clf.components_ / self.clf.bandwidths_[:, None]).T

    @cached_property
    def Z(self) -> Array:
        """Training rows on the unit directions, of shape (n, n_components)."""
        return self.X @ self.clf.components_.T

    @cached_property
    def rows(self) -> Labels:
        """The training rows that are looked at."""
        return sampled_rows(self.labels, MOST_ROWS, self.rng())

    @cached_property
    def log_sums_left_out(self) -> Array:
        """Log of a row's kernel sum in its own class without itself, of shape (n_components, n)."""
        positions = self.V.T @ self.X.T
        result = np.empty_like(positions)
        for k in range(self.counts.size):
            members = np.flatnonzero(self.labels == k)
            everyone, log_sum, score = np.ones(members.size, dtype=bool), *np.empty((2, members.size))
            for d, z in enumerate(positions):
                order = members[np.argsort(z[members])]
                class_log_sums(z[order], everyone, True, log_sum, score)
                result[d, order] = log_sum
        return result

    @cached_property
    def own_share(self) -> Array:
        """Share of a row's own kernel in its class's density, of shape (n_components, n)."""
        return np.exp(-np.logaddexp(self.log_sums_left_out, 0.0))

    @cached_property
    def curves(self) -> Curves:
        """What the directions tell about the chosen training rows as they are added."""
        labels = self.labels[self.rows]
        joint = cumulative_joint(self.model, self.Z[self.rows])
        own, others, rival = own_and_others(joint, labels)
        heights = self.log_sums_left_out[:, self.rows] - self._log_divisors[:, labels]
        left_out = self.model.log_prior[labels] + np.cumsum(heights, axis=0)
        last = joint[-1]
        last[np.arange(labels.size), labels] = left_out[-1]
        wrong_left_out = left_out < rival
        left_out -= np.logaddexp(left_out, others)
        left_out[:, self.counts[labels] == 1] = np.nan
        return Curves(own - np.logaddexp(own, others), left_out, own < rival, wrong_left_out, last)

    @cached_property
    def _log_divisors(self) -> Array:
        """What turns log kernel sums into leave-one-out densities, of shape (n_components, n_classes)."""
        bandwidths = np.where(np.isfinite(self.clf.bandwidths_), self.clf.bandwidths_, 1.0)
        return np.log(bandwidths)[:, None] + np.log(np.maximum(self.counts - 1, 1)) - LOG_HEIGHT

    @cached_property
    def _principal(self) -> tuple[Array, Array]:
        X = self.X[self.rows]
        centred = X - X.mean(axis=0)
        # The smaller of the two cross products has the same eigenvalues but for zeros.
        tall = X.shape[1] <= X.shape[0]
        values, vectors = np.linalg.eigh(centred.T @ centred if tall else centred @ centred.T)
        first = vectors[:, -1] if tall else centred.T @ vectors[:, -1]
        return np.maximum(values[::-1], 0.0) / max(len(X) - 1, 1), first / max(np.linalg.norm(first), 1e-300)

    @property
    def variances(self) -> Array:
        """Eigenvalues of the covariance of the scaled features, largest first."""
        return self._principal[0]

    @property
    def first_direction(self) -> Array:
        """The direction of most variance of the scaled features, of unit length."""
        return self._principal[1]

    @cached_property
    def test_log_posterior(self) -> Array:
        """Log posteriors of the whole model at the held-out rows, from its densities as they are: not sharpened."""
        assert self.X_test is not None
        return log_posterior(joint_log_likelihood(self.clf.densities_, self.X_test))


def sampled_rows(labels: Labels, most: int, rng: np.random.Generator, least: int = 5) -> Labels:
    """Choose about `most` rows, every class by its share but at least `least` rows of it (or all it has)."""
    if labels.size <= most:
        return np.arange(labels.size)
    chosen = []
    for k, count in enumerate(np.bincount(labels)):
        size = min(count, max(least, round(most * count / labels.size)))
        chosen.append(rng.choice(np.flatnonzero(labels == k), size, replace=False))
    return np.sort(np.concatenate(chosen))


def scaled_rows(clf: OPNBClassifier, X: ArrayLike, y: ArrayLike) -> tuple[Array, Labels]:
    """Scale rows as in the fit and number their classes."""
    scaled, names = clf.scaled(X), np.asarray(y)
    if names.shape != (len(scaled),):
        raise DataError(f"There are {len(scaled)} rows and classes of shape {names.shape}: one class a row is needed.")
    unknown = np.setdiff1d(names, clf.classes_)
    if unknown.size:
        raise DataError(f"The fit does not know the class {str(unknown[0])!r}. Drop its rows, or fit again with them.")
    return scaled, np.searchsorted(clf.classes_, names)


def cumulative_joint(model: NaiveBayesDensities, Z: Array) -> Array:
    """Log of prior times density with the first 1, 2, ... directions, of shape (n_components, n, n_classes)."""
    joint = np.stack([model.log_densities(d, np.ascontiguousarray(z)).T for d, z in enumerate(Z.T)])
    joint[0] += model.log_prior
    return np.cumsum(joint, axis=0, out=joint)


def own_and_others(joint: Array, labels: Labels) -> tuple[Array, Array, Array]:
    """Split joint log-likelihoods into that of the true class, the sum of the others, and the largest other."""
    every = np.arange(labels.size)
    own = joint[:, every, labels]
    others = joint.copy()
    others[:, every, labels] = -np.inf
    rival = others.max(axis=2)
    return own, rival + np.log(np.exp(others - rival[:, :, None]).sum(axis=2)), rival
