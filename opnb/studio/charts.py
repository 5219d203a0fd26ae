"""One way to put a figure on a page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from opnb.studio.session import narrow

_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["zoomIn2d", "zoomOut2d", "autoScale2d"]}


def chart(figure: Any, key: str, alt: str, *, bar: bool = True, **selection: Any) -> Any:
    """Show a figure with its own colours.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    key : str
    alt : str
        What it is, for those who do not see it.
    bar : bool, default=True
        Whether it has a row of tools; on a phone it never has.
    **selection
        `on_select` and `selection_mode` of `streamlit.plotly_chart`.
    """
    if narrow() and not selection:
        figure.layout.dragmode = False  # a finger on the picture scrolls the page
    config = _CONFIG | {"displayModeBar": bar and not narrow()}
    return st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **selection)
