"""Figures of methods over repeated splits: a dot for every repeat, and the mean with its spread."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.figures.layout import headline, titled
from opnb.figures.palette import COLOURS, Theme, Trace, faded, find_theme, make_figure, trace
from opnb.figures.text import unique_names
from opnb.views.spread import Spread

_DOTS, _MEANS = COLOURS[0], COLOURS[2]
_LONGEST = 16
_THICKNESS = 0.36  # of the room of a method, that its dots take


def spread_figure(
    spread: Spread,
    what: str,
    *,
    scale: float = 1.0,
    logarithmic: bool = False,
    theme: str = "neutral",
    title: str | None = None,
    compact: bool = False,
) -> go.Figure:
    """Draw a row of dots for every method, one a repeat, and a diamond for the mean.

    Parameters
    ----------
    spread : Spread
    what : str
        What the numbers are, for the axis.
    scale : float, default=1.0
        Number by which all are multiplied, e.g. 100 for shares in per cent.
    logarithmic : bool, default=False
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.figures import spread_figure
    >>> from opnb.views import spread
    >>> errors = np.array([[0.1, 0.2], [0.2, 0.2]])
    >>> type(spread_figure(spread(errors, ["OPNB", "LDA"], [0, 1]), "error")).__name__
    'Figure'
    """
    look = find_theme(theme)
    names = unique_names(spread.names, _LONGEST)
    places = np.arange(len(names))
    height = 120 + 34 * max(len(names), 1)
    traces = [*_repeats(spread, names, scale), _means(spread, names, scale, look)]
    axis: dict[str, Any] = {"title": {"text": what}, "nticks": 6 if compact else 9}
    if logarithmic:
        axis |= {"type": "log", "dtick": "D2", "tickformat": "~g"}
    elif spread.reference:
        axis |= {"zeroline": True, "zerolinecolor": look.quiet, "zerolinewidth": 1.5}
    else:
        top = scale * float(
            np.nanmax(np.append(spread.values, spread.centres + np.nan_to_num(spread.reaches)), initial=0)
        )
        axis["range"] = [-0.03 * (top or 1.0), 1.05 * (top or 1.0)]  # room for the marks at zero
    return make_figure(
        traces,
        look,
        xaxis=axis,
        yaxis={
            "tickvals": places,
            "ticktext": names,
            "range": [len(names) - 0.5, -0.5],
            "fixedrange": True,
            "ticks": "",
        },
        **titled(headline(title, [_legend(spread)], compact), height),
        height=height,
        hovermode="closest",
        showlegend=False,
    )


def _legend(spread: Spread) -> str:
    """Say what the marks are."""
    bars = "95 % interval" if spread.reference else "standard deviation"
    told = f"dots: repeats; diamonds: means, with {bars}"
    return f"left of zero: less error than {spread.reference}; {told}" if spread.reference else told


def _repeats(spread: Spread, names: list[str], scale: float) -> list[Trace]:
    """Draw the values of every method; a repeat has the same height in each, so that splits can be followed."""
    count = max(len(spread.repeats), 1)
    offsets = _THICKNESS * ((np.arange(count) + 0.5) / count - 0.5)
    return [
        trace(
            "scatter",
            x=scale * spread.values[:, place],
            y=place + offsets,
            customdata=[repeat + 1 for repeat in spread.repeats],
            mode="markers",
            cliponaxis=False,
            name=name,
            marker={"size": 7, "color": faded(_DOTS, 0.55), "line": {"width": 1, "color": _DOTS}},
            hovertemplate=f"<b>{name}</b>, repeat %{{customdata}}: %{{x:.3g}}<extra></extra>",
        )
        for place, name in enumerate(names)
    ]


def _means(spread: Spread, names: list[str], scale: float, look: Theme) -> Trace:
    reaches = scale * np.nan_to_num(spread.reaches)
    # What is no difference has no values below zero.
    down = reaches if spread.reference else np.minimum(reaches, scale * spread.centres)
    return trace(
        "scatter",
        x=scale * spread.centres,
        y=np.arange(len(names)),
        error_x={
            "type": "data",
            "symmetric": False,
            "array": reaches,
            "arrayminus": down,
            "color": look.text,
            "thickness": 1.5,
            "width": 5,
        },
        text=names,
        mode="markers",
        cliponaxis=False,
        name="mean",
        marker={"symbol": "diamond", "size": 11, "color": _MEANS, "line": {"width": 1, "color": "#ffffff"}},
        hovertemplate="<b>%{text}</b>: mean %{x:.3g}<extra></extra>",
    )
