"""What every naive Bayes classifier of this package shares.

A subclass supplies the joint log-likelihood of points and classes; predictions and posteriors follow from it here.
A fit succeeds or changes nothing: it is made on an unfitted copy, which takes the estimator's place when it is done.
"""

import copy
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from opnb.core.kernel import Array
from opnb.core.posterior import log_posterior

_LEAST_LOG = float(np.log(np.finfo(float).eps))


def single_fit(estimator: Any) -> Any:
    """Give the one fit that a search over settings has chosen; any other estimator as it is."""
    return getattr(estimator, "best_estimator_", estimator)


def log_losses(estimator: Any, X: ArrayLike, y: NDArray) -> Array:
    """Give the negative log posterior of the true class of every row, of shape (n,).

    A posterior of exactly 0, which forests and neighbours give, and a class that the estimator has never seen count as
    the smallest step of a number at 1, as in scikit-learn's `log_loss`; no other is clipped.
    """
    with np.errstate(divide="ignore"):  # the logarithm of such a 0
        if hasattr(estimator, "predict_log_proba"):
            log_posteriors = estimator.predict_log_proba(X)
        else:
            log_posteriors = np.log(estimator.predict_proba(X))
    columns = np.searchsorted(estimator.classes_, y).clip(max=estimator.classes_.size - 1)
    losses = losses_of(log_posteriors, columns, "log-loss")
    return np.where(estimator.classes_[columns] == y, losses, -_LEAST_LOG)


def losses_of(log_posteriors: Array, labels: NDArray[np.intp], scoring: str) -> Array:
    """Give what rows lose by "error" or "log-loss", of shape (n,); a posterior of 0 loses as in `log_losses`."""
    if scoring == "error":
        return (log_posteriors.argmax(axis=1) != labels).astype(float)
    of_truth = log_posteriors[np.arange(labels.size), labels]
    return -np.where(np.isneginf(of_truth), _LEAST_LOG, of_truth)


class JointLogLikelihoodClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """A classifier that knows log p(x, class)."""

    classes_: NDArray

    def _refit(self, learn: Callable[[Any], None]) -> Self:
        """Let `learn` fit an unfitted copy, and become it; a fit that fails or is interrupted changes nothing."""
        fresh = copy.copy(self)
        for name in vars(self):
            if name.endswith("_"):
                delattr(fresh, name)
        learn(fresh)
        self.__dict__ = fresh.__dict__
        return self

    @abstractmethod
    def _joint_log_likelihood(self, X: Array) -> Array:
        """Give scores for validated X, of shape (m, n_classes): log posteriors up to a constant of each row."""

    def _validated(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)

    def predict(self, X: ArrayLike) -> NDArray:
        """Predict the most probable class of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        joint = self._joint_log_likelihood(self._validated(X))
        return self.classes_[joint.argmax(axis=1)]

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Give log posterior probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Finite at any distance from the data; columns in the order of `classes_`.
        """
        return log_posterior(self._joint_log_likelihood(self._validated(X)))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Give posterior probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))


class ProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """An estimator that works on a projection of scaled rows, linear unless it says so, and can show it."""

    components_: Array

    @abstractmethod
    def scaled(self, X: ArrayLike) -> Array:
        """Centre and scale rows as the training rows were."""

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    @property
    def slopes_(self) -> Array:
        """How directions change with each scaled feature, of shape (n_components, n_features)."""
        return self.components_

    def transform(self, X: ArrayLike) -> Array:
        """Project points onto the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.scaled(X) @ self.components_.T
