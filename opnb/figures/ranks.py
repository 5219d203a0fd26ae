"""The critical-difference diagram: mean ranks on a line, and bars over methods that do not differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.benchmark import Ranks
from opnb.figures.layout import headline, titled
from opnb.figures.palette import COLOURS, Theme, Trace, find_theme, make_figure, trace
from opnb.figures.text import label_text

_BLUE = COLOURS[0]
_LONGEST = 16
_NOT_SHOWN = {"visible": False, "showgrid": False, "fixedrange": True}
# Pixels beside the line for the names, and of a unit of height; units above the line.
_SIDE, _ROW, _TOP = 112, 28, 2.6
_BRACKET = [1.3, 1.6, 1.45, 1.45, 1.6, 1.3]


def ranks_figure(ranks: Ranks, *, theme: str = "neutral", title: str | None = None, compact: bool = False) -> go.Figure:
    """Draw the critical-difference diagram: methods that a bar joins do not differ.

    Parameters
    ----------
    ranks : Ranks
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    k, length = len(ranks.methods), ranks.critical_difference
    first_row = 0.7 + 0.4 * len(ranks.groups)
    lowest = -first_row - 0.75 * ((k + 1) // 2 - 1) - 0.4
    traces = [_stem(ranks, place, first_row, look) for place in range(k)]
    traces += [_group(ranks, number) for number in range(len(ranks.groups))]
    traces += [_axis(k, look), _line([1, 1, 1, 1 + length, 1 + length, 1 + length], _BRACKET, look.mark, 1.5)]
    notes = [_label(ranks, place, first_row, compact) for place in range(k)]
    notes += [_note(rank, 0.2, str(rank), yanchor="bottom") for rank in range(1, k + 1)]
    notes.append(_note(1, 1.75, f"critical difference {length:.2f}", xanchor="left", yanchor="bottom"))
    height = int(90 + _ROW * (_TOP - lowest))
    place = titled(headline(title, [_ranks_line(ranks)], compact), height)
    place["margin"] |= {"l": _SIDE, "r": _SIDE}
    return make_figure(
        traces,
        look,
        annotations=notes,
        xaxis={**_NOT_SHOWN, "range": [0.9, max(float(k), 1 + length) + 0.1]},
        yaxis={**_NOT_SHOWN, "range": [lowest, _TOP]},
        **place,
        height=height,
    )


def _axis(k: int, look: Theme) -> Trace:
    """Draw the line of ranks with a tick at each."""
    x = [place for rank in range(1, k + 1) for place in (rank, rank, rank)]
    return _line(x, [0, 0.2, 0] * k, look.quiet, 1.5)


def _ranks_line(ranks: Ranks) -> str:
    told = f"{ranks.n_datasets} data sets; level {ranks.alpha:g}"
    return told if np.isnan(ranks.p_value) else f"{told}; Friedman's test p = {ranks.p_value:.2g}"


def _side(ranks: Ranks, place: int, first_row: float) -> tuple[float, float, bool]:
    """Where the stem of a method ends: better half to the left, the others to the right, outermost on top."""
    k = len(ranks.methods)
    left = place < (k + 1) // 2
    row = place if left else k - 1 - place
    return (0.9 if left else max(float(k), 1 + ranks.critical_difference) + 0.1), -first_row - 0.75 * row, left


def _stem(ranks: Ranks, place: int, first_row: float, look: Theme) -> Trace:
    rank = ranks.mean_ranks[place]
    end, row, _ = _side(ranks, place, first_row)
    name = label_text(ranks.methods[place], 60)
    look_of_line = _line([rank, rank, end], [0, row, row], look.quiet, 1)
    return {**look_of_line, "hoverinfo": "text", "text": f"{name}: mean rank {rank:.3f}", "name": name}


def _label(ranks: Ranks, place: int, first_row: float, compact: bool) -> dict[str, Any]:
    end, row, left = _side(ranks, place, first_row)
    name = label_text(ranks.methods[place], 10 if compact else _LONGEST)
    text = f"<b>{name}</b> {ranks.mean_ranks[place]:.2f}"
    return _note(end, row, text, xanchor="right" if left else "left", yanchor="middle", xshift=-4 if left else 4)


def _group(ranks: Ranks, number: int) -> Trace:
    first, last = ranks.groups[number]
    height = -0.4 * (number + 1)
    return _line([ranks.mean_ranks[first] - 0.05, ranks.mean_ranks[last] + 0.05], [height] * 2, _BLUE, 5)


def _line(x: Sequence[float], y: Sequence[float], colour: str, width: float) -> Trace:
    return trace(
        "scatter", x=x, y=y, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip", showlegend=False
    )


def _note(x: float, y: float, text: str, **place: Any) -> dict[str, Any]:
    return {"x": x, "y": y, "text": text, "showarrow": False, **place}
