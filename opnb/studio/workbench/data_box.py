"""The short way to data, beside the picture: choose an example, upload a table, say what to predict."""

from __future__ import annotations

import streamlit as st

from opnb.data import SIMULATORS
from opnb.studio.ui.intake import bring_in, show_draft_error, show_intake_error, summary, upload_box
from opnb.studio.visit.intake import bring_source, change_target
from opnb.studio.visit.sources import Source, bundled_names
from opnb.studio.visit.state import Studio
from opnb.studio.words import shortened

_KINDS = {"example": "example", "simulator": "simulated", "pmlb": "PMLB", "upload": "your table"}


def data_picker(state: Studio) -> None:
    """Show what the fit is about, and let the user change it."""
    _source_box(state)
    upload_box(state, "Or your own table", f"workbench-{state.revision}")
    show_intake_error()
    working = state.working
    if working is None:
        return
    show_draft_error(state)
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
    if state.draft is not None and state.table is not None:
        st.button("Give this table up", icon=":material/undo:", on_click=state.give_up_draft, width="stretch")
    elif state.dataset is not None:
        st.caption(summary(state))


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
