"""Small pictures of which one can be picked; an element of our own, because Streamlit's images are no buttons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

_FRONTEND = Path(__file__).parent / "frontend"
_element = st.components.v2.component(
    "opnb_gallery",
    css=(_FRONTEND / "gallery.css").read_text("utf8"),
    js=(_FRONTEND / "gallery.js").read_text("utf8"),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Tile:
    """One picture.

    Attributes
    ----------
    id : int
        What is given back when it is picked.
    source : str
        Its data address.
    words, said : str
        What stands below it, and the same for those who do not see it.
    chosen : bool
        Whether it is the one in use.
    """

    id: int
    source: str
    words: str
    said: str
    chosen: bool


def gallery(tiles: Sequence[Tile], key: str, label: str) -> int | None:
    """Show pictures, and give the one that was picked just now; None if none was."""
    data = json.dumps({"label": label, "tiles": [asdict(tile) for tile in tiles]}).encode()
    picked = _element(key=key, data=data, on_picked_change=_nothing).get("picked")
    known = {tile.id for tile in tiles}
    return picked if type(picked) is int and picked in known else None


def _nothing() -> None:
    """Do nothing; with a callback, Streamlit keeps the value."""
