"""What the comparators share: validation, standardised columns, and one model that serves many settings.

A comparator splits its work in two. `_learn` does everything that a group of settings has in common (sorting,
means, decompositions, optimisations for the dimensions that occur) and gives a `Model`. `Model.joint` then
evaluates any of those settings. An ordinary fit learns for one setting; tuning learns once a fold for the
whole grid. Both run the same code, so a shared pass gives what separate fits give.

All models see columns that are centred and divided by their standard deviation in the training rows. A column
that is constant in training is zero from then on: it says nothing about the classes.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from opnb.core.kernel import Array
from opnb.estimators.base import JointLogLikelihoodClassifier, ProjectionMixin
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.search import MOST_COMPONENTS
from opnb.estimators.training import Labels, training_data

Setting = Mapping[str, Any]

# Squares of standardised values must stay finite at any distance from the data.
_FARTHEST = 1e50


class Model(Protocol):
    """What is learnt from training rows for a group of settings."""

    def joint(self, X: Array, settings: Sequence[Setting]) -> Array:
        """Give log p(x, class) for standardised X and every setting, of shape (n_settings, m, n_classes)."""


class ClassDensityClassifier(JointLogLikelihoodClassifier):
    """A classifier by class densities that can evaluate a grid of settings in one pass."""

    _tuned: ClassVar[tuple[str, ...]]
    class_prior_: Array
    mean_: Array
    scale_: Array
    _model: Model

    @abstractmethod
    def _learn(self, X: Array, labels: Labels, settings: Sequence[Setting]) -> Model:
        """Learn what `settings` need from standardised X and class numbers."""

    def _check_setting(self, setting: Setting, n_features: int) -> None:
        """Refuse a setting that makes no sense, with the reason."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Estimate the class densities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        return self._refit(lambda fresh: fresh._learn_own_setting(X, y))

    def _learn_own_setting(self, X: ArrayLike, y: ArrayLike) -> None:
        standardised, labels = self._training_data(X, y)
        (self._setting,) = self._whole_settings([{}])
        with one_blas_thread():
            self._model = self._learn(standardised, labels, [self._setting])

    def predict_on_grid(
        self, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
    ) -> Sequence[NDArray]:
        """Fit every setting and predict with it, sharing the work.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        X_new : array-like of shape (m, n_features)
        settings : sequence of mapping
            Values of tuned parameters; others are taken from this estimator, which is not changed.

        Returns
        -------
        sequence of ndarray of shape (m,)
            Predicted classes, one array a setting.
        """
        scratch = clone(self)
        standardised, labels = scratch._training_data(X, y)
        whole = scratch._whole_settings(settings)
        with one_blas_thread():
            model = scratch._learn(standardised, labels, whole)
            joint = model.joint(scratch._standardised(scratch._validated(X_new)), whole)
        return scratch.classes_[joint.argmax(axis=2)]

    def class_log_densities(self, X: ArrayLike) -> Array:
        """Give the log density of every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            With respect to the standardised columns (their subspace, where the method works in one), in which
            every class density integrates to one. Class shares are not applied.
        """
        return self._joint(self._validated(X)) - np.log(self.class_prior_)

    def _joint(self, X: Array) -> Array:
        with one_blas_thread():
            return self._model.joint(self._standardised(X), [self._setting])[0]

    def _joint_log_likelihood(self, X: Array) -> Array:
        return self._joint(X)

    def _whole_settings(self, settings: Sequence[Setting]) -> list[dict[str, Any]]:
        own = {name: getattr(self, name) for name in self._tuned}
        whole = [{**own, **setting} for setting in settings]
        for setting in whole:
            self._check_setting(setting, self.n_features_in_)
        return whole

    def _training_data(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, Labels]:
        """Check the data, set what predictions need of them, and give standardised X and class numbers."""
        data = training_data(self, X, y)
        self.classes_, self.class_prior_, self._scaling = data.classes, data.shares, data.scaling
        self.mean_, self.scale_ = data.scaling.mean, data.scaling.scale
        return data.X, data.labels

    def _standardised(self, X: Array) -> Array:
        with np.errstate(over="ignore"):
            # In one order of memory, so that the same numbers from a data frame give the same sums.
            return np.ascontiguousarray(np.clip(self._scaling.apply(X), -_FARTHEST, _FARTHEST))


class ProjectionClassifier(ProjectionMixin, ClassDensityClassifier):
    """A classifier that works on a linear projection and can show it."""

    def scaled(self, X: ArrayLike) -> Array:
        """Standardise rows as the training rows were."""
        return self._standardised(self._validated(X))


def by_class(X: Array, labels: Labels) -> list[Array]:
    """Split the rows by their class."""
    order = np.argsort(labels, kind="stable")
    return np.split(X[order], np.cumsum(np.bincount(labels))[:-1])


def log_shares(labels: Labels) -> Array:
    """Log shares of the classes, of shape (n_classes,)."""
    return np.log(np.bincount(labels) / labels.size)


def check_positive(name: str, value: Any, largest: float = np.inf) -> None:
    """Refuse anything but a finite number above zero and at most `largest`."""
    if not _is_number(value, Real) or not (np.isfinite(value) and 0 < value <= largest):
        limit = f" of at most {largest:g}" if np.isfinite(largest) else ""
        raise ValueError(f"{name} must be a positive finite number{limit}, got {value!r}.")


def check_share(name: str, value: Any) -> None:
    """Refuse anything but a number between zero and one."""
    if not _is_number(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}.")


def check_dimension(value: Any, most: int) -> None:
    """Refuse anything but None or a whole number from 1 to `most`."""
    if value is not None and (not _is_number(value, Integral) or not 1 <= value <= most):
        raise ValueError(f"n_components must be None or a whole number from 1 to {most} here, got {value!r}.")


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def dimension_of(setting: Setting, most: int) -> int:
    """Read the number of components of a setting, where None means as many as the paper allows."""
    wanted = setting["n_components"]
    return min(most, MOST_COMPONENTS if wanted is None else int(wanted))
