"""Figures for choosing settings: a movie of solutions, errors along a path, directions added one by one."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.diagnostics.paths import DimensionCurve
from opnb.figures.layers import Cloud, boundary_trace, margin_traces, point_traces
from opnb.figures.layout import headline, legend_below, titled, wrapped_html
from opnb.figures.palette import BOUNDARY, COLOURS, Theme, Trace, class_styles, find_theme, make_figure, trace
from opnb.figures.playing import play_and_stop, slider
from opnb.views.axes import Axis
from opnb.views.margins import Margin
from opnb.views.path import Movie, PathErrors

_STEP = 250  # milliseconds from frame to frame
_ROOM_BELOW = 150  # for slider, buttons and legend
_POINTS_SHARE = 0.84  # of width and height, where densities stand beside the points


def draw_movie(movie: Movie, *, theme: str = "neutral", compact: bool = False) -> go.Figure:
    """Draw points that move with a slider, with the boundary and the densities of every frame, in the browser alone.

    Parameters
    ----------
    movie : Movie
        Of `opnb.views.path`.
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
        With frames, a slider and buttons to play, to stop and to step.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifierCV
    >>> from opnb.figures import draw_movie
    >>> from opnb.views import path_errors, path_movie, project
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = OPNBClassifierCV(lams=[0.001, 0.01, 0.1], cv=3, n_components=2).fit(X, y)
    >>> errors = path_errors(cv, X, y, X[::2], y[::2])
    >>> movie = path_movie(cv, project(cv, X, y), X, errors)
    >>> len(draw_movie(movie).frames)
    3
    """
    look, height = find_theme(theme), 560 if compact else 640
    parts = [_frame(movie, number, look) for number in range(len(movie.names))]
    lines = [wrapped_html(caption, 52 if compact else 84, 12 if compact else 13) for caption in movie.captions]
    figure = make_figure(
        parts[movie.first],
        look,
        **_movie_axes(movie),
        **titled(max(lines, key=len), height),
        legend={**legend_below(compact), "y": 0.0},
        height=height,
        hovermode="closest",
        sliders=[slider(movie.names, movie.first, look, _STEP)],
        updatemenus=[play_and_stop(look, _STEP)],
    )
    figure.layout.margin.b = _ROOM_BELOW
    figure.layout.title.text = "<br>".join(lines[movie.first])
    figure.frames = [
        # Only what moves is sent again.
        {
            "name": f"{number}",
            "data": [{"type": "scatter", "x": one["x"], "y": one["y"]} for one in traces],
            "layout": {"title": {"text": "<br>".join(lines[number])}},
        }
        for number, traces in enumerate(parts)
    ]
    return figure


def _frame(movie: Movie, number: int, look: Theme) -> list[Trace]:
    """Draw a frame: densities above and at the right, points, boundary."""
    points, scenes = _points(movie, number, look), movie.scenes
    if scenes is None:
        return points
    styles = class_styles(movie.class_counts)
    first, second = (
        Margin(Axis(d, 0.0, ()), movie.ranges[d], scenes.positions[d], scenes.heights[d][number], "density")
        for d in (0, 1)
    )
    return [
        *margin_traces(first, movie.class_names, styles, xaxis="x", yaxis="y2"),
        *margin_traces(second, movie.class_names, styles, upright=False, xaxis="x2", yaxis="y"),
        *points,
        boundary_trace(scenes.boundaries[number], showlegend=False),
    ]


def _movie_axes(movie: Movie) -> dict[str, Any]:
    """Lay out the points alone, or with room for the densities, which can be zoomed: some are one spike."""
    share = 1.0 if movie.scenes is None else _POINTS_SHARE
    across, up = (
        {"range": list(shown), "domain": [0, share], "title": {"text": title}, "nticks": 7}
        for shown, title in zip(movie.ranges, movie.axes, strict=True)
    )
    if movie.scenes is None:
        return {"xaxis": across, "yaxis": up}
    height = {"showgrid": False, "showticklabels": False, "ticks": "", "range": [0, 1.05], "domain": [share + 0.015, 1]}
    return {"xaxis": across, "yaxis": up, "xaxis2": {"anchor": "y", **height}, "yaxis2": {"anchor": "x", **height}}


def draw_still(movie: Movie, *, theme: str = "neutral", height: int = 230) -> go.Figure:
    """Draw the first frame small, without axes or legend.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import draw_still
    >>> from opnb.views import project, still
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(draw_still(still(project(clf, X, y), "Iris"))).__name__
    'Figure'
    """
    look = find_theme(theme)
    hidden = {"showticklabels": False, "showgrid": False, "zeroline": False, "showline": True, "mirror": True}
    return make_figure(
        [{**one, "showlegend": False} for one in _points(movie, 0, look)],
        look,
        xaxis={"range": list(movie.ranges[0]), **hidden},
        yaxis={"range": list(movie.ranges[1]), **hidden},
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        height=height,
        hovermode="closest",
    )


def _points(movie: Movie, number: int, look: Theme) -> list[Trace]:
    styles = class_styles(movie.class_counts)
    cloud = Cloud(movie.x[number], movie.y[number], movie.labels, movie.is_test, movie.rows, movie.class_names)
    return point_traces(cloud, styles, look)


def path_figure(errors: PathErrors, lam: float, *, theme: str = "neutral", compact: bool = False) -> go.Figure:
    """Draw cross-validated errors against lam: every fold, their mean with its standard error, and the choices.

    Parameters
    ----------
    errors : PathErrors
    lam : float
        Of the fit that is shown.
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifierCV
    >>> from opnb.figures import path_figure
    >>> from opnb.views import path_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = OPNBClassifierCV(lams=[0.001, 0.01, 0.1], cv=3, n_components=2).fit(X, y)
    >>> errors = path_errors(cv, X, y, X[::2], y[::2])
    >>> type(path_figure(errors, cv.lam_)).__name__
    'Figure'
    """
    look, choice, height = find_theme(theme), errors.choice, 400
    folds = trace(
        "scatter",
        x=np.repeat(choice.lams, errors.fold_errors.shape[1]),
        y=errors.fold_errors.ravel().astype(np.float32),
        mode="markers",
        marker={"color": BOUNDARY, "size": 5, "opacity": 0.55},
        name="one fold",
        hovertemplate="λ = %{x:.2g}: %{y:.3f}<extra>one fold</extra>",
    )
    mean = trace(
        "scatter",
        x=choice.lams,
        y=choice.mean_errors.astype(np.float32),
        error_y={"array": choice.standard_errors.astype(np.float32), "width": 4, "thickness": 1.5},
        mode="lines+markers",
        line={"color": COLOURS[0], "width": 2.5},
        marker={"size": 8},
        name="mean of the folds ± standard error",
        hovertemplate="λ = %{x:.2g}: %{y:.3f}<extra>mean</extra>",
    )
    small = ["Cross-validated error; a larger λ is smoother"]
    return make_figure(
        [folds, mean, *_choices(errors)],
        look,
        xaxis={"type": "log", "title": {"text": "smoothness λ"}, "tickvals": choice.lams[::3], "tickformat": ".1g"},
        yaxis={"title": {"text": "error"}, "rangemode": "tozero", "nticks": 6},
        shapes=[_upright(lam, look)],
        **titled(headline(None, small, compact), height),
        legend=legend_below(compact),
        height=height,
    )


def _choices(errors: PathErrors) -> list[Trace]:
    choice = errors.choice
    marks = [
        ("least error", choice.best_index, "star", COLOURS[6]),
        ("one standard error", choice.index, "square", COLOURS[4]),
    ]
    return [
        trace(
            "scatter",
            x=[choice.lams[place]],
            y=[choice.mean_errors[place]],
            mode="markers",
            marker={"size": 17, "symbol": f"{symbol}-open", "color": colour, "line": {"width": 2.5}},
            name=f"{name}: λ = {choice.lams[place]:.2g}",
            hoverinfo="skip",
        )
        for name, place, symbol, colour in marks
    ]


def _upright(lam: float, look: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": lam,
        "x1": lam,
        "yref": "paper",
        "y0": 0,
        "y1": 0.92,
        "line": {"color": look.mark, "width": 1.2, "dash": "dash"},
        "label": {"text": "this fit", "textposition": "end", "textangle": 0, "font": {"size": 12, "color": look.text}},
    }


def dimension_figure(curve: DimensionCurve, *, theme: str = "neutral", compact: bool = False) -> go.Figure:
    """Draw error and log-likelihood as directions are added.

    Parameters
    ----------
    curve : DimensionCurve
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import dimension_curve
    >>> from opnb.figures import dimension_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(dimension_figure(dimension_curve(clf, X, y, X, y))).__name__
    'Figure'
    """
    look, height = find_theme(theme), 500
    lines = [_line(curve, curve.error, "training", 0, "y"), _line(curve, curve.log_likelihood, "training", 0, "y2")]
    if curve.test_error is not None and curve.test_log_likelihood is not None:
        lines.append(_line(curve, curve.test_error, "held out", 1, "y"))
        lines.append(_line(curve, curve.test_log_likelihood, "held out", 1, "y2"))
    lines.append(_line(curve, curve.log_likelihood_left_out, "training, left out", 2, "y2"))
    return make_figure(
        lines,
        look,
        xaxis={"title": {"text": "directions used"}, "anchor": "y2", "dtick": max(1, curve.n_components.size // 10)},
        yaxis={"title": {"text": "error"}, "domain": [0.55, 1], "rangemode": "tozero", "nticks": 5},
        yaxis2={"title": {"text": "log-likelihood"}, "domain": [0, 0.45], "nticks": 5},
        **titled(headline(None, ["Directions in the order of what they add."], compact), height),
        legend=legend_below(compact),
        height=height,
        hovermode="x unified",
    )


def _line(curve: DimensionCurve, values: Any, name: str, style: int, yaxis: str) -> Trace:
    looks = ((COLOURS[0], "solid", "circle"), (COLOURS[6], "dash", "diamond"), (COLOURS[4], "dot", "square"))
    colour, dash, symbol = looks[style]
    return trace(
        "scatter",
        x=curve.n_components.astype(np.int32),
        y=np.asarray(values, dtype=np.float32),
        mode="lines+markers",
        line={"color": colour, "dash": dash, "width": 2},
        marker={"symbol": symbol, "size": 7},
        name=name,
        legendgroup=name,
        showlegend=style == 2 or yaxis == "y",
        yaxis=yaxis,
        hovertemplate="%{y:.3f}",
    )
