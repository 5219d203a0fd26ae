"""The planes that OPNB, LDA and OPGD look at, as a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from opnb.comparators.gaussian_planes import DiscriminantPlane, GaussianPlane, GaussianProjectionPlane
from opnb.diagnostics import principal_angles
from opnb.errors import OPNBError
from opnb.quiet import own_warnings
from opnb.studio.visit.results import projected_rows
from opnb.studio.work.fitting import fit_within
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import report
from opnb.views import ProjectionView, oriented, projection_view

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.studio.visit.settings import FitSpec

_SAME = 3.0  # degrees: a plane that the eye cannot tell from another
_RIVALS: tuple[tuple[str, type[GaussianPlane]], ...] = (("LDA", DiscriminantPlane), ("OPGD", GaussianProjectionPlane))


@dataclass(frozen=True, eq=False)
class Planes:
    """Projections side by side.

    Attributes
    ----------
    views : tuple of ProjectionView
    titles : tuple of str
    notes : tuple of str
        Why a method has none, and which of them look at the same plane.
    """

    views: tuple[ProjectionView, ...]
    titles: tuple[str, ...]
    notes: tuple[str, ...] = ()


def planes_key(result: FitResult) -> tuple[str, FitSpec]:
    """Name the study of a fit's planes, the same for any number of directions."""
    return ("planes", _plane_spec(result))


def _plane_spec(result: FitResult) -> FitSpec:
    return replace(result.spec, n_components=2, combine="best")


def planes_work(result: FitResult, job: Job[Any]) -> Planes:
    """Fit each method with two directions to the training rows; run by a study's `Job`."""
    report(job, 0.0, "Fitting OPNB")
    spec = _plane_spec(result)
    own = result if result.spec == spec else fit_within(job, spec, result)
    views, titles, notes = [projection_view(own.classifier, projected=own.projected)], ["OPNB"], []
    for number, (name, method) in enumerate(_RIVALS):
        report(job, (1 + number) / (1 + len(_RIVALS)), f"Fitting {name}")
        try:
            views.append(_rival(method(), result))
            titles.append(name)
        except (OPNBError, ValueError) as problem:
            notes.append(f"{name} has no picture. {problem}")
    report(job, 1.0, "Drawing")
    return Planes(tuple(oriented(views)), tuple(titles), (*notes, *_same_planes(views, titles)))


def _same_planes(views: Sequence[ProjectionView], titles: Sequence[str]) -> list[str]:
    """Name the methods that look at the same plane, whatever their directions in it are."""
    positions = [np.column_stack([view.points.x, view.points.y]).astype(float) for view in views]
    centred = [Z - Z.mean(axis=0) for Z in positions]
    return [
        f"{titles[i]} and {titles[j]} look at the same plane: their pictures differ by no more than a turn."
        for i, j in combinations(range(len(views)), 2)
        if np.degrees(principal_angles(centred[i], centred[j])).max() < _SAME
    ]


def _rival(method: GaussianPlane, result: FitResult) -> ProjectionView:
    data = result.dataset
    with own_warnings(ConvergenceWarning):  # a search short of its precision serves a picture
        method.fit(data.X_train, data.y_train)
    return projection_view(method, projected=projected_rows(method, data))
