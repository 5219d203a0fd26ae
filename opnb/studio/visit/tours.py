"""What a visit knows of touring: the axes a visitor has turned, their picture, and the fits that come from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from opnb.core.kernel import Array
from opnb.figures import Tour, tour
from opnb.quiet import own_warnings
from opnb.studio.visit.links import LONGEST, axes_text
from opnb.studio.visit.results import projected_rows
from opnb.studio.visit.settings import HEAVIEST_WEIGHT, Axes, FitSpec, Init, PictureSpec
from opnb.views import ProjectionView, projection_view
from opnb.views.axes_paths import AxesPath, model_axes, two_fits_path
from opnb.views.new_rows import NewRows
from opnb.views.toured_rows import toured_rows

if TYPE_CHECKING:
    from opnb.studio.visit.new_rows import NewRowsDesk
    from opnb.studio.visit.results import FitResult

_SAME = 0.99995  # cosine of an axis and a direction that it is, as in the tour itself
_TURNED = "Axes turned by hand: regions, margins and errors are those of naive Bayes on them."


def axes_of(V: Array) -> Axes:
    """Write axes, columns of V, to five digits, so that a link to them is short and exact."""
    limited = np.clip(V, -HEAVIEST_WEIGHT, HEAVIEST_WEIGHT)
    return tuple(tuple(float(f"{weight:.5g}") for weight in axis) for axis in limited.T)


def as_matrix(axes: Axes) -> Array:
    """Give axes as the columns of a matrix."""
    return np.array(axes, dtype=float).T


def plane_of(result: FitResult, picture: PictureSpec) -> Axes | None:
    """Give the axes on which a tour of a fit stands; None for a still picture, or axes of other columns."""
    plane = picture.plane if picture.mode == "tour" else None
    return plane if plane is not None and len(plane[0]) == result.classifier.components_.shape[1] else None


def fits_a_link(axes: Axes) -> bool:
    """Tell whether axes are short enough for a link."""
    return len(axes_text(axes)) <= LONGEST


def from_axes(spec: FitSpec, axes: Axes, *, search: bool) -> FitSpec:
    """Give the settings of a fit that begins at some axes, or that has them as its directions."""
    init: Init = "given" if search else "fixed"
    return spec.changed(init=init, start=axes, n_components=len(axes), n_init=1, combine="best")


def turned_view(result: FitResult, axes: Axes, **chosen: Any) -> ProjectionView:
    """Compute the picture of a fit's data on axes turned by hand."""
    model = from_axes(result.spec, axes, search=False).classifier()
    model.fit(result.dataset.X_train, result.dataset.y_train)
    across = model_axes(model)[:, 0]
    given = as_matrix(axes)
    # A model has its directions in the order in which they matter.
    kept = np.linalg.norm(across - given[:, 0]) <= np.linalg.norm(across - given[:, 1])
    pair = (0, 1) if kept else (1, 0)
    view = projection_view(model, directions=pair, **(chosen | {"projected": projected_rows(model, result.dataset)}))
    named = tuple(replace(axis, name=name) for axis, name in zip(view.axes, _names(result, given), strict=True))
    return replace(view, axes=(named[0], named[1]), notes=(_TURNED, *view.notes))


def _names(result: FitResult, axes: Array) -> list[str]:
    """Call axes by the directions of a fit that they are, or by where they are drawn."""
    found = model_axes(result.classifier)
    names = []
    for axis, place in zip(axes.T, ("Axis across", "Axis up"), strict=True):
        likeness = [abs(_cosine(axis, direction)) for direction in found.T]
        best = int(np.argmax(likeness))
        names.append(f"Direction {best + 1}" if likeness[best] > _SAME else place)
    return names


def on_plane(result: FitResult, picture: PictureSpec, view: ProjectionView, new: NewRows) -> NewRows:
    """Give new rows where they lie on the axes of a picture, which may have been turned by hand."""
    plane = plane_of(result, picture)
    if plane is None:
        return new
    axes = as_matrix(plane)
    with own_warnings(UserWarning):  # that a row lies far from all others is said of the row
        scaled = result.classifier.scaled(new.X)
    Z = np.empty((len(new.rows), 2))
    Z[:, [axis.direction for axis in view.axes]] = scaled @ (axes / np.linalg.norm(axes, axis=0))
    return replace(new, Z=Z)


def climb_path(result: FitResult) -> list[AxesPath]:
    """Give the way from where a visitor stood to what the search found from there, of a fit that came about so."""
    spec = result.spec
    if spec.init != "given" or not spec.has_given_axes or spec.start is None or len(spec.start) != 2:
        return []
    found = model_axes(result.classifier)
    start = as_matrix(spec.start)
    if abs(_cosine(start[:, 0], found[:, 1])) > abs(_cosine(start[:, 0], found[:, 0])):
        found = found[:, ::-1]
    return [AxesPath("The climb", [start, found], ["Where you stood", "What the search found"])]


def _cosine(a: Array, b: Array) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 0.0


def other_fit_path(result: FitResult, other: FitResult, names: tuple[str, str]) -> AxesPath:
    """Give the way from another fit of the same data to this one."""
    return two_fits_path(result.classifier, other.classifier, f"From {names[1]}", (names[1], names[0]))


def comparable(result: FitResult, fits: Sequence[FitResult]) -> list[FitResult]:
    """List the other fits whose directions are among the same columns."""

    def columns(fit: FitResult) -> tuple[Any, ...]:
        return (fit.spec.data, fit.spec.scale, fit.spec.bend)

    return [fit for fit in fits if fit is not result and columns(fit) == columns(result)]


def tour_of(result: FitResult, picture: PictureSpec, ways: Sequence[AxesPath] = (), **look: Any) -> Tour:
    """Make the tour of a fit."""
    dataset = result.dataset
    return tour(
        result.classifier,
        dataset.X_train,
        dataset.y_train,
        dataset.X_test if len(dataset.test) else None,
        dataset.y_test if len(dataset.test) else None,
        paths=[*climb_path(result), *ways],
        projected=result.projected,
        extent=picture.extent,
        **look,
    )


def with_new(toured: Tour, result: FitResult, desk: NewRowsDesk) -> Tour:
    """Give a tour of a fit with the visit's new rows in it."""
    rows = toured_rows(result.classifier, toured.view, desk.drawn(result))
    return replace(toured, new=rows, chosen=desk.chosen)
