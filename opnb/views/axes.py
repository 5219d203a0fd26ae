"""What a direction is called, what it is made of, and how much of it is shown."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from opnb.core.kernel import Array
from opnb.views.model import DrawnModel
from opnb.views.projected import Projected

Extent = Literal["all", "central"]
EXTENTS = ("all", "central")

_HEAVIEST = 6


@dataclass(frozen=True)
class Axis:
    """One direction of a model.

    Attributes
    ----------
    direction : int
        Index into `components_`.
    bandwidth : float
    heaviest : tuple of (str, float)
        Features with the largest slopes, largest first, and their slopes (weights of scaled features, where the
        direction is straight).
    name : str
        What it is called; by its number if not given.
    """

    direction: int
    bandwidth: float
    heaviest: tuple[tuple[str, float], ...]
    name: str = ""

    @property
    def called(self) -> str:
        """Its name, or its number."""
        return self.name or f"Direction {self.direction + 1}"


def describe_axis(model: DrawnModel, projected: Projected, direction: int) -> Axis:
    """Name the features that weigh most on a direction."""
    weights = model.slopes_[direction]
    order = np.argsort(-np.abs(weights), kind="stable")[:_HEAVIEST]
    heaviest = tuple((projected.feature_names[j], float(weights[j])) for j in order if weights[j] != 0)
    return Axis(direction, float(model.bandwidths_[direction]), heaviest)


def shown_range(z: Array, extent: Extent) -> tuple[float, float]:
    """Choose the part of a direction to show: every point, or all but the outer hundredth on either side."""
    low, high = (z.min(), z.max()) if extent == "all" else np.quantile(z, [0.01, 0.99])
    # A hair of room, so that no marker sits on the frame; a direction without spread still gets a range.
    pad = 0.05 * (high - low) or 1.0
    return float(low - pad), float(high + pad)
