"""Titles and legends that keep clear of the picture at any width."""

from collections.abc import Sequence
from typing import Any

from opnb.figures.text import label_text, wrapped
from opnb.views.projected import ErrorCount

_LINE = 20
_BASE = 16
# Characters that fit a line: of a phone, and of the narrower half of a desktop.
_NARROW, _WIDE = 56, 96


def error_line(train: ErrorCount, test: ErrorCount | None) -> str:
    """State the errors with their counts."""
    if not train.n:
        return "the training rows are not here: curves and regions are the model's own"
    if test is None:
        return f"training error {train}"
    return f"error: training {_together(train)}, held\N{NO-BREAK SPACE}out\N{NO-BREAK SPACE}{_together(test)}"


def _together(count: ErrorCount) -> str:
    """Keep an error and its count on one line."""
    return str(count).replace(" ", "\N{NO-BREAK SPACE}")


def headline(title: str | None, small: Sequence[str], compact: bool) -> list[str]:
    """Set a title over smaller lines, none longer than fits; all of it is plain text."""
    size, width = (11, _NARROW) if compact else (13, _WIDE)
    first = [f"<b>{label_text(title, width - 10)}</b>"] if title else []
    return first + [line for text in small for line in wrapped_html(text, width, size)]


def wrapped_html(text: str, width: int, size: int) -> list[str]:
    """Break plain text into safe lines of some type size."""
    return [f"<span style='font-size:{size}px'>{line}</span>" for line in wrapped(text, width)]


def titled(lines: Sequence[str], height: float) -> dict[str, Any]:
    """Give the layout of a title with just the room on top that its lines need in a figure of some height."""
    margin = {"l": 8, "r": 8, "b": 8}
    if not lines:
        return {"margin": {**margin, "t": 26}}
    # The first line hangs from its own height, and the container's edge would cut it.
    place = {
        "yref": "container",
        "y": 1 - _BASE / height,
        "yanchor": "top",
        "xref": "container",
        "xanchor": "left",
    }
    title = {"text": "<br>".join(lines), "pad": {"l": 8}, "x": 0.0, **place}
    return {"title": title, "margin": {**margin, "t": _BASE + 6 + _LINE * len(lines)}}


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
