"""The leading directions against each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.views.axes import Extent, shown_range
from opnb.views.margins import Margin, Weighting, margin
from opnb.views.model import fitted_model
from opnb.views.projected import Flags, Labels, Projected, checked_directions, thinned


@dataclass(frozen=True, eq=False)
class ScatterMatrixView:
    """Points on several directions and the margins of each.

    Attributes
    ----------
    margins : tuple of Margin
        One a direction.
    ranges : tuple of pair of float
        The part of each direction shown.
    Z : ndarray of float32 of shape (m, n_directions)
    labels, is_test, rows, wrong : ndarray of shape (m,)
        Class index, whether held out, row, and whether the full model is wrong.
    n_points : int
        How many points there are in all.
    class_names : tuple of str
    class_counts : ndarray of int
    """

    margins: tuple[Margin, ...]
    ranges: tuple[tuple[float, float], ...]
    Z: NDArray[np.float32]
    labels: Labels
    is_test: Flags
    rows: NDArray[np.int64]
    wrong: Flags
    n_points: int
    class_names: tuple[str, ...]
    class_counts: Labels


def scatter_matrix_view(
    clf: Any,
    projected: Projected,
    directions: Sequence[int] | None = None,
    *,
    extent: Extent = "all",
    weighting: Weighting = "density",
    max_points: int = 3_000,
) -> ScatterMatrixView:
    """Collect the points on several directions, the first four by default.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import project, scatter_matrix_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(scatter_matrix_view(clf, project(clf, X, y))).__name__
    'ScatterMatrixView'
    """
    model = fitted_model(clf)
    available = len(model.components_)
    chosen = checked_directions(model, range(min(4, available)) if directions is None else directions)
    kept = thinned(projected.labels, max_points)
    return ScatterMatrixView(
        margins=tuple(margin(model, projected, d, weighting, least=128) for d in chosen),
        ranges=tuple(shown_range(projected.Z[:, d], extent) for d in chosen),
        Z=projected.Z[kept][:, chosen].astype(np.float32),
        labels=projected.labels[kept],
        is_test=projected.is_test[kept],
        rows=projected.rows[kept],
        wrong=(projected.predicted != projected.labels)[kept],
        n_points=len(projected.labels),
        class_names=projected.class_names,
        class_counts=projected.train_counts,
    )
