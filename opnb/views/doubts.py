"""What a picture of two directions hides: it is correct, and would mislead who does not know."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from opnb.views.projection import ProjectionView

Kind = Literal["line", "other-model", "far-rows"]

# Correlation from which a cloud is a line to the eye: the shorter axis has a tenth of the longer one's length.
_LINE = 0.98
# Share of the rows to which the boundary drawn gives another class than the model.
_DIFFER = 0.2
# Part of an axis that the central 98 % of the rows must at least have.
_CENTRAL = 0.4


@dataclass(frozen=True)
class Doubt:
    """Something that a reader of the picture must know.

    Attributes
    ----------
    kind : {"line", "other-model", "far-rows"}
    sentence : str
        Plain text.
    """

    kind: Kind
    sentence: str


def doubts(view: ProjectionView) -> tuple[Doubt, ...]:
    """Say where a picture would mislead: points on a line, a boundary of another model, a range for a few rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import doubts, projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> len(doubts(projection_view(clf, X, y)))
    1
    """
    found = (_line(view), _other_model(view), _far_rows(view))
    return tuple(doubt for doubt in found if doubt is not None)


def _line(view: ProjectionView) -> Doubt | None:
    first, second = (axis.direction + 1 for axis in view.axes)
    x, y = (values - values.mean() for values in (view.points.x.astype(float), view.points.y.astype(float)))
    spread = np.sqrt((x @ x) * (y @ y))
    if spread > 0 and abs(x @ y) < _LINE * spread:
        return None
    return Doubt("line", f"The points lie on a line: direction {second} says nothing that direction {first} does not.")


def _other_model(view: ProjectionView) -> Doubt | None:
    share = view.n_disagree / max(view.n_points, 1)
    if view.model == "full" or not view.has_more or share < _DIFFER:
        return None
    return Doubt(
        "other-model",
        f"The model has more directions: it gives {100 * share:.0f} % of the rows another class than this boundary "
        "does.",
    )


def _far_rows(view: ProjectionView) -> Doubt | None:
    if view.extent == "central":
        return None
    sides = ((view.points.x, view.x_range, 0), (view.points.y, view.y_range, 1))
    found = [(_central(values, shown), values, axis) for values, shown, axis in sides]
    share, values, axis = min(found, key=lambda side: side[0])
    if share >= _CENTRAL:
        return None
    low, high = np.quantile(values, [0.01, 0.99])
    reach = (high - low) / 2
    far = int(np.sum((values < low - reach) | (values > high + reach)))
    rows = "1 row lies" if far == 1 else f"{far:,} rows lie"
    return Doubt(
        "far-rows",
        f"{rows} far out: the other points share {100 * share:.0f} % of direction {view.axes[axis].direction + 1}.",
    )


def _central(values: NDArray[np.float32], shown: tuple[float, float]) -> float:
    """Give the part of a range that the central 98 % of the values have."""
    low, high = np.quantile(values, [0.01, 0.99])
    return float((high - low) / (shown[1] - shown[0]))
