"""New rows in a tour: where they lie among its coordinates, and what naive Bayes on two axes takes them for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.quiet import own_warnings
from opnb.views.model import fitted_model
from opnb.views.new_rows import NewRows
from opnb.views.projected import Flags, Labels, thinned
from opnb.views.tour import TourView, decided, densities_on

_FARTHEST = 1e15  # of a coordinate: farther away all classes are alike, and 32 bits hold no more


@dataclass(frozen=True, eq=False)
class TouredRows:
    """New rows as a tour draws them.

    Attributes
    ----------
    points : ndarray of float32 of shape (m, n_coordinates)
        In the coordinates of the tour's view.
    predicted : ndarray of int of shape (m,)
        The class that the fit takes each for, whatever the axes.
    unlike : ndarray of bool of shape (m,)
        Whether it is called unlike the training rows.
    rows : ndarray of int of shape (m,)
        The caller's names for them.
    n_rows : int
        How many there are in all; very many are thinned as in the still picture.
    """

    points: NDArray[np.float32]
    predicted: Labels
    unlike: Flags
    rows: NDArray[np.int64]
    n_rows: int


def toured_rows(clf: Any, view: TourView, new: Sequence[NewRows], *, max_points: int = 2_000) -> TouredRows | None:
    """Put new rows into a tour.

    Parameters
    ----------
    clf : OPNBClassifier
        Whose tour it is.
    view : TourView
    new : sequence of NewRows
        See `opnb.views.new_rows.new_rows`.
    max_points : int, default=2_000
        Of each of them about as many at the most.

    Returns
    -------
    TouredRows, or None where there are no new rows
    """
    kept = [(one, thinned(one.predicted, max_points)) for one in new if len(one.rows)]
    if not kept:
        return None
    model: Any = fitted_model(clf)
    with own_warnings(UserWarning):  # that a row lies far from all others is said of the row
        scaled = model.scaled(np.concatenate([one.X[chosen] for one, chosen in kept]))
    near = np.clip(scaled, -_FARTHEST, _FARTHEST)
    return TouredRows(
        points=(near @ view.basis).astype(np.float32),
        predicted=np.concatenate([one.predicted[chosen] for one, chosen in kept]),
        unlike=np.concatenate([one.unlike[chosen] for one, chosen in kept]),
        rows=np.concatenate([one.rows[chosen] for one, chosen in kept]),
        n_rows=sum(len(one.rows) for one, _ in kept),
    )


def classes_on(view: TourView, axes: ArrayLike, toured: TouredRows) -> tuple[Labels, Array]:
    """Give the classes that naive Bayes on two axes takes new rows for, and by how much each leads the next, exactly.

    Parameters
    ----------
    view : TourView
    axes : array-like of shape (2, n_coordinates)
    toured : TouredRows

    Returns
    -------
    predicted, lead : ndarray of shape (m,)
    """
    across = np.asarray(axes, dtype=float).T
    densities = densities_on(view, view.points.astype(float) @ across)
    return decided(view.sharpness * densities.joint_log_likelihood(toured.points.astype(float) @ across).T)
