"""Why a row is given its class, as small figures whose bars add up."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.figures.layers import legend_entries, margin_traces
from opnb.figures.layout import headline, legend_below, titled
from opnb.figures.palette import COLOURS, Theme, Trace, class_styles, find_theme, make_figure, trace
from opnb.figures.sketch import parts_of
from opnb.figures.text import label_text, unique_names
from opnb.views.margins import Margin
from opnb.views.reasons import Reasons

_FOR, _AGAINST = COLOURS[0], COLOURS[6]
_MOST_BARS = 14
_MOST_CLASSES = 10
_RING = "the row asked about"
_LONGEST = 24  # characters of a class's name within a sentence


def posterior_figure(
    view: Reasons,
    class_counts: NDArray[np.intp],
    *,
    focus: Sequence[int] | None = None,
    theme: str = "neutral",
    compact: bool = False,
) -> go.Figure:
    """Draw the probability of every class, the ten most probable of many.

    Parameters
    ----------
    view : Reasons
        Of `opnb.views.reasons`.
    class_counts : ndarray of int of shape (n_classes,)
        Training rows, which decide the colours.
    focus, theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import posterior_figure
    >>> from opnb.views import reasons
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(posterior_figure(reasons(clf, X[0]), np.bincount(y))).__name__
    'Figure'
    """
    look, styles = find_theme(theme), class_styles(class_counts, focus)
    order = np.argsort(-view.log_posterior, kind="stable")[:_MOST_CLASSES]
    names = unique_names(view.class_names, 16 if compact else 24)
    values = view.posterior[order]
    bars = trace(
        "bar",
        x=values.astype(np.float32),
        y=[names[k] for k in order],
        orientation="h",
        marker={"color": [styles[k].colour for k in order], "line": {"width": 0.6, "color": look.outline}},
        text=[_percent(value) for value in values],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.4f}<extra></extra>",
        showlegend=False,
    )
    small = [] if len(names) == len(order) else [f"The {len(order)} most probable of {len(names)} classes."]
    xaxis = {"range": [0, 1.18], "tickvals": [0, 0.5, 1], "tickformat": ".0%"}
    return _bar_figure([bars], look, "Probability of every class", small, len(order), xaxis, compact)


def log_odds_figure(view: Reasons, *, theme: str = "neutral", compact: bool = False) -> go.Figure:
    """Draw the log-odds of the class predicted against the other as a sum over directions.

    Returns
    -------
    plotly.graph_objects.Figure
        The last bar is the sum of all others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import log_odds_figure
    >>> from opnb.views import reasons
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(log_odds_figure(reasons(clf, X[0]))).__name__
    'Figure'
    """
    names, values = ["class probabilities"], [view.prior_odds]
    shown, rest = _heaviest(view.direction_odds)
    names += [f"Direction {d + 1}" for d in shown]
    values += [float(view.direction_odds[d]) for d in shown]
    if rest.size:
        names.append(f"{rest.size} other directions")
        values.append(float(view.direction_odds[rest].sum()))
    if view.start_odds:
        names.append("other starts")
        values.append(view.start_odds)
    first, second = (_brief(view.class_names[k]) for k in (view.predicted, view.other))
    small = [f"Bars to the right speak for {first}, to the left for {second}."]
    if view.sharpness != 1.0:
        small.append(f"Each is {view.sharpness:.2g} times what densities say: as sure as is right on rows left out.")
    title = f"Log-odds {view.log_odds:+.3g}, a sum over directions"
    return _sum_figure([*names, "sum"], [*values, view.log_odds], title, small, theme, compact)


def parts_figure(view: Reasons, direction: int, *, theme: str = "neutral", compact: bool = False) -> go.Figure:
    """Draw what every column adds to the row's position on a direction; the last bar is the position.

    Parameters
    ----------
    view : Reasons
        With `parts`: directions that are not straight have none.
    direction : int
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import parts_figure
    >>> from opnb.views import reasons
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(parts_figure(reasons(clf, X[0]), 0)).__name__
    'Figure'
    """
    assert view.parts is not None
    parts = view.parts[direction]
    shown, rest = _heaviest(parts)
    longest = 12 if compact else 22
    written = [column.written(column.value(view.row)) for column in view.columns]
    names = [f"{label_text(view.columns[j].name, longest)} = {label_text(written[j], longest)}" for j in shown]
    values = [float(parts[j]) for j in shown]
    if rest.size:
        names.append(f"{rest.size} other columns")
        values.append(float(parts[rest].sum()))
    position = float(view.positions[direction])
    title = f"Position {position:+.3g} on direction {direction + 1}"
    small = ["It is a sum over columns: weight times distance from the mean."]
    return _sum_figure([*names, "position"], [*values, position], title, small, theme, compact)


def row_density_figure(
    margin: Margin,
    view: Reasons,
    class_counts: NDArray[np.intp],
    *,
    focus: Sequence[int] | None = None,
    theme: str = "neutral",
    compact: bool = False,
) -> go.Figure:
    """Draw the class densities along a direction, with the row's place on it.

    Parameters
    ----------
    margin : Margin
        Of `opnb.views.margins`.
    view : Reasons
    class_counts : ndarray of int of shape (n_classes,)
    focus, theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import row_density_figure
    >>> from opnb.views import margins_view, project, reasons
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> margin = margins_view(clf, project(clf, X, y)).margins[0]
    >>> type(row_density_figure(margin, reasons(clf, X[0]), np.bincount(y))).__name__
    'Figure'
    """
    look, styles = find_theme(theme), class_styles(class_counts, focus)
    direction = margin.axis.direction
    here = float(view.positions[direction])
    low, high = min(margin.x_range[0], here), max(margin.x_range[1], here)
    room = 0.03 * (high - low)
    two = (view.predicted, view.other)
    named = " and ".join(f"{np.exp(view.log_densities[direction, k]):.3g} ({_brief(view.class_names[k])})" for k in two)
    height = 330
    return make_figure(
        [*legend_entries(view.class_names, styles, look), *margin_traces(margin, view.class_names, styles)],
        look,
        xaxis={"range": [low - room, high + room], "title": {"text": f"Direction {direction + 1}"}, "nticks": 7},
        yaxis={"showticklabels": False, "rangemode": "tozero", "title": {"text": "density"}},
        shapes=[_place(here, look)],
        **titled(headline("Densities that it was judged by", [f"At the row: {named}."], compact), height),
        legend=legend_below(compact),
        height=height,
        hovermode="closest",
    )


def place_ring(figure: go.Figure, place: tuple[float, float] | None, *, theme: str = "neutral") -> None:
    """Put a ring around one place of the picture of two directions, or take it away; the figure is changed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import place_ring, projection_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> figure = projection_figure(clf, X, y)
    >>> before = len(figure.data)
    >>> place_ring(figure, (0.0, 0.0))
    >>> len(figure.data) - before
    1
    """
    if place is None and not any(one.get("name") == _RING for one in parts_of(figure)["data"]):
        return
    ring = next(figure.select_traces({"name": _RING}), None)
    if ring is None:
        look = {"symbol": "circle-open", "size": 19, "color": find_theme(theme).mark, "line": {"width": 2.2}}
        figure.add_trace(trace("scatter", name=_RING, mode="markers", marker=look, hoverinfo="skip", showlegend=False))
        ring = figure.data[-1]
    ring.x, ring.y = ([], []) if place is None else ([place[0]], [place[1]])


def _place(position: float, look: Theme) -> dict[str, Any]:
    ends = {"x0": position, "x1": position, "yref": "paper", "y0": 0, "y1": 0.93}
    label = {"text": "this row", "textposition": "end", "textangle": 0, "font": {"size": 12, "color": look.text}}
    line = {"color": look.mark, "width": 1.6, "dash": "dash"}
    return {"type": "line", **ends, "line": line, "label": label}


def _heaviest(values: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Choose the largest of many values, whatever their sign, in their own order; and the rest."""
    if values.size <= _MOST_BARS:
        return np.arange(values.size), np.arange(0)
    order = np.argsort(-np.abs(values), kind="stable")
    return np.sort(order[: _MOST_BARS - 1]), np.sort(order[_MOST_BARS - 1 :])


