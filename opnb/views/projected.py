"""The data as a fitted model sees them: positions on every direction, classes and predictions.

Everything here depends on the fit and the data alone, so one `Projected` serves every choice of directions. The
full model's predictions are the dear part of a picture; keep the object while the fit lives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.diagnostics.calibration import wilson_interval
from opnb.errors import DataError
from opnb.views.model import DrawnModel, fitted_model

Labels = NDArray[np.intp]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class ErrorCount:
    """How many of some points are misclassified."""

    wrong: int
    n: int

    @property
    def error(self) -> float:
        """Share of the points that are misclassified; NaN of no points."""
        return self.wrong / self.n if self.n else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the error: what so many points allow to say of others like them."""
        low, high = wilson_interval(np.array(self.error), np.array(float(self.n)))
        return max(float(low), 0.0), min(float(high), 1.0)

    def __str__(self) -> str:
        return f"{self.error:.3f} ({self.wrong:,} of {self.n:,})" if self.n else "no points"


@dataclass(frozen=True, eq=False)
class Projected:
    """Training points, then held-out points, on every direction of a fitted model.

    Attributes
    ----------
    Z : ndarray of shape (n, n_components)
        Positions in the units of `transform`.
    labels : ndarray of int of shape (n,)
        Index into `class_names`.
    is_test : ndarray of bool of shape (n,)
    rows : ndarray of int of shape (n,)
        The caller's name for each point.
    log_posterior : ndarray of shape (n, n_classes)
        Of the full model.
    class_names, feature_names : tuple of str
    """

    Z: Array
    labels: Labels
    is_test: Flags
    rows: NDArray[np.int64]
    log_posterior: Array
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]

    @property
    def predicted(self) -> Labels:
        """Class index that the full model predicts, of shape (n,)."""
        return self.log_posterior.argmax(axis=1)

    @property
    def confidence(self) -> NDArray[np.float32]:
        """Posterior of the class that the full model predicts, of shape (n,)."""
        return np.exp(self.log_posterior.max(axis=1)).astype(np.float32)

    def errors(self, predicted: Labels) -> tuple[ErrorCount, ErrorCount | None]:
        """Count the errors of a prediction on the training points and on the held-out points, if there are any."""
        wrong = predicted != self.labels
        train = ErrorCount(int(wrong[~self.is_test].sum()), int((~self.is_test).sum()))
        if not self.is_test.any():
            return train, None
        return train, ErrorCount(int(wrong[self.is_test].sum()), int(self.is_test.sum()))

    def positions(self, direction: int, *, training: bool = False) -> Array:
        """Positions on a direction, of all points or of the training points: what axes and curves must reach."""
        return self.Z[~self.is_test, direction] if training else self.Z[:, direction]

    @property
    def train_counts(self) -> Labels:
        """Training points of each class."""
        return np.bincount(self.labels[~self.is_test], minlength=len(self.class_names))


def checked_directions(model: DrawnModel, directions: Sequence[int]) -> list[int]:
    """Refuse directions that the model does not have; negative ones count from the end."""
    m = len(model.components_)
    for direction in directions:
        if not -m <= direction < m:
            raise ValueError(f"direction {direction} is out of range: the model has {m} directions, from 0.")
    return [int(direction) % m for direction in directions]


def project(
    clf: Any,
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    rows: ArrayLike | None = None,
    rows_test: ArrayLike | None = None,
    class_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
) -> Projected:
    """Project the data of a fit and let the full model predict them.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, or a fitted search with a `best_estimator_`.
    X, y : array-like of shape (n, n_features) and (n,)
        Training data.
    X_test, y_test : array-like, optional
        Held-out data; an empty array is the same as none.
    rows, rows_test : array-like of int, optional
        What to call the points; by default they are counted from 0, the held-out ones after the training ones.
    class_names, feature_names : sequence of str, optional
        By default the classes as text, and the feature names that the classifier was fitted with.

    Returns
    -------
    Projected

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> project(clf, X, y).Z.shape
    (150, 2)
    """
    model = fitted_model(clf)
    if X is None or y is None:
        raise DataError("A picture needs the data: give X and y, or the result of `project` as `projected`.")
    parts = [_checked_part(model, X, y, "y")]
    if (X_test is None) != (y_test is None):
        raise DataError("X_test and y_test come together: give both, or neither.")
    if X_test is not None and len(np.asarray(X_test)):
        parts.append(_checked_part(model, X_test, y_test, "y_test"))
    sizes = [len(labels) for _, labels in parts]
    given = [rows, rows_test][: len(parts)]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    names = [_checked_rows(g, size, start) for g, size, start in zip(given, sizes, starts, strict=False)]
    return Projected(
        Z=np.concatenate([model.transform(data) for data, _ in parts]),
        labels=np.concatenate([labels for _, labels in parts]),
        is_test=np.repeat([False, True][: len(parts)], sizes),
        rows=np.concatenate(names),
        log_posterior=np.concatenate([model.predict_log_proba(data) for data, _ in parts]),
        class_names=checked_names(class_names, [str(c) for c in model.classes_], "class_names"),
        feature_names=checked_names(feature_names, fitted_names(model), "feature_names"),
    )


def _checked_part(model: DrawnModel, X: ArrayLike, y: ArrayLike | None, name: str) -> tuple[Any, Labels]:
    """Pass the data on as they are (the classifier checks them) with the class index of every row."""
    classes = np.asarray(y)
    if classes.ndim != 1 or len(classes) != len(X):  # type: ignore[arg-type]
        raise DataError(f"{name} must have one class for each of the {len(X)} rows.")  # type: ignore[arg-type]
    labels = np.searchsorted(model.classes_, classes).clip(max=model.classes_.size - 1)
    unknown = np.flatnonzero(model.classes_[labels] != classes)
    if unknown.size:
        raise DataError(
            f"{name} holds the class {classes[unknown[0]]!r} (row {unknown[0]}), which the model was not fitted with. "
            "Leave its rows out, or fit again with them."
        )
    return X, labels


def _checked_rows(rows: ArrayLike | None, size: int, start: int) -> NDArray[np.int64]:
    names = np.arange(start, start + size) if rows is None else np.asarray(rows)
    if names.shape != (size,):
        raise DataError(f"rows must name each of the {size} points, got shape {names.shape}.")
    return names.astype(np.int64)


def fitted_names(model: DrawnModel) -> list[str]:
    """Give the feature names that a model was fitted with, or numbered ones."""
    default = [f"feature {j + 1}" for j in range(model.n_features_in_)]
    return [str(name) for name in getattr(model, "feature_names_in_", default)]


def checked_names(names: Sequence[str] | None, default: list[str], what: str) -> tuple[str, ...]:
    """Give names as text, the default ones for None; refuse a wrong number of them."""
    chosen = tuple(default if names is None else map(str, names))
    if len(chosen) != len(default):
        raise DataError(f"{what} must have {len(default)} entries, got {len(chosen)}.")
    return chosen


def thinned(labels: Labels, most: int, *, least: int = 50) -> NDArray[np.intp]:
    """Choose about `most` points at random, each class in proportion but with `least` points if it has them.

    The choice is the same every time, so that a redrawn picture does not flicker.
    """
    n = labels.size
    if n <= most:
        return np.arange(n)
    order = np.random.default_rng(0).permutation(n)
    counts = np.bincount(labels)
    quota = np.maximum(np.ceil(counts * most / n), np.minimum(counts, least))
    by_class = order[np.argsort(labels[order], kind="stable")]
    place = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_class[place < quota[labels[by_class]]])
