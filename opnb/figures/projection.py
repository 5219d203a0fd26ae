"""The picture: two directions with regions, boundary, points and margins."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from opnb.figures.images import regions_png, shading_png, stretched
from opnb.figures.layers import (
    MARGIN_WORDS,
    TOO_MANY_MARKS,
    Cloud,
    boundary_trace,
    margin_traces,
    mark_trace,
    misclassified_traces,
    point_traces,
    predictions,
)
from opnb.figures.layout import error_line, headline, legend_below, titled
from opnb.figures.palette import ClassStyle, Theme, Trace, class_styles, find_theme, make_figure
from opnb.figures.strip import draw_strip
from opnb.figures.text import axis_title, class_labels, label_text
from opnb.views.model import fitted_model
from opnb.views.projection import ProjectionView, projection_view
from opnb.views.strip import StripView, strip_view

_STRIP_OPTIONS = (
    "extent",
    "weighting",
    "max_points",
    "projected",
    "rows",
    "rows_test",
    "class_names",
    "feature_names",
)
DRAWING_OPTIONS = ("theme", "focus", "title", "fade", "selectable", "height", "compact")


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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import projection_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> figure = projection_figure(clf, X, y)
    >>> figure.layout.xaxis.title.text[:11]
    'Direction 1'
    """
    drawing = {name: options.pop(name) for name in DRAWING_OPTIONS if name in options}
    return draw_picture(picture_view(clf, X, y, X_test, y_test, directions, **options), **drawing)


def picture_view(
    clf: Any, X: Any, y: Any, X_test: Any, y_test: Any, directions: tuple[int, int], **options: Any
) -> ProjectionView | StripView:
    """Compute the picture of two directions, or the strip of a model that has one."""
    if len(fitted_model(clf).components_) == 1:
        given = {name: value for name, value in options.items() if name in _STRIP_OPTIONS}
        return strip_view(clf, X, y, X_test, y_test, **given)
    return projection_view(clf, X, y, X_test, y_test, directions, **options)


def draw_picture(view: ProjectionView | StripView, **drawing: Any) -> go.Figure:
    """Draw what `picture_view` gives, with the options of `draw_projection`."""
    if isinstance(view, StripView):
        drawing.pop("fade", None)
        return draw_strip(view, **drawing)
    return draw_projection(view, **drawing)


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
    errors: bool = True,
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
    errors : bool, default=True
        Whether the errors of the full model stand on top; those of another model always do.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import draw_projection
    >>> from opnb.views import projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> draw_projection(projection_view(clf, X, y), height=400).layout.height
    400
    """
    look, styles = find_theme(theme), class_styles(view.class_counts, focus)
    cloud = cloud_of(view)
    predicted = view.points.full if view.model == "full" else view.points.shown
    traces = [
        *_margins(view, styles),
        *point_traces(cloud, styles, look),
        boundary_trace(view.boundary, showlegend=False),
        *misclassified_traces(cloud, predicted, look),
        *_disagreement(view, cloud, look),
    ]
    return make_figure(
        traces,
        look,
        images=plane_images(view, styles, fade, ("x", "y")),
        **_axes(view, compact),
        **titled(_headline(view, title, compact, errors), height),
        legend=legend_below(compact),
        dragmode="lasso" if selectable else "zoom",
        hovermode="closest",
        height=height,
    )


def _margins(view: ProjectionView, styles: list[ClassStyle]) -> list[Trace]:
    top, right = view.margins
    return [
        *margin_traces(top, view.class_names, styles, xaxis="x", yaxis="y2"),
        *margin_traces(right, view.class_names, styles, upright=False, xaxis="x2", yaxis="y"),
    ]


def cloud_of(view: ProjectionView) -> Cloud:
    """Give the points of a view as they lie on its panel."""
    points = view.points
    told = predictions(view.class_names, points.full, points.posterior)
    return Cloud(points.x, points.y, points.labels, points.is_test, points.rows, view.class_names, told)


def _disagreement(view: ProjectionView, cloud: Cloud, theme: Theme) -> list[Trace]:
    """Mark the points on which the shown and the full model differ, if there are any."""
    points, names = view.points, [label_text(name, 60) for name in class_labels(view.class_names)]
    chosen = np.flatnonzero(points.disagree)
    if not (view.has_more and chosen.size):
        return []
    says = [
        f"<b>{names[shown]}</b> on these two directions, <b>{names[full]}</b> by the full model"
        for shown, full in zip(points.shown[chosen], points.full[chosen], strict=True)
    ]
    hidden = view.model != "full" or chosen.size > TOO_MANY_MARKS
    return [mark_trace(cloud, chosen, says, "full model differs", "x-thin-open", theme, hidden)]


def plane_images(
    view: ProjectionView, styles: list[ClassStyle], fade: bool, axes: tuple[str, str]
) -> list[dict[str, object]]:
    """Give the regions, and the shading of many points, as images on a panel."""
    # The grid's points are the centres of the image's pixels.
    half_x, half_y = (np.diff(grid[:2])[0] / 2 for grid in (view.grid_x, view.grid_y))
    x = (view.grid_x[0] - half_x, view.grid_x[-1] + half_x)
    y = (view.grid_y[0] - half_y, view.grid_y[-1] + half_y)
    images = [stretched(regions_png(view.class_map, styles, view.confidence if fade else None), x, y, axes)]
    if view.shading is not None:
        images.append(stretched(shading_png(view.shading), view.x_range, view.y_range, axes))
    return images


def _axes(view: ProjectionView, compact: bool) -> dict[str, Any]:
    """Share the scatter's axes with the margins on top and at the right."""
    wide, tall = (0.84, 0.83) if not compact else (0.86, 0.86)
    features = 1 if compact else 2
    margin = {
        "showgrid": False,
        "showticklabels": False,
        "ticks": "",
        "fixedrange": True,
    }
    heights = [{"range": [0.0, shown.top]} for shown in view.margins]
    return {
        "xaxis": {
            "domain": [0, wide],
            "range": list(view.x_range),
            "title": {"text": axis_title(view.axes[0], features)},
        },
        "yaxis": {
            "domain": [0, tall],
            "range": list(view.y_range),
            "title": {"text": axis_title(view.axes[1], features)},
        },
        "xaxis2": {"domain": [wide + 0.015, 1], "anchor": "y", **margin, **heights[1]},
        "yaxis2": {"domain": [tall + 0.015, 1], "anchor": "x", **margin, **heights[0]},
        "annotations": [] if compact else _corner(view),
    }


def _corner(view: ProjectionView) -> list[dict[str, Any]]:
    """Say in the empty corner what the margins show."""
    return [
        {
            "text": MARGIN_WORDS[view.margins[0].weighting],
            "font": {"size": 12},
            "showarrow": False,
            "xref": "paper",
            "yref": "paper",
            "x": 1,
            "y": 1,
            "xanchor": "right",
            "yanchor": "top",
            "opacity": 0.75,
        }
    ]


def _headline(view: ProjectionView, title: str | None, compact: bool, errors: bool) -> list[str]:
    small = [error_line(view.train, view.test)] if errors else []
    if view.has_more and view.model == "shown":
        part, count = ("training", view.train) if view.test is None else ("held-out", view.test)
        alone = f"boundary of these two directions alone, {part} error {100 * count.error:.1f} %"
        small.append("errors and boundary of the model on the two directions shown" if errors else alone)
    return headline(title, [*small, *view.notes], compact)
