"""One direction: margins, class regions as intervals, and points."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.views.axes import EXTENTS, Extent, shown_range
from opnb.views.boundary import roots
from opnb.views.margins import Margin, Weighting, check_choice, margin
from opnb.views.model import DrawnModel, fitted_model
from opnb.views.plane import log_densities
from opnb.views.projected import ErrorCount, Flags, Labels, Projected, checked_directions, project, thinned

_FINENESS = 3.0
_MOST_POSITIONS = 20_000


@dataclass(frozen=True, eq=False)
class StripView:
    """Everything that the picture of one direction shows.

    Attributes
    ----------
    margin : Margin
    x_range : tuple of float
    x : ndarray of float32 of shape (m,)
        The points drawn.
    labels, predicted : ndarray of int of shape (m,)
        True class, and the class predicted by the model on this direction alone.
    posterior : ndarray of float32 of shape (m,)
        How probable that model takes the class to be.
    is_test : ndarray of bool of shape (m,)
    rows : ndarray of int of shape (m,)
    n_points : int
        How many points there are in all.
    edges : ndarray of shape (r - 1,)
        Where the predicted class changes: the two highest posteriors are equal.
    regions : ndarray of int of shape (r,)
        Class predicted below, between and above the edges.
    class_names : tuple of str
    class_counts : ndarray of int
    train, test : ErrorCount
    notes : tuple of str
    """

    margin: Margin
    x_range: tuple[float, float]
    x: NDArray[np.float32]
    labels: Labels
    predicted: Labels
    posterior: NDArray[np.float32]
    is_test: Flags
    rows: NDArray[np.int64]
    n_points: int
    edges: Array
    regions: Labels
    class_names: tuple[str, ...]
    class_counts: Labels
    train: ErrorCount
    test: ErrorCount | None
    notes: tuple[str, ...]

    @property
    def wrong(self) -> Flags:
        """Points drawn that are misclassified."""
        return self.predicted != self.labels


def strip_view(
    clf: Any,
    X: Any = None,
    y: Any = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    direction: int = 0,
    *,
    extent: Extent = "all",
    weighting: Weighting = "prior",
    max_points: int = 10_000,
    projected: Projected | None = None,
    **names: Any,
) -> StripView:
    """Compute the picture of one direction.

    Parameters
    ----------
    clf : OPNBClassifier
    X, y, X_test, y_test : array-like, optional
        Training and held-out data; not needed with `projected`.
    direction : int, default=0
    extent : {"all", "central"}, default="all"
    weighting : {"density", "prior"}, default="prior"
        With class shares the highest curve is the predicted class.
    max_points : int, default=10_000
    projected : Projected, optional
    **names
        `rows`, `rows_test`, `class_names` and `feature_names` for `project`.

    Returns
    -------
    StripView

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import strip_view
    >>> X, y = load_iris(return_X_y=True)
    >>> type(strip_view(OPNBClassifier(n_components=1).fit(X, y), X, y)).__name__
    'StripView'
    """
    model = fitted_model(clf)
    check_choice("extent", extent, EXTENTS)
    data = project(clf, X, y, X_test, y_test, **names) if projected is None else projected
    (d,) = checked_directions(model, [direction])
    low, high = shown_range(data.positions(d), extent)
    log_posterior = model.predict_log_proba_on(data.Z[:, [d]], (d,))
    predicted = log_posterior.argmax(axis=1)
    train, test = data.errors(predicted)
    edges, regions = intervals(model, d, low, high)
    kept = thinned(data.labels, max_points)
    hidden = len(data.labels) - kept.size
    return StripView(
        margin=margin(model, data, d, weighting, least=400),
        x_range=(low, high),
        x=data.Z[kept, d].astype(np.float32),
        labels=data.labels[kept],
        predicted=predicted[kept],
        posterior=np.exp(log_posterior[kept].max(axis=1)).astype(np.float32),
        is_test=data.is_test[kept],
        rows=data.rows[kept],
        n_points=len(data.labels),
        edges=edges,
        regions=regions,
        class_names=data.class_names,
        class_counts=data.train_counts,
        train=train,
        test=test,
        notes=(f"{kept.size:,} of {len(data.labels):,} points are drawn.",) if hidden else (),
    )


def intervals(model: DrawnModel, direction: int, low: float, high: float) -> tuple[Array, Labels]:
    """Split a stretch of one direction where the predicted class changes.

    Returns
    -------
    edges : ndarray of shape (r - 1,)
    regions : ndarray of int of shape (r,)
    """
    prior = np.log(model.class_prior_)[:, None]
    bandwidth = model.bandwidths_[direction]
    needed = (high - low) / bandwidth * _FINENESS if np.isfinite(bandwidth) else 2
    z = np.linspace(low, high, int(np.clip(needed, 1000, _MOST_POSITIONS)))
    winner = (prior + log_densities(model, direction, z)).argmax(axis=0)
    change = np.flatnonzero(winner[:-1] != winner[1:])

    def scores(t: Array, chosen: NDArray[np.intp]) -> Array:
        start = z[change[chosen]]
        return prior + log_densities(model, direction, start + t * (z[change[chosen] + 1] - start))

    regions = winner[np.concatenate([[0], change + 1])]
    if not change.size:
        return np.empty(0), regions
    return z[change] + roots(scores, winner[change]) * (z[1] - z[0]), regions
