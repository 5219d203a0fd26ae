"""A few far rows that rule the scale of a column, and with it how much of the column the penalty lets through.

A column is divided by its standard deviation. One row in a hundred, a hundred deviations away, makes that ten times
what the other rows would have: they are pressed into a tenth of their room, and a direction has to be ten times as
long, and pay a hundred times the penalty, to see them as before.
"""

from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Remedy, Severity

# A row is far at so many deviations of the middle half; normal and exponential columns have none in 1,000 rows.
FAR = 10.0
# Far rows are few up to this share; more of them are a tail, and the column's own shape.
FEW = 0.05
# Share of a column's squared distances that its far rows carry when they rule it.
RULED = 0.5
# Share of a shown direction's squared weights on ruled columns: what of the picture rests on their scale.
WEIGHT_WARNING, WEIGHT_NOTICE = 0.25, 0.1
# Spread of far values, as a share of their size, below which they are one value: a rare category, not outliers.
_ONE_VALUE = 0.1
_SHOWN = 2
_MOST_LISTED = 500
_MIDDLE_HALF = 1.349  # deviations that the middle half of a normal column spans


def outliers(context: Context) -> Finding:
    """See whether few far rows make most of a column's spread."""
    far = far_values(context.X)
    ruled = np.flatnonzero(_shares(context.X, far) >= RULED)
    ruled = ruled[[_scattered(context.X[far[:, j], j]) for j in ruled]] if ruled.size else ruled
    rows = np.flatnonzero(far[:, ruled].any(axis=1))
    weights = context.clf.components_[:_SHOWN, ruled] ** 2
    evidence: dict[str, Any] = {
        "columns": ruled[:_MOST_LISTED],
        "n_columns": ruled.size,
        "rows": rows[:_MOST_LISTED],
        "n_far": rows.size,
        "farthest": _farthest(context.X, ruled),
        "weight": float(weights.sum(axis=1).max(initial=0.0)),
    }
    if context.clf.scale == "robust" or evidence["weight"] < WEIGHT_NOTICE:
        return Finding("outliers", "good", *_good_words(context, ruled.size), evidence)
    severity: Severity = "warning" if evidence["weight"] >= WEIGHT_WARNING else "notice"
    remedy = Remedy({"scale": "robust"}, "Scale columns by their middle half, which a few far rows cannot move.")
    return Finding("outliers", severity, "A few far rows rule the scale", _words(context, evidence), evidence, remedy)


def far_values(X: Array) -> Any:
    """Tell which values lie far from the middle half of their column; none where most values are equal."""
    far = _distances(X) > FAR
    return far & (far.mean(axis=0) <= FEW)


def _distances(X: Array) -> Array:
    """Measure distances from the medians in deviations of the middle half; 0 in a column that has none."""
    low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0, method="inverted_cdf")
    return np.abs(X - middle) * _MIDDLE_HALF / np.where(high > low, high - low, np.inf)


def _shares(X: Array, far: Any) -> Array:
    """Share of every column's squared distances from its median that far values carry."""
    squares = np.square(X - np.median(X, axis=0))
    return np.where(far, squares, 0.0).sum(axis=0) / np.maximum(squares.sum(axis=0), 1e-300)


def _scattered(values: Array) -> bool:
    """Tell outliers, which lie here and there, from a value of its own."""
    return values.size == 1 or bool(values.std() > _ONE_VALUE * np.abs(values).mean())


def _farthest(X: Array, columns: Any) -> float:
    """Give the farthest value, in deviations of the middle half of its column."""
    return float(_distances(X[:, columns]).max()) if columns.size else 0.0


def _good_words(context: Context, n_columns: int) -> tuple[str, str]:
    if n_columns:
        why = "Scales are those of the middle half, which they cannot move."
        if context.clf.scale != "robust":
            why = "But these columns weigh little on the directions shown."
        return (
            "Far rows that do no harm",
            f"In {n_columns} of {context.X.shape[1]} columns a few far rows make most of the spread. {why}",
        )
    return "No row rules a scale", f"In none of {context.X.shape[1]} columns do a few far rows make most of the spread."


def _words(context: Context, evidence: dict[str, Any]) -> str:
    n, p = context.X.shape
    count, columns = evidence["n_far"], evidence["n_columns"]
    return (
        f"{count:,} of {n:,} rows lie up to {evidence['farthest']:,.0f} deviations of the middle half away and make "
        f"most of the spread of {columns} of {p} column{'s' if p > 1 else ''}. All other rows are pressed together "
        f"there, and the penalty keeps the directions from looking closer; {evidence['weight']:.0%} of a direction "
        "shown rests on such columns. See whether these rows are errors of measurement."
    )
