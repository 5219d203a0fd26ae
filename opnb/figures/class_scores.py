"""Scores class by class: ROC and calibration curves, each class against all others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.figures.layout import headline, legend_below, titled
from opnb.figures.palette import BOUNDARY, ClassStyle, Trace, class_styles, find_theme, make_figure, trace
from opnb.figures.text import unique_names
from opnb.views.class_scores import ClassScores

_HEIGHT = 420


def roc_figure(
    scores: ClassScores, *, focus: Sequence[int] | None = None, theme: str = "neutral", compact: bool = False
) -> go.Figure:
    """Draw the ROC curve of every class in colour against the others.

    Parameters
    ----------
    scores : ClassScores
        Of `opnb.views.class_scores`.
    focus, theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import roc_figure
    >>> from opnb.views import class_scores, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(roc_figure(class_scores(project(clf, X[::2], y[::2], X[1::2], y[1::2])))).__name__
    'Figure'
    """
    lines = []
    for k, name, style in _in_focus(scores, focus):
        curve = scores.roc[k]
        if curve.true_positive.size:
            lines.append(
                trace(
                    "scatter",
                    x=curve.false_positive.astype(np.float32),
                    y=curve.true_positive.astype(np.float32),
                    mode="lines",
                    line={"color": style.colour, "width": 2, "shape": "hv"},
                    name=f"{name} ({curve.area:.3f})",
                    hovertemplate=f"<b>{name}</b><br>%{{y:.1%}} found, %{{x:.1%}} of the others taken for it"
                    "<extra></extra>",
                )
            )
    axes = ("others taken for the class", "share of the class found")
    return _square(lines, axes, "ROC, area in brackets", theme, compact)


def calibration_figure(
    scores: ClassScores, *, focus: Sequence[int] | None = None, theme: str = "neutral", compact: bool = False
) -> go.Figure:
    """Draw how often every class in colour is true against the probability that was stated for it.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import calibration_figure
    >>> from opnb.views import class_scores, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(calibration_figure(class_scores(project(clf, X[::2], y[::2], X[1::2], y[1::2])))).__name__
    'Figure'
    """
    lines = []
    for k, name, style in _in_focus(scores, focus):
        curve = scores.calibration[k]
        lines.append(
            trace(
                "scatter",
                x=curve.stated,
                y=curve.observed,
                error_y={
                    "array": curve.high - curve.observed,
                    "arrayminus": curve.observed - curve.low,
                    "width": 0,
                    "thickness": 1,
                },
                mode="lines+markers",
                line={"color": style.colour, "width": 1.5},
                marker={"symbol": style.symbol, "size": 8},
                name=name,
                customdata=curve.sizes.astype(np.int32),
                hovertemplate=f"<b>{name}</b><br>stated %{{x:.1%}}, true %{{y:.1%}}<br>%{{customdata}} rows"
                "<extra></extra>",
            )
        )
    axes = ("probability stated", "share that is true")
    return _square(lines, axes, "Calibration with 95 % intervals", theme, compact)


def _in_focus(scores: ClassScores, focus: Sequence[int] | None) -> list[tuple[int, str, ClassStyle]]:
    names = unique_names(scores.class_names, 24)
    styles = class_styles(scores.class_counts, focus)
    return [(k, names[k], style) for k, style in enumerate(styles) if style.focused]


def _square(lines: list[Trace], axes: tuple[str, str], title: str, theme: str, compact: bool) -> go.Figure:
    """Draw curves on the unit square with its diagonal."""
    diagonal = trace(
        "scatter",
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": BOUNDARY, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )
    look: dict[str, Any] = {"range": [-0.02, 1.02], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    return make_figure(
        [diagonal, *lines],
        find_theme(theme),
        xaxis={**look, "title": {"text": axes[0]}},
        yaxis={**look, "title": {"text": axes[1]}},
        **titled(headline(title, [], compact), _HEIGHT),
        legend=legend_below(compact),
        height=_HEIGHT,
        hovermode="closest",
    )
