"""The short way to data, beside the picture: choose an example, upload a table, say what to predict."""

from __future__ import annotations

import streamlit as st

from opnb.data import SIMULATORS
from opnb.studio.ui.heading import heading
from opnb.studio.ui.intake import (
    bring_in,
    give_up_button,
    point_out_codes,
    rows_left_out,
    show_draft_error,
    show_intake_error,
    show_unread,
    summary,
    upload_box,
)
from opnb.studio.ui.text import escaped
from opnb.studio.visit.arrivals import Unread
from opnb.studio.visit.intake import bring_source, change_target
from opnb.studio.visit.sources import Source, bundled_names
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity, shortened

_METHOD = (
    "The method is called Optimal Projections for Naive Bayes (OPNB): it looks for directions, which are mixtures of "
    "the columns, on which simple densities tell the classes apart. The paper writes XV₁ for direction 1."
)
_KINDS = {
    "example": "example",
    "simulator": "simulated",
    "pmlb": "PMLB",
    "upload": "your table",
    "server": "on the server",
}


def data_picker(state: Studio) -> None:
    """Show what the fit is about, and let the user change it."""
    _source_box(state)
    upload_box(state, "Or your own table", f"workbench-{state.revision}", brief=True)
    show_intake_error()
    if state.unread is not None:
        _unread_file(state, state.unread)
    working = state.working
    if working is None:
        return
    if state.unread is None:
        show_draft_error(state, "box")
    columns = [str(name) for name in working.table.frame.columns]
    place = columns.index(working.spec.target) if working.spec.target in columns else None
    target = st.selectbox(
        "Predict",
        columns,
        place,
        format_func=shortened,
        key=f"target-{state.revision}-{working.table.content_hash}",
        placeholder="Choose a column",
        help="The column with the classes. The other columns are what they are told from; the Data page says how.",
    )
    if target is not None and target != working.spec.target:
        change_target(state, target)
        st.rerun()
    if state.unread is None:
        give_up_button(state)
    if state.draft is None and state.dataset is not None:
        st.caption(summary(state))
        if rows_left_out(state):
            st.caption(f":material/info: {escaped(rows_left_out(state), 300)}")
    point_out_codes(state, "box")


def _unread_file(state: Studio, unread: Unread) -> None:
    show_unread(state, unread)
    if unread.error.lines:
        st.page_link("pages/data.py", label="Correct how it is read", icon=":material/tune:")
    give_up_button(state)


def about(state: Studio) -> None:
    """Say what this page is and what its picture shows, to someone who has read nothing."""
    if state.dataset is None:
        words = "Choose data at the side, and see from where their classes can be told apart."
    else:
        classes = quantity(len(state.dataset.class_names), "class", "classes")
        words = (
            f"Each point is a row of {escaped(state.dataset.name, 40)}, seen from where its {classes} lie farthest "
            "apart. The colour behind it is the class predicted there."
        )
    heading("Workbench", words, help=_METHOD)


def whose_picture(state: Studio) -> None:
    """Say whose the picture is while another table waits: at the side, it may be out of sight."""
    if state.unread is not None:
        name, trouble = state.unread.name, "could not be read"
    elif state.draft is not None:
        name, trouble = state.draft.table.name, "cannot be used yet"
    else:
        return
    if state.table is None:
        return
    before = ", as it was before" if state.table.name == name else ""
    st.warning(
        f"**{escaped(name)}** {trouble}. What you see here is still **{escaped(state.table.name)}**{before}.",
        icon=":material/info:",
    )


def _source_box(state: Studio) -> None:
    options = [Source("example", name) for name in bundled_names()]
    options += [Source("simulator", name) for name in SIMULATORS]
    if state.source is not None and state.source not in options:
        options.insert(0, state.source)
    chosen = st.selectbox(
        "Data",
        options,
        options.index(state.source) if state.source else None,
        format_func=_source_name,
        key=f"source-{state.revision}",
        help="Examples and simulators at one click. More ways to bring data are on the Data page.",
    )
    if chosen is not None and chosen != state.source:
        bring_in(lambda: bring_source(state, chosen))


def _source_name(source: Source) -> str:
    # Streamlit knows its options by their words, so a simulator with other settings needs others.
    drawn = ", as drawn" if source.parameters else ""
    return f"{shortened(source.name, 40)}{drawn} ({_KINDS[source.kind]})"
