"""Pictures of a search under way: light enough to be drawn twice a second."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from opnb.studio.fitting import FitProgress


def moving_picture(progress: FitProgress, theme: str) -> go.Figure:
    """Draw where the search has brought the points: the first two directions, or one against a fixed jitter."""
    assert progress.points is not None
    points = progress.points
    if points.shape[1] == 1:
        jitter = np.random.default_rng(0).uniform(-1, 1, len(points))
        points = np.column_stack([points[:, 0], jitter])
    figure = go.Figure(layout=_layout(theme, 520))
    for number, label in enumerate(np.unique(progress.labels)):
        rows = progress.labels == label
        figure.add_scatter(x=points[rows, 0], y=points[rows, 1], mode="markers", name=str(label))
    return figure


def objective_curve(progress: FitProgress, theme: str) -> go.Figure:
    """Draw the objective of every start against its iterations."""
    figure = go.Figure(layout=_layout(theme, 520))
    for values in list(progress.objectives.values()):
        figure.add_scatter(y=list(values), mode="lines", showlegend=False)
    return figure


def _layout(theme: str, height: int) -> go.Layout:
    return go.Layout(
        height=height, margin={"l": 50, "r": 10, "t": 30, "b": 40}, paper_bgcolor="rgba(0,0,0,0)"
    )
