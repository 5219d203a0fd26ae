"""What a model draws beside its points while it moves: boundary and class densities, one scene a frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.densities import ClassDensities
from opnb.core.kernel import Array, unit_directions
from opnb.views.boundary import boundary_lines
from opnb.views.plane import ShownModel
from opnb.views.projected import Labels

_CELLS = 72  # of the grid that finds the boundary
_POSITIONS = 120  # along a margin

Ranges = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Scenes:
    """Boundaries and margins of the model on two directions, frame by frame.

    Attributes
    ----------
    positions : pair of ndarray of shape (m,)
        Along each direction.
    heights : pair of ndarray of shape (n_frames, n_classes, m)
        Class densities there, as parts of the highest of their frame: over a path they change a hundredfold.
    boundaries : tuple of tuple of ndarray of shape (k, 2)
        Lines of every frame.
    """

    positions: tuple[NDArray[np.float32], NDArray[np.float32]]
    heights: tuple[NDArray[np.float32], NDArray[np.float32]]
    boundaries: tuple[tuple[Array, ...], ...]


@dataclass(frozen=True, eq=False)
class _Moment:
    """A model on its way, as far as a plane asks it."""

    densities: ClassDensities
    class_prior_: Array
    sharpness_: float = 1.0  # a boundary does not depend on it

    def log_marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        return self.densities.log_densities(direction, np.asarray(grid, dtype=float))


def scenes(frames: Sequence[Array], X: Array, labels: Labels, prior: Array, ranges: Ranges) -> Scenes:
    """Draw the model of every frame.

    Parameters
    ----------
    frames : sequence of ndarray of shape (n_features, 2)
        Two directions with unit bandwidth: their length is one over the bandwidth.
    X : ndarray of shape (n, n_features)
        Training rows, scaled.
    labels : ndarray of int of shape (n,)
    prior : ndarray of shape (n_classes,)
    ranges : pair of (low, high)

    Returns
    -------
    Scenes
    """
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels, minlength=prior.size)
    moments = [_Moment(_densities(V, X[order], counts), prior) for V in frames]
    grids = [np.linspace(low, high, _CELLS) for low, high in ranges]
    positions = [np.linspace(low, high, _POSITIONS) for low, high in ranges]
    first, second = (np.stack([_heights(moment, d, positions[d]) for moment in moments]) for d in (0, 1))
    return Scenes(
        (positions[0].astype(np.float32), positions[1].astype(np.float32)),
        (first, second),
        tuple(_boundary(moment, grids) for moment in moments),
    )


def _densities(V: Array, X: Array, counts: Labels) -> ClassDensities:
    components, bandwidths = unit_directions(V)
    members = (X @ V).T.copy()
    for block in np.split(members, np.cumsum(counts)[:-1], axis=1):
        block.sort(axis=1)
    return ClassDensities(components, bandwidths, members, counts)


def _heights(moment: _Moment, direction: int, positions: Array) -> NDArray[np.float32]:
    heights = np.exp(moment.log_marginal_densities(direction, positions))
    return (heights / max(heights.max(), np.finfo(float).tiny)).astype(np.float32)


def _boundary(moment: Any, grids: Sequence[Array]) -> tuple[Array, ...]:
    plane = ShownModel(moment, (0, 1))
    class_map, _ = plane.on_grid(*grids)
    return boundary_lines(plane, grids[0], grids[1], class_map)
