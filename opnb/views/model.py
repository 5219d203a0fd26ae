"""The shape of model that can be drawn."""

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from opnb.core.kernel import Array
from opnb.estimators.base import single_fit


class DrawnModel(Protocol):
    """A naive Bayes model on some directions, fitted: OPNB, and planes of other methods.

    Attributes
    ----------
    classes_, class_prior_ : ndarray of shape (n_classes,)
    components_ : ndarray of shape (n_components, n_features)
    slopes_ : ndarray of shape (n_components, n_features)
        How directions change with each feature: `components_`, unless directions bend.
    bandwidths_ : ndarray of shape (n_components,)
        The finest detail of the densities on every direction.
    sharpness_ : float
        Power to which posteriors are raised.
    n_features_in_ : int
    """

    classes_: NDArray
    class_prior_: Array
    components_: Array
    bandwidths_: Array
    sharpness_: float
    n_features_in_: int

    @property
    def slopes_(self) -> Array:
        """How directions change with each scaled feature."""

    def transform(self, X: ArrayLike) -> Array:
        """Project rows onto the directions."""

    def log_marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        """Give the log density of every class along a direction, of shape (n_classes, len(grid))."""

    def marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        """Give the density of every class along a direction, of shape (n_classes, len(grid))."""

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Give the log posteriors of rows, of shape (n, n_classes)."""

    def predict_log_proba_on(self, Z: ArrayLike, directions: Sequence[int]) -> Array:
        """Give the log posteriors at projected points of the model on some directions."""


def fitted_model(clf: Any) -> DrawnModel:
    """Give the fitted classifier itself where a search over settings wraps it."""
    model: DrawnModel = single_fit(clf)
    check_is_fitted(model)
    return model
