"""A downloaded workspace comes back: one file with data, fits and settings."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from opnb.errors import OPNBError
from opnb.studio.ui.session import go_on_with
from opnb.studio.ui.text import escaped
from opnb.studio.visit.restoring import restore_work
from opnb.studio.visit.snapshot import Opened
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import restore_bytes

_SEEN, _ERROR = "workspace-file-seen", "workspace-file-error"


def restoring(state: Studio) -> None:
    """Open a workspace file, once, and go on with what is in it."""
    file = st.file_uploader(
        "Open a downloaded workspace",
        "zip",
        key="workspace-file",
        help="It opens as a new workspace; the one you are in stays as it is.",
    )
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        place = st.empty()
        state.work.reading.look = partial(_show, place)
        error = open_file(state, file.getvalue())
        place.empty()
        st.session_state[_SEEN], st.session_state[_ERROR] = file.file_id, error
        if not error:
            st.rerun()
    if file is not None and st.session_state.get(_ERROR):
        st.error(escaped(st.session_state[_ERROR], 500), icon=":material/error:")


def _show(place: DeltaGenerator, job: Job[Opened], ahead: int) -> None:
    done, all = job.progress or (0, 1)
    words = (
        f"Waiting for a free place: {quantity(ahead, 'job')} to start" if ahead else f"Reading fit {done + 1} of {all}"
    )
    place.progress(done / all, words)


def open_file(state: Studio, data: bytes) -> str:
    """Go on with the workspace in a file; where it cannot be used, nothing changes and the reason is given."""
    try:
        go_on_with(state.work.reading.attend(partial(restore_work, data, _limit(state))))
    except OPNBError as error:
        return str(error)
    return ""


def _limit(state: Studio) -> int:
    store = state.keeper.store
    return restore_bytes() if store is None else min(restore_bytes(), store.settings.workspace_bytes)
