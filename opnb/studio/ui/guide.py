"""The guide where it is needed: a button that opens the page which explains what is beside it."""

from __future__ import annotations

import re

import streamlit as st

from opnb.guide import PAGES, text, title

_LINK = re.compile(r"\[([^\]]+)\]\([\w-]+\.md\)")


def guide_button(page: str, place: str = "") -> None:
    """Offer a page of the guide.

    Parameters
    ----------
    page : str
        One of `opnb.guide.PAGES`.
    place : str, optional
        Where the button is, if the same page is offered twice at a time.
    """
    label = title(page)
    if st.button(label, type="tertiary", icon=":material/menu_book:", key=f"guide-{page}{place}", help="In the guide"):
        _guide(page)


@st.dialog("Guide", width="large", icon=":material/menu_book:")
def _guide(page: str) -> None:
    chosen = st.selectbox("Page", PAGES, PAGES.index(page), format_func=title, key="guide-page", width=320)
    st.markdown(shown(chosen))


def shown(page: str) -> str:
    """Give a page as the app shows it: its heading is in the box above, and so are the pages it speaks of."""
    return _LINK.sub(r"*\1*", text(page).partition("\n")[2])
