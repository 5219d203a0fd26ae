"""The door of the app: whoever must log in does so before anything else is shown."""

from __future__ import annotations

import streamlit as st

from opnb.studio.serving import login


def let_in() -> None:
    """Let a visitor in, or show how to get in and nothing else."""
    if not login.is_wanted() or st.user.is_logged_in:
        return
    st.title("OPNB Studio")
    st.markdown("Log in to use this server.")
    st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
    st.stop()
