"""Projections as panels: each is put on the same square, whatever its units, so that one axis serves all frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from opnb.core.kernel import Array
from opnb.data import Dataset
from opnb.estimators.parallel import one_blas_thread
from opnb.lessons.lesson import Curve, Panel, Points, Scale, decision
from opnb.quiet import own_warnings

EDGE = 1.06
_GRID = 240
SQUARE = Scale("", (-EDGE, EDGE), numbers=False)

Model = TypeVar("Model", bound=Any)


@dataclass(frozen=True, eq=False)
class Square:
    """Where a plane of a projection lies on the square from -1 to 1.

    Attributes
    ----------
    middle, unit : ndarray of shape (2,)
        The median of the points, and half the distance between their quartiles.
    low, high : ndarray of shape (2,)
        The range of the points, in the units of the picture.
    folded : bool
        Whether far points are drawn in, as by a logarithm, so that a few of them do not squeeze the rest.
    """

    middle: Array
    unit: Array
    low: Array
    high: Array
    folded: bool

    @classmethod
    def holding(cls, Z: Array, folded: bool = False) -> Square:
        """Fit the square to points of shape (n, 2)."""
        lower, middle, upper = np.quantile(Z, [0.25, 0.5, 0.75], axis=0)
        unit = np.maximum((upper - lower) / 2, np.finfo(float).tiny)
        inner = (Z - middle) / unit
        inner = np.arcsinh(inner) if folded else inner
        return cls(middle, unit, inner.min(axis=0), inner.max(axis=0), folded)

    def place(self, Z: Array) -> Array:
        """Give the places of points on the square."""
        inner = (Z - self.middle) / self.unit
        inner = np.arcsinh(inner) if self.folded else inner
        return 2 * (inner - self.low) / (self.high - self.low) - 1

    def points(self, places: Array) -> Array:
        """Give the points of the plane at places on the square."""
        inner = self.low + (places + 1) / 2 * (self.high - self.low)
        return self.middle + self.unit * (np.sinh(inner) if self.folded else inner)


def fitted_quietly(model: Model, X: Array, y: NDArray[Any]) -> Model:
    """Fit a model; that its search could still have gained a little is no matter for a lesson."""
    with one_blas_thread(), own_warnings(ConvergenceWarning):
        model.fit(X, y)
    return model


def class_numbers(data: Dataset) -> NDArray[np.intp]:
    """Give the class of every training row as a number."""
    return np.searchsorted(data.class_names, data.y_train)


def upright(at: float, ends: tuple[float, float]) -> Curve:
    """Draw a thin upright line at the frame's place along an axis."""
    return Curve([at, at], ends, quiet=True)


def along(z: Array) -> tuple[float, float]:
    """Give the middle of some positions and half their range: what puts them between -1 and 1."""
    return float(z.max() + z.min()) / 2, float(np.ptp(z)) / 2 or 1.0


def counted(number: int, what: str) -> str:
    """Write a number of things."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def density_curves(
    clf: Any, direction: int, z: Array, reach: float, *, shares: bool = False, filled: bool = False
) -> tuple[Curve, ...]:
    """Draw a model's class densities along a direction, the highest point at 1.

    Parameters
    ----------
    clf : OPNBClassifier
    direction : int
    z : ndarray of shape (n,)
        The points that lie between -1 and 1.
    reach : float
        The curves run from -reach to reach.
    shares : bool, default=False
        Whether densities are multiplied by the shares of the classes.
    filled : bool, default=False
    """
    grid = np.linspace(-reach, reach, _GRID)
    middle, half = along(z)
    heights = clf.marginal_densities(direction, middle + half * grid)
    heights = heights * clf.class_prior_[:, None] if shares else heights
    # A model that found nothing to tell the classes by has no density at all.
    highest = float(heights.max()) or 1.0
    return tuple(Curve(grid, one / highest, of_class=k, filled=filled) for k, one in enumerate(heights))


def shown_scores(clf: Any, directions: Sequence[int] = (0, 1)) -> Callable[[Array], Array]:
    """Give the scores of a fitted `OPNBClassifier` on some of its directions."""
    return lambda Z: clf.predict_log_proba_on(Z, directions)


def projection_panel(
    title: str,
    Z: Array,
    labels: NDArray[np.intp],
    scores: Callable[[Array], Array],
    *,
    folded: bool = False,
    scale: tuple[Scale, Scale] = (SQUARE, SQUARE),
) -> Panel:
    """Draw points on a plane with the decisions of a model there.

    Parameters
    ----------
    title : str
    Z : ndarray of shape (n, 2)
    labels : ndarray of int of shape (n,)
    scores : callable
        From points of the plane, of shape (m, 2), to (m, n_classes).
    folded : bool, default=False
        Whether far points are drawn in.
    scale : pair of Scale
    """
    square = Square.holding(Z, folded)
    places = square.place(Z)
    regions = decision(lambda at: scores(square.points(at)), (-EDGE, EDGE), (-EDGE, EDGE))
    return Panel(title, (regions, Points(places[:, 0], places[:, 1], labels)), *scale)
