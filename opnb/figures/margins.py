"""Class densities on every direction, and the leading directions against each other."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from opnb.figures.layers import Cloud, legend_entries, margin_traces, point_traces
from opnb.figures.layout import headline, legend_below, titled
from opnb.figures.palette import Trace, class_styles, find_theme, make_figure
from opnb.figures.text import axis_title
from opnb.views.margins import Margin, MarginsView, Weighting, margins_view
from opnb.views.matrix import ScatterMatrixView, scatter_matrix_view
from opnb.views.projected import Projected, project

_ROW_HEIGHT = 190
_LABELS = 78


def margins_figure(
    clf: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    directions: Sequence[int] | None = None,
    weighting: Weighting = "density",
    projected: Projected | None = None,
    class_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    **drawing: Any,
) -> go.Figure:
    """Draw the model's class densities on every direction.

    Parameters
    ----------
    clf : OPNBClassifier
    X, y : array-like, optional
        Training data; not needed with `projected`.
    directions : sequence of int, optional
        All by default.
    weighting : {"density", "prior"}, default="density"
    projected : Projected, optional
    class_names, feature_names : sequence of str, optional
    **drawing
        `theme`, `focus`, `title`, `columns` and `compact` of `draw_margins`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import margins_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(margins_figure(clf, X, y)).__name__
    'Figure'
    """
    names = {"class_names": class_names, "feature_names": feature_names}
    data = project(clf, X, y, **names) if projected is None else projected  # type: ignore[arg-type]
    return draw_margins(margins_view(clf, data, directions, weighting=weighting), **drawing)


def draw_margins(
    view: MarginsView,
    *,
    theme: str = "neutral",
    focus: Sequence[int] | None = None,
    title: str | None = None,
    columns: int | None = None,
    compact: bool = False,
) -> go.Figure:
    """Draw class densities as small multiples, `columns` a row (by default three, one if compact).

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import draw_margins
    >>> from opnb.views import margins_view, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(draw_margins(margins_view(clf, project(clf, X, y)))).__name__
    'Figure'
    """
    look, styles = find_theme(theme), class_styles(view.class_counts, focus)
    across = min(len(view.margins), columns or (1 if compact else 3))
    down = -(-len(view.margins) // across)
    height = 100 + down * _ROW_HEIGHT
    gap = _LABELS / (height - 100)
    traces: list[Trace] = legend_entries(view.class_names, styles, look)
    layout: dict[str, Any] = {}
    for number, margin in enumerate(view.margins):
        row, column = divmod(number, across)
        place: dict[str, Any] = {"xaxis": _tag("x", number), "yaxis": _tag("y", number)}
        traces += margin_traces(margin, view.class_names, styles, **place)
        axes = _panel(margin, (column, across), (row, down), gap, 1 if compact else 2)
        layout |= {_tag("xaxis", number): {**axes[0], "anchor": place["yaxis"]}}
        layout |= {_tag("yaxis", number): {**axes[1], "anchor": place["xaxis"]}}
    return make_figure(
        traces,
        look,
        **layout,
        **titled(headline(title, [], compact), height),
        legend=legend_below(compact),
        height=height,
        hovermode="closest",
    )


def _panel(
    margin: Margin, across: tuple[int, int], down: tuple[int, int], gap: float, features: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Place the axes of one panel: `across` and `down` say which it is, of how many."""
    (column, columns), (row, rows) = across, down
    width, height = 1 / columns, (1 - (rows - 1) * gap) / rows
    top = 1 - row * (height + gap)
    along = {
        "domain": [column * width, (column + 1) * width - 0.03 * (columns > 1)],
        "range": list(margin.x_range),
        "title": {"text": axis_title(margin.axis, features), "standoff": 4, "font": {"size": 12}},
        "nticks": 6,
    }
    return along, {"domain": [max(top - height, 0), top], "showticklabels": False, "range": [0.0, margin.top]}


