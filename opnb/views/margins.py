"""Class densities along single directions, with the model's own bandwidths."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.views.axes import Axis, describe_axis, shown_range
from opnb.views.model import DrawnModel, fitted_model
from opnb.views.projected import Projected, checked_directions

Weighting = Literal["density", "prior", "log"]
WEIGHTINGS = ("density", "prior", "log")
DECADES = 4  # below the highest density that a logarithmic margin shows

# The kernel holds all but 1e-4 of its mass within this many bandwidths.
_REACH = 12.0
# Positions a bandwidth: fine enough for the area under the drawn line to be one to four digits.
_FINENESS = 6.0
_MOST_VALUES = 60_000


@dataclass(frozen=True, eq=False)
class Margin:
    """Class densities along one direction.

    Attributes
    ----------
    axis : Axis
    x_range : pair of float
        The part of the direction that holds the points.
    positions : ndarray of shape (m,)
        From beyond the first training point to beyond the last.
    heights : ndarray of shape (n_classes, m)
        Densities, densities times class shares, or by how many decades densities exceed 1 / 10,000 of the highest: a
        margin with one spike shows its other classes so.
    weighting : {"density", "prior", "log"}
    """

    axis: Axis
    x_range: tuple[float, float]
    positions: NDArray[np.float32]
    heights: NDArray[np.float32]
    weighting: Weighting

    @property
    def top(self) -> float:
        """How high a picture of it reaches: at least to what a class has that is spread evenly over the points.

        Densities on a direction that tells nothing are spread far beyond them, and are seen to be low.
        """
        span = self.x_range[1] - self.x_range[0]
        even = 1.0 / span if self.weighting != "log" and span > 0 else 0.0
        return 1.05 * max(float(self.heights.max(initial=0.0)), even) or 1.0


@dataclass(frozen=True, eq=False)
class MarginsView:
    """Class densities along several directions."""

    margins: tuple[Margin, ...]
    class_names: tuple[str, ...]
    class_counts: NDArray[np.intp]


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a setting that is not among its choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")


def margin_positions(z: Array, bandwidth: float, n_classes: int, *, least: int = 320) -> Array:
    """Choose where to evaluate densities: evenly, beyond the points by the kernel's reach, a fraction of it apart.

    Where the points span thousands of bandwidths the spikes need many positions; their number is
    limited by the number of values that a browser draws at ease.
    """
    if not np.isfinite(bandwidth):
        return np.linspace(-1.0, 1.0, least)
    low, high = z.min() - _REACH * bandwidth, z.max() + _REACH * bandwidth
    most = max(2 * least, _MOST_VALUES // n_classes)
    size = int(np.clip(np.ceil((high - low) / bandwidth * _FINENESS), least, most))
    return np.linspace(low, high, size)


def margin(
    model: DrawnModel, projected: Projected, direction: int, weighting: Weighting, *, least: int = 320
) -> Margin:
    """Evaluate the class densities along one direction.

    Parameters
    ----------
    model : OPNBClassifier
        Fitted.
    projected : Projected
    direction : int
    weighting : {"density", "prior", "log"}
    least : int
        Least number of positions.

    Returns
    -------
    Margin
    """
    check_choice("weighting", weighting, WEIGHTINGS)
    z = projected.positions(direction, training=True)
    positions = margin_positions(z, float(model.bandwidths_[direction]), len(projected.class_names), least=least)
    heights = model.marginal_densities(direction, positions)
    if weighting == "prior":
        heights = heights * model.class_prior_[:, None]
    elif weighting == "log":
        heights = _decades(model.log_marginal_densities(direction, positions))
    axis = describe_axis(model, projected, direction)
    shown = shown_range(projected.positions(direction), "all")
    return Margin(axis, shown, positions.astype(np.float32), heights.astype(np.float32), weighting)


def _decades(log_density: Array) -> Array:
    return np.maximum((log_density - log_density.max()) / np.log(10) + DECADES, 0.0)


def margins_view(
    clf: Any,
    projected: Projected,
    directions: Sequence[int] | None = None,
    *,
    weighting: Weighting = "density",
) -> MarginsView:
    """Evaluate the class densities along several directions, all by default.

    Parameters
    ----------
    clf : OPNBClassifier
    projected : Projected
    directions : sequence of int, optional
    weighting : {"density", "prior", "log"}, default="density"

    Returns
    -------
    MarginsView

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import margins_view, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> len(margins_view(clf, project(clf, X, y)).margins)
    2
    """
    model = fitted_model(clf)
    chosen = range(projected.Z.shape[1]) if directions is None else checked_directions(model, directions)
    margins = tuple(margin(model, projected, d, weighting, least=160) for d in chosen)
    return MarginsView(margins, projected.class_names, projected.train_counts)
