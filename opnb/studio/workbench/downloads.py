"""Take the fit away: figure, tables, model, program, report and link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from opnb.figures import figure_html
from opnb.figures.export import find_browser
from opnb.studio.ui.files import download
from opnb.studio.ui.text import escaped
from opnb.studio.visit import exports
from opnb.studio.visit.drawing import picture_of, report
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.snippet import python_snippet
from opnb.studio.visit.state import Studio
from opnb.studio.words import file_stem
from opnb.studio.work.images import draw_image
from opnb.studio.work.studies import diagnosis_key, importance_key, path_key


def take_away(state: Studio, result: FitResult) -> None:
    """Show all downloads; nothing is made before it is asked for."""
    stem = file_stem(result.dataset.name)

    def figure() -> Any:
        drawn = picture_of(result, state.picture, theme="light", title=state.name_of(result))
        drawn.layout.paper_bgcolor = "white"  # outside the app it may land on any ground
        return drawn

    st.markdown("**Picture and report**")
    with st.container(horizontal=True):
        found = state.studies.outcomes.get(diagnosis_key(result), ())
        path = state.studies.outcomes.get(path_key(result))
        errors = None if path is None else path.errors
        columns = state.studies.outcomes.get(importance_key(result))
        download(
            "Report",
            lambda: report(result, state.name_of(result), found, errors, columns, state.picture),
            f"{stem}-report.html",
            "text/html",
        )
        download(
            "Picture (HTML)", lambda: figure_html(figure(), title=result.dataset.name), f"{stem}.html", "text/html"
        )
        if find_browser() is not None:
            export = state.work.export
            download("Picture (PNG)", lambda: draw_image(export, figure(), "png"), f"{stem}.png", "image/png")
            download("Picture (SVG)", lambda: draw_image(export, figure(), "svg"), f"{stem}.svg", "image/svg+xml")
    if find_browser() is None:
        st.caption("PNG and SVG need a Chrome or Chromium beside the app, and there is none.")
    st.markdown("**Tables and model**")
    with st.container(horizontal=True):
        download("Predictions", lambda: exports.predictions(result), f"{stem}-predictions.csv", "text/csv")
        download("Projected data", lambda: exports.projections(result), f"{stem}-projected.csv", "text/csv")
        download("Weights", lambda: exports.loadings(result), f"{stem}-weights.csv", "text/csv")
        download("Model", lambda: exports.model_file(result), f"{stem}.opnb", "application/octet-stream")
    _link(state, result)
    st.markdown("**Python program that makes this fit**")
    st.code(python_snippet(result.spec), language="python")


def _link(state: Studio, result: FitResult) -> None:
    st.markdown("**Link to this fit and view**")
    source = result.spec.data.source
    if not source.is_reachable:
        st.caption(
            f"The link holds the settings, not the data: whoever opens it is asked for the file {escaped(source.name)}."
        )
    st.code(exports.link(result, state.picture, st.context.url), language=None, wrap_lines=True)
