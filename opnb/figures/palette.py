"""Colours, symbols and the template of every figure, in one place.

The ten colours are Petroff's ("Accessible color sequences for data visualization", 2021), in his order. Figures set
all their colours themselves: importing Streamlit replaces Plotly's default template by placeholders.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from opnb.figures.sketch import Trace, parts_of, sketch

COLOURS = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#94a4a2",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#92dadd",
)
SYMBOLS = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "x",
    "pentagon",
    "star",
    "hexagram",
)
GREY = "#8c8c8c"
BOUNDARY = "#7a7a7a"
FONT = '"Source Sans", "Source Sans Pro", "Source Sans 3", "Helvetica Neue", Arial, sans-serif'
REGION_ALPHA = 0.15


@dataclass(frozen=True)
class Theme:
    """What depends on the background: text, lines and the marks on top of points."""

    text: str
    quiet: str
    grid: str
    outline: str
    mark: str
    hover: str
    cell: str
    cell_text: str


THEMES = {
    # Reads on white and on near-black alike, for a page that changes its theme after the figure was made.
    "neutral": Theme(
        text="#808080",
        quiet="#808080",
        grid="rgba(128,128,128,0.22)",
        outline="rgba(128,128,128,0.8)",
        mark="#808080",
        hover="#4a4a4a",
        cell="#eef1f5",
        cell_text="#1c2430",
    ),
    "light": Theme(
        text="#262730",
        quiet="#5f6470",
        grid="rgba(49,51,63,0.12)",
        outline="rgba(30,30,30,0.55)",
        mark="#111111",
        hover="#ffffff",
        cell="#f7f9fb",
        cell_text="#262730",
    ),
    "dark": Theme(
        text="#fafafa",
        quiet="#b0b5be",
        grid="rgba(250,250,250,0.14)",
        outline="rgba(255,255,255,0.55)",
        mark="#ffffff",
        hover="#262730",
        cell="#161b24",
        cell_text="#fafafa",
    ),
}


@dataclass(frozen=True)
class ClassStyle:
    """How one class is drawn."""

    colour: str
    symbol: str
    focused: bool


def find_theme(theme: str) -> Theme:
    """Look a theme up by name."""
    if theme not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(map(repr, THEMES))}, got {theme!r}.")
    return THEMES[theme]


def class_styles(counts: NDArray[np.intp], focus: Sequence[int] | None = None) -> list[ClassStyle]:
    """Give every class a colour and a symbol, or grey when more classes are in focus than there are colours.

    Parameters
    ----------
    counts : ndarray of int of shape (n_classes,)
        Size of each class: without a choice the ten largest are in focus.
    focus : sequence of int, optional
        Classes to colour; the first ten count.

    Returns
    -------
    list of ClassStyle
    """
    n_classes, most = len(counts), len(COLOURS)
    chosen = np.argsort(-counts, kind="stable") if focus is None else np.asarray(focus, dtype=int)
    if any(not 0 <= k < n_classes for k in chosen):
        raise ValueError(f"focus must name classes by number, from 0 to {n_classes - 1}, got {list(focus or ())}.")
    order = sorted(list(dict.fromkeys(chosen.tolist()))[:most])
    # Up to ten classes each keeps its own colour whatever is in focus.
    place = {k: k for k in order} if n_classes <= most else {k: place for place, k in enumerate(order)}
    grey = ClassStyle(GREY, "circle", False)
    return [ClassStyle(COLOURS[place[k]], SYMBOLS[place[k]], True) if k in place else grey for k in range(n_classes)]


def rgb(colour: str) -> tuple[int, int, int]:
    """Split a hexadecimal colour into red, green and blue."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def faded(colour: str, alpha: float) -> str:
    """Give a colour with an opacity."""
    return "rgba({},{},{},{:g})".format(*rgb(colour), alpha)


def cell_scale(theme: Theme, low: str | None, high: str) -> list[list[Any]]:
    """Colour cells from `low` over the theme's empty cell to `high`, all pale enough for numbers on top."""
    ends = [[0.0, mixed(low, theme.cell)], [0.5, theme.cell]] if low else [[0.0, theme.cell]]
    return [*ends, [1.0, mixed(high, theme.cell)]]


def mixed(colour: str, other: str, share: float = 0.6) -> str:
    """Mix two colours, `share` of the first."""
    mix = (round(share * a + (1 - share) * b) for a, b in zip(rgb(colour), rgb(other), strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mix)


@cache
def template(theme: Theme) -> dict[str, Any]:
    """Build the template: transparent, quiet grid, no frame."""
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.grid,
        "zerolinecolor": theme.grid,
        "tickcolor": theme.grid,
        "tickfont": {"color": theme.quiet, "size": 12},
        "ticklabeloverflow": "hide past div",
        "title": {"font": {"color": theme.text, "size": 14}, "standoff": 8},
        "zeroline": False,
        "automargin": True,
    }
    layout = go.Layout(
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        colorway=list(COLOURS),
        font={"family": FONT, "color": theme.text, "size": 13},
        hoverlabel={
            "bgcolor": theme.hover,
            "bordercolor": BOUNDARY,
            "align": "left",
            "font": {"color": "#fafafa" if theme.hover != "#ffffff" else "#262730", "size": 13},
        },
        legend={
            "font": {"color": theme.text, "size": 13},
            "bgcolor": "rgba(0,0,0,0)",
            "itemsizing": "constant",
        },
        title={"font": {"color": theme.text, "size": 16}, "x": 0.0, "xanchor": "left"},
        modebar={
            "bgcolor": "rgba(0,0,0,0)",
            "color": BOUNDARY,
            "activecolor": theme.text,
            "orientation": "h",
        },
        xaxis=axis,
        yaxis=axis,
    )
    parts: dict[str, Any] = go.layout.Template(layout=layout).to_plotly_json()
    return parts


def trace(kind: str, **look: Any) -> Trace:
    """Describe a trace. Plotly's own objects would be checked twice: when made and when put into a figure."""
    return {"type": kind, **look}


def make_figure(traces: Sequence[Any], theme: Theme, **layout: Any) -> go.Figure:
    """Make a figure that owes nothing to Plotly's default template."""
    return _unchecked(list(traces), {"template": template(theme), **layout})


def _unchecked(traces: list[Trace], layout: dict[str, Any]) -> go.Figure:
    """Make a figure of properties that are written as Plotly would store them; what is changed later is checked.

    What we write does not change from figure to figure, so the tests have Plotly check it, for every figure that they
    draw.
    """
    return sketch(traces, layout)


def with_more(figure: go.Figure, traces: Sequence[Trace]) -> go.Figure:
    """Give a figure that was just made with more traces."""
    parts = parts_of(figure)
    return _unchecked([*parts["data"], *traces], parts["layout"])
