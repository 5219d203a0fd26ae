"""Figures of a benchmark: errors, wins, what they depend on, and what they cost; ranks are in `opnb.figures.ranks`.

All take the tables of `opnb.benchmark`; names in them may come from a stranger's file and are shown as plain text.
"""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from opnb.benchmark import Dissection, Pairwise
from opnb.figures.layout import headline, titled
from opnb.figures.palette import COLOURS, Theme, Trace, cell_scale, faded, find_theme, make_figure, trace
from opnb.figures.text import label_text, unique_names

_BLUE, _RED, _ORANGE = COLOURS[0], COLOURS[2], COLOURS[6]
_LONGEST = 16


def error_boxes_figure(
    errors: pd.DataFrame, measure: str, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw a box for every method, ordered by the means, which are red dots.

    Parameters
    ----------
    errors : pandas.DataFrame
        Data sets by methods, in any of `opnb.benchmark.MEASURES`.
    measure : str
        What to call it.
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    means = errors.mean().sort_values(kind="stable")
    ordered = errors[means.index]
    names = unique_names(means.index.tolist(), _LONGEST)
    boxes = [_box(ordered.iloc[:, place], name) for place, name in enumerate(names)]
    dots = trace(
        "scatter",
        x=names,
        y=means.to_numpy(),
        mode="markers",
        marker={"color": _RED, "size": 9, "line": {"color": "#ffffff", "width": 1}},
        hovertemplate="%{x}: mean %{y:.3f}<extra></extra>",
        showlegend=False,
    )
    small = [f"{len(errors)} data sets; red dots are means"]
    return make_figure(
        [*boxes, dots],
        look,
        xaxis={"type": "category", "showgrid": False, "ticks": "", "dtick": 1},
        yaxis={"title": {"text": f"{measure} error"}, "nticks": 7},
        **titled(headline(title, small, compact), 420),
        height=420,
    )


def _box(values: pd.Series, name: str) -> Trace:
    return trace(
        "box",
        y=values.to_numpy(),
        x=[name] * len(values),
        text=[label_text(dataset, 60) for dataset in values.index],
        hovertemplate="%{text}: %{y:.3f}<extra></extra>",
        line={"color": _BLUE, "width": 1.5},
        fillcolor=faded(_BLUE, 0.2),
        marker={"color": _BLUE, "size": 4},
        boxpoints="outliers",
        showlegend=False,
    )


def pairwise_figure(
    pairwise: Pairwise, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw how often the method of the row beats that of the column, coloured by its share of the decided ones.

    Parameters
    ----------
    pairwise : Pairwise
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    wins, ties = pairwise.wins.to_numpy(), pairwise.ties.to_numpy()
    names = unique_names(pairwise.wins.columns.tolist(), _LONGEST)
    off = ~np.eye(len(names), dtype=bool)
    known = off & (wins + wins.T + ties > 0)
    cells = _cells(
        np.where(known, pairwise.share().fillna(0.5).to_numpy(), np.nan),
        names,
        names,
        np.where(known, wins.astype(str), ""),
        look,
        customdata=np.dstack([wins.T, ties]),
        hovertemplate="<b>%{y}</b> beats <b>%{x}</b> on %{text}, loses on %{customdata[0]}, "
        "ties on %{customdata[1]}<extra></extra>",
        colorscale=cell_scale(look, _ORANGE, _BLUE),
        zmin=0,
        zmax=1,
    )
    small = ["data sets on which the row beats the column"]
    return _table_figure(cells, names, look, headline(title, small, compact))


def errors_figure(
    errors: pd.DataFrame, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw the mean error of every method on every data set, coloured from its best to its worst method.

    Parameters
    ----------
    errors : pandas.DataFrame
        Data sets by methods; gaps stay empty.
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    values = errors.to_numpy()
    low = errors.min(axis=1).to_numpy()[:, None]
    reach = errors.max(axis=1).to_numpy()[:, None] - low
    names = unique_names(errors.index.tolist(), 16 if compact else 34)
    cells = _cells(
        (values - low) / np.where(reach > 0, reach, 1.0),
        unique_names(errors.columns.tolist(), _LONGEST),
        names,
        np.where(np.isnan(values), "", np.char.mod("%.3f", values)),
        look,
        hovertemplate="%{x} on %{y}: %{text}<extra></extra>",
        colorscale=cell_scale(look, _BLUE, _ORANGE),
        zmin=0,
        zmax=1,
    )
    small = ["mean test errors; blue is the best of a data set"]
    return _table_figure(cells, names, look, headline(title, small, compact), row=22)


_FORMATS = {"best on": "{:.0f}", "rank": "{:.2f}", "seconds": "{:.3g}", "log-loss": "{:.3g}"}


def methods_figure(
    table: pd.DataFrame, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw the table of `opnb.benchmark.method_table`, each column coloured by its order.

    Parameters
    ----------
    table : pandas.DataFrame
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    shown = table[[name for name in table.columns if "quartile" not in name]]
    good_first = shown.assign(**{"best on": -shown["best on"]}).rank()
    spread = (good_first.max() - good_first.min()).replace(0, 1)
    names = unique_names(table.index.tolist(), _LONGEST)
    texts = [[_number(name, value) for name, value in zip(shown.columns, row, strict=True)] for row in shown.to_numpy()]
    cells = _cells(
        ((good_first - good_first.min()) / spread).to_numpy(),
        shown.columns.tolist(),
        names,
        np.array(texts),
        look,
        hovertemplate="%{y}, %{x}: %{text}<extra></extra>",
        colorscale=cell_scale(look, _BLUE, _ORANGE),
        zmin=0,
        zmax=1,
    )
    return _table_figure(cells, names, look, headline(title, [], compact))


def _number(column: str, value: float) -> str:
    return "" if np.isnan(value) else _FORMATS.get(column, "{:.3f}").format(value)


def _cells(z: np.ndarray, x: list[str], y: list[str], text: np.ndarray, look: Theme, **more: Any) -> Trace:
    return trace(
        "heatmap",
        z=z,
        x=x,
        y=y,
        text=text,
        texttemplate="%{text}",
        textfont={"size": 12, "color": look.cell_text},
        showscale=False,
        hoverongaps=False,
        xgap=1,
        ygap=1,
        **more,
    )


def _table_figure(cells: Trace, names: list[str], look: Theme, lines: list[str], row: int = 30) -> go.Figure:
    height = 90 + 20 * len(lines) + row * len(names)
    axis = {"type": "category", "showgrid": False, "ticks": "", "dtick": 1}
    place = titled(lines, height)
    place["margin"]["t"] += 26
    layout = {"xaxis": {**axis, "side": "top"}, "yaxis": {**axis, "autorange": "reversed"}}
    return make_figure([cells], look, **layout, **place, height=height)


def dissection_figure(
    dissection: Dissection, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw the coefficients of every method with twice their standard errors, one panel a characteristic.

    Parameters
    ----------
    dissection : Dissection
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    table, errors = dissection.coefficients, dissection.standard_errors
    names = unique_names(table.index.tolist(), _LONGEST)
    reach = 1.06 * float((table.abs() + 2 * errors).to_numpy().max()) or 1.0
    across = 2 if compact else 3
    down = -(-table.shape[1] // across)
    traces: list[Trace] = []
    layout: dict[str, Any] = {"annotations": []}
    for number, characteristic in enumerate(table.columns):
        x, y = _panel(number, across, down)
        tag = "" if number == 0 else str(number + 1)
        traces.append(_coefficients(table[characteristic], errors[characteristic], names, tag))
        layout[f"xaxis{tag}"] = {
            "domain": x,
            "anchor": f"y{tag}",
            "range": [-reach, reach],
            "zeroline": True,
            "nticks": 5,
        }
        layout[f"yaxis{tag}"] = {"domain": y, "anchor": f"x{tag}", "autorange": "reversed", "dtick": 1, "ticks": ""}
        layout[f"yaxis{tag}"] |= {"showticklabels": number % across == 0, "type": "category"}
        layout["annotations"].append(
            {
                "x": x[0],
                "y": y[1],
                "text": f"<b>{characteristic}</b>",
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    small = [f"{dissection.n_datasets} data sets; bars of two standard errors"]
    height = 110 + down * (70 + 22 * len(names))
    place = titled(headline(title, small, compact), height)
    place["margin"]["t"] += 24
    return make_figure(traces, look, **layout, **place, height=height)


def _panel(number: int, across: int, down: int) -> tuple[list[float], list[float]]:
    """Place a panel, from the upper left on."""
    row, column = divmod(number, across)
    width, height = 1 / across, 1 / down
    x = [column * width + 0.02 * (column > 0), (column + 1) * width - 0.01]
    return x, [1 - (row + 1) * height + (0.09 if row < down - 1 else 0.0), 1 - row * height - 0.03 * (row > 0)]


def _coefficients(values: pd.Series, errors: pd.Series, names: list[str], tag: str) -> Trace:
    certain = (values.abs() > 2 * errors).to_numpy()
    return trace(
        "scatter",
        x=values.to_numpy(),
        y=names,
        error_x={"type": "data", "array": 2 * errors.to_numpy(), "thickness": 1.5, "width": 3, "color": _BLUE},
        mode="markers",
        marker={"size": 9, "color": _BLUE, "symbol": np.where(certain, "circle", "circle-open").tolist()},
        customdata=errors.to_numpy(),
        hovertemplate="%{y}: %{x:+.3f}, standard error %{customdata:.3f}<extra></extra>",
        xaxis=f"x{tag}",
        yaxis=f"y{tag}",
        showlegend=False,
    )


def cost_figure(
    table: pd.DataFrame, *, theme: str = "neutral", title: str | None = None, compact: bool = False
) -> go.Figure:
    """Draw error against time, one point a method: its mean min-normalised error and its median seconds.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `opnb.benchmark.method_table`.
    theme, title, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look = find_theme(theme)
    seconds = table["seconds"].to_numpy()
    low, high = table["seconds, lower quartile"].to_numpy(), table["seconds, upper quartile"].to_numpy()
    points = trace(
        "scatter",
        x=seconds,
        y=table["min-normalised"].to_numpy(),
        error_x={"type": "data", "array": high - seconds, "arrayminus": seconds - low, "color": faded(_BLUE, 0.6)},
        mode="markers+text",
        text=unique_names(table.index.tolist(), _LONGEST),
        textposition="top center",
        textfont={"color": look.text},
        marker={"size": 10, "color": _BLUE},
        hovertemplate="%{text}: error %{y:.3f}, %{x:.3g} s<extra></extra>",
        showlegend=False,
        cliponaxis=False,
    )
    small = ["median seconds of tuning and fit; bars to the quartiles"]
    return make_figure(
        [points],
        look,
        xaxis={"type": "log", "title": {"text": "seconds"}, "dtick": "D2", "tickformat": "~g"},
        yaxis={"title": {"text": "mean min-normalised error"}, "rangemode": "tozero"},
        **titled(headline(title, small, compact), 420),
        height=420,
    )
