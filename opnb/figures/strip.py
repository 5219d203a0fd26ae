"""One direction: margins above, points by class below, regions behind both."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from opnb.figures.images import regions_png, stretched
from opnb.figures.layers import (
    MARGIN_WORDS,
    Cloud,
    boundary_trace,
    margin_traces,
    misclassified_traces,
    point_traces,
    predictions,
)
from opnb.figures.layout import error_line, headline, legend_below, titled
from opnb.figures.palette import ClassStyle, Trace, class_styles, find_theme, make_figure
from opnb.figures.text import axis_title, class_labels, unique_names
from opnb.views.strip import StripView, strip_view

_PIXELS = 1200
_MOST_ROWS = 12
_DRAWING_OPTIONS = ("theme", "focus", "title", "selectable", "height", "compact")


def strip_figure(
    clf: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    direction: int = 0,
    **options: Any,
) -> go.Figure:
    """Draw the data on one direction with the class regions and margins.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted.
    X, y, X_test, y_test : array-like, optional
        Training and held-out data; not needed with `projected`.
    direction : int, default=0
    **options
        `extent`, `weighting`, `max_points`, `projected`, `rows`, `rows_test`, `class_names` and `feature_names` of
        `opnb.views.strip_view`; `theme`, `focus`, `title`, `selectable`, `height` and `compact` of `draw_strip`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import strip_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> type(strip_figure(OPNBClassifier(n_components=1).fit(X, y), X, y)).__name__
    'Figure'
    """
    drawing = {name: options.pop(name) for name in _DRAWING_OPTIONS if name in options}
    return draw_strip(strip_view(clf, X, y, X_test, y_test, direction, **options), **drawing)


def draw_strip(
    view: StripView,
    *,
    theme: str = "neutral",
    focus: Sequence[int] | None = None,
    title: str | None = None,
    selectable: bool = False,
    height: int = 520,
    compact: bool = False,
    errors: bool = True,
) -> go.Figure:
    """Draw a view of one direction; the parameters are those of `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import draw_strip
    >>> from opnb.views import strip_view
    >>> X, y = load_iris(return_X_y=True)
    >>> type(draw_strip(strip_view(OPNBClassifier(n_components=1).fit(X, y), X, y))).__name__
    'Figure'
    """
    look, styles = find_theme(theme), class_styles(view.class_counts, focus)
    said = [error_line(view.train, view.test)] if errors else []
    cloud = Cloud(view.x, _heights(view), view.labels, view.is_test, view.rows, view.class_names, _told(view))
    traces = [
        *margin_traces(view.margin, view.class_names, styles, xaxis="x", yaxis="y2"),
        *point_traces(cloud, styles, look),
        _edges(view),
        *misclassified_traces(cloud, view.predicted, look),
    ]
    return make_figure(
        traces,
        look,
        images=_images(view, styles),
        **_axes(view, compact),
        **titled(headline(title, [*said, *view.notes], compact), height),
        legend=legend_below(compact),
        dragmode="lasso" if selectable else "zoom",
        hovermode="closest",
        height=height,
    )


def _told(view: StripView) -> list[str]:
    return predictions(view.class_names, view.predicted, view.posterior)


def _rows(view: StripView) -> int:
    """Rows of points: one a class while they can be told apart, else one for all."""
    return len(view.class_names) if len(view.class_names) <= _MOST_ROWS else 1


def _heights(view: StripView) -> NDArray[np.float32]:
    """Spread the points of each class over its row; the spread has no meaning and is the same every time."""
    spread = np.random.default_rng(0).uniform(-0.36, 0.36, view.x.size)
    row = view.labels if _rows(view) > 1 else np.zeros_like(view.labels)
    return (row + spread).astype(np.float32)


def _edges(view: StripView) -> Trace:
    top = _rows(view) - 0.5
    lines = [np.array([[edge, -0.5], [edge, top]]) for edge in view.edges]
    return boundary_trace(lines, xaxis="x", yaxis="y", showlegend=False)


def _images(view: StripView, styles: list[ClassStyle]) -> list[dict[str, object]]:
    """Colour the intervals behind points and margins."""
    low, high = view.x_range
    centres = low + (np.arange(_PIXELS) + 0.5) * (high - low) / _PIXELS
    classes = view.regions[np.searchsorted(view.edges, centres)][None, :]
    source = regions_png(classes, styles)
    top = float(view.margin.heights.max()) * 1.06 or 1.0
    return [
        stretched(source, view.x_range, (-0.5, _rows(view) - 0.5), ("x", "y")),
        stretched(source, view.x_range, (0.0, top), ("x", "y2")),
    ]


def _axes(view: StripView, compact: bool) -> dict[str, Any]:
    rows: dict[str, Any] = {"domain": [0, 0.44], "range": [-0.5, _rows(view) - 0.5], "showgrid": False}
    if _rows(view) > 1:
        rows |= {
            "tickvals": list(range(_rows(view))),
            "ticktext": unique_names(class_labels(view.class_names), 14 if compact else 22),
        }
    else:
        rows |= {"showticklabels": False}
    return {
        "xaxis": {
            "range": list(view.x_range),
            "title": {"text": axis_title(view.margin.axis, 1 if compact else 3)},
            "anchor": "y",
        },
        "yaxis": rows,
        "yaxis2": {
            "domain": [0.47, 1],
            "range": [0, float(view.margin.heights.max()) * 1.06 or 1.0],
            "title": {"text": MARGIN_WORDS[view.margin.weighting]},
            "nticks": 5,
        },
    }
