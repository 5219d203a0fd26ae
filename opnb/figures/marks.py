"""The picture with a finding marked in it."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.figures.layers import TOO_MANY_MARKS
from opnb.figures.palette import Theme, Trace, find_theme, trace, with_more
from opnb.figures.projection import draw_projection
from opnb.views.marks import Marks
from opnb.views.projected import Projected
from opnb.views.projection import ProjectionView

_RING, _SPIKE = 13, 9
# Its own colour, which no class has: magenta reads on light and dark.
_COLOUR = "#d6259b"


def draw_marks(view: ProjectionView, marks: Marks, projected: Projected, **drawing: Any) -> go.Figure:
    """Draw a view with the marks of a finding on it.

    Parameters
    ----------
    view : ProjectionView
        Of `marks.directions`.
    marks : Marks
    projected : Projected
    **drawing
        As in `draw_projection`.
    """
    figure = draw_projection(view, **drawing)
    look = find_theme(drawing.get("theme", "neutral"))
    return with_more(figure, [*_rings(marks, projected), *_spikes(marks), *_lines(marks, look)])


def _rings(marks: Marks, projected: Projected) -> list[Trace]:
    if not marks.rows.size:
        return []
    x, y = (projected.Z[marks.rows, d].astype(np.float32) for d in marks.directions)
    many = marks.rows.size > TOO_MANY_MARKS
    return [
        trace(
            "scatter",
            x=x,
            y=y,
            mode="markers",
            customdata=projected.rows[marks.rows].astype(np.int32),
            name=marks.name,
            marker={
                "symbol": "circle-open",
                "size": 0.7 * _RING if many else _RING,
                "color": _COLOUR,
                "line": {"width": 1 if many else 2},
            },
            opacity=0.5 if many else 0.95,
            legendrank=1003,
            hovertemplate=f"{marks.name}<br>row %{{customdata}}<extra></extra>",
        )
    ]


def _spikes(marks: Marks) -> list[Trace]:
    """Mark positions on the margins: from above on the top one, from the side on the right one."""
    traces = []
    for number, positions in enumerate(marks.spikes):
        if positions.size:
            along, across = ("x", "y") if number == 0 else ("y", "x")
            symbol = "line-ns" if number == 0 else "line-ew"
            place = {"xaxis": "x", "yaxis": "y2"} if number == 0 else {"xaxis": "x2", "yaxis": "y"}
            traces.append(
                trace(
                    "scatter",
                    **{along: positions.astype(np.float32), across: np.zeros(positions.size, dtype=np.float32)},
                    **place,
                    mode="markers",
                    marker={"symbol": symbol, "size": _SPIKE, "line": {"width": 1.5, "color": _COLOUR}},
                    name="spikes",
                    showlegend=False,
                    cliponaxis=False,
                    hovertemplate=f"a spike at %{{{along}:.3g}}<extra></extra>",
                )
            )
    return traces


def _lines(marks: Marks, theme: Theme) -> list[Trace]:
    """Draw shapes and arrows with an edge, so that they read on points of any colour."""
    traces = []
    for number, line in enumerate(marks.lines):
        points = line.astype(np.float32)
        for width, shade, named in ((6.0, theme.outline, False), (3.0, _COLOUR, number == 0)):
            head = {"symbol": ["circle", "arrow"], "angleref": "previous", "size": [0, 16], "color": shade}
            traces.append(
                trace(
                    "scatter",
                    x=points[:, 0],
                    y=points[:, 1],
                    mode="lines+markers" if marks.is_arrow else "lines",
                    line={"width": width, "color": shade},
                    name=marks.name,
                    legendgroup=marks.name,
                    legendrank=1003,
                    showlegend=named,
                    hoverinfo="skip",
                    **({"marker": head} if marks.is_arrow else {}),
                )
            )
    return traces
