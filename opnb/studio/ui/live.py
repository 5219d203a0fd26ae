"""Pictures of a search under way: light enough to be drawn twice a second."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from opnb.figures.palette import BOUNDARY, COLOURS, Trace, class_styles, find_theme, make_figure, trace
from opnb.figures.text import label_text
from opnb.studio.work.fitting import FitProgress

_HEIGHT = 480


def moving_picture(progress: FitProgress, theme: str) -> go.Figure:
    """Draw where the search has brought the points: two of its directions, or one against a fixed jitter."""
    assert progress.points is not None
    points = progress.points.astype(np.float32)
    if points.shape[1] == 1:
        jitter = np.random.default_rng(0).uniform(-1, 1, len(points))
        points = np.column_stack([points[:, 0], jitter])
    classes, labels, counts = np.unique(progress.labels, return_inverse=True, return_counts=True)
    traces = []
    for k, style in enumerate(class_styles(counts)):
        rows = labels == k
        traces.append(
            trace(
                "scatter",
                x=points[rows, 0],
                y=points[rows, 1],
                mode="markers",
                name=label_text(str(classes[k]), 28),
                showlegend=style.focused,
                marker={"color": style.colour, "symbol": style.symbol, "size": 6, "opacity": 0.8},
                hoverinfo="skip",
            )
        )
    return _figure(traces, theme, "Points on the way")


def objective_curve(progress: FitProgress, theme: str) -> go.Figure:
    """Draw the objective of every start against its iterations; the start under way stands out."""
    now = progress.start
    traces = [
        trace(
            "scatter",
            y=np.array(values, dtype=np.float32),
            mode="lines",
            showlegend=False,
            line={"color": COLOURS[0] if start == now else BOUNDARY, "width": 2.5 if start == now else 1},
        )
        for start, values in list(progress.objectives.items())
    ]
    axis = {"title": {"text": "iteration"}, "rangemode": "tozero"}
    return _figure(traces, theme, "Objective (the higher, the better)", xaxis=axis)


def _figure(traces: list[Trace], theme: str, title: str, **layout: object) -> go.Figure:
    return make_figure(
        traces,
        find_theme(theme),
        height=_HEIGHT,
        title={"text": title, "font": {"size": 13}},
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        legend={"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom"},
        **layout,
    )
