"""One way to ask for a file: the box, what it takes, and a sentence beside one that is too large."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from opnb.studio.visit.intake import LIMITS

_FRONTEND = Path(__file__).parent / "frontend"
_ADVICE = "Keep fewer rows or columns, or use a sample."
_too_large = st.components.v2.component(
    "opnb_too_large",
    css=(_FRONTEND / "too_large.css").read_text("utf8"),
    js=(_FRONTEND / "too_large.js").read_text("utf8"),
    isolate_styles=False,
)


def file_box(label: str, key: str, help: str | None = None) -> Any:
    """Ask for a file of any kind, so that one that cannot be read gets a sentence of its own; gives it, or None."""
    file = st.file_uploader(label, key=key, help=help)
    _too_large(key=f"large-{key}", data={"box": key, "limit": LIMITS.max_bytes, "advice": _ADVICE})
    return file
