"""One way to put a figure on a page.

Streamlit's own chart is made anew whenever its figure changes, which takes long and loses zoom and selection. Ours
(`frontend/chart.js`) stays as long as its key does.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import streamlit as st

from opnb.studio.ui.plotly_file import address
from opnb.studio.ui.session import narrow

_FRONTEND = Path(__file__).parent / "frontend"
_USUAL_HEIGHT = 450
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
    figure : plotly.graph_objects.Figure
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
    data = chart_data(figure, key, alt, bar=bar, revision=revision, selects=selects, least=least, old=old)
    room: Any = _height(figure) if least is None else "content"
    state = _element(key=key, data=data, height=room, on_selected_change=_nothing)
    return selected_rows(state, selects)


def _height(figure: Any) -> int:
    return int(figure.layout.height or _USUAL_HEIGHT)


def chart_data(
    figure: Any,
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
    if narrow() and selects is None:
        figure.layout.dragmode = False  # a finger on the picture scrolls the page
    bar = bar and not narrow()
    look = {
        "alt": alt,
        "config": _config(bar, selects),
        "height": _height(figure),
        "least": least,
        "old": old,
        "operable": bar or selects is not None or bool(figure.frames),
        "plotly": address(),
        "revision": revision or key,
        "selects": selects,
        "selected": selected_rows(st.session_state.get(key), selects),
    }
    return f"{json.dumps(look)}\n{figure.to_json()}".encode()


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
