"""Data on their way in, on any page: a box for files, why the last one could not be read, how large the data are."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from opnb.studio.ui.text import escaped
from opnb.studio.visit.intake import UPLOAD_TYPES, bring_file
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity

_ERROR = "intake-error"
_SEEN = "upload-seen"


def upload_box(state: Studio, label: str, key: str) -> None:
    """Bring a file in, once."""
    file = st.file_uploader(
        label, UPLOAD_TYPES, key=f"upload-{key}", help="CSV, TSV, Excel, Parquet or gzip, up to 50 MB."
    )
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        bring_in(lambda: bring_file(state, file.name, file.getvalue()), file.file_id)


def bring_in(intake: Callable[[], str], file_id: str | None = None) -> None:
    """Bring data in, and run the page again with them; where they cannot be read, keep the reason."""
    with st.spinner("Reading …"):
        # Streamlit may end a run at any of its own calls, so a file counts as seen only once it was brought in.
        st.session_state[_ERROR] = intake()
        st.session_state[_SEEN] = file_id or st.session_state.get(_SEEN)
    if not st.session_state[_ERROR]:
        st.rerun()


def show_intake_error() -> None:
    """Show why the last data could not be read, until others can."""
    if st.session_state.get(_ERROR):
        st.error(escaped(st.session_state[_ERROR], 500), icon=":material/error:")


def show_draft_error(state: Studio) -> None:
    """Show why the table that waits cannot be used yet, and what stays in use meanwhile."""
    draft = state.draft
    if draft is None:
        return
    st.error(escaped(draft.error, 500), icon=":material/error:")
    if state.table is not None:
        kept = escaped(state.table.name)
        st.caption(f"This is about {escaped(draft.table.name)}. Until it is mended, {kept} stays in use.")


def summary(state: Studio) -> str:
    """Say how large the data in use are."""
    dataset = state.dataset
    assert dataset is not None
    held = f"{len(dataset.test):,} held out" if len(dataset.test) else "none held out"
    return (
        f"{quantity(len(dataset.y), 'row')} ({held}), {quantity(dataset.X.shape[1], 'column')}, "
        f"{quantity(len(dataset.class_names), 'class', 'classes')}"
    )
