"""The smallest change of one column that would give a row another class.

Along one column the class can change back and forth, so the line through the row is looked at in steps, short ones
near the row and longer ones away from it, up to the values that the training rows have. The first step at which the
class differs is narrowed down by halving, written with as few digits as will do, and predicted once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.data.feature_columns import FeatureColumn, feature_columns
from opnb.views.model import fitted_model
from opnb.views.projected import fitted_names
from opnb.views.reasons import checked_row

_STEPS = 160  # on either side
_HALVINGS = 30
_DIGITS = 6  # of the change
_REACH = 3.0  # standard deviations, where the training rows are not known
_MOST_CELLS = 2_000_000  # predicted at a time


@dataclass(frozen=True, eq=False)
class Flip:
    """A change of one column that changes the class.

    Attributes
    ----------
    column : FeatureColumn
    before, after : float
        Values of the column; of a category, which of its levels.
    becomes : int
        Number of the class that the changed row is given.
    size : float
        Of the change, as the model scales columns: as a rule in standard deviations of the training rows.
    row : ndarray of shape (n_features,)
        The row after the change.
    """

    column: FeatureColumn
    before: float
    after: float
    becomes: int
    size: float
    row: Array


@dataclass(frozen=True, eq=False)
class _Line:
    """One way to change a column: values in the order of their distance, from the row's own on."""

    column: FeatureColumn
    values: Array
    whole: bool


@dataclass
class _Change:
    """A column, and two values of it between which the class changes; at the far one it has changed."""

    column: FeatureColumn
    near: float
    far: float
    whole: bool

    @property
    def middle(self) -> float:
        middle = (self.near + self.far) / 2
        return float(round(middle)) if self.whole else middle


def flips(
    clf: Any, row: ArrayLike, *, columns: Sequence[FeatureColumn] | None = None, X: ArrayLike | None = None
) -> tuple[Flip, ...]:
    """Find the smallest change of every single column that gives a row another class.

    Parameters
    ----------
    clf : OPNBClassifier
    row : array-like of shape (n_features,)
        Prepared as the training rows were.
    columns : sequence of FeatureColumn, optional
        By default each feature is a column.
    X : array-like of shape (n, n_features), optional
        Training rows: numbers stay within the range that they have, and columns of whole numbers stay whole. Without
        them, numbers stay within three standard deviations of the mean.

    Returns
    -------
    tuple of Flip
        The smallest change first; columns that change nothing by themselves are left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import flips
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> found = flips(clf, X[70], X=X)
    >>> found[0].size <= found[-1].size
    True
    """
    model = fitted_model(clf)
    x = checked_row(model, row)
    known = columns or feature_columns(fitted_names(model))
    lines = [line for column in known for line in _lines(model, x, column, None if X is None else np.asarray(X))]
    own = int(_classes(model, x[None])[0])
    met = _first_changes(model, x, lines, own)
    _halve(model, x, met, own)
    return _smallest([_flip(model, x, change, own) for change in met])


def _lines(model: Any, x: Array, column: FeatureColumn, X: Array | None) -> list[_Line]:
    now = column.value(x)
    if column.levels:
        others = [float(level) for level in range(len(column.levels)) if level != now]
        return [_Line(column, np.array([now, level]), True) for level in others]
    low, high, whole = _range(model, column.places[0], X)
    ends = [low] * (low < now) + [high] * (high > now)
    squares = np.linspace(0.0, 1.0, _STEPS + 1) ** 2
    lines = [now + (end - now) * squares for end in ends]
    if not whole or now != round(now):
        return [_Line(column, line, False) for line in lines]
    return [_Line(column, line[np.append(True, np.diff(line) != 0)], True) for line in map(np.round, lines)]


def _range(model: Any, place: int, X: Array | None) -> tuple[float, float, bool]:
    """Give the least and the greatest value of a feature, and whether all are whole."""
    if X is None:
        centre, spread = float(model.mean_[place]), _REACH * float(model.scale_[place])
        return centre - spread, centre + spread, False
    values = X[:, place]
    return float(values.min()), float(values.max()), bool((values == np.round(values)).all())


def _first_changes(model: Any, x: Array, lines: Sequence[_Line], own: int) -> list[_Change]:
    """Find between which two values of every line the class changes first; many lines are predicted at a time."""
    a_time = max(1, _MOST_CELLS // ((_STEPS + 1) * x.size))
    met = []
    for start in range(0, len(lines), a_time):
        some = lines[start : start + a_time]
        rows = np.concatenate([line.column.changed(x, line.values[1:]) for line in some])
        ends = np.cumsum([len(line.values) - 1 for line in some])[:-1]
        for line, classes in zip(some, np.split(_classes(model, rows), ends), strict=True):
            other = np.flatnonzero(classes != own)
            if other.size:
                near, far = line.values[other[0] : other[0] + 2].tolist()
                met.append(_Change(line.column, near, far, line.whole))
    return met


def _halve(model: Any, x: Array, changes: Sequence[_Change], own: int) -> None:
    """Narrow down where every class changes, all at once."""
    for _ in range(_HALVINGS):
        open_ones = [change for change in changes if change.middle not in (change.near, change.far)]
        if not open_ones:
            return
        rows = np.concatenate([change.column.changed(x, [change.middle]) for change in open_ones])
        for change, label in zip(open_ones, _classes(model, rows), strict=True):
            if label == own:
                change.near = change.middle
            else:
                change.far = change.middle


def _flip(model: Any, x: Array, change: _Change, own: int) -> Flip:
    column = change.column
    after = change.far if change.whole else _short(model, x, column, change.far, own)
    row = column.changed(x, [after])[0]
    size = float(np.linalg.norm((row - x) / model.scale_))
    return Flip(column, column.value(x), after, int(_classes(model, row[None])[0]), size, row)


def _smallest(found: list[Flip]) -> tuple[Flip, ...]:
    """Keep the smallest change of every column."""
    best: dict[tuple[int, ...], Flip] = {}
    for flip in sorted(found, key=lambda flip: flip.size):
        best.setdefault(flip.column.places, flip)
    return tuple(best.values())


def _short(model: Any, x: Array, column: FeatureColumn, value: float, own: int) -> float:
    """Write a value with few digits, rounded away from the row's own, if that still changes the class."""
    change = value - column.value(x)
    largest = int(np.floor(np.log10(abs(change))))
    shorter = [_rounded_away(value, change, digits - largest) for digits in range(1, _DIGITS)]
    other = np.flatnonzero(_classes(model, column.changed(x, shorter)) != own)
    return shorter[int(other[0])] if other.size else value


def _rounded_away(value: float, change: float, decimals: int) -> float:
    unit = 10.0**-decimals
    steps = np.ceil(value / unit) if change > 0 else np.floor(value / unit)
    return round(float(steps * unit), max(decimals, 0))


def _classes(model: Any, rows: Array) -> NDArray[np.intp]:
    labels: NDArray[np.intp] = model.predict_log_proba(rows).argmax(axis=1)
    return labels
