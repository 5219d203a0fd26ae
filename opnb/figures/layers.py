"""Traces that several figures share: points by class, marks on them, boundaries, margins."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from opnb.figures.palette import BOUNDARY, ClassStyle, Theme, faded
from opnb.figures.text import plain, unique_names
from opnb.views.margins import Margin

SVG_LIMIT = 2_000
_OTHERS = "others"


class Cloud(Protocol):
    """Points with their classes, as views hold them."""

    @property
    def labels(self) -> NDArray[np.intp]: ...
    @property
    def is_test(self) -> NDArray[np.bool_]: ...
    @property
    def rows(self) -> NDArray[np.int64]: ...


def scatter_type(n: int) -> type[Any]:
    """Choose SVG for few points, WebGL for many."""
    return go.Scatter if n <= SVG_LIMIT else go.Scattergl


def marker_size(n: int) -> float:
    """Let points shrink as they become many."""
    return float(np.clip(9.0 - 1.1 * np.log10(max(n, 1) / 50), 4.0, 8.0))


def point_traces(
    cloud: Cloud,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    names: Sequence[str],
    styles: Sequence[ClassStyle],
    theme: Theme,
    *,
    size: float | None = None,
    legend: bool = True,
    **place: Any,
) -> list[Any]:
    """Draw the points, a trace for every class in focus and each of training and held-out points.

    Filled markers are training points, open ones held out. Classes out of focus share a trace. The row is in
    `customdata`. Axes and the like pass through `place`.
    """
    labels = unique_names(names)
    focused = np.array([style.focused for style in styles])
    traces = []
    for held_out in (False, True):
        chosen = cloud.is_test == held_out
        others = np.flatnonzero(chosen & ~focused[cloud.labels])
        common = {"size": size or marker_size(len(x)), "held_out": held_out, "theme": theme, "total": len(x)}
        if others.size:
            traces.append(_other_points(cloud, x, y, names, others, legend=legend, **common, **place))
        for k in np.flatnonzero(focused):
            rows = np.flatnonzero(chosen & (cloud.labels == k))
            if rows.size or not held_out:
                shown = {"name": labels[k], "legendgroup": f"class {k}", "showlegend": legend and not held_out}
                hover = _hover(plain(names[k], 60), held_out)
                traces.append(_points(cloud, x, y, rows, styles[k], hover, **common, **shown, **place))
    return traces


def _points(
    cloud: Cloud,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    rows: NDArray[np.intp],
    style: ClassStyle,
    hover: str,
    *,
    size: float,
    held_out: bool,
    theme: Theme,
    total: int,
    **place: Any,
) -> Any:
    line = {"width": 1.3} if held_out else {"width": 0.6, "color": theme.outline}
    return scatter_type(total)(
        x=x[rows],
        y=y[rows],
        customdata=cloud.rows[rows].astype(np.int32),
        mode="markers",
        marker={
            "symbol": style.symbol + ("-open" if held_out else ""),
            "color": style.colour,
            "size": size,
            "opacity": 0.95 if held_out else 0.8,
            "line": line,
        },
        hovertemplate=hover,
        **place,
    )


def _other_points(
    cloud: Cloud,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    names: Sequence[str],
    rows: NDArray[np.intp],
    *,
    size: float,
    held_out: bool,
    theme: Theme,
    total: int,
    legend: bool,
    **place: Any,
) -> Any:
    """Draw the points of all classes out of focus as quiet grey dots that still tell their class."""
    safe = np.array([plain(name, 60) for name in names], dtype=object)
    return scatter_type(total)(
        x=x[rows],
        y=y[rows],
        customdata=cloud.rows[rows].astype(np.int32),
        text=safe[cloud.labels[rows]],
        mode="markers",
        marker={
            "symbol": "circle-open" if held_out else "circle",
            "color": BOUNDARY,
            "size": 0.65 * size,
            "opacity": 0.35,
        },
        name="other classes",
        legendgroup=_OTHERS,
        showlegend=legend and not held_out,
        hovertemplate=_hover("%{text}", held_out),
        **place,
    )


def _hover(title: str, held_out: bool) -> str:
    kind = "held out" if held_out else "training"
    return f"<b>{title}</b> ({kind})<br>row %{{customdata}}<br>(%{{x:.3f}}, %{{y:.3f}})<extra></extra>"


def mark_trace(
    cloud: Cloud,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    chosen: NDArray[np.bool_],
    says: Sequence[str],
    *,
    name: str,
    symbol: str,
    size: float,
    colour: str,
    **place: Any,
) -> Any:
    """Draw thin marks on some points, which say something of their own when hovered.

    `says` has safe text for each chosen point.
    """
    rows = np.flatnonzero(chosen)
    return scatter_type(len(x))(
        x=x[rows],
        y=y[rows],
        customdata=cloud.rows[rows].astype(np.int32),
        text=list(says),
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": size, "color": colour, "opacity": 0.85, "line": {"width": 1, "color": colour}},
        hovertemplate="%{text}<br>row %{customdata}<br>(%{x:.3f}, %{y:.3f})<extra></extra>",
        **place,
    )


def mistakes(cloud: Cloud, chosen: NDArray[np.bool_], predicted: NDArray[np.intp], names: Sequence[str]) -> list[str]:
    """Say of each chosen point what it is and what it is taken for."""
    safe = [plain(name, 60) for name in names]
    return [
        f"<b>{safe[true]}</b> taken for <b>{safe[wrong]}</b>"
        for true, wrong in zip(cloud.labels[chosen], predicted[chosen], strict=True)
    ]


def boundary_trace(lines: Sequence[NDArray[np.float64]], **place: Any) -> go.Scatter:
    """Draw all boundary lines as one trace, with gaps between them."""
    gap = np.full((1, 2), np.nan)
    path = np.concatenate([part for line in lines for part in (line, gap)][:-1] or [gap]).astype(np.float32)
    return go.Scatter(
        x=path[:, 0],
        y=path[:, 1],
        mode="lines",
        name="boundary",
        line={"color": BOUNDARY, "width": 1.6},
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
    fill: bool = True,
    **place: Any,
) -> list[go.Scatter]:
    """Draw the class densities along a direction: upwards, or to the right when the direction itself goes up."""
    traces = []
    for k, style in enumerate(styles):
        if not style.focused:
            continue
        along, height = ("x", "y") if upright else ("y", "x")
        traces.append(
            go.Scatter(
                **{along: margin.positions, height: margin.heights[k]},
                mode="lines",
                name=unique_names(names)[k],
                legendgroup=f"class {k}",
                line={"color": style.colour, "width": 1.6},
                fill=("tozeroy" if upright else "tozerox") if fill else None,
                fillcolor=faded(style.colour, 0.13),
                hovertemplate=f"<b>{plain(names[k], 60)}</b><br>%{{{along}:.3f}}: %{{{height}:.3g}}<extra></extra>",
                showlegend=False,
                **place,
            )
        )
    return [*_other_margins(margin, styles, upright, place), *traces]


def _other_margins(
    margin: Margin, styles: Sequence[ClassStyle], upright: bool, place: dict[str, Any]
) -> list[go.Scatter]:
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
        go.Scatter(
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
