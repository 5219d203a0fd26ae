"""Which columns matter: what shuffling each costs, and the error with ever fewer of them."""

import numpy as np
import plotly.graph_objects as go

from opnb.figures.layout import headline, legend_below, titled
from opnb.figures.palette import BOUNDARY, COLOURS, Trace, find_theme, make_figure, trace
from opnb.figures.text import unique_names
from opnb.views.column_path import ColumnPath
from opnb.views.columns import ColumnImportance


def importance_figure(
    view: ColumnImportance, *, most: int = 20, theme: str = "neutral", compact: bool = False
) -> go.Figure:
    """Draw by how much the error rises when a column is shuffled, with its spread over the shuffles.

    Parameters
    ----------
    view : ColumnImportance
        Of `opnb.views.columns`.
    most : int, default=20
        Number of columns.
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import importance_figure
    >>> from opnb.views import column_importance
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(importance_figure(column_importance(clf, X, y, shuffles=2))).__name__
    'Figure'
    """
    look = find_theme(theme)
    count = min(most, len(view.columns))
    names = unique_names([column.name for column in view.columns[:count]], 18 if compact else 34)
    losses = view.log_losses.mean(axis=1) - view.log_loss
    bars = trace(
        "bar",
        x=100 * view.rise[:count],
        y=names,
        orientation="h",
        error_x={"array": 100 * view.spread[:count], "width": 3, "thickness": 1.3, "color": look.mark},
        marker={"color": COLOURS[0], "line": {"width": 0}},
        customdata=np.column_stack([100 * view.spread[:count], losses[:count]]),
        hovertemplate="%{y}: %{x:+.2f} ± %{customdata[0]:.2f} points<br>log-loss %{customdata[1]:+.3f}<extra></extra>",
        showlegend=False,
    )
    shown = "" if count == len(view.columns) else f" The {count} that cost most of {len(view.columns)}."
    small = [f"Error {100 * view.error:.1f} % as the rows are; {view.errors.shape[1]} shuffles a column.{shown}"]
    height = 120 + 26 * count
    return make_figure(
        [bars],
        look,
        xaxis={"title": {"text": "rise of the error, points"}, "zeroline": True, "nticks": 6},
        yaxis={"autorange": "reversed", "dtick": 1, "ticks": "", "showgrid": False, "type": "category"},
        **titled(headline(None, small, compact), height),
        height=height,
        bargap=0.3,
    )


def column_path_figure(path: ColumnPath, *, theme: str = "neutral", compact: bool = False) -> go.Figure:
    """Draw the error against the number of columns: every fold, their mean, the held-out rows, and two choices.

    Parameters
    ----------
    path : ColumnPath
        Of `opnb.views.column_path`.
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    look, height = find_theme(theme), 420
    counts = np.array(path.counts)
    folds = trace(
        "scatter",
        x=np.repeat(counts, path.fold_errors.shape[1]),
        y=100 * path.fold_errors.ravel(),
        mode="markers",
        marker={"color": BOUNDARY, "size": 5, "opacity": 0.55},
        name="one fold",
        hovertemplate="%{x} columns: %{y:.1f} %<extra>one fold</extra>",
    )
    mean = trace(
        "scatter",
        x=counts,
        y=100 * path.mean_errors,
        error_y={"array": 100 * path.standard_errors, "width": 4, "thickness": 1.5},
        mode="lines+markers",
        line={"color": COLOURS[0], "width": 2.5},
        marker={"size": 8},
        name="mean of the folds ± standard error",
        hovertemplate="%{x} columns: %{y:.1f} %<extra>mean</extra>",
    )
    many, ticks = path.counts[0] > 40, counts[:: max(1, len(counts) // 8)]
    return make_figure(
        [folds, mean, *_held_out(path), *_choices(path)],
        look,
        xaxis={"title": {"text": "columns"}, "type": "log" if many else "linear", "tickvals": ticks},
        yaxis={"title": {"text": "error, %"}, "rangemode": "tozero", "nticks": 6},
        **titled(
            headline(None, ["Cross-validated on the training rows; every point is fitted anew."], compact), height
        ),
        legend=legend_below(compact),
        height=height,
    )


def _held_out(path: ColumnPath) -> list[Trace]:
    if not path.test:
        return []
    return [
        trace(
            "scatter",
            x=list(path.counts),
            y=[100 * count.error for count in path.test],
            mode="lines+markers",
            line={"color": COLOURS[4], "width": 1.5, "dash": "dot"},
            marker={"size": 6, "symbol": "diamond-open"},
            name="held-out rows",
            hovertemplate="%{x} columns: %{y:.1f} %<extra>held-out rows</extra>",
        )
    ]


def _choices(path: ColumnPath) -> list[Trace]:
    marks = [("least error", path.best, "star", COLOURS[6]), ("one standard error", path.fewest, "square", COLOURS[2])]
    return [
        trace(
            "scatter",
            x=[path.counts[step]],
            y=[100 * path.mean_errors[step]],
            mode="markers",
            marker={"size": 17, "symbol": f"{symbol}-open", "color": colour, "line": {"width": 2.5}},
            name=f"{name}: {path.counts[step]} columns",
            hoverinfo="skip",
        )
        for name, step, symbol, colour in marks
    ]
