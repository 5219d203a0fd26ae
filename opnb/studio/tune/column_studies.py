"""The studies behind Tune's view of the columns: what each is worth, and how few would do. Run by a study's `Job`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from opnb.quiet import own_warnings
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import report
from opnb.views.column_path import FOLDS, ColumnPath, column_path, path_counts
from opnb.views.columns import ColumnImportance, column_importance

if TYPE_CHECKING:
    from opnb.core.optimise import Iteration
    from opnb.estimators.classifier import OPNBClassifier
    from opnb.studio.visit.results import FitResult


def fits_of_path(result: FitResult) -> int:
    """Count the fits that a path of columns takes."""
    return len(path_counts(len(result.dataset.columns))) * (FOLDS + 1)


def importance_work(result: FitResult, job: Job[Any]) -> ColumnImportance:
    """Shuffle one column after the other, in the held-out rows if there are any."""
    data = result.dataset
    X, y = (data.X_test, data.y_test) if len(data.test) else (data.X_train, data.y_train)

    def progress(share: float) -> None:
        report(job, share, "Shuffling columns")

    return column_importance(result.classifier, X, y, data.columns, progress=progress)


def column_path_work(result: FitResult, job: Job[Any]) -> ColumnPath:
    """Leave columns out one after the other, with the settings of a fit; every step of a search can stop it."""
    data, spec = result.dataset, result.spec
    total, done = fits_of_path(result), 0.0

    def progress(share: float) -> None:
        nonlocal done
        done = share
        report(job, share, f"Fit {round(share * total) + 1} of about {total}")

    def watch(iteration: Iteration) -> bool:
        progress(done)
        return False

    def make(n_features: int) -> OPNBClassifier:
        count = spec.n_components and min(spec.n_components, n_features)
        return replace(spec, n_components=count).classifier(callback=watch)

    with own_warnings(UserWarning):
        # The path is for choosing: a solution short of its precision, or a class too rare for a fold, serves too.
        return column_path(make, data.X_train, data.y_train, data.columns, data.X_test, data.y_test, progress=progress)
