"""Figures beside the picture: loadings, confusion, the course of a fit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.figures.layout import headline, legend_below, titled
from opnb.figures.palette import COLOURS, Theme, Trace, cell_scale, find_theme, make_figure, trace
from opnb.figures.text import class_labels, unique_names
from opnb.views.measures import HistoryView, LoadingsView, Metrics, history_view, loadings_view

_POSITIVE, _NEGATIVE = COLOURS[0], COLOURS[6]
_MOST_NUMBERS = 16


def loadings_figure(
    clf: Any,
    feature_names: Sequence[str] | None = None,
    directions: Sequence[int] | None = None,
    *,
    most: int | None = 20,
    **drawing: Any,
) -> go.Figure:
    """Draw the weights of the heaviest features.

    Parameters
    ----------
    clf : OPNBClassifier
    feature_names : sequence of str, optional
    directions : sequence of int, optional
        All by default.
    most : int or None, default=20
        Number of features.
    **drawing
        `theme`, `title` and `compact` of `draw_loadings`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import loadings_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(loadings_figure(clf)).__name__
    'Figure'
    """
    return draw_loadings(loadings_view(clf, feature_names, directions, most=most), **drawing)


def draw_loadings(
    view: LoadingsView, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw weights: bars for up to three directions, else coloured cells.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import draw_loadings
    >>> from opnb.views import loadings_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(draw_loadings(loadings_view(clf))).__name__
    'Figure'
    """
    look = find_theme(theme)
    names = unique_names(view.feature_names, 18 if compact else 34)
    few = len(view.directions) <= 3
    traces, layout = (_bars if few else _cells)(view, names, look)
    missing = view.n_features - len(names)
    notes = [f"The {len(names)} heaviest of {view.n_features} features."] if missing else []
    if view.bent:
        notes.append("The directions bend: how much each changes with a feature, on average over the rows.")
    layout["yaxis"] = {"autorange": "reversed", "dtick": 1, "ticks": "", "showgrid": False}
    height = 110 + 24 * len(names)
    place = titled(headline(title, notes, compact), height)
    place["margin"]["t"] += 0 if few else 22
    return make_figure(traces, look, **layout, **place, height=height, bargap=0.3)


def _direction_name(direction: int) -> str:
    return f"Direction {direction + 1}"


def _bars(view: LoadingsView, names: list[str], look: Theme) -> tuple[list[Trace], dict[str, Any]]:
    """Draw a panel of bars for every direction, all on the same scale."""
    reach = 1.08 * float(np.abs(view.weights).max() or 1.0)
    traces, layout = [], {}
    for j, direction in enumerate(view.directions):
        tag = "" if j == 0 else str(j + 1)
        weights = view.weights[:, j].astype(np.float32)
        traces.append(
            trace(
                "bar",
                x=weights,
                y=names,
                orientation="h",
                name=_direction_name(direction),
                marker={"color": [_POSITIVE if w >= 0 else _NEGATIVE for w in weights], "line": {"width": 0}},
                hovertemplate="%{y}: %{x:+.3f}<extra></extra>",
                xaxis=f"x{tag}",
                showlegend=False,
            )
        )
        width = 1 / len(view.directions)
        layout[f"xaxis{tag}"] = {
            "domain": [j * width + 0.015 * (j > 0), (j + 1) * width],
            "range": [-reach, reach],
            "zeroline": True,
            "nticks": 5,
            "ticklabeloverflow": "hide past domain",
            "title": {"text": _direction_name(direction)},
        }
    return traces, layout


def _cells(view: LoadingsView, names: list[str], look: Theme) -> tuple[list[Trace], dict[str, Any]]:
    """Draw a cell for every feature and direction."""
    directions = [_direction_name(d) for d in view.directions]
    cells = trace(
        "heatmap",
        z=view.weights.astype(np.float32),
        x=directions,
        y=names,
        zmid=0,
        colorscale=cell_scale(look, _NEGATIVE, _POSITIVE),
        colorbar={"title": {"text": "weight"}, "thickness": 10, "outlinewidth": 0},
        texttemplate="%{z:.2f}" if len(directions) <= 12 else None,
        textfont={"size": 11, "color": look.cell_text},
        xgap=1,
        ygap=1,
        hovertemplate="%{y} on %{x}: %{z:+.3f}<extra></extra>",
    )
    return [cells], {"xaxis": {"side": "top", "showgrid": False, "ticks": "", "type": "category"}}


