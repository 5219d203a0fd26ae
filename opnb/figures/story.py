"""Stories as figures: panels whose layers change from frame to frame, with a slider, play and stop."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from opnb.figures.images import regions_png, stretched
from opnb.figures.layers import Cloud, boundary_trace, legend_entries, point_traces
from opnb.figures.layout import legend_below
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
from opnb.figures.playing import play_and_stop, slider
from opnb.figures.text import label_text, wrapped
from opnb.views.story import Bars, Curve, Decision, Frame, Layer, Panel, Points, Rule, Scale, Story

# Colour, dash and symbol of curves that belong to no class, told apart without colour too.
LOOKS = (
    (COLOURS[4], "solid", "circle"),
    (COLOURS[6], "dash", "diamond"),
    (COLOURS[5], "dot", "square"),
    (COLOURS[8], "dashdot", "cross"),
)
_MOVED = ("x", "y", "text")
_COMPACT_ROW = 300  # pixels

Place = tuple[list[float], list[float]]  # domains across and up
Area = tuple[float, float]  # pixels across and up


@dataclass(frozen=True)
class _Drawing:
    """What all panels share: colours, the class styles, the size of letters."""

    look: Theme
    styles: list[ClassStyle]
    class_names: tuple[str, ...]
    letters: float

    def size(self, pixels: float) -> int:
        return round(self.letters * pixels)


def draw_story(
    story: Story,
    *,
    at: int | None = None,
    theme: str = "neutral",
    compact: bool = False,
    letters: float = 1.0,
    height: int = 640,
    width: int = 900,
) -> go.Figure:
    """Draw a story.

    Parameters
    ----------
    story : Story
    at : int, optional
        The frame to show; by default the story's own first.
    theme : {"neutral", "light", "dark"}
    compact : bool, default=False
        One panel below the other, for a phone.
    letters : float, default=1.0
        Size of all letters, for a picture that is seen from afar.
    height, width : int
        Of the figure; the width only decides where lines of text are broken. Compact figures are as high as they need.

    Returns
    -------
    plotly.graph_objects.Figure
        With a frame for every one of the story's, all on the same axes.
    """
    shown = story.number(at)
    count = len(story.class_names)
    drawing = _Drawing(find_theme(theme), class_styles(np.ones(count, dtype=int)), story.class_names, letters)
    tall = 330 + _COMPACT_ROW * len(story.frames[0].panels) if compact else height
    parts = [_traces(frame, drawing) for frame in story.frames]
    captions = [_caption(frame, 44 if compact else round(width / 7.6 / letters)) for frame in story.frames]
    above = drawing.size(24) * max(caption.count("<br>") + 1 for caption in captions) + drawing.size(34)
    margin = {"l": 8, "r": 8, "t": above, "b": _below(story, drawing)}
    area = (330.0 if compact else width, tall - margin["t"] - margin["b"])
    places = _places(story, drawing, area, compact)
    figure = make_figure(
        parts[shown],
        drawing.look,
        margin=margin,
        **_axes(story.frames[0], places, drawing),
        **_moving_layout(story.frames[shown], captions[shown], places, area, drawing),
        legend={**legend_below(compact), "font": {"size": drawing.size(13)}},
        font={"size": drawing.size(13)},
        height=tall,
        hovermode="closest",
        bargap=0.35,
    )
    return _played(figure, story, shown, parts, captions, places, area, drawing)


def _below(story: Story, drawing: _Drawing) -> int:
    """Pixels below the panels: for their numbers and words, the slider, and the legend."""
    last = story.frames[0].panels[-story.columns :]
    words = 18 * any(panel.x.numbers for panel in last) + 22 * any(bool(panel.x.label) for panel in last)
    return drawing.size(30 + words + 62 * (len(story.frames) > 1))


def _played(
    figure: go.Figure,
    story: Story,
    shown: int,
    parts: list[list[Trace]],
    captions: list[str],
    places: list[Place],
    area: Area,
    drawing: _Drawing,
) -> go.Figure:
    """Add the frames with the slider and the buttons; only what moves is sent again."""
    if len(story.frames) == 1:
        return figure
    moving = [number for number in range(len(parts[0])) if _moves([traces[number] for traces in parts])]
    figure.frames = [
        {
            "name": f"{number}",
            "traces": moving,
            "data": [_moved(parts[number][index]) for index in moving],
            "layout": _moving_layout(frame, captions[number], places, area, drawing),
        }
        for number, frame in enumerate(story.frames)
    ]
    step = round(1000 * story.step)
    names = [label_text(frame.name, 12) for frame in story.frames]
    rail = slider(names, shown, drawing.look, step, redraw=True, size=drawing.size(12), room=drawing.size(100))
    buttons = play_and_stop(drawing.look, step, redraw=True, size=drawing.size(14))
    above = _below(story, drawing) - drawing.size(84)
    rail["pad"]["t"], buttons["pad"]["t"] = above + 4, above
    figure.update_layout(sliders=[rail], updatemenus=[buttons])
    return figure


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


def _caption(frame: Frame, width: int) -> str:
    # A number and its sign stay together: lines break at ordinary spaces only, and not at a minus.
    says = re.sub(r"(?<!\w)-(?=\d)", "−", frame.says).replace(" %", "\N{NO-BREAK SPACE}%")
    return "<br>".join(wrapped(says, width))


def _places(story: Story, drawing: _Drawing, area: Area, compact: bool) -> list[Place]:
    """Give every panel its domains in an area of some pixels, with room for titles, numbers and names.

    A panel alone in the last row takes all of it.
    """
    panels = story.frames[0].panels
    columns = 1 if compact else story.columns
    rows = -(-len(panels) // columns)
    across = _shares((1.0,) if compact else story.widths or (1.0,) * columns, drawing.size(44) / area[0])
    # Every row but the last has its numbers and words between itself and the titles of the next.
    labelled = [panel.x for panel in panels[: (rows - 1) * columns]]
    words = 20 * any(scale.numbers for scale in labelled) + 20 * any(bool(scale.label) for scale in labelled)
    up = _shares((1.0,) * rows if compact else story.heights or (1.0,) * rows, drawing.size(32 + words) / area[1])
    places = []
    for number, panel in enumerate(panels):
        left, right = across[number % columns]
        alone = number == len(panels) - 1 and number % columns == 0
        room = _names_room(panel, drawing) / area[0]
        places.append(([left + room, 1.0 if alone else right], [1 - edge for edge in up[number // columns][::-1]]))
    return places


def _names_room(panel: Panel, drawing: _Drawing) -> float:
    """Pixels that the names of bars take at their left."""
    names = [name for layer in panel.layers if isinstance(layer, Bars) for name in layer.names]
    return drawing.size(7) * max(map(len, names), default=0)


def _shares(weights: Sequence[float], gap: float) -> list[list[float]]:
    room = 1 - gap * (len(weights) - 1)
    sizes = room * np.asarray(weights) / sum(weights)
    starts = np.concatenate([[0.0], np.cumsum(sizes + gap)[:-1]])
    return [[float(low), float(min(low + size, 1.0))] for low, size in zip(starts, sizes, strict=True)]


def _tag(number: int) -> str:
    return "" if number == 0 else str(number + 1)


def _axes(frame: Frame, places: Sequence[Place], drawing: _Drawing) -> dict[str, Any]:
    layout: dict[str, Any] = {}
    for number, (panel, (across, up)) in enumerate(zip(frame.panels, places, strict=True)):
        tag = _tag(number)
        layout[f"xaxis{tag}"] = {**_axis(panel.x, drawing), "domain": across, "anchor": f"y{tag}"}
        layout[f"yaxis{tag}"] = {**_axis(panel.y, drawing), "domain": up, "anchor": f"x{tag}"}
        if panel.equal:
            layout[f"yaxis{tag}"] |= {"scaleanchor": f"x{tag}", "constrain": "domain"}
            layout[f"xaxis{tag}"] |= {"constrain": "domain"}
        for layer in panel.layers:
            if isinstance(layer, Bars):
                layout[f"yaxis{tag}"] |= _named_rows(layer, drawing)
    return layout


def _axis(scale: Scale, drawing: _Drawing) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "title": {"text": label_text(scale.label), "font": {"size": drawing.size(13)}, "standoff": 4},
        "tickfont": {"size": drawing.size(12)},
        "showticklabels": scale.numbers,
        "nticks": 6,
        "fixedrange": True,
    }
    if not scale.numbers:
        axis |= {"showgrid": False, "showline": True, "mirror": True}
    if scale.log:
        axis |= {"type": "log", "nticks": 0, "dtick": 1, "tickformat": ",.4~g"}
    if scale.shown is not None:
        axis["range"] = [float(np.log10(end)) if scale.log else end for end in scale.shown]
    return axis


def _named_rows(bars: Bars, drawing: _Drawing) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(bars.names))),
        "ticktext": [label_text(name, 30) for name in bars.names],
        "range": [len(bars.names) - 0.5, -0.5],
        "showgrid": False,
        "tickfont": {"size": drawing.size(13), "color": drawing.look.text},
    }


def _moving_layout(
    frame: Frame, caption: str, places: Sequence[Place], area: Area, drawing: _Drawing
) -> dict[str, Any]:
    """Give what changes beside the traces: the sentence, the panels' titles, the regions."""
    images = [
        stretched(
            regions_png(layer.classes, drawing.styles), layer.x, layer.y, (f"x{_tag(number)}", f"y{_tag(number)}")
        )
        for number, panel in enumerate(frame.panels)
        for layer in panel.layers
        if isinstance(layer, Decision)
    ]
    titles = [_title(panel, place, area, drawing) for panel, place in zip(frame.panels, places, strict=True)]
    return {"annotations": [_sentence(caption, drawing), *titles], "images": images}


