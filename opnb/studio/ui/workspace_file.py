"""A downloaded workspace comes back: one file with data, fits and settings."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from opnb.errors import OPNBError
from opnb.studio.ui.session import go_on_with
from opnb.studio.ui.text import escaped
from opnb.studio.visit.snapshot import opened
from opnb.studio.visit.state import Studio
from opnb.workspace import unpack

_SEEN, _ERROR = "workspace-file-seen", "workspace-file-error"
_USUAL_LIMIT = 500 * 2**20


def restoring(state: Studio) -> None:
    """Open a workspace file, once, and go on with what is in it."""
    limit = _limit(state)
    file = st.file_uploader(
        "Open a downloaded workspace",
        "zip",
        key="workspace-file",
        max_upload_size=limit // 2**20,
        help="It opens as a new workspace; the one you are in stays as it is.",
    )
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        place = st.empty()

        def progress(done: int, all: int) -> None:
            place.progress(done / all, f"Reading fit {done + 1} of {all}")

        error = open_file(file.getvalue(), limit, progress)
        place.empty()
        st.session_state[_SEEN], st.session_state[_ERROR] = file.file_id, error
        if not error:
            st.rerun()
    if file is not None and st.session_state.get(_ERROR):
        st.error(escaped(st.session_state[_ERROR], 500), icon=":material/error:")


def open_file(data: bytes, limit: int, progress: Callable[[int, int], None]) -> str:
    """Go on with the workspace in a file; where it cannot be used, nothing changes and the reason is given."""
    try:
        go_on_with(opened(unpack(data, limit), own=False, progress=progress))
    except OPNBError as error:
        return str(error)
    return ""


def _limit(state: Studio) -> int:
    store = state.keeper.store
    return _USUAL_LIMIT if store is None else store.settings.workspace_bytes
