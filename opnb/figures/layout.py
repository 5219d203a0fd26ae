"""Titles and legends that keep clear of the picture at any width."""

from collections.abc import Sequence
from typing import Any

from opnb.figures.text import plain, wrapped
from opnb.views.projected import ErrorCount

_TITLE_LINE = 22
_SMALL_LINE = 17
# Characters that fit a line: of a phone, and of the narrower half of a desktop.
_NARROW, _WIDE = 56, 96


def error_line(train: ErrorCount, test: ErrorCount | None, compact: bool = False) -> str:
    """State the errors with their counts."""
    if test is None:
        return f"training error {train}"
    return f"error: training {train}, held out {test}"


def headline(title: str | None, small: Sequence[str], compact: bool) -> list[str]:
    """Set a title over smaller lines, none longer than fits; all of it is plain text."""
    size, width = (11, _NARROW) if compact else (13, _WIDE)
    lines = [line for text in small for line in wrapped(text, width)]
    first = [f"<b>{plain(title, width - 10)}</b>"] if title else []
    return first + [f"<span style='font-size:{size}px'>{line}</span>" for line in lines]


def titled(lines: Sequence[str], *, left: int = 8) -> dict[str, Any]:
    """Give the layout of a title with just the room on top that its lines need."""
    if not lines:
        return {"margin": {"l": left, "r": 8, "t": 24, "b": 8}}
    top = 14 + _TITLE_LINE + _SMALL_LINE * (len(lines) - 1)
    place = {"yref": "container", "y": 1.0, "yanchor": "top", "xref": "container", "x": 0.0, "xanchor": "left"}
    title = {"text": "<br>".join(lines), "pad": {"t": 10, "l": left}, **place}
    return {"title": title, "margin": {"l": left, "r": 8, "t": top, "b": 8}}


def legend_below(compact: bool) -> dict[str, Any]:
    """Put the legend below everything, where it can take as many rows as it needs."""
    return {
        "orientation": "h",
        "yref": "container",
        "y": 0.0,
        "yanchor": "bottom",
        "xref": "container",
        "x": 0.0,
        "xanchor": "left",
        "font": {"size": 11 if compact else 13},
    }