def _sum_figure(
    names: list[str], values: list[float], title: str, small: list[str], theme: str, compact: bool
) -> go.Figure:
    """Draw parts and, as the last bar, their sum."""
    look = find_theme(theme)
    colours = [_FOR if value >= 0 else _AGAINST for value in values]
    bars = trace(
        "bar",
        x=np.array(values),
        y=_apart(names),
        orientation="h",
        marker={
            "color": colours,
            "opacity": [0.75] * (len(values) - 1) + [1.0],
            "line": {"width": [0.0] * (len(values) - 1) + [1.6], "color": look.mark},
        },
        text=[_signed(value) for value in values],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:+.4f}<extra></extra>",
        showlegend=False,
    )
    reach = (1.7 if compact else 1.35) * max(map(abs, values)) or 1.0  # with room for the numbers
    low, high = (-reach if min(values) < 0 else -0.05 * reach), (reach if max(values) > 0 else 0.05 * reach)
    xaxis = {"range": [low, high], "zeroline": True, "nticks": 6}
    return _bar_figure([bars], look, title, small, len(names), xaxis, compact)


def _signed(value: float) -> str:
    """Write a number with its sign; what rounds to nothing has none."""
    written = f"{value:+.2f}" if abs(value) < 1e4 else f"{value:+.2g}"
    return "0.00" if written in ("+0.00", "-0.00") else written


def _percent(share: float) -> str:
    """Write a probability so that hardly any and no chance at all are told apart."""
    return f"{100 * share:.1f} %" if share >= 0.0005 or share == 0 else "< 0.1 %"


def _brief(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _apart(names: list[str]) -> list[str]:
    """Tell names apart that are alike: bars of one name would be drawn on each other."""
    return [f"{name} #{k + 1}" if names.count(name) > 1 else name for k, name in enumerate(names)]


def _bar_figure(
    bars: list[Trace],
    look: Theme,
    title: str,
    small: list[str],
    count: int,
    xaxis: dict[str, Any],
    compact: bool,
) -> go.Figure:
    height = 110 + 26 * count
    return make_figure(
        bars,
        look,
        xaxis=xaxis,
        yaxis={"autorange": "reversed", "dtick": 1, "ticksuffix": " ", "showgrid": False, "type": "category"},
        **titled(headline(title, small, compact), height),
        height=height,
        bargap=0.3,
    )
