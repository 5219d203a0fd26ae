"""Ways of a tour: pairs of axes to go through, among the scaled columns of a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from opnb.core.initialisation import pca_start
from opnb.core.kernel import Array
from opnb.views.model import fitted_model

_ALL_PAIRS_OF = 5


@dataclass(frozen=True, eq=False)
class AxesPath:
    """Pairs of axes to go through, before they have a tour's coordinates.

    Attributes
    ----------
    name : str
    axes : sequence of ndarray of shape (n_features, 2)
        Among the scaled columns.
    captions : sequence of str
        What every pair is.
    """

    name: str
    axes: Sequence[Array]
    captions: Sequence[str]


def model_axes(clf: Any) -> Array:
    """Give the directions of a fitted model with their scale, of shape (n_features, n_components)."""
    model = fitted_model(clf)
    lengths = np.where(np.isfinite(model.bandwidths_), 1.0 / model.bandwidths_, 0.0)
    return (model.components_ * lengths[:, None]).T


def signed_like(axes: Array, other: Array) -> Array:
    """Turn axes round, column by column, where that brings them nearer to others: a sign means nothing."""
    return axes * np.where((axes * other).sum(axis=0) < 0, -1.0, 1.0)


def two_fits_path(clf: Any, other: Any, name: str, captions: tuple[str, str]) -> AxesPath:
    """Give the way from the first two directions of another fit of the same columns to those of this one."""
    here = _first_pair(model_axes(clf))
    return AxesPath(name, [signed_like(_first_pair(model_axes(other)), here), here], captions)


def steps_path(name: str, solutions: Sequence[Array], captions: Sequence[str]) -> AxesPath:
    """Give the way through solutions that follow each other, each turned round to resemble the next.

    Parameters
    ----------
    name : str
    solutions : sequence of ndarray of shape (n_features, m)
        With their scale; the first two columns are taken.
    captions : sequence of str
    """
    turned = [_first_pair(solutions[-1])]
    for solution in reversed(solutions[:-1]):
        turned.append(signed_like(_first_pair(solution), turned[-1]))
    return AxesPath(name, turned[::-1], captions)


def _first_pair(axes: Array) -> Array:
    if axes.shape[1] > 1:
        return axes[:, :2]
    return np.column_stack([axes, _unlike(axes[:, 0])])


def _unlike(axis: Array) -> Array:
    """Give a unit vector at a right angle to an axis, for a picture of a model with one direction."""
    across = np.zeros_like(axis)
    across[np.argmin(np.abs(axis))] = 1.0
    length = float(axis @ axis)
    across = across - axis * (float(across @ axis) / length if length else 0.0)
    return across / np.linalg.norm(across)


def own_paths(model: Any, scaled: Array) -> list[AxesPath]:
    """Give the ways that every tour has: through pairs of directions, and from principal components to the fit."""
    axes = model_axes(model)
    first = _first_pair(axes)
    start = _first_pair(pca_start(scaled, min(2, scaled.shape[1])))
    pairs = list(_pairs(axes.shape[1])) or [(0, 1)]
    shown = axes if axes.shape[1] > 1 else first
    return [
        AxesPath(
            "Pairs of directions",
            [shown[:, list(pair)] for pair in pairs],
            [_pair_caption(pair, axes.shape[1]) for pair in pairs],
        ),
        AxesPath(
            "Principal components to this fit",
            [signed_like(start, first), first],
            ["Principal components", _pair_caption((0, 1), axes.shape[1])],
        ),
    ]


def _pairs(m: int) -> list[tuple[int, int]]:
    """Order pairs of directions, most with one axis in common with the next: all of a few, then the first with all."""
    leading = sorted(combinations(range(min(m, _ALL_PAIRS_OF)), 2), key=lambda pair: (pair[1], pair[0]))
    return leading + [(0, d) for d in range(_ALL_PAIRS_OF, m)]


def _pair_caption(pair: tuple[int, int], m: int) -> str:
    if m == 1:
        return "The direction, and an axis at a right angle"
    return f"Directions {pair[0] + 1} and {pair[1] + 1}"
