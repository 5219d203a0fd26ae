"""A slider through the frames of a figure, with buttons to play and to stop; all of it runs in the browser."""

from collections.abc import Sequence
from typing import Any

from opnb.figures.palette import BOUNDARY, COLOURS, Theme


def slider(
    names: Sequence[str], first: int, look: Theme, step: int, *, redraw: bool = False, size: int = 11, room: int = 96
) -> dict[str, Any]:
    """Describe a slider below a figure whose frames are called "0", "1", ...

    Parameters
    ----------
    names : sequence of str
        One a frame, safe text.
    first : int
        The frame shown first.
    look : Theme
    step : int
        Milliseconds from frame to frame.
    redraw : bool, default=False
        Whether everything is drawn anew, which images and notes need; else points glide.
    size : int, default=11
        Of the letters.
    room : int, default=96
        For the buttons at its left.
    """
    steps = [
        {"method": "animate", "args": [[f"{number}"], animation(step, redraw)], "label": name}
        for number, name in enumerate(names)
    ]
    return {
        "active": first,
        "steps": steps,
        "x": 0.0,
        "len": 1.0,
        "y": 0.0,
        "yanchor": "top",
        "pad": {"t": 70, "b": 0, "l": room, "r": 12},
        "currentvalue": {"visible": False},
        "font": {"size": size, "color": look.quiet},
        "bgcolor": look.grid,
        "activebgcolor": COLOURS[0],
        "bordercolor": look.grid,
        "tickcolor": look.quiet,
    }


def play_and_stop(look: Theme, step: int, *, redraw: bool = False, size: int = 13) -> dict[str, Any]:
    """Describe the buttons at the left of the slider; the parameters are those of `slider`."""
    play = {"label": "▶", "method": "animate", "args": [None, {**animation(step, redraw), "fromcurrent": True}]}
    stop = {"label": "❚❚", "method": "animate", "args": [[None], animation(0, redraw)]}
    return {
        "type": "buttons",
        "direction": "right",
        "showactive": False,
        "buttons": [play, stop],
        "x": 0.0,
        "xanchor": "left",
        "y": 0.0,
        "yanchor": "top",
        "pad": {"t": 66, "l": 0},
        "font": {"color": BOUNDARY, "size": size},
        "bgcolor": "rgba(128,128,128,0.12)",
        "bordercolor": look.grid,
    }


def animation(step: int, redraw: bool = False) -> dict[str, Any]:
    """Say how a figure moves on: points glide for the whole step, or all is drawn anew at its start."""
    # The layout of a frame changes at once, the points glide.
    moving = {"duration": 0 if redraw else step, "easing": "cubic-in-out"}
    return {"mode": "immediate", "frame": {"duration": step, "redraw": redraw}, "transition": moving}
