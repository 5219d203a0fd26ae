"""Files that leave the app."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def download(label: str, make: Callable[[], bytes | str], name: str, mime: str) -> None:
    """Offer a file that is made when it is asked for."""
    st.download_button(label, make, name, mime, key=f"take-{label}", on_click="ignore", icon=":material/download:")
