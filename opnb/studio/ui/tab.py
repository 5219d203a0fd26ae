"""What the visitor's browser remembers: this tab its workspace, and the browser which workspaces were opened in it.

An element without a look (`frontend/tab.js`) keeps both. A reload, another page and a server that was restarted find
the workspace again, whatever the address says; and a workspace that comes by a link is known to be a stranger's.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

import opnb
from opnb.workspace import is_id

_KEY = "tab"
_COOKIE = "opnb_known"
_MARK = 10  # characters of an id by which it is known again; the others open the workspace
_element = st.components.v2.component(
    "opnb_tab", js=(Path(__file__).parent / "frontend" / "tab.js").read_text("utf8"), isolate_styles=False
)


@cache
def program() -> str:
    """Name the program that is running: another name means that it was changed."""
    files = sorted(Path(opnb.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def knows(workspace_id: str) -> bool:
    """Tell whether this browser has opened a workspace before."""
    return workspace_id[:_MARK] in st.context.cookies.get(_COOKIE, "").split(".")


def remember(workspace_id: str, left: str = "") -> None:
    """Have the tab remember the workspace of this visit, or forget the one that was left."""
    told = _told()
    data = {
        "workspace": workspace_id,
        "mark": workspace_id[:_MARK],
        "left": left,
        "told": told.get("workspace", ""),
        "updated": told.get("updated") is True,
        "program": program(),
    }
    _element(key=_KEY, data=data, on_remembered_change=_nothing, on_scheme_change=_nothing)


def remembered() -> str:
    """Give the workspace that the tab has told of; empty where it has none, or where what it told is no id."""
    told = _told().get("workspace")
    return told if isinstance(told, str) and is_id(told) else ""


def is_of_another_program() -> bool:
    """Tell whether the page was loaded from a program that has been replaced since."""
    return _told().get("updated") is True


def _told() -> dict[str, Any]:
    """Read what the browser says, which may be anything."""
    state: Any = st.session_state.get(_KEY)
    told = state.get("remembered") if hasattr(state, "get") else None
    return told if isinstance(told, dict) else {}


def _nothing() -> None:
    """Do nothing; with a callback, Streamlit keeps the value."""
