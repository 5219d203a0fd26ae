"""One way to put a figure on a page.

Streamlit's own chart is made anew whenever its figure changes, which takes long and loses zoom and selection. Ours
(`frontend/chart.js`) stays as long as its key does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from opnb.figures.sketch import parts_json, parts_of
from opnb.studio.ui.plotly_file import address
from opnb.studio.ui.session import narrow, theme

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult

_FRONTEND = Path(__file__).parent / "frontend"
_USUAL_HEIGHT = 450
_KEPT_SHEETS = 40  # of one fit
_NOT_WANTED = ["zoomIn2d", "zoomOut2d", "autoScale2d", "sendChartToCloud"]  # nothing is sent to another host
_SELECTING = ["lasso2d", "select2d"]


def chart_script() -> str:
    """Join what a chart does with what it offers by keyboard."""
    return "\n".join((_FRONTEND / name).read_text("utf8") for name in ("by_keyboard.js", "chart.js"))


_element = st.components.v2.component(
    "opnb_chart",
    css=(_FRONTEND / "chart.css").read_text("utf8"),
    js=chart_script(),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Sheet:
    """A figure as it is sent, which can be sent again.

    Attributes
    ----------
    text : str
        JSON.
    height : int
        In CSS pixels.
    moves : bool
        Whether it has frames.
    """

    text: str
    height: int
    moves: bool

    @classmethod
    def of(cls, figure: Any, *, selects: bool = False) -> Sheet:
        """Write a figure, whose points can be selected or not."""
        parts = parts_of(figure)
        layout = parts["layout"]
        if narrow() and not selects:
            parts["layout"] = layout | {"dragmode": False}  # a finger on the picture scrolls the page
        return cls(parts_json(parts), int(layout.get("height") or _USUAL_HEIGHT), "frames" in parts)


def sheet(result: FitResult, name: Hashable, draw: Callable[[], Any]) -> Sheet | None:
    """Give a figure of a fit that a page without a change would draw again, drawn once; None where there is none.

    Parameters
    ----------
    result : FitResult
        Keeps it.
    name : hashable
        Names the figure with all that it depends on besides the fit and the look of the page.
    draw : callable
        Makes the figure, or gives None.
    """
    asked = (name, theme(), narrow())
    if asked in result.sheets:
        known: Sheet | None = result.sheets[asked]
        return known
    figure = draw()
    drawn = result.sheets[asked] = None if figure is None else Sheet.of(figure)
    for old in list(result.sheets)[:-_KEPT_SHEETS]:
        result.sheets.pop(old, None)  # a fit of an example has many visitors
    return drawn


def chart(
    figure: Any,
    key: str,
    alt: str,
    *,
    bar: bool = True,
    revision: str | None = None,
    selects: str | None = None,
    least: int | None = None,
    old: bool = False,
) -> list[int]:
    """Show a figure with its own colours.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure or Sheet
    key : str
        The chart stays the same in the browser as long as this does.
    alt : str
        What it is, for those who do not see it.
    bar : bool, default=True
        Whether it has a row of tools; on a phone it never has.
    revision : str, optional
        Names what the axes mean: the visitor's zoom is kept while it stays the same. The key if not given.
    selects : str, optional
        Names what the points are: they can be selected, and stay selected while it stays the same.
    least : int, optional
        Least height: from there to the figure's own it takes what the window has left below it.
    old : bool, default=False
        Whether it shows what no longer holds; it is pale then.

    Returns
    -------
    list of int
        Rows of the selected points in order, as their `customdata` have them.
    """
    drawn = figure if isinstance(figure, Sheet) else Sheet.of(figure, selects=selects is not None)
    data = chart_data(drawn, key, alt, bar=bar, revision=revision, selects=selects, least=least, old=old)
    room: Any = drawn.height if least is None else "content"
    state = _element(key=key, data=data, height=room, on_selected_change=_nothing)
    return selected_rows(state, selects)


def chart_data(
    drawn: Sheet,
    key: str,
    alt: str,
    *,
    bar: bool = True,
    revision: str | None = None,
    selects: str | None = None,
    least: int | None = None,
    old: bool = False,
) -> bytes:
    """Write what the element of a chart gets; the parameters are those of `chart`."""
    bar = bar and not narrow()
    look = {
        "alt": alt,
        "config": _config(bar, selects),
        "height": drawn.height,
        "least": least,
        "old": old,
        "operable": bar or selects is not None or drawn.moves,
        "plotly": address(),
        "revision": revision or key,
        "selects": selects,
        "selected": selected_rows(st.session_state.get(key), selects),
    }
    return f"{json.dumps(look)}\n{drawn.text}".encode()


def _config(bar: bool, selects: str | None) -> dict[str, Any]:
    removed = _NOT_WANTED if selects else _NOT_WANTED + _SELECTING
    return {
        "displaylogo": False,
        "displayModeBar": bar,
        "modeBarButtonsToRemove": removed,
        "showSendToCloud": False,
    }


def _nothing() -> None:
    """Do nothing; with a callback, Streamlit keeps the value."""


def selected_rows(state: Any, selects: str | None) -> list[int]:
    """Read the rows out of what the browser says, which may be anything; curves carry none.

    Parameters
    ----------
    state : mapping or anything
        Of the element; `selected` in it has the rows and what they are rows `of`.
    selects : str or None
        Only rows of this count.
    """
    told = state.get("selected") if hasattr(state, "get") else None
    if selects is None or not isinstance(told, dict) or told.get("of") != selects:
        return []
    rows = told.get("rows")
    return sorted({row for row in rows if type(row) is int}) if isinstance(rows, list) else []
