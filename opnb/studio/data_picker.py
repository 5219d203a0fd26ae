"""The short way to data, beside the picture: choose an example, upload a table, say what to predict."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from opnb.data import SIMULATORS
from opnb.studio.intake import UPLOAD_TYPES, change_target, take_file, take_source
from opnb.studio.sources import Source, bundled_names
from opnb.studio.state import Studio
from opnb.studio.text import plain, quantity, shortened

_ERROR = "intake-error"
_SEEN = "upload-seen"
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


def upload_box(state: Studio, label: str, key: str) -> None:
    """Take a file, once."""
    file = st.file_uploader(
        label, UPLOAD_TYPES, key=f"upload-{key}", help="CSV, TSV, Excel, Parquet or gzip, up to 50 MB."
    )
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        take(lambda: take_file(state, file.name, file.getvalue()), file.file_id)


def take(intake: Callable[[], str], file_id: str | None = None) -> None:
    """Take data in, and run the page again with them; where they cannot be read, keep the reason."""
    with st.spinner("Reading …"):
        # Streamlit may end a run at any of its own calls, so a file counts as seen only once it was taken.
        st.session_state[_ERROR] = intake()
        st.session_state[_SEEN] = file_id or st.session_state.get(_SEEN)
    if not st.session_state[_ERROR]:
        st.rerun()


def show_intake_error() -> None:
    """Show why the last data could not be read, until others can."""
    if st.session_state.get(_ERROR):
        st.error(plain(st.session_state[_ERROR], 500), icon=":material/error:")


def show_draft_error(state: Studio) -> None:
    """Show why the table that waits cannot be used yet, and what stays in use meanwhile."""
    draft = state.draft
    if draft is None:
        return
    st.error(plain(draft.error, 500), icon=":material/error:")
    if state.table is not None:
        kept = plain(state.table.name)
        st.caption(f"This is about {plain(draft.table.name)}. Until it is mended, {kept} stays in use.")


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
        take(lambda: take_source(state, chosen))


def _source_name(source: Source) -> str:
    # Streamlit knows its options by their words, so a simulator with other settings needs others.
    drawn = ", as drawn" if source.parameters else ""
    return f"{shortened(source.name, 40)}{drawn} ({_KINDS[source.kind]})"


def summary(state: Studio) -> str:
    """Say how large the data in use are."""
    dataset = state.dataset
    assert dataset is not None
    held = f"{len(dataset.test):,} held out" if len(dataset.test) else "none held out"
    return (
        f"{quantity(len(dataset.y), 'row')} ({held}), {quantity(dataset.X.shape[1], 'column')}, "
        f"{quantity(len(dataset.class_names), 'class', 'classes')}"
    )
