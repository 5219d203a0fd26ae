"""NB: naive Bayes with a kernel density for every class and covariate.

    log p(x, k) = log pi_k + sum over continuous j of log f_kj(x_j) + sum over binary j of log q_kj(x_j)

f_kj is a kernel density with bandwidth factor * Silverman (see `opnb.comparators.kde`). q_kj is the discrete
kernel estimate that gives probability 1 - alpha to a training row's own value and alpha to the other value
(Aitchison and Aitken): q_kj(v) = (1 - alpha) s + alpha (1 - s) with s the share of v in class k. It costs O(p
n log n) to fit and O(p (n + K m log n)) to predict m points, for each factor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opnb.comparators.base import Labels, Setting, log_shares
from opnb.comparators.columns import Columns
from opnb.comparators.kde import GAUSSIAN_EQUIVALENT, ProductDensity, silverman
from opnb.comparators.mixed_columns import MixedColumnClassifier
from opnb.core.kernel import Array


@dataclass(frozen=True)
class _Model:
    columns: Columns
    log_shares: Array
    densities: list[ProductDensity]
    shares_of_high: Array

    def joint(self, X: Array, settings: Sequence[Setting]) -> Array:
        factors = sorted({setting["factor"] for setting in settings})
        continuous = self._continuous(X, factors)
        high = self.columns.high(X)
        binary = {alpha: self._binary(high, alpha) for alpha in {setting["alpha"] for setting in settings}}
        parts = [continuous[factors.index(s["factor"])] + binary[s["alpha"]] for s in settings]
        return np.array(parts) + self.log_shares

    def _continuous(self, X: Array, factors: Sequence[float]) -> Array:
        Z = X[:, self.columns.continuous].T
        return np.stack([density.log_density(Z, factors) for density in self.densities], axis=2)

    def _binary(self, high: Array, alpha: float) -> Array:
        share = (1 - alpha) * self.shares_of_high + alpha * (1 - self.shares_of_high)
        return high @ np.log(share).T + (1 - high) @ np.log1p(-share).T


class KDENaiveBayes(MixedColumnClassifier):
    """Naive Bayes with kernel densities.

    Parameters
    ----------
    factor : float, default=1.0
        Bandwidth of the continuous columns in units of Silverman's rule (4 / (3 n_k))^(1/5) sd_k, where sd_k
        is the column's standard deviation in class k, at least 0.001 of that in all rows. The kernel is
        ``(1 + |u|) exp(-|u|) / 4``, with the bandwidth 0.51 times the one for a Gaussian kernel, which smooths
        as much.
    alpha : float, default=0.1
        Bandwidth of the binary columns, in (0, 0.5]: a training row gives probability 1 - alpha to its own
        value and alpha to the other. At 0.5 binary columns do not matter.
    is_binary : "auto" or array-like of bool of shape (n_features,), default="auto"
        Which columns are binary. "auto" takes the columns with two values in the training rows, or with two
        bunches of values within which the standard deviation is at most 2 % of the column's.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
    mean_, scale_ : ndarray of shape (n_features,)
    binary_columns_ : ndarray of int
        Numbers of the columns taken as binary.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when X has feature names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb.comparators import KDENaiveBayes
    >>> X, y = load_iris(return_X_y=True)
    >>> round(KDENaiveBayes().fit(X, y).score(X, y), 2)
    0.97
    """

    def _learn(self, X: Array, labels: Labels, settings: Sequence[Setting]) -> _Model:
        columns, classes = self._class_values(X, labels)
        densities = [
            ProductDensity(
                values.continuous, GAUSSIAN_EQUIVALENT * silverman(len(values.continuous)) * values.deviations
            )
            for values in classes
        ]
        shares_of_high = np.array([values.high.mean(axis=0) for values in classes])
        return _Model(columns, log_shares(labels), densities, shares_of_high)
