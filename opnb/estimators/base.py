"""What every naive Bayes classifier of this package shares.

A subclass supplies the joint log-likelihood of points and classes; predictions and posteriors follow from it here.
"""

from abc import ABCMeta, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from opnb.core.kernel import Array


class JointLogLikelihoodClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """A classifier that knows log p(x, class)."""

    classes_: NDArray

    @abstractmethod
    def _joint_log_likelihood(self, X: Array) -> Array:
        """Give log p(x, class) for validated X, of shape (m, n_classes), up to a constant of each row."""

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
        joint = self._joint_log_likelihood(self._validated(X))
        return joint - logsumexp(joint, axis=1, keepdims=True)

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
