"""The doors of the app: who must log in does so first, and who came by a link to a workspace is asked about it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from opnb.studio.serving import login

Answer = Literal["copy", "open", "leave"]
_KEY = "workspace by a link"
_WORDS = (
    "This address opens a workspace that this browser has not opened before. If somebody gave you the address: **they "
    "see what you do in that workspace, and can change it.** A copy is yours alone."
)
_CHOICES: dict[Answer, tuple[str, str]] = {
    "copy": ("Take a copy", ":material/content_copy:"),
    "open": ("Open it itself", ":material/folder_open:"),
    "leave": ("Leave it", ":material/close:"),
}


def let_in() -> None:
    """Let a visitor in, or show how to get in and nothing else."""
    if not login.is_wanted() or st.user.is_logged_in:
        return
    st.title("OPNB Studio")
    st.markdown("Log in to use this server.")
    st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
    st.stop()


def ask_about_workspace(workspace_id: str) -> Answer:
    """Ask what to do about a workspace that came by a link, and give the answer; until there is one, nothing else."""
    answers: dict[str, Answer] = st.session_state.get(_KEY, {})
    if workspace_id not in answers:
        _ask(workspace_id)
        st.stop()
    return answers[workspace_id]


def _ask(workspace_id: str) -> None:
    st.title("Somebody else's workspace?")
    st.markdown(_WORDS)
    with st.container(horizontal=True):
        for choice, (words, icon) in _CHOICES.items():
            kind: Literal["primary", "secondary"] = "primary" if choice == "copy" else "secondary"
            st.button(words, icon=icon, type=kind, key=f"opening-{choice}", on_click=_note, args=(workspace_id, choice))


def _note(workspace_id: str, answer: Answer) -> None:
    st.session_state[_KEY] = {workspace_id: answer}