def confusion_figure(
    metrics: Metrics, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw which classes are taken for which: counts, coloured by their share of the true class.

    Parameters
    ----------
    metrics : Metrics
        Of `opnb.views.metrics`.
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import confusion_figure
    >>> from opnb.views import metrics, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> train, held_out = metrics(project(clf, X, y))
    >>> type(confusion_figure(train)).__name__
    'Figure'
    """
    look = find_theme(theme)
    names = unique_names(class_labels(metrics.class_names), 12 if compact else 18)
    counts = metrics.confusion
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    numbers = len(names) <= _MOST_NUMBERS
    cells = trace(
        "heatmap",
        z=share.astype(np.float32),
        x=names,
        y=names,
        customdata=counts.astype(np.int32),
        text=np.where(counts > 0, counts, "").astype(str) if numbers else None,
        texttemplate="%{text}" if numbers else None,
        textfont={"size": 12, "color": look.cell_text},
        colorscale=cell_scale(look, None, _POSITIVE),
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=1,
        ygap=1,
        hovertemplate="<b>%{y}</b> taken for <b>%{x}</b><br>%{customdata} points, %{z:.1%}<extra></extra>",
    )
    # A method without posteriors has no log-loss.
    loss = "" if np.isnan(metrics.log_loss) else f", log-loss {metrics.log_loss:.3f}"
    small = [f"error {metrics.errors}{loss}"]
    axis = {"type": "category", "showgrid": False, "ticks": ""}
    if numbers:
        axis["dtick"] = 1
    height = int(np.clip(150 + 34 * len(names), 260, 640))
    return make_figure(
        [cells],
        look,
        xaxis={**axis, "title": {"text": "predicted"}},
        yaxis={**axis, "title": {"text": "true"}, "autorange": "reversed"},
        **titled(headline(title, small, compact), height),
        height=height,
    )


def history_figure(
    history: Any,
    *,
    theme: str = "neutral",
    title: str | None = None,
    terms: bool = False,
    height: int = 260,
    compact: bool = False,
) -> go.Figure:
    """Draw the objective over the iterations.

    Parameters
    ----------
    history : fitted OPNBClassifier, sequence of its records, or HistoryView
    theme, title, compact
        As in `draw_projection`.
    terms : bool, default=False
        Also draw the two terms of the log-likelihood: class densities and mixture.
    height : int, default=260

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import history_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(history_figure(clf.history_)).__name__
    'Figure'
    """
    view = history if isinstance(history, HistoryView) else history_view(history)
    look = find_theme(theme)
    traces = [
        _course(view.objective, "objective", COLOURS[0], "solid"),
        _course(view.log_likelihood, "log-likelihood", COLOURS[6], "dash"),
    ]
    layout: dict[str, Any] = {"yaxis": {"title": {"text": "per observation"}, "nticks": 6}}
    if terms:
        traces += _terms(view)
        layout["yaxis"]["domain"] = [0.56, 1]
        layout["yaxis2"] = {"domain": [0, 0.46], "title": {"text": "terms"}, "nticks": 5}
    layout["xaxis"] = {
        "title": {"text": "iteration"},
        "rangemode": "tozero",
        "anchor": "y2" if terms else "y",
    }
    small = _history_line(view)
    height += 160 * terms
    return make_figure(
        traces,
        look,
        **layout,
        **titled(headline(title, small, compact), height),
        legend=legend_below(compact),
        height=height,
        hovermode="x unified",
    )


def _history_line(view: HistoryView) -> list[str]:
    if not view.objective.size:
        return ["no iteration yet"]
    return [f"objective {view.objective[-1]:.4f} after {view.objective.size - 1} iterations, {view.seconds[-1]:.2f} s"]


def _course(values: Any, name: str, colour: str, dash: str, yaxis: str = "y") -> Trace:
    return trace(
        "scatter",
        x=np.arange(values.size, dtype=np.int32),
        y=values.astype(np.float32),
        mode="lines+markers" if values.size < 60 else "lines",
        marker={"size": 4},
        line={"color": colour, "width": 2, "dash": dash},
        name=name,
        yaxis=yaxis,
        hovertemplate="%{y:.4f}",
    )


def _terms(view: HistoryView) -> list[Trace]:
    return [
        _course(view.class_term, "class densities", COLOURS[4], "solid", "y2"),
        _course(view.mixture_term, "mixture", COLOURS[5], "dash", "y2"),
    ]
