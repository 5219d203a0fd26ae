"""Views of the same rows turned to resemble each other: the sign of a direction means nothing, but the eye sees it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from opnb.views.axes import Axis
from opnb.views.margins import Margin
from opnb.views.projection import ProjectionView, Ranges

Turns = tuple[bool, bool]


def oriented(views: Sequence[ProjectionView]) -> list[ProjectionView]:
    """Mirror every view after the first where its points then lie more as they do in the first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import oriented, projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> view = projection_view(clf, X, y)
    >>> len(oriented([view, view]))
    2
    """
    first, *others = views
    return [first, *(mirrored(view, turns_of(view, first)) for view in others)]


def turns_of(view: ProjectionView, reference: ProjectionView) -> Turns:
    """Tell whether to mirror a view across and up, to resemble another of the same rows; never for other rows."""
    ours, theirs = view.points, reference.points
    if not np.array_equal(ours.rows, theirs.rows):
        return False, False
    return _along(ours.x, theirs.x) < 0, _along(ours.y, theirs.y) < 0


def mirrored(view: ProjectionView, turns: Turns) -> ProjectionView:
    """Mirror a view across, up, or both."""
    view = _mirrored_across(view) if turns[0] else view
    return _mirrored_up(view) if turns[1] else view


def mirrored_ranges(ranges: Ranges, turns: Turns) -> Ranges:
    """Give the ranges to compute a view with that is mirrored afterwards."""
    return [_negative(shown) if turn else shown for shown, turn in zip(ranges, turns, strict=True)]


def _along(a: np.ndarray, b: np.ndarray) -> float:
    """Tell by its sign whether two sets of positions grow together."""
    return float((a - a.mean()).astype(float) @ (b - b.mean()).astype(float))


def _mirrored_across(view: ProjectionView) -> ProjectionView:
    return replace(
        view,
        axes=(_opposite(view.axes[0]), view.axes[1]),
        x_range=_negative(view.x_range),
        points=replace(view.points, x=-view.points.x),
        grid_x=-view.grid_x[::-1],
        class_map=view.class_map[:, ::-1],
        confidence=view.confidence[:, ::-1],
        boundary=tuple(line * [-1, 1] for line in view.boundary),
        margins=(_turned(view.margins[0]), view.margins[1]),
        shading=None if view.shading is None else view.shading[:, ::-1],
    )


def _mirrored_up(view: ProjectionView) -> ProjectionView:
    return replace(
        view,
        axes=(view.axes[0], _opposite(view.axes[1])),
        y_range=_negative(view.y_range),
        points=replace(view.points, y=-view.points.y),
        grid_y=-view.grid_y[::-1],
        class_map=view.class_map[::-1],
        confidence=view.confidence[::-1],
        boundary=tuple(line * [1, -1] for line in view.boundary),
        margins=(view.margins[0], _turned(view.margins[1])),
        shading=None if view.shading is None else view.shading[::-1],
    )


def _negative(shown: tuple[float, float]) -> tuple[float, float]:
    return -shown[1], -shown[0]


def _opposite(axis: Axis) -> Axis:
    return replace(axis, heaviest=tuple((name, -weight) for name, weight in axis.heaviest))


def _turned(margin: Margin) -> Margin:
    return replace(
        margin,
        axis=_opposite(margin.axis),
        x_range=_negative(margin.x_range),
        positions=-margin.positions[::-1],
        heights=margin.heights[:, ::-1],
    )
