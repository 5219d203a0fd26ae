"""Several projections side by side."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from opnb.figures.layers import boundary_trace, misclassified_traces, point_traces
from opnb.figures.layout import error_line, legend_below, titled, wrapped_html
from opnb.figures.palette import Theme, Trace, class_styles, find_theme, make_figure
from opnb.figures.projection import cloud_of, plane_images
from opnb.figures.text import axis_title, label_text
from opnb.views.projection import ProjectionView, joint_ranges


def comparison_figure(
    views: Sequence[ProjectionView],
    titles: Sequence[str],
    *,
    theme: str = "neutral",
    focus: Sequence[int] | None = None,
    same_axes: bool = True,
    fade: bool = True,
    height: int | None = None,
    compact: bool = False,
) -> go.Figure:
    """Draw several views side by side, or one below the other when compact.

    Parameters
    ----------
    views : sequence of ProjectionView
        All with the same classes.
    titles : sequence of str
        One a view, plain text.
    theme, focus, fade, compact
        As in `draw_projection`.
    same_axes : bool, default=True
        Whether all have the same ranges; compute the views with `joint_ranges` to fill them.
    height : int, optional

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import comparison_figure
    >>> from opnb.views import projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> view = projection_view(clf, X, y)
    >>> type(comparison_figure([view, view], ["One", "Two"])).__name__
    'Figure'
    """
    if not views or len(titles) != len(views):
        raise ValueError(f"comparison_figure needs a title for each of its views, got {len(titles)} for {len(views)}.")
    look = find_theme(theme)
    styles = class_styles(views[0].class_counts, focus)
    tall = height or (120 + 400 * len(views) if compact else 520)
    traces: list[Trace] = []
    images: list[dict[str, object]] = []
    layout: dict[str, Any] = {"annotations": []}
    for number, view in enumerate(views):
        tag = "" if number == 0 else str(number + 1)
        place: dict[str, Any] = {"xaxis": f"x{tag}", "yaxis": f"y{tag}"}
        cloud = cloud_of(view)
        traces += point_traces(cloud, styles, look, legend=number == 0, **place)
        traces.append(boundary_trace(view.boundary, showlegend=False, **place))
        traces += _rings(view, cloud, look, number == 0, place)
        images += plane_images(view, styles, fade, (f"x{tag}", f"y{tag}"))
        x, y = joint_ranges(views if same_axes else [view])
        domains = _domains(number, len(views), compact)
        features = 1 if compact or len(views) > 2 else 2
        layout[f"xaxis{tag}"] = _axis(x, domains[0], f"y{tag}", axis_title(view.axes[0], features))
        layout[f"yaxis{tag}"] = _axis(y, domains[1], f"x{tag}", axis_title(view.axes[1], 0))
        layout["annotations"].append(_caption(view, titles[number], domains, len(views), compact))
    place_of_title = titled([], tall)
    place_of_title["margin"]["t"] = 70
    return make_figure(
        traces,
        look,
        images=images,
        **layout,
        **place_of_title,
        legend=legend_below(compact),
        height=tall,
        hovermode="closest",
    )


def _rings(view: ProjectionView, cloud: Any, look: Theme, legend: bool, place: dict[str, str]) -> list[Trace]:
    predicted = view.points.full if view.model == "full" else view.points.shown
    marks = misclassified_traces(cloud, predicted, look, **place)
    for mark in marks:
        # One entry of the legend switches the marks of every panel.
        mark |= {"legendgroup": mark["name"], "showlegend": legend}
    return marks


def _domains(number: int, count: int, compact: bool) -> tuple[list[float], list[float]]:
    """Place a panel: beside the others, or below them with room for its heading and its labels."""
    gap = (0.29 if compact else 0.09) / count * (count > 1)
    size = (1 - (count - 1) * gap) / count
    low = number * (size + gap)
    if compact:
        return [0.0, 1.0], [max(0.0, 1 - low - size), 1 - low]
    return [low, min(1.0, low + size)], [0.0, 1.0]


def _axis(shown: tuple[float, float], domain: list[float], anchor: str, title: str) -> dict[str, Any]:
    text = {"text": title, "standoff": 4, "font": {"size": 12}}
    return {"range": list(shown), "domain": domain, "anchor": anchor, "title": text, "nticks": 7}


def _caption(
    view: ProjectionView, title: str, domains: tuple[list[float], list[float]], count: int, compact: bool
) -> dict[str, Any]:
    """Head a panel with its title and errors."""
    width = 60 if compact or count == 1 else 110 // count
    lines = [f"<b>{label_text(title, width)}</b>", *wrapped_html(error_line(view.train, view.test), width, 12)]
    return {
        "text": "<br>".join(lines),
        "align": "left",
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": domains[0][0],
        "y": domains[1][1],
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 4,
    }
