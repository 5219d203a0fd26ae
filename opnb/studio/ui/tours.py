"""A tour on a page: one element has its points, the other shows them and lays the usual chart over what rests."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from opnb.core.kernel import Array
from opnb.figures import Tour
from opnb.figures.touring import axes_from_browser, tour_css, tour_script
from opnb.studio.ui.charts import Sheet, chart_data, chart_script
from opnb.studio.ui.session import theme

_FRONTEND = Path(__file__).parent / "frontend"


def _script() -> str:
    """Join the tour, the chart that is laid over it, and what brings them together."""
    chart = chart_script().replace("export default function", "return function")
    own = (_FRONTEND / "tour.js").read_text("utf8")
    return f"{tour_script()}\nconst chartElement = (() => {{\n{chart}\n}})();\n{own}"


_points = st.components.v2.component("opnb_tour_points", js=(_FRONTEND / "tour_points.js").read_text("utf8"))
_element = st.components.v2.component(
    "opnb_tour",
    css=tour_css() + (_FRONTEND / "tour.css").read_text("utf8") + (_FRONTEND / "chart.css").read_text("utf8"),
    js=_script(),
    isolate_styles=False,
)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A tour with its bytes, kept while its fit and its ways stay."""

    tour: Tour
    data: bytes
    id: str

    @classmethod
    def of(cls, made: Tour) -> Prepared:
        """Write the bytes once."""
        data = made.to_bytes()
        return cls(made, data, hashlib.sha256(data).hexdigest()[:16])


def told_axes(key: str, prepared: Prepared, fit: str) -> Array | None:
    """Give the axes where a tour has come to rest, of shape (n_columns, 2); None before it has moved."""
    told = _told(key, fit)
    return None if told is None else axes_from_browser(prepared.tour.view, told.get("axes"))


def _told(key: str, fit: str) -> dict[str, Any] | None:
    """Give what the browser says of a fit's tour, which may be anything."""
    state: Any = st.session_state.get(key)
    told = state.get("plane") if hasattr(state, "get") else None
    return told if isinstance(told, dict) and told.get("of") == fit else None


def tour_element(
    prepared: Prepared,
    figure: Any,
    key: str,
    alt: str,
    *,
    fit: str,
    axes: Array | None = None,
    way: str | None = None,
    new_rows: str | None = None,
    height: int = 520,
) -> None:
    """Show a tour, with a chart of where it rests, whose points can be selected.

    Parameters
    ----------
    prepared : Prepared
    figure : plotly.graph_objects.Figure or None
        Of the axes at which the tour stands; without one the canvas stays.
    key : str
    alt : str
        What the chart is, for those who do not see it.
    fit : str
        Names the fit: its tour keeps its place while this stays.
    axes : ndarray of shape (n_columns, 2), optional
        Where to begin; at the first two directions if not given.
    way : str, optional
        Names a way that was just added, the last of the tour's, to be played.
    new_rows : str, optional
        Of `Tour.new_text`; they come and go while the tour keeps its place.
    height : int, default=520
    """
    told = _told(key, fit)
    at = told.get("at") if told else 0
    look = {
        "id": prepared.id,
        "fit": fit,
        "at": at if isinstance(at, int) else 0,
        "axes": None if axes is None else (prepared.tour.view.basis.T @ axes).T.tolist(),
        "way": way,
        "newRows": new_rows,
        "theme": theme(),
        "height": height,
        "extent": prepared.tour.extent,
    }
    chart = b""
    if figure is not None:
        drawn = Sheet.of(figure, selects=True)
        chart = chart_data(drawn, key, alt, revision=f"{fit} {look['at']}", selects=fit)
    data = f"{json.dumps(look)}\n".encode() + chart
    _element(key=key, data=data, on_plane_change=_nothing, on_selected_change=_nothing)
    _points(key=f"{key}-points", data=f"{prepared.id}\n".encode() + prepared.data)


def _nothing() -> None:
    """Do nothing; with a callback, Streamlit keeps the value."""
