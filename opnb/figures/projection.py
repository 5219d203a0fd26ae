"""The picture: two directions with regions, boundary, points and margins."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from opnb.figures.images import regions_png, shading_png, stretched
from opnb.figures.layers import (
    boundary_trace,
    margin_traces,
    mark_trace,
    marker_size,
    mistakes,
    point_traces,
)
from opnb.figures.layout import error_line, headline, legend_below, titled
from opnb.figures.palette import ClassStyle, Theme, class_styles, find_theme, fresh_figure
from opnb.figures.strip import draw_strip
from opnb.figures.text import axis_hover, axis_name, axis_title, plain
from opnb.views.projected import fitted_model
from opnb.views.projection import ProjectionView, projection_view
from opnb.views.strip import strip_view

_STRIP_OPTIONS = ("extent", "weighting", "max_points", "projected", "rows", "rows_test", "class_names", "feature_names")
_DRAWING_OPTIONS = ("theme", "focus", "title", "fade", "selectable", "height", "compact")


def projection_figure(
    clf: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    directions: tuple[int, int] = (0, 1),
    **options: Any,
) -> go.Figure:
    """Draw the data on two directions with the model's boundary and margins.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted. With a single direction the figure is that of `strip_figure`.
    X, y, X_test, y_test : array-like, optional
        Training and held-out data; not needed with `projected`.
    directions : pair of int, default=(0, 1)
    **options
        `extent`, `boundary`, `weighting`, `resolution`, `max_points`, `projected`, `rows`, `rows_test`, `class_names`
        and `feature_names` of `opnb.views.projection_view`; `theme`, `focus`, `title`, `fade`, `selectable`,
        `height` and `compact` of `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    drawing = {name: options.pop(name) for name in _DRAWING_OPTIONS if name in options}
    if len(fitted_model(clf).components_) == 1:
        given = {name: value for name, value in options.items() if name in _STRIP_OPTIONS}
        drawing.pop("fade", None)
        return draw_strip(strip_view(clf, X, y, X_test, y_test, **given), **drawing)
    return draw_projection(projection_view(clf, X, y, X_test, y_test, directions, **options), **drawing)


def draw_projection(
    view: ProjectionView,
    *,
    theme: str = "neutral",
    focus: Sequence[int] | None = None,
    title: str | None = None,
    fade: bool = True,
    selectable: bool = False,
    height: int = 620,
    compact: bool = False,
) -> go.Figure:
    """Draw a view of two directions.

    Parameters
    ----------
    view : ProjectionView
    theme : {"neutral", "light", "dark"}, default="neutral"
        The background it will stand on; "neutral" reads on both.
    focus : sequence of int, optional
        Classes to colour; the rest is grey. By default all, or the ten largest.
    title : str, optional
        Plain text, above the errors.
    fade : bool, default=True
        Whether regions fade where the model is unsure.
    selectable : bool, default=False
        Whether dragging draws a lasso.
    height : int, default=620
    compact : bool, default=False
        For a narrow place: smaller type, lines broken sooner.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look, styles = find_theme(theme), class_styles(view.class_counts, focus)
    figure = fresh_figure(look, height=height)
    figure.add_traces(_margins(view, styles))
    figure.add_traces(_points(view, styles, look))
    figure.add_trace(boundary_trace(view.boundary, showlegend=False))
    figure.add_traces(_marks(view, look))
    figure.update_layout(images=_images(view, styles, fade), **_axes(view, compact))
    figure.update_layout(
        **titled(_headline(view, title, compact)),
        legend=legend_below(compact),
        dragmode="lasso" if selectable else "zoom",
        hovermode="closest",
    )
    return figure


def _margins(view: ProjectionView, styles: list[ClassStyle]) -> list[go.Scatter]:
    top, right = view.margins
    return [
        *margin_traces(top, view.class_names, styles, xaxis="x", yaxis="y2"),
        *margin_traces(right, view.class_names, styles, upright=False, xaxis="x2", yaxis="y"),
    ]


def _points(view: ProjectionView, styles: list[ClassStyle], look: Theme) -> list[Any]:
    points = view.points
    return point_traces(points, points.x, points.y, view.class_names, styles, look)


def _marks(view: ProjectionView, look: Theme) -> list[Any]:
    """Mark the misclassified points (held out at once, training on demand) and those on which the models differ."""
    points, traces = view.points, []
    predicted = points.full if view.model == "full" else points.shown
    size = marker_size(len(points.x)) + 3
    for held_out, kind in ((True, "held out"), (False, "training")):
        chosen = view.wrong & (points.is_test == held_out)
        if chosen.any():
            says = mistakes(points, chosen, predicted, view.class_names)
            hidden = not held_out and view.test is not None
            traces.append(
                mark_trace(
                    points,
                    points.x,
                    points.y,
                    chosen,
                    says,
                    name=f"misclassified, {kind}",
                    symbol="circle-open",
                    size=size,
                    colour=look.mark,
                    visible="legendonly" if hidden else True,
                )
            )
    if view.has_more and points.disagree.any():
        traces.append(_disagreement(view, look, size))
    return traces


def _disagreement(view: ProjectionView, look: Theme, size: float) -> Any:
    points, names = view.points, [plain(name, 60) for name in view.class_names]
    says = [
        f"these two directions: <b>{names[shown]}</b><br>full model: <b>{names[full]}</b>"
        for shown, full in zip(points.shown[points.disagree], points.full[points.disagree], strict=True)
    ]
    return mark_trace(
        points,
        points.x,
        points.y,
        points.disagree,
        says,
        name="full model differs",
        symbol="x-thin-open",
        size=size - 2,
        colour=look.mark,
        visible=True if view.model == "full" else "legendonly",
    )


def _images(view: ProjectionView, styles: list[ClassStyle], fade: bool) -> list[dict[str, object]]:
    # The grid's points are the centres of the image's pixels.
    half_x, half_y = (np.diff(grid[:2])[0] / 2 for grid in (view.grid_x, view.grid_y))
    x = (view.grid_x[0] - half_x, view.grid_x[-1] + half_x)
    y = (view.grid_y[0] - half_y, view.grid_y[-1] + half_y)
    images = [stretched(regions_png(view.class_map, styles, view.confidence if fade else None), x, y, ("x", "y"))]
    if view.shading is not None:
        images.append(stretched(shading_png(view.shading), view.x_range, view.y_range, ("x", "y")))
    return images


def _axes(view: ProjectionView, compact: bool) -> dict[str, Any]:
    """Share the scatter's axes with the margins on top and at the right."""
    wide, tall = (0.84, 0.83) if not compact else (0.86, 0.86)
    features = 1 if compact else 3
    margin = {"showgrid": False, "showticklabels": False, "ticks": "", "fixedrange": True, "rangemode": "tozero"}
    return {
        "xaxis": {"domain": [0, wide], "range": view.x_range, "title": {"text": axis_title(view.axes[0], features)}},
        "yaxis": {"domain": [0, tall], "range": view.y_range, "title": {"text": axis_title(view.axes[1], features)}},
        "xaxis2": {"domain": [wide + 0.015, 1], "anchor": "y", **margin},
        "yaxis2": {"domain": [tall + 0.015, 1], "anchor": "x", **margin},
        "annotations": [_axis_note(view, 0, wide), _axis_note(view, 1, tall)],
    }


def _axis_note(view: ProjectionView, which: int, end: float) -> dict[str, Any]:
    """Put a small sign at the end of an axis which tells its weights when hovered."""
    place = {"x": end, "y": 0, "xanchor": "right", "yanchor": "bottom"}
    if which == 1:
        place = {"x": 0, "y": end, "xanchor": "left", "yanchor": "top"}
    axis = view.axes[which]
    return {
        "text": f"weights",
        "hovertext": axis_hover(axis),
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "opacity": 0.8,
        "captureevents": True,
        **place,
    }


def _headline(view: ProjectionView, title: str | None, compact: bool) -> list[str]:
    small = [error_line(view.train, view.test, compact)]
    if view.has_more:
        of = "full model" if view.model == "full" else "model on the two directions shown"
        small.append(f"errors and boundary of the {of}")
    return headline(title, [*small, *view.notes], compact)
