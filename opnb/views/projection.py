"""The picture's numbers: points, classes of the plane, boundary, margins and errors on two directions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.estimators.parallel import one_blas_thread
from opnb.views.axes import EXTENTS, Axis, Extent, shown_range
from opnb.views.boundary import boundary_lines
from opnb.views.margins import Margin, Weighting, check_choice, margin
from opnb.views.model import DrawnModel, fitted_model
from opnb.views.plane import (
    AveragedFullModel,
    ClassMap,
    Plane,
    ShownModel,
    averaged_full_model,
    shown_predictions,
)
from opnb.views.projected import ErrorCount, Flags, Labels, Projected, checked_directions, project, thinned

Boundary = Literal["shown", "full"]
BOUNDARIES = ("shown", "full")

_SHADING_CELLS = 96

Ranges = Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Points:
    """The points that are drawn.

    Attributes
    ----------
    x, y : ndarray of float32 of shape (m,)
    labels : ndarray of int of shape (m,)
        True class, an index into the view's `class_names`.
    is_test : ndarray of bool of shape (m,)
    rows : ndarray of int of shape (m,)
    shown, full : ndarray of int of shape (m,)
        Class predicted by the model on the directions shown, and by the full model.
    posterior : ndarray of float32 of shape (m,)
        How probable the full model takes its class to be.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    labels: Labels
    is_test: Flags
    rows: NDArray[np.int64]
    shown: Labels
    full: Labels
    posterior: NDArray[np.float32]

    @property
    def wrong_shown(self) -> Flags:
        """Misclassified by the model on the directions shown."""
        return self.shown != self.labels

    @property
    def wrong_full(self) -> Flags:
        """Misclassified by the full model."""
        return self.full != self.labels

    @property
    def disagree(self) -> Flags:
        """The two models predict different classes."""
        return self.shown != self.full


@dataclass(frozen=True, eq=False)
class ProjectionView:
    """Everything that the picture of two directions shows.

    Attributes
    ----------
    axes : tuple of two Axis
    x_range, y_range : tuple of float
        The part of the plane shown.
    points : Points
        At most about `max_points` of them.
    n_points : int
        How many there are in all.
    class_names : tuple of str
    class_counts : ndarray of int of shape (n_classes,)
        Training points.
    grid_x, grid_y : ndarray
    class_map, confidence : ndarray of shape (len(grid_y), len(grid_x))
        The class of the plane and its posterior.
    boundary : tuple of ndarray of shape (m, 2)
        Lines on which the two highest posteriors are equal.
    margins : tuple of two Margin
    train, test : ErrorCount
        Errors of the model chosen by `model`; `test` is None without held-out points.
    train_other, test_other : ErrorCount
        Errors of the other model.
    n_disagree : int
        Points on which the two models differ, of all points.
    model : {"shown", "full"}
    has_more : bool
        Whether the full model is not the one shown.
    extent : {"all", "central"}
    shading : ndarray or None
        Points a cell of the rectangle shown, of shape (cells, cells), when not every point is drawn.
    notes : tuple of str
        What a reader must know: points left out, what the boundary stands for.
    """

    axes: tuple[Axis, Axis]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    points: Points
    n_points: int
    class_names: tuple[str, ...]
    class_counts: Labels
    grid_x: Array
    grid_y: Array
    class_map: ClassMap
    confidence: NDArray[np.float32]
    boundary: tuple[Array, ...]
    margins: tuple[Margin, Margin]
    train: ErrorCount
    test: ErrorCount | None
    train_other: ErrorCount
    test_other: ErrorCount | None
    n_disagree: int
    model: Boundary
    has_more: bool
    extent: Extent
    shading: NDArray[np.int32] | None
    notes: tuple[str, ...]

    @property
    def wrong(self) -> Flags:
        """Points that the chosen model misclassifies."""
        return self.points.wrong_full if self.model == "full" else self.points.wrong_shown


