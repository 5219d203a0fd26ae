"""The query part of the page's address: what a page writes there, and beside it the workspace.

Streamlit drops the query when a visitor goes to another page, so the workspace is remembered in the session and
written again. A link made to be shared never passes through here.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from opnb.workspace import is_id

PARAMETER = "workspace"
_KEY = "workspace in the address"


def remember_workspace() -> None:
    """Note the workspace that the address asks for, or write the one that is known."""
    asked = st.query_params.get(PARAMETER, "")
    if _KEY not in st.session_state:
        st.session_state[_KEY] = asked if is_id(asked) else ""
    set_workspace(workspace())


def workspace() -> str:
    """Give the id of this visit's workspace; empty where it has none yet."""
    known: str = st.session_state.get(_KEY, "")
    return known


def set_workspace(workspace_id: str) -> None:
    """Name another workspace in the address, or none."""
    st.session_state[_KEY] = workspace_id
    write_query(own_query())


def own_query() -> dict[str, str]:
    """Give the query without the workspace."""
    return {name: value for name, value in st.query_params.to_dict().items() if name != PARAMETER}


def write_query(query: Mapping[str, str]) -> None:
    """Write a page's query into the address, beside the workspace."""
    wanted = dict(query) | ({PARAMETER: workspace()} if workspace() else {})
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