def _sentence(caption: str, drawing: _Drawing) -> dict[str, Any]:
    """Put what a frame says on top; the lines of an annotation, unlike those of a title, keep clear of each other."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom"}
    font = {"size": drawing.size(16), "color": drawing.look.text}
    return {"text": caption, "align": "left", "showarrow": False, "yshift": drawing.size(27), "font": font, **place}


def _title(panel: Panel, place: Place, area: Area, drawing: _Drawing) -> dict[str, Any]:
    middle = (place[0][0] + place[0][1]) / 2
    return {
        "text": f"<b>{label_text(panel.title)}</b>",
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": middle if panel.equal else place[0][0] - _names_room(panel, drawing) / area[0],
        "xanchor": "center" if panel.equal else "left",
        "y": place[1][1],
        "yanchor": "bottom",
        "yshift": 3,
        "font": {"size": drawing.size(14), "color": drawing.look.text},
    }


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
        entry = bool(layer.name) and layer.name not in named
        named.add(layer.name)
        return [_curve(layer, drawing, entry, place)]
    if isinstance(layer, Rule):
        return [_rule(layer, panel, drawing, place)]
    if isinstance(layer, Bars):
        return [_bars(layer, drawing, place)]
    return [boundary_trace(layer.lines, showlegend=False, **place)]


def _points(layer: Points, drawing: _Drawing, place: dict[str, str]) -> list[Trace]:
    x, y = _floats(layer.x), _floats(layer.y)
    labels = np.asarray(layer.labels, dtype=np.intp)
    held_out = np.zeros(x.size, dtype=bool) if layer.is_test is None else np.asarray(layer.is_test, dtype=bool)
    cloud = Cloud(x, y, labels, held_out, np.arange(x.size), drawing.class_names)
    size = (layer.size or 5.0) * drawing.letters**0.5
    traces = point_traces(cloud, drawing.styles, drawing.look, size=size, legend=False, **place)
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
    width = (1.4 if layer.quiet else 2.2) * drawing.letters**0.5
    modes = [mode for mode, wanted in (("lines", layer.line), ("markers", layer.marks)) if wanted]
    return trace(
        "scatter",
        x=_floats(layer.x),
        y=_floats(layer.y),
        mode="+".join(modes) or "none",
        name=label_text(layer.name, 60),
        legendgroup=label_text(layer.name, 60),
        showlegend=entry,
        line={"color": colour, "width": width, "dash": dash, "simplify": False},
        marker={
            "color": colour,
            "symbol": symbol,
            "size": drawing.size(9),
            "line": {"width": 1, "color": drawing.look.mark},
        },
        hovertemplate="(%{x:.3g}, %{y:.3g})<extra></extra>",
        connectgaps=False,
        **({"fill": "tozeroy", "fillcolor": faded(colour, 0.15)} if layer.filled else {}),
        **place,
    )


def _rule(layer: Rule, panel: Panel, drawing: _Drawing, place: dict[str, str]) -> Trace:
    """Draw a line from edge to edge of its panel."""
    upright = layer.x is not None
    at = layer.x if upright else layer.y
    across = panel.y if upright else panel.x
    rows = [len(other.names) for other in panel.layers if isinstance(other, Bars)]
    ends = (rows[0] - 0.5, -0.5) if upright and rows else across.shown or (0.0, 1.0)
    # A word at the very end counts as outside and is not drawn.
    inside = 0.985
    near = ends[0] + inside * (ends[1] - ends[0])
    if across.log:
        near = ends[0] * (ends[1] / ends[0]) ** inside
    along, other = ("x", "y") if upright else ("y", "x")
    return trace(
        "scatter",
        **{along: [at, at, at], other: [*ends, near]},
        text=["", "", label_text(layer.text)],
        mode="lines+text",
        textposition="bottom right" if upright else "top left",
        textfont={"size": drawing.size(12), "color": drawing.look.quiet},
        line={"color": drawing.look.mark, "width": 1.3, "dash": "dash"},
        showlegend=False,
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
        textfont={"size": drawing.size(13), "color": drawing.look.text},
        cliponaxis=False,
        marker={"color": [COLOURS[0] if number in layer.strong else BOUNDARY for number in range(values.size)]},
        showlegend=False,
        hoverinfo="skip",
        **place,
    )


def _floats(values: ArrayLike) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)
