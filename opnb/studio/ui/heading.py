"""The head of a page: its first heading, and beside it what the page is about."""

from __future__ import annotations

import streamlit as st

from opnb.studio.ui.guide import guide_button


def heading(title: str, words: str = "", *, help: str | None = None, guide: str | None = None) -> None:
    """Show the first heading of a page; `words` are Markdown, and `guide` is the page of the guide to offer."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="about"):
        st.title(title, anchor=False, help=help, width="content")
        if words:
            st.caption(words)
        if guide:
            guide_button(guide)


def announce(words: str, key: str) -> None:
    """Have what happens, in Markdown, said to those who do not see the page; it takes no room."""
    with st.container(key=f"said-{key}"):
        st.markdown(words)
