"""All pairs of directions, ranked by how well the model on a pair tells the classes, and what each direction tells.

The log densities of every class on every direction are evaluated once, at some points and on a coarse grid. The model
on a pair is then a sum: log prior + the two log densities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.diagnostics.finding import class_label, listed
from opnb.views.axes import Axis, Extent, describe_axis, shown_range
from opnb.views.model import DrawnModel, fitted_model
from opnb.views.plane import log_densities
from opnb.views.projected import ErrorCount, Flags, Labels, Projected, thinned

MOST_DIRECTIONS = 30
_MOST_POINTS = 1_500
_CELLS = 40
# Two classes are told apart where at most so many of their rows are nearer to the other, on average over both.
_APART = 0.1


@dataclass(frozen=True, eq=False)
class Direction:
    """One direction: what it is made of, and which classes it tells apart.

    Attributes
    ----------
    axis : Axis
    errors : ErrorCount
        Of the model on this direction alone.
    separates : str
        Plain text.
    """

    axis: Axis
    errors: ErrorCount
    separates: str


@dataclass(frozen=True, eq=False)
class Pair:
    """Two directions with the classes of their plane.

    Attributes
    ----------
    directions : pair of int
    errors : ErrorCount
        Of the model on the two.
    class_map : ndarray of uint8 or int of shape (cells, cells)
        First row at the bottom.
    """

    directions: tuple[int, int]
    errors: ErrorCount
    class_map: NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class PairsView:
    """Every pair, the best first.

    Attributes
    ----------
    pairs : tuple of Pair
    directions : tuple of Direction
    Z : ndarray of float32 of shape (m, n_directions)
        Some points, with their `labels`, from 0 to 1 across the range of each direction.
    held_out : bool
        Whether errors are those on held-out points.
    class_names : tuple of str
    class_counts : ndarray of int
    n_directions : int
        How many the model has; more than `MOST_DIRECTIONS` are not paired.
    """

    pairs: tuple[Pair, ...]
    directions: tuple[Direction, ...]
    Z: NDArray[np.float32]
    labels: Labels
    held_out: bool
    class_names: tuple[str, ...]
    class_counts: Labels
    n_directions: int


def pairs_view(clf: Any, projected: Projected, *, extent: Extent = "all") -> PairsView:
    """Rank all pairs of directions by the error of the model on them.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted.
    projected : Projected
        Errors are counted on its held-out points if it has any, on at most about 1,500 of them.
    extent : {"all", "central"}, default="all"

    Returns
    -------
    PairsView
    """
    model = fitted_model(clf)
    count = min(len(model.components_), MOST_DIRECTIONS)
    ranges = [shown_range(projected.Z[:, d], extent) for d in range(count)]
    judged = _judged(projected)
    labels, Z = projected.labels[judged], projected.Z[judged]
    at_points = np.stack([log_densities(model, d, np.ascontiguousarray(Z[:, d])) for d in range(count)])
    on_grid = np.stack([log_densities(model, d, np.linspace(*ranges[d], _CELLS)) for d in range(count)])
    prior = np.log(model.class_prior_)
    pairs = [_pair(pair, prior, at_points, on_grid, labels) for pair in combinations(range(count), 2)]
    drawn = thinned(projected.labels, 600, least=10)
    low, high = np.array(ranges).T
    return PairsView(
        pairs=tuple(sorted(pairs, key=lambda pair: pair.errors.wrong)),
        directions=tuple(_direction(model, projected, d, prior, at_points[d], labels) for d in range(count)),
        Z=((projected.Z[drawn][:, :count] - low) / (high - low)).astype(np.float32),
        labels=projected.labels[drawn],
        held_out=bool(projected.is_test.any()),
        class_names=projected.class_names,
        class_counts=projected.train_counts,
        n_directions=len(model.components_),
    )


def _judged(projected: Projected) -> NDArray[np.intp]:
    """Choose the points that errors are counted on: held-out ones where there are any."""
    rows: Flags = projected.is_test if projected.is_test.any() else ~projected.is_test
    places = np.flatnonzero(rows)
    return places[thinned(projected.labels[places], _MOST_POINTS)]


def _pair(pair: tuple[int, int], prior: Array, at_points: Array, on_grid: Array, labels: Labels) -> Pair:
    first, second = pair
    predicted = (prior[:, None] + at_points[first] + at_points[second]).argmax(axis=0)
    scores = prior[:, None, None] + on_grid[first][:, None, :] + on_grid[second][:, :, None]
    return Pair(pair, ErrorCount(int((predicted != labels).sum()), labels.size), scores.argmax(axis=0))


def _direction(
    model: DrawnModel, projected: Projected, d: int, prior: Array, log_density: Array, labels: Labels
) -> Direction:
    predicted = (prior[:, None] + log_density).argmax(axis=0)
    errors = ErrorCount(int((predicted != labels).sum()), labels.size)
    names = [class_label(name) for name in projected.class_names]
    return Direction(describe_axis(model, projected, d), errors, _separates(confusable(log_density, labels), names))


def confusable(log_density: Array, labels: Labels) -> Array:
    """Give the share of the rows of two classes that are nearer to the other of them, of shape (classes, classes).

    Parameters
    ----------
    log_density : ndarray of shape (n_classes, n)
        Of every class at every row.
    labels : ndarray of int of shape (n,)

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Symmetric, the mean over both classes; NaN for a class without rows.
    """
    count = len(log_density)
    taken = np.full((count, count), np.nan)
    for k in np.unique(labels):
        own = log_density[:, labels == k]
        taken[k] = (own > own[k]).mean(axis=1)
    return (taken + taken.T) / 2


def _separates(shares: Array, names: Sequence[str]) -> str:
    """Name the classes that stand apart from all others, else the pairs that are told apart best."""
    count = len(names)
    apart = shares <= _APART
    np.fill_diagonal(apart, True)
    alone = [names[k] for k in range(count) if apart[k].all()]
    if count == 2:
        return f"{names[0]} from {names[1]}" if alone else "nothing clearly"
    if len(alone) == count:
        return "all classes"
    if alone:
        return f"{listed(alone, 3)} from all others"
    first, second = np.triu_indices(count, 1)
    order = np.argsort(shares[first, second], kind="stable")[:2]
    told = [f"{names[first[i]]} from {names[second[i]]}" for i in order if shares[first[i], second[i]] <= _APART]
    return listed(told) or "nothing clearly"
