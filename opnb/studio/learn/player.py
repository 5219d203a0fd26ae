"""A lesson's story on the page, laid out and played in the browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from opnb.figures.sketch import parts_json, parts_of
from opnb.figures.touring import FOLDER
from opnb.studio.ui import charts
from opnb.studio.ui.plotly_file import address

_FRONTEND = Path(__file__).parent / "frontend"
_CHARTS = Path(charts.__file__).parent / "frontend"

# What a class does without a mouse: the key, what it does, and the button of the page that it presses, if it does.
KEYS = (
    ("Space", "play or stop", ""),
    ("→ or Page Down", "one step on, as a presenter's button does", ""),
    ("← or Page Up", "one step back", ""),
    ("Home, End", "the first and the last step", ""),
    ("N", "the next lesson", "go-Next"),
    ("P", "the previous lesson", "go-Previous"),
    ("Q", "the question, on the wall", "lesson-question"),
    ("A", "the answer", "lesson-answer"),
    ("W", "to the wall", "go-Wall"),
    ("Esc", "back from the wall", "go-Leave"),
    ("K", "this list", "lesson-keys"),
)


def _exported(path: Path) -> str:
    return path.read_text("utf8").replace("export ", "")


def _script() -> str:
    """Join what loads Plotly, the symbols of the classes, and the story."""
    chart = (_CHARTS / "chart.js").read_text("utf8").replace("export default function", "function element")
    library = f"const {{ load, read }} = (() => {{\n{chart}\nreturn {{ load, read }};\n}})();"
    symbols = f"const draw = (() => {{\n{_exported(FOLDER / 'symbols.js')}\nreturn draw;\n}})();"
    return "\n".join(
        [library, symbols, _exported(_FRONTEND / "arrange.js"), (_FRONTEND / "story.js").read_text("utf8")]
    )


_element = st.components.v2.component(
    "opnb_story",
    css=(_FRONTEND / "story.css").read_text("utf8"),
    js=_script(),
    isolate_styles=False,
)


def story_player(
    figure: Any, title: str, *, at: int, asked: int, play: bool, wall: bool, moved: Callable[[int], None]
) -> None:
    """Show a story in the room that the page has left for it.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        From `opnb.figures.story.draw_story`.
    title : str
        What it is, for those who do not see it.
    at : int
        The frame to show.
    asked : int
        Another number shows that frame; with the same one, the story stays where it has come to by itself.
    play : bool
        Whether it plays by itself.
    wall : bool
        Whether its letters are for the back of a room.
    moved : callable
        Gets the number of the frame that is shown.
    """
    key = "story"
    pressed = {key if len(key) > 1 else key.lower(): button for key, _, button in KEYS if button}
    pressed["Escape"] = pressed.pop("Esc")
    look = {
        "title": title,
        "at": at,
        "asked": asked,
        "play": play,
        "wall": wall,
        "keys": pressed,
        "plotly": address(),
    }

    def changed() -> None:
        frame = st.session_state[key].get("frame")
        # It comes from the browser.
        if isinstance(frame, int | float) and 0 <= frame < 10_000:
            moved(int(frame))

    data = f"{json.dumps(look)}\n{parts_json(parts_of(figure))}".encode()
    _element(key=key, data=data, default={"frame": None}, on_frame_change=changed)
