"""The workspace on the page: whether all is saved, its private link, everything as one file, and its end."""

from __future__ import annotations

import streamlit as st

from opnb.errors import OPNBError
from opnb.studio.ui import address
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.progress import STEP
from opnb.studio.ui.session import start_afresh, studio
from opnb.studio.ui.text import escaped
from opnb.studio.ui.workspace_file import restoring
from opnb.studio.visit.snapshot import items_of
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity
from opnb.workspace import pack

_PRIVATE = (
    "This address opens your workspace: keep it to come back, from this browser or another, and give it to nobody you "
    "would not let change your work. To show a fit, share the link under **Take away**."
)


def workspace_panel(state: Studio) -> None:
    """Show the state of the workspace and what can be done with it."""
    with st.expander("Workspace", icon=":material/inventory_2:"):
        status()
        guide_button("work")
        if state.keeper.id:
            _address()
        snapshot = state.snapshot()
        if snapshot is not None:
            st.download_button(
                "Download everything",
                lambda: pack(items_of(snapshot)),
                "opnb-workspace.zip",
                "application/zip",
                key="workspace-download",
                on_click="ignore",
                icon=":material/download:",
                width="stretch",
                help="Data, fits, models and settings in one file, to keep, to move to another computer, or to open "
                "here again.",
            )
        restoring(state)
        if state.keeper.id and st.button("Forget this workspace", icon=":material/delete_forever:", width="stretch"):
            _forgetting()


def status() -> None:
    """Say whether all is saved; while it is being saved, look again from time to time."""
    keeper = studio().keeper
    waits = keeper.shelf is not None and not keeper.shelf.saved and not keeper.problem
    (_followed_status if waits else _status)()


def _status() -> None:
    keeper = studio().keeper
    if keeper.problem:
        st.caption(f":material/cloud_off: {escaped(keeper.problem, 500)}")
    elif keeper.store is None:
        st.caption(":material/cloud_off: Work is not kept here: a reload begins anew. Download it to keep it.")
    elif keeper.shelf is None:
        st.caption(":material/cloud_queue: As soon as you change something, it is saved.")
    elif keeper.shelf.saved:
        fits = quantity(len(studio().fits), "fit")
        st.caption(f":material/cloud_done: All is saved: data, settings and {fits}.")
    else:
        st.caption(":material/cloud_upload: Saving …")


@st.fragment(run_every=STEP)
def _followed_status() -> None:
    keeper = studio().keeper
    _status()
    if keeper.shelf is None or keeper.shelf.saved or keeper.problem:
        st.rerun()


def _address() -> None:
    st.caption(_PRIVATE)
    base = (st.context.url or "").split("?")[0].rstrip("/")
    st.code(f"{base}/?{address.PARAMETER}={address.workspace()}", language=None, wrap_lines=True)


@st.dialog("Forget this workspace?", icon=":material/delete_forever:")
def _forgetting() -> None:
    """Ask whether it is meant."""
    state = studio()
    if not state.keeper.id:
        st.rerun()  # it is done: the dialog closes
    fits = quantity(len(state.fits), "fit")
    st.markdown(f"Data, settings and {fits} are deleted for good, here and for everyone who has the address.")
    st.button("Forget everything", type="primary", key="workspace-forget", on_click=_forget, args=(state,))


def _forget(state: Studio) -> None:
    try:
        state.keeper.forget()
    except OPNBError as error:
        state.notices.append(f"The workspace could not be deleted. {error}")
        return
    start_afresh()
