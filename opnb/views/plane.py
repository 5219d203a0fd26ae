"""The naive Bayes model on two directions: scores, classes and confidence over a rectangle.

A class's log posterior on two directions is, up to a constant of each point, a sum of one-dimensional functions,

    s_k(x, y) = [log pi_k + log f_k1(x)] + log f_k2(y),

so a grid of m x m points needs 2 m evaluations of the densities and m^2 additions a class.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array, kernel_value
from opnb.views.model import DrawnModel
from opnb.views.projected import Labels, Projected

ClassMap = NDArray[np.int16]
# Scores at positions t of some searches, given by their indices, of shape (n_classes, len(t)).
Scores = Callable[[Array, NDArray[np.intp]], Array]

# The full model's posteriors are averaged on this many places along each axis and interpolated between them; the
# kernel that averages spans several of them, so little is lost.
_AVERAGING_GRID = 81
_SMOOTHING_CELLS = 1.5
_AVERAGED_POINTS = 2000


class Plane(Protocol):
    """Class scores over a plane; the highest decides."""

    def on_grid(self, x: Array, y: Array) -> tuple[ClassMap, NDArray[np.float32]]:
        """Give the class and its posterior on a grid, both of shape (len(y), len(x))."""

    def at(self, x: Array, y: Array) -> Array:
        """Give the score of every class at points, of shape (n_classes, len(x))."""

    def between(self, starts: Array, ends: Array) -> Scores:
        """Give the scores along straight lines between points of shape (m, 2)."""


def log_densities(model: DrawnModel, direction: int, z: Array) -> Array:
    """Log density of every class at positions on one direction, of shape (n_classes, len(z)).

    Exact at any distance, where the logarithm of `marginal_densities` would be minus infinity.
    """
    return model.log_marginal_densities(direction, z)


@dataclass(frozen=True, eq=False)
class ShownModel:
    """The model restricted to the two directions shown."""

    model: DrawnModel
    directions: tuple[int, int]

    def _axis_scores(self, x: Array, y: Array) -> tuple[Array, Array]:
        prior = np.log(self.model.class_prior_)[:, None]
        first, second = self.directions
        return prior + log_densities(self.model, first, x), log_densities(self.model, second, y)

    def on_grid(self, x: Array, y: Array) -> tuple[ClassMap, NDArray[np.float32]]:
        """Give the class and its posterior on a grid, both of shape (len(y), len(x))."""
        across, up = self._axis_scores(x, y)
        winner, top = _winners(lambda k: across[k] + up[k][:, None], len(across))
        # The sum over classes is a product of matrices once each axis has its own highest score taken out.
        high_across, high_up = across.max(axis=0), up.max(axis=0)
        t = self.model.sharpness_
        rest = np.exp(t * (up - high_up)).T @ np.exp(t * (across - high_across))
        top = t * top
        with np.errstate(divide="ignore"):
            log_total = np.log(rest) + t * (high_across + high_up[:, None])
        # A sum too small to be held belongs to a place where one class leads by hundreds: there it is certain.
        confidence = np.exp(np.minimum(top - np.maximum(log_total, top), 0.0))
        return winner, confidence.astype(np.float32)

    def at(self, x: Array, y: Array) -> Array:
        """Give the score of every class at points, of shape (n_classes, len(x))."""
        across, up = self._axis_scores(x, y)
        return across + up

    def between(self, starts: Array, ends: Array) -> Scores:
        """Give the scores along straight lines; a coordinate that no line changes is evaluated once."""
        fixed = (starts == ends).all(axis=0)
        if not fixed.any():
            return along_lines(self, starts, ends)
        moving = 1 if fixed[0] else 0
        still = self._axis_scores(starts[:, 0], starts[:, 1])[1 - moving]
        prior = np.log(self.model.class_prior_)[:, None] * (moving == 0)

        def scores(t: Array, chosen: NDArray[np.intp]) -> Array:
            z = starts[chosen, moving] + t * (ends[chosen, moving] - starts[chosen, moving])
            return prior + log_densities(self.model, self.directions[moving], z) + still[:, chosen]

        return scores


@dataclass(frozen=True, eq=False)
class AveragedFullModel:
    """The full model's posteriors at the training points, averaged over the neighbourhood of each place.

    The full model has no boundary on a plane: what it predicts depends on the other directions too. The average of
    what it predicts around a place has one.

    Attributes
    ----------
    x, y : ndarray of shape (m,)
        Places at which the average is known; it is interpolated linearly.
    average : ndarray of shape (n_classes, m, m)
        Average posteriors, rows along y.
    """

    x: Array
    y: Array
    average: Array

    def on_grid(self, x: Array, y: Array) -> tuple[ClassMap, NDArray[np.float32]]:
        """Give the class and its average posterior on a grid, both of shape (len(y), len(x))."""
        across, up = _linear_weights(self.x, x), _linear_weights(self.y, y)
        winner, top = _winners(lambda k: up @ self.average[k] @ across.T, len(self.average))
        return winner, top.astype(np.float32)

    def at(self, x: Array, y: Array) -> Array:
        """Give the average posterior of every class at points, of shape (n_classes, len(x))."""
        (i, s), (j, t) = _cells(self.x, x), _cells(self.y, y)
        below = (1 - s) * self.average[:, j, i] + s * self.average[:, j, i + 1]
        above = (1 - s) * self.average[:, j + 1, i] + s * self.average[:, j + 1, i + 1]
        return (1 - t) * below + t * above

    def between(self, starts: Array, ends: Array) -> Scores:
        """Give the average posteriors along straight lines."""
        return along_lines(self, starts, ends)


def along_lines(plane: Plane, starts: Array, ends: Array) -> Scores:
    """Give the scores of a plane along straight lines between points of shape (m, 2)."""

    def scores(t: Array, chosen: NDArray[np.intp]) -> Array:
        place = starts[chosen] + t[:, None] * (ends[chosen] - starts[chosen])
        return plane.at(place[:, 0], place[:, 1])

    return scores


def _cells(grid: Array, z: Array) -> tuple[Labels, Array]:
    """Cell of an even grid that each position is in, and how far along the cell."""
    place = (z - grid[0]) / (grid[1] - grid[0])
    cell = np.clip(place.astype(np.intp), 0, grid.size - 2)
    return cell, place - cell


def _linear_weights(grid: Array, z: Array) -> Array:
    """Matrix that interpolates from an even grid to positions, of shape (len(z), len(grid))."""
    cell, along = _cells(grid, z)
    weights = np.zeros((z.size, grid.size))
    rows = np.arange(z.size)
    weights[rows, cell], weights[rows, cell + 1] = 1 - along, along
    return weights


def averaged_full_model(
    projected: Projected,
    directions: tuple[int, int],
    ranges: Sequence[tuple[float, float]],
    bandwidths: Array,
) -> AveragedFullModel:
    """Average the full model's posteriors with the model's own bandwidths, or with the grid's if those are wider."""
    train = np.flatnonzero(~projected.is_test)
    # An even selection is enough for a smooth average, and keeps a redraw fast.
    train = train[:: -(-train.size // _AVERAGED_POINTS)]
    grids, kernels = [], []
    for direction, (low, high) in zip(directions, ranges, strict=True):
        grid = np.linspace(low, high, _AVERAGING_GRID)
        bandwidth = bandwidths[direction] if np.isfinite(bandwidths[direction]) else 0.0
        width = max(bandwidth, _SMOOTHING_CELLS * (grid[1] - grid[0]))
        grids.append(grid)
        kernels.append(kernel_value((grid[:, None] - projected.Z[train, direction]) / width))
    across, up = kernels
    total = up @ across.T
    posterior = np.exp(projected.log_posterior[train])
    average = np.stack([(up * column) @ across.T for column in posterior.T]) / total
    return AveragedFullModel(grids[0], grids[1], average)


def _winners(scores: Callable[[int], Array], n_classes: int) -> tuple[ClassMap, Array]:
    """Find the highest of the scores and its class, class by class: no array has the classes as a dimension."""
    top = scores(0)
    winner = np.zeros(top.shape, dtype=np.int16)
    for k in range(1, n_classes):
        score = scores(k)
        winner[score > top] = k
        np.maximum(top, score, out=top)
    return winner, top


def shown_predictions(model: DrawnModel, projected: Projected, directions: tuple[int, ...]) -> Labels:
    """Class index that the model on some directions alone predicts at every point."""
    return model.predict_log_proba_on(projected.Z[:, list(directions)], directions).argmax(axis=1)
