"""Stories as figures: panels whose layers change from frame to frame."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from opnb.figures.images import regions_png, stretched
from opnb.figures.layers import Cloud, boundary_trace, legend_entries, point_traces
from opnb.figures.palette import (
    BOUNDARY,
    COLOURS,
    THEMES,
    ClassStyle,
    Theme,
    Trace,
    class_styles,
    faded,
    find_theme,
    make_figure,
    mixed,
    trace,
)
from opnb.figures.text import label_text
from opnb.views.story import Bars, Curve, Decision, Frame, Layer, Panel, Points, Rule, Scale, Story

# Colour, dash and symbol of curves that belong to no class, told apart without colour too.
LOOKS = (
    (COLOURS[4], "solid", "circle"),
    (COLOURS[6], "dash", "diamond"),
    (COLOURS[5], "dot", "square"),
    (COLOURS[8], "dashdot", "cross"),
)
_RULES = ("dash", "dot", "dashdot")  # dashes of named rules
_MOVED = ("x", "y", "text")


@dataclass(frozen=True)
class _Drawing:
    """What all panels share: colours, the class styles, and the names of rules in order."""

    look: Theme
    styles: list[ClassStyle]
    class_names: tuple[str, ...]
    rules: tuple[str, ...]


def draw_story(story: Story, *, theme: str = "neutral") -> go.Figure:
    """Draw a story, but for what depends on the room it gets.

    Where the panels lie, how large the letters are and which frame is shown is decided in the browser, where the room
    is known and changes (`opnb/studio/learn/frontend/`). What it needs for that is in `layout.meta`.

    Parameters
    ----------
    story : Story
    theme : {"neutral", "light", "dark"}

    Returns
    -------
    plotly.graph_objects.Figure
        The first frame to show, with a frame for every one of the story's, all on the same axes.
    """
    count = len(story.class_names)
    rules = (layer.text for panel in story.frames[0].panels for layer in panel.layers if isinstance(layer, Rule))
    named = tuple(dict.fromkeys(filter(None, rules)))
    drawing = _Drawing(find_theme(theme), class_styles(np.ones(count, dtype=int)), story.class_names, named)
    parts = [_traces(frame, drawing) for frame in story.frames]
    regions = _regions(story.frames[story.first], drawing)
    figure = make_figure(
        parts[story.first],
        drawing.look,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        **_axes(story.frames[0], drawing),
        **({"images": regions} if regions else {}),
        meta=_words(story),
        hovermode="closest",
        dragmode=False,
        bargap=0.35,
    )
    moving = [number for number in range(len(parts[0])) if _moves([traces[number] for traces in parts])]
    figure.frames = [
        {
            "name": f"{number}",
            "traces": moving,
            "data": [_moved(parts[number][index]) for index in moving],
            "layout": {"images": _regions(frame, drawing)},
        }
        for number, frame in enumerate(story.frames)
    ]
    return figure


def _words(story: Story) -> dict[str, Any]:
    """Give what the browser lays out around the panels, as plain text, and how the panels would like to lie."""
    return {
        "says": [_caption(frame) for frame in story.frames],
        "titles": [[panel.title for panel in frame.panels] for frame in story.frames],
        "names": [frame.name for frame in story.frames],
        "along": story.runs_along,
        "first": story.first,
        "step": round(1000 * story.step),
        "columns": story.columns,
        "widths": story.widths,
        "heights": story.heights,
        "panels": [_panel_words(panel) for panel in story.frames[0].panels],
    }


def _panel_words(panel: Panel) -> dict[str, Any]:
    names = [name for layer in panel.layers if isinstance(layer, Bars) for name in layer.names]
    return {
        "across": panel.x.label,
        "up": panel.y.label,
        "numbered": [panel.x.numbers, panel.y.numbers],
        "square": panel.equal,
        "plane": _is_plane(panel),
        "bars": names,
    }


def _is_plane(panel: Panel) -> bool:
    """Tell whether a panel is a picture of points, which should be no strip."""
    kinds = {type(layer) for layer in panel.layers}
    lines = any(isinstance(layer, Curve) and layer.line for layer in panel.layers)
    return bool(kinds & {Points, Decision}) and not lines


def _moves(versions: Sequence[Trace]) -> bool:
    first = versions[0]
    return any(
        not np.array_equal(np.asarray(first.get(key), dtype=object), np.asarray(other.get(key), dtype=object))
        for other in versions[1:]
        for key in _moving_parts(first)
    )


def _moving_parts(one: Trace) -> tuple[str, ...]:
    """Name what may change from frame to frame; of bars also the colours, which set one of them off."""
    return (*_MOVED, "marker") if one["type"] == "bar" else _MOVED


def _moved(one: Trace) -> Trace:
    return {"type": one["type"], **{key: one[key] for key in _moving_parts(one) if key in one}}


def _caption(frame: Frame) -> str:
    # A number and its sign stay together: lines break at ordinary spaces only, and not at a minus.
    return re.sub(r"(?<!\w)-(?=\d)", "−", frame.says).replace(" %", "\N{NO-BREAK SPACE}%")


def _tag(number: int) -> str:
    return "" if number == 0 else str(number + 1)


def _axes(frame: Frame, drawing: _Drawing) -> dict[str, Any]:
    layout: dict[str, Any] = {}
    for number, panel in enumerate(frame.panels):
        tag = _tag(number)
        layout[f"xaxis{tag}"] = {**_axis(panel.x), "anchor": f"y{tag}"}
        layout[f"yaxis{tag}"] = {**_axis(panel.y), "anchor": f"x{tag}"}
        if panel.equal:
            layout[f"yaxis{tag}"] |= {"scaleanchor": f"x{tag}", "constrain": "domain"}
            layout[f"xaxis{tag}"] |= {"constrain": "domain"}
        for layer in panel.layers:
            if isinstance(layer, Bars):
                layout[f"yaxis{tag}"] |= _named_rows(layer, drawing)
    return layout


def _axis(scale: Scale) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "automargin": False,  # the browser has left the room that it needs
        "showticklabels": scale.numbers,
        "ticklabelstandoff": 3,
        "tickangle": 0,
        "fixedrange": True,
    }
    if not scale.numbers:
        axis |= {"showgrid": False, "showline": True, "mirror": True}
    if scale.log:
        axis |= {"type": "log", "dtick": 1, "tickformat": ",.4~g"}
    if scale.shown is not None:
        axis["range"] = [float(np.log10(end)) if scale.log else end for end in scale.shown]
    return axis


def _named_rows(bars: Bars, drawing: _Drawing) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(bars.names))),
        "ticktext": [label_text(name, 30) for name in bars.names],
        "range": [len(bars.names) - 0.5, -0.5],
        "showgrid": False,
        "tickfont": {"color": drawing.look.text},
    }


def _regions(frame: Frame, drawing: _Drawing) -> list[dict[str, Any]]:
    return [
        stretched(
            regions_png(layer.classes, drawing.styles), layer.x, layer.y, (f"x{_tag(number)}", f"y{_tag(number)}")
        )
        for number, panel in enumerate(frame.panels)
        for layer in panel.layers
        if isinstance(layer, Decision)
    ]


def _traces(frame: Frame, drawing: _Drawing) -> list[Trace]:
    traces = legend_entries(drawing.class_names, drawing.styles, drawing.look)
    named: set[str] = set()
    for number, panel in enumerate(frame.panels):
        place = {"xaxis": f"x{_tag(number)}", "yaxis": f"y{_tag(number)}"}
        for layer in panel.layers:
            traces += _layer(layer, panel, drawing, named, place)
    return traces


def _layer(layer: Layer, panel: Panel, drawing: _Drawing, named: set[str], place: dict[str, str]) -> list[Trace]:
    if isinstance(layer, Points):
        return _points(layer, drawing, place)
    if isinstance(layer, Curve):
        return [_curve(layer, drawing, _is_new(layer.name, named), place)]
    if isinstance(layer, Rule):
        return [_rule(layer, panel, drawing, _is_new(layer.text, named), place)]
    if isinstance(layer, Bars):
        return [_bars(layer, drawing, place)]
    return [boundary_trace(layer.lines, showlegend=False, **place)]


def _is_new(name: str, named: set[str]) -> bool:
    """Tell whether a name still needs its entry in the legend, and note that it has it."""
    entry = bool(name) and name not in named
    named.add(name)
    return entry


def _points(layer: Points, drawing: _Drawing, place: dict[str, str]) -> list[Trace]:
    x, y = _floats(layer.x), _floats(layer.y)
    labels = np.asarray(layer.labels, dtype=np.intp)
    held_out = np.zeros(x.size, dtype=bool) if layer.is_test is None else np.asarray(layer.is_test, dtype=bool)
    cloud = Cloud(x, y, labels, held_out, np.arange(x.size), drawing.class_names)
    traces = point_traces(cloud, drawing.styles, drawing.look, size=layer.size or 5.0, legend=False, **place)
    for one in traces:
        one.pop("customdata")  # a row has no name here
        one["hovertemplate"] = one["hovertemplate"].replace("<br>row %{customdata}", "")
    return traces


def _curve(layer: Curve, drawing: _Drawing, entry: bool, place: dict[str, str]) -> Trace:
    colour, dash, symbol = LOOKS[layer.look % len(LOOKS)]
    if drawing.look is THEMES["dark"]:
        colour = mixed(colour, "#ffffff", 0.65)  # purple and brown would sink into a dark ground
    if layer.of_class is not None:
        style = drawing.styles[layer.of_class]
        colour, dash, symbol = style.colour, "solid", style.symbol
    if layer.quiet:
        colour = BOUNDARY
    if layer.rings:
        colour, symbol = drawing.look.mark, "circle-open"
    modes = [mode for mode, wanted in (("lines", layer.line), ("markers", layer.marks)) if wanted]
    return trace(
        "scatter",
        x=_floats(layer.x),
        y=_floats(layer.y),
        mode="+".join(modes) or "none",
        name=label_text(layer.name, 60),
        legendgroup=label_text(layer.name, 60) if layer.of_class is None else f"class {layer.of_class}",
        showlegend=entry,
        line={"color": colour, "width": 1.4 if layer.quiet else 2.2, "dash": dash, "simplify": False},
        marker={
            "color": colour,
            "symbol": symbol,
            "size": 12 if layer.rings else 9,
            "line": {"width": 1.3 if layer.rings else 1, "color": drawing.look.mark},
        },
        hovertemplate="(%{x:.3g}, %{y:.3g})<extra></extra>",
        connectgaps=False,
        cliponaxis=not layer.marks,  # a mark on the edge is whole
        **({"fill": "tozeroy", "fillcolor": faded(colour, 0.15)} if layer.filled else {}),
        **place,
    )


def _rule(layer: Rule, panel: Panel, drawing: _Drawing, entry: bool, place: dict[str, str]) -> Trace:
    """Draw a line from edge to edge of its panel; its name is in the legend, where it lies on no other line."""
    upright = layer.x is not None
    at = layer.x if upright else layer.y
    across = panel.y if upright else panel.x
    rows = [len(other.names) for other in panel.layers if isinstance(other, Bars)]
    ends = (rows[0] - 0.5, -0.5) if upright and rows else across.shown or (0.0, 1.0)
    along, other = ("x", "y") if upright else ("y", "x")
    dash = _RULES[drawing.rules.index(layer.text) % len(_RULES)] if layer.text else _RULES[0]
    return trace(
        "scatter",
        **{along: [at, at], other: list(ends)},
        mode="lines",
        name=label_text(layer.text, 60),
        legendgroup=label_text(layer.text, 60),
        line={"color": drawing.look.mark, "width": 1.3, "dash": dash},
        showlegend=entry,
        hoverinfo="skip",
        cliponaxis=False,
        **place,
    )


def _bars(layer: Bars, drawing: _Drawing, place: dict[str, str]) -> Trace:
    values = _floats(layer.values)
    texts = layer.texts or tuple(f"{value:.1f}" for value in values)
    return trace(
        "bar",
        orientation="h",
        x=values,
        y=np.arange(values.size, dtype=np.float32),
        text=[label_text(text, 30) for text in texts],
        textposition="outside",
        constraintext="none",
        textfont={"color": drawing.look.text},
        cliponaxis=False,
        marker={"color": [COLOURS[0] if number in layer.strong else BOUNDARY for number in range(values.size)]},
        showlegend=False,
        hoverinfo="skip",
        **place,
    )


def _floats(values: ArrayLike) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)