def projection_view(
    clf: Any,
    X: Any = None,
    y: Any = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    directions: tuple[int, int] = (0, 1),
    *,
    extent: Extent = "all",
    boundary: Boundary = "shown",
    weighting: Weighting = "density",
    resolution: int = 240,
    max_points: int = 10_000,
    ranges: Ranges | None = None,
    projected: Projected | None = None,
    **names: Any,
) -> ProjectionView:
    """Compute the picture of two directions.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, with at least two directions.
    X, y, X_test, y_test : array-like, optional
        Training and held-out data; not needed with `projected`.
    directions : pair of int, default=(0, 1)
    extent : {"all", "central"}, default="all"
        Show every point, or the central 98 % along each direction.
    boundary : {"shown", "full"}, default="shown"
        Classes, boundary and errors of the model on the two directions, or of the full model. The full model's
        are the average of its posteriors around each place, for it has no boundary on a plane.
    weighting : {"density", "prior"}, default="density"
        Whether margins are densities or densities times class shares.
    resolution : int, default=240
        Grid points along each axis.
    max_points : int, default=10_000
        Draw about as many points at the most; all are counted in the errors.
    ranges : pair of (low, high), optional
        The part of the plane to show, instead of what `extent` says; see `joint_ranges`.
    projected : Projected, optional
        The result of `project`, to save the full model's predictions on a redraw.
    **names
        `rows`, `rows_test`, `class_names` and `feature_names` for `project`.

    Returns
    -------
    ProjectionView

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> view = projection_view(clf, X, y)
    >>> len(view.points.x)
    150
    """
    model = fitted_model(clf)
    check_choice("extent", extent, EXTENTS)
    check_choice("boundary", boundary, BOUNDARIES)
    data = project(clf, X, y, X_test, y_test, **names) if projected is None else projected
    pair = _checked_pair(model, directions)
    ranges = _checked_ranges(ranges) or [shown_range(data.positions(d), extent) for d in pair]
    shown = shown_predictions(model, data, pair)
    grids = [np.linspace(low, high, resolution) for low, high in ranges]
    # Small matrix products: threads would wait for each other longer than they work.
    with one_blas_thread():
        plane = _plane(model, data, pair, boundary, ranges)
        class_map, confidence = plane.on_grid(*grids)
    chosen, other = (data.predicted, shown) if boundary == "full" else (shown, data.predicted)
    train, test = data.errors(chosen)
    train_other, test_other = data.errors(other)
    kept = thinned(data.labels, max_points)
    first, second = (margin(model, data, d, weighting) for d in pair)
    view = ProjectionView(
        axes=(first.axis, second.axis),
        x_range=ranges[0],
        y_range=ranges[1],
        points=_points(data, pair, shown, kept),
        n_points=len(data.labels),
        class_names=data.class_names,
        class_counts=data.train_counts,
        grid_x=grids[0],
        grid_y=grids[1],
        class_map=class_map,
        confidence=confidence,
        boundary=boundary_lines(plane, grids[0], grids[1], class_map),
        margins=(first, second),
        train=train,
        test=test,
        train_other=train_other,
        test_other=test_other,
        n_disagree=int((shown != data.predicted).sum()),
        model=boundary,
        has_more=_has_more(model, pair),
        extent=extent,
        shading=_shading(data, pair, ranges) if kept.size < len(data.labels) else None,
        notes=_notes(data, pair, ranges, kept, isinstance(plane, AveragedFullModel)),
    )
    return view


def _checked_pair(model: DrawnModel, directions: tuple[int, int]) -> tuple[int, int]:
    if len(directions) != 2:
        raise ValueError(f"directions must be a pair, got {directions!r}.")
    first, second = checked_directions(model, directions)
    if first == second:
        raise ValueError(f"directions must be two different ones, got {first} twice.")
    return first, second


def _checked_ranges(ranges: Ranges | None) -> Ranges | None:
    if ranges is None:
        return None
    checked = np.asarray(ranges, dtype=float)
    if checked.shape != (2, 2) or not np.isfinite(checked).all() or not (checked[:, 0] < checked[:, 1]).all():
        raise ValueError(f"ranges must be two pairs (low, high) of finite numbers, got {ranges!r}.")
    return [(float(low), float(high)) for low, high in checked]


def joint_ranges(views: Sequence[ProjectionView]) -> Ranges:
    """Give the ranges that hold what every one of some views shows, to compute them again on the same axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import joint_ranges, projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> view = projection_view(clf, X, y)
    >>> joint_ranges([view, view])[0] == tuple(view.x_range)
    True
    """
    sides = [[view.x_range for view in views], [view.y_range for view in views]]
    return [(min(low for low, _ in side), max(high for _, high in side)) for side in sides]


def _plane(model: DrawnModel, data: Projected, pair: tuple[int, int], boundary: Boundary, ranges: Ranges) -> Plane:
    if boundary == "shown" or not (_has_more(model, pair) and len(data.labels)):
        return ShownModel(model, pair)
    return averaged_full_model(data, pair, ranges, model.bandwidths_)


def _has_more(model: DrawnModel, directions: tuple[int, ...]) -> bool:
    """Whether the full model knows more than these directions: others, or the averaged starts."""
    return len(set(directions)) < len(model.components_) or len(getattr(model, "densities_", [None])) > 1


def _points(data: Projected, pair: tuple[int, int], shown: Labels, kept: NDArray[np.intp]) -> Points:
    x, y = (data.Z[kept, d].astype(np.float32) for d in pair)
    return Points(
        x=x,
        y=y,
        labels=data.labels[kept],
        is_test=data.is_test[kept],
        rows=data.rows[kept],
        shown=shown[kept],
        full=data.predicted[kept],
        posterior=data.confidence[kept],
    )


def _shading(data: Projected, pair: tuple[int, int], ranges: Ranges) -> NDArray[np.int32]:
    """Count the points in the cells of the rectangle shown, rows upwards."""
    counts, _, _ = np.histogram2d(data.Z[:, pair[1]], data.Z[:, pair[0]], bins=_SHADING_CELLS, range=ranges[::-1])
    return counts.astype(np.int32)


def _notes(
    data: Projected,
    pair: tuple[int, int],
    ranges: Ranges,
    kept: NDArray[np.intp],
    averaged: bool,
) -> tuple[str, ...]:
    notes = []
    inside = [(low <= data.Z[:, d]) & (data.Z[:, d] <= high) for d, (low, high) in zip(pair, ranges, strict=True)]
    outside = int((~(inside[0] & inside[1])).sum())
    if outside:
        notes.append(f"{outside:,} of {len(data.labels):,} points lie outside the part shown.")
    if kept.size < len(data.labels):
        notes.append(
            f"{kept.size:,} of {len(data.labels):,} points are drawn over a shading of all; the errors count all."
        )
    if averaged:
        notes.append("Errors and regions of the full model (regions: what it predicts on average around each place).")
    return tuple(notes)