def scatter_matrix_figure(
    clf: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    directions: Sequence[int] | None = None,
    *,
    projected: Projected | None = None,
    class_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    **drawing: Any,
) -> go.Figure:
    """Draw the leading directions against each other, the densities of each on the diagonal.

    Parameters
    ----------
    clf : OPNBClassifier
    X, y, X_test, y_test : array-like, optional
        Training and held-out data; not needed with `projected`.
    directions : sequence of int, optional
        The first four by default.
    projected : Projected, optional
    class_names, feature_names : sequence of str, optional
    **drawing
        `theme`, `focus`, `title`, `height` and `compact` of `draw_scatter_matrix`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import scatter_matrix_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(scatter_matrix_figure(clf, X, y)).__name__
    'Figure'
    """
    names = {"class_names": class_names, "feature_names": feature_names}
    data = (
        project(clf, X, y, X_test, y_test, **names)  # type: ignore[arg-type]
        if projected is None
        else projected
    )
    return draw_scatter_matrix(scatter_matrix_view(clf, data, directions), **drawing)


def draw_scatter_matrix(
    view: ScatterMatrixView,
    *,
    theme: str = "neutral",
    focus: Sequence[int] | None = None,
    title: str | None = None,
    height: int | None = None,
    compact: bool = False,
) -> go.Figure:
    """Draw a scatter matrix: points below the diagonal, densities on it, the legend in the corner that is left.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import draw_scatter_matrix
    >>> from opnb.views import project, scatter_matrix_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(draw_scatter_matrix(scatter_matrix_view(clf, project(clf, X, y)))).__name__
    'Figure'
    """
    look, styles = find_theme(theme), class_styles(view.class_counts, focus)
    m = len(view.margins)
    traces: list[Trace] = legend_entries(view.class_names, styles, look)
    layout: dict[str, Any] = {}
    for i, margin in enumerate(view.margins):
        layout |= _matrix_axes(view, i)
        traces += margin_traces(margin, view.class_names, styles, xaxis=_tag("x", i), yaxis=f"y{m + i + 1}")
        for j in range(i):
            cloud = Cloud(view.Z[:, j], view.Z[:, i], view.labels, view.is_test, view.rows, view.class_names)
            place = {"xaxis": _tag("x", j), "yaxis": _tag("y", i)}
            traces += point_traces(cloud, styles, look, size=4.5, legend=False, **place)
    drawn, tall = len(view.labels), height or 130 + 150 * m
    notes = [f"{drawn:,} of {view.n_points:,} points drawn."] if drawn < view.n_points else []
    return make_figure(
        traces,
        look,
        **layout,
        **titled(headline(title, notes, compact), tall),
        legend=legend_below(compact),
        height=tall,
        hovermode="closest",
    )


def _tag(letter: str, number: int) -> str:
    return letter if number == 0 else f"{letter}{number + 1}"


def _matrix_axes(view: ScatterMatrixView, i: int) -> dict[str, Any]:
    """Axes of one direction: across below, up at the left, and the height of its densities on the diagonal."""
    m = len(view.margins)
    size = 1 / m
    across = [i * size + 0.01, (i + 1) * size - 0.01]
    up = [1 - across[1], 1 - across[0]]
    shared = {
        "range": list(view.ranges[i]),
        "nticks": 4,
        "ticklabeloverflow": "hide past domain",
        "title": {"text": view.margins[i].axis.called, "standoff": 4},
    }
    lowest = _tag("y", m - 1) if i < m - 1 else f"y{2 * m}"
    return {
        _tag("xaxis", i): {"domain": across, "anchor": lowest, **shared},
        _tag("yaxis", i): {"domain": up, "anchor": "x", **shared, "visible": i > 0},
        f"yaxis{m + i + 1}": {
            "domain": up,
            "anchor": _tag("x", i),
            "visible": False,
            "range": [0.0, view.margins[i].top],
            "fixedrange": True,
        },
    }
