"""New rows on the picture, in a mark of their own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from opnb.figures.layers import scatter_kind
from opnb.figures.palette import ClassStyle, Theme, Trace, class_styles, find_theme, trace
from opnb.figures.text import label_text
from opnb.views.new_rows import NewRows, PlacedRows, placed_rows
from opnb.views.projection import ProjectionView
from opnb.views.strip import StripView


class MarkLook(NamedTuple):
    """How large and how plain the marks of new rows are."""

    size: float
    opacity: float
    line: float


SYMBOL, UNLIKE, CHOSEN = "star-diamond", "star-diamond-open-dot", "circle-open"
_CROWD = 200
_USUAL, _CROWDED = MarkLook(13.0, 1.0, 1.5), MarkLook(8.0, 0.6, 0.5)


def add_new_rows(
    figure: go.Figure,
    view: ProjectionView | StripView,
    new: NewRows,
    *,
    theme: str = "neutral",
    focus: Sequence[int] | None = None,
    chosen: int | None = None,
    max_points: int = 2_000,
) -> go.Figure:
    """Draw new rows onto the picture of a view.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Of `draw_projection` or `draw_strip`; it is changed.
    view : ProjectionView or StripView
    new : NewRows
    theme, focus
        As for the figure.
    chosen : int, optional
        The row to put a ring around, by its name in `new.rows`.
    max_points : int, default=2_000
        Draw about as many at the most.

    Returns
    -------
    plotly.graph_objects.Figure
        The same. In `customdata` a new row has its number with a minus sign, so that it is not taken for a training
        row; 0 is the row by hand.
    """
    look, styles = find_theme(theme), class_styles(view.class_counts, focus)
    placed = _placed(view, new, max_points)
    traces = [
        _rows_trace(new, placed, np.flatnonzero(new.unlike[placed.chosen] == unlike), styles, look, unlike)
        for unlike in (False, True)
    ]
    ring = _ring(view, new, chosen, look)
    figure.add_traces([one for one in (*traces, ring) if one is not None])
    return figure


def _placed(view: ProjectionView | StripView, new: NewRows, max_points: int) -> PlacedRows:
    if isinstance(view, ProjectionView):
        directions = [axis.direction for axis in view.axes]
        return placed_rows(new, directions, [view.x_range, view.y_range], max_points=max_points)
    placed = placed_rows(new, [view.margin.axis.direction], [view.x_range], max_points=max_points)
    # On one direction a row lies in the lane of the class that it is taken for.
    return placed._replace(y=new.predicted[placed.chosen].astype(np.float32))


def _rows_trace(
    new: NewRows,
    placed: PlacedRows,
    kept: NDArray[np.intp],
    styles: Sequence[ClassStyle],
    theme: Theme,
    unlike: bool,
) -> Trace | None:
    if not kept.size or placed.y is None:
        return None
    rows = placed.chosen[kept]
    predicted = new.predicted[rows]
    look = mark_look(placed.chosen.size)
    return trace(
        scatter_kind(placed.chosen.size),
        x=placed.x[kept],
        y=placed.y[kept],
        customdata=-new.rows[rows].astype(np.int64),
        text=_says(new, rows, placed.outside[kept]),
        mode="markers",
        name=legend_words(bool(new.rows[rows].any()), unlike),
        legendrank=1003 + unlike,
        marker={
            "symbol": UNLIKE if unlike else SYMBOL,
            "size": look.size,
            "color": [styles[k].colour for k in predicted],
            "opacity": look.opacity,
            "line": {"width": look.line, "color": theme.mark},
        },
        hovertemplate="%{text}<extra></extra>",
    )


def mark_look(count: int) -> MarkLook:
    """Choose the look of the marks of so many rows."""
    return _CROWDED if count > _CROWD else _USUAL


def legend_words(numbered: bool, unlike: bool) -> str:
    """Name new rows in a legend: numbered ones of a table, or the one by hand."""
    noun = "new rows" if numbered else "row by hand"
    return f"{noun}, unlike the training rows" if unlike else noun


def _called(row: int) -> str:
    return f"new row {row:,}" if row else "row by hand"


def _says(new: NewRows, rows: NDArray[np.intp], outside: NDArray[np.bool_]) -> list[str]:
    """Say of each row what the model says of it, as safe text."""
    names = [label_text(name, 60) for name in new.class_names]
    best = np.exp(new.log_posterior[rows].max(axis=1))
    says = []
    for row, share, beyond in zip(rows, best, outside, strict=True):
        words = f"<b>{_called(new.rows[row])}</b><br>{names[new.predicted[row]]}, probability {share:.3f}"
        if new.unlike[row]:
            words += "<br>unlike the training rows"
        says.append(words + ("<br>beyond the part shown" if beyond else ""))
    return says


def _ring(view: ProjectionView | StripView, new: NewRows, chosen: int | None, theme: Theme) -> Trace | None:
    """Put a ring around one row."""
    place = np.flatnonzero(new.rows == chosen)
    if chosen is None or not place.size:
        return None
    one = _placed(view, _only(new, place), 1)
    return trace(
        "scatter",
        x=one.x,
        y=one.y,
        mode="markers",
        name=_called(chosen),
        showlegend=False,
        hoverinfo="skip",
        marker={"symbol": CHOSEN, "size": 22, "color": theme.mark, "line": {"width": 2.5, "color": theme.mark}},
    )


def _only(new: NewRows, place: NDArray[np.intp]) -> NewRows:
    parts: dict[str, Any] = {name: getattr(new, name)[place] for name in ("X", "Z", "log_posterior", "unlike", "rows")}
    familiarity = None if new.familiarity is None else new.familiarity[place]
    return NewRows(**parts, familiarity=familiarity, rate=new.rate, class_names=new.class_names)
