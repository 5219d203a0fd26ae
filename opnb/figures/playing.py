"""A slider through the frames of a figure, with buttons to play and to stop; all of it runs in the browser."""

from collections.abc import Sequence
from typing import Any

from opnb.figures.palette import BOUNDARY, COLOURS, Theme


def slider(names: Sequence[str], first: int, look: Theme, step: int) -> dict[str, Any]:
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
    """
    steps = [
        {"method": "animate", "args": [[f"{number}"], animation(step)], "label": name}
        for number, name in enumerate(names)
    ]
    return {
        "active": first,
        "steps": steps,
        "x": 0.0,
        "len": 1.0,
        "y": 0.0,
        "yanchor": "top",
        "pad": {"t": 70, "b": 0, "l": 96, "r": 12},
        "currentvalue": {"visible": False},
        "font": {"size": 11, "color": look.quiet},
        "bgcolor": look.grid,
        "activebgcolor": COLOURS[0],
        "bordercolor": look.grid,
        "tickcolor": look.quiet,
    }


def play_and_stop(look: Theme, step: int) -> dict[str, Any]:
    """Describe the buttons at the left of the slider; the parameters are those of `slider`."""
    play = {"label": "▶", "method": "animate", "args": [None, {**animation(step), "fromcurrent": True}]}
    stop = {"label": "❚❚", "method": "animate", "args": [[None], animation(0)]}
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
        "font": {"color": BOUNDARY, "size": 13},
        "bgcolor": "rgba(128,128,128,0.12)",
        "bordercolor": look.grid,
    }


def animation(step: int) -> dict[str, Any]:
    """Say how a figure moves on: points glide for the whole step."""
    # The layout of a frame changes at once, the points glide.
    moving = {"duration": step, "easing": "cubic-in-out"}
    return {"mode": "immediate", "frame": {"duration": step, "redraw": False}, "transition": moving}
