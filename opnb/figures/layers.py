"""Traces that several figures share: points by class, marks on them, boundaries, margins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.figures.palette import BOUNDARY, ClassStyle, Theme, Trace, faded, trace
from opnb.figures.text import class_labels, label_text, unique_names
from opnb.views.margins import Margin

SVG_LIMIT = 2_000
MARGIN_WORDS = {"density": "density", "prior": "share × density", "log": "log density"}
_OTHERS = "others"
# More marks than this cover what they mark, so they step back.
_CROWD = 80
TOO_MANY_MARKS = 400
# Beyond this many points outlines would merge, and transparency shows where points lie dense.
_MANY = 5_000


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points on a panel with their classes.

    Attributes
    ----------
    x, y : ndarray of float32 of shape (m,)
    labels, is_test, rows : ndarray of shape (m,)
        Class index, whether held out, and what the caller calls the point.
    class_names : sequence of str
    told : sequence of str, optional
        What the model says of each point, safe text.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    labels: NDArray[np.intp]
    is_test: NDArray[np.bool_]
    rows: NDArray[np.int64]
    class_names: Sequence[str]
    told: Sequence[str] | None = None

    def drawn(self, chosen: NDArray[np.intp], **look: Any) -> Trace:
        """Draw some of the points: SVG when there are few in all, else WebGL."""
        if self.told is not None:
            look["hovertext"] = [self.told[place] for place in chosen]
        return trace(
            scatter_kind(self.x.size),
            x=self.x[chosen],
            y=self.y[chosen],
            customdata=self.rows[chosen].astype(np.int32),
            mode="markers",
            **look,
        )

    @property
    def ends(self) -> str:
        """The last lines of what a point tells when hovered: its row, and what is known of it, or where it lies."""
        last = "(%{x:.3f}, %{y:.3f})" if self.told is None else "%{hovertext}"
        return f"row %{{customdata}}<br>{last}<extra></extra>"


def predictions(names: Sequence[str], predicted: NDArray[np.intp], posterior: NDArray[np.floating]) -> list[str]:
    """Say which class is predicted for each point and how probable it is, as safe text."""
    safe = [label_text(name, 60) for name in class_labels(names)]
    return [f"predicted {safe[k]}, posterior {p:.2f}" for k, p in zip(predicted, posterior, strict=True)]


def scatter_kind(n: int) -> str:
    """Choose SVG for few points, WebGL for many."""
    return "scatter" if n <= SVG_LIMIT else "scattergl"


def marker_size(n: int) -> float:
    """Let points shrink as they become many."""
    return float(np.clip(9.0 - 1.9 * np.log10(max(n, 1) / 100), 4.0, 8.0))


def point_traces(
    cloud: Cloud,
    styles: Sequence[ClassStyle],
    theme: Theme,
    *,
    size: float | None = None,
    legend: bool = True,
    **place: Any,
) -> list[Trace]:
    """Draw the points, a trace for every class in focus and each of training and held-out points.

    Filled markers are training points, open ones held out. Classes out of focus share a trace. The row is in
    `customdata`. Axes and the like pass through `place`.
    """
    labels = class_labels(cloud.class_names)
    names = unique_names(labels)
    across = size or marker_size(cloud.x.size)
    traces = []
    for held_out in (False, True):
        entry = {"showlegend": legend and not held_out, **place}
        if not all(style.focused for style in styles):
            traces.append(_other_points(cloud, styles, 0.65 * across, held_out, **entry))
        for k, style in enumerate(styles):
            chosen = np.flatnonzero((cloud.is_test == held_out) & (cloud.labels == k))
            if style.focused and (chosen.size or not held_out):
                traces.append(
                    cloud.drawn(
                        chosen,
                        name=names[k],
                        legendgroup=f"class {k}",
                        marker=_marker(style, across, held_out, theme, cloud.x.size > _MANY),
                        hovertemplate=_hover(cloud, label_text(labels[k], 60), held_out),
                        **entry,
                    )
                )
    return traces


def _marker(style: ClassStyle, size: float, held_out: bool, theme: Theme, many: bool) -> dict[str, Any]:
    return {
        "symbol": style.symbol + ("-open" if held_out else ""),
        "color": style.colour,
        "size": size,
        "opacity": 0.4 if many else (0.95 if held_out else 0.8),
        "line": {"width": 1.3} if held_out else {"width": 0 if many else 0.6, "color": theme.outline},
    }


def _other_points(cloud: Cloud, styles: Sequence[ClassStyle], size: float, held_out: bool, **entry: Any) -> Trace:
    """Draw the points of all classes out of focus as quiet grey dots that still tell their class."""
    focused = np.array([style.focused for style in styles])
    chosen = np.flatnonzero((cloud.is_test == held_out) & ~focused[cloud.labels])
    safe = np.array([label_text(name, 60) for name in class_labels(cloud.class_names)], dtype=object)
    symbol = "circle-open" if held_out else "circle"
    return cloud.drawn(
        chosen,
        text=safe[cloud.labels[chosen]],
        marker={"symbol": symbol, "color": BOUNDARY, "size": size, "opacity": 0.35},
        name="other classes",
        legendgroup=_OTHERS,
        legendrank=1001,
        hovertemplate=_hover(cloud, "%{text}", held_out),
        **entry,
    )


def _hover(cloud: Cloud, title: str, held_out: bool) -> str:
    return f"<b>{title}</b> ({'held out' if held_out else 'training'})<br>{cloud.ends}"


def misclassified_traces(cloud: Cloud, predicted: NDArray[np.intp], theme: Theme, **place: Any) -> list[Trace]:
    """Ring the misclassified points.

    Held-out ones show at once and training ones on demand, if there are held-out ones; a mass waits in the legend.
    """
    names = [label_text(name, 60) for name in class_labels(cloud.class_names)]
    traces = []
    for held_out, kind in ((True, "held out"), (False, "training")):
        chosen = np.flatnonzero((predicted != cloud.labels) & (cloud.is_test == held_out))
        says = [
            f"<b>{names[true]}</b> taken for <b>{names[taken]}</b>"
            for true, taken in zip(cloud.labels[chosen], predicted[chosen], strict=True)
        ]
        hidden = len(says) > TOO_MANY_MARKS or (not held_out and bool(cloud.is_test.any()))
        if says:
            mark = mark_trace(cloud, chosen, says, f"misclassified, {kind}", "circle-open", theme, hidden, **place)
            traces.append(mark)
    return traces


def mark_trace(
    cloud: Cloud,
    chosen: NDArray[np.intp],
    says: Sequence[str],
    name: str,
    symbol: str,
    theme: Theme,
    hidden: bool,
    **place: Any,
) -> Trace:
    """Draw thin marks on some points, which say something of their own when hovered.

    `says` has safe text for each chosen point. Hidden marks wait in the legend.
    """
    return cloud.drawn(
        chosen,
        text=list(says),
        name=name,
        legendrank=1002,
        marker={
            "symbol": symbol,
            "size": marker_size(cloud.x.size) + 2.5,
            "color": theme.mark,
            "opacity": 0.9 if chosen.size <= _CROWD else 0.55,
            "line": {"width": 1, "color": theme.mark},
        },
        visible="legendonly" if hidden else True,
        hovertemplate=f"%{{text}}<br>{cloud.ends}",
        **place,
    )


def legend_entries(names: Sequence[str], styles: Sequence[ClassStyle], theme: Theme) -> list[Trace]:
    """Make traces without points that put the classes into the legend, for figures of many panels."""
    labels = unique_names(class_labels(names))
    entries = [(labels[k], style, f"class {k}") for k, style in enumerate(styles) if style.focused]
    if len(entries) < len(styles):
        entries.append(("other classes", ClassStyle(BOUNDARY, "circle", False), _OTHERS))
    return [
        trace(
            "scatter",
            x=[None],
            y=[None],
            mode="markers",
            name=name,
            legendgroup=group,
            hoverinfo="skip",
            marker={
                "symbol": style.symbol,
                "color": style.colour,
                "line": {"width": 0.6, "color": theme.outline},
            },
        )
        for name, style, group in entries
    ]


def boundary_trace(lines: Sequence[NDArray[np.float64]], **place: Any) -> Trace:
    """Draw all boundary lines as one trace, with gaps between them."""
    gap = np.full((1, 2), np.nan)
    path = np.concatenate([part for line in lines for part in (line, gap)][:-1] or [gap]).astype(np.float32)
    return trace(
        "scatter",
        x=path[:, 0],
        y=path[:, 1],
        mode="lines",
        name="boundary",
        line={"color": BOUNDARY, "width": 1.6, "simplify": False},
        connectgaps=False,
        hoverinfo="skip",
        **place,
    )


def margin_traces(
    margin: Margin,
    names: Sequence[str],
    styles: Sequence[ClassStyle],
    *,
    upright: bool = True,
    **place: Any,
) -> list[Trace]:
    """Draw the class densities along a direction: upwards, or to the right when the direction itself goes up."""
    traces = []
    labels = class_labels(names)
    short = unique_names(labels)
    for k, style in enumerate(styles):
        if not style.focused:
            continue
        along, height = ("x", "y") if upright else ("y", "x")
        traces.append(
            trace(
                "scatter",
                **{along: margin.positions, height: margin.heights[k]},
                mode="lines",
                name=short[k],
                legendgroup=f"class {k}",
                line={"color": style.colour, "width": 1.6, "simplify": False},
                fill="tozeroy" if upright else "tozerox",
                fillcolor=faded(style.colour, 0.13),
                hovertemplate=f"<b>{label_text(labels[k], 60)}</b>"
                f"<br>%{{{along}:.3f}}: %{{{height}:.3g}}<extra></extra>",
                showlegend=False,
                **place,
            )
        )
    return [*_other_margins(margin, styles, upright, place), *traces]


def _other_margins(margin: Margin, styles: Sequence[ClassStyle], upright: bool, place: dict[str, Any]) -> list[Trace]:
    """Draw the densities of all classes out of focus as one thin grey trace, coarser than the rest."""
    others = [k for k, style in enumerate(styles) if not style.focused]
    if not others:
        return []
    step = max(1, margin.positions.size // 128)
    gap = np.array([np.nan], dtype=np.float32)
    positions = np.tile(np.concatenate([margin.positions[::step], gap]), len(others))
    heights = np.concatenate([part for k in others for part in (margin.heights[k, ::step], gap)])
    along, height = ("x", "y") if upright else ("y", "x")
    return [
        trace(
            "scatter",
            **{along: positions, height: heights},
            mode="lines",
            name="other classes",
            legendgroup=_OTHERS,
            line={"color": faded(BOUNDARY, 0.4), "width": 0.8},
            hoverinfo="skip",
            showlegend=False,
            **place,
        )
    ]
