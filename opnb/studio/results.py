"""What a fit leaves behind: the classifier with the data it saw, how well it predicts, and notes in words."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from opnb.views import Metrics, Projected, metrics, project

if TYPE_CHECKING:
    from opnb.classifier import OPNBClassifier
    from opnb.data import Dataset, Table
    from opnb.studio.spec import FitSpec

_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fit of this visit.

    Parameters
    ----------
    spec : FitSpec
    table : Table
        Kept so that the fit can be taken up again after the visitor turned to other data.
    dataset : Dataset
    classifier : OPNBClassifier
        Fitted on the training rows.
    projected : Projected
        Training rows, then held-out rows, on every direction, with the full model's posteriors. Its `rows` count
        the table's rows from 1.
    train, test : Metrics
        `test` is None without held-out rows.
    seconds : float
    notes : tuple of str
        What the user should know of the fit, for instance that it was stopped.
    id : int
        Distinct among all results of the process.
    """

    spec: FitSpec
    table: Table = field(repr=False)
    dataset: Dataset = field(repr=False)
    classifier: OPNBClassifier = field(repr=False)
    projected: Projected = field(repr=False)
    train: Metrics
    test: Metrics | None
    seconds: float
    notes: tuple[str, ...] = ()
    id: int = field(default_factory=lambda: next(_numbers))

    @property
    def n_directions(self) -> int:
        """Number of directions of the model."""
        return len(self.classifier.components_)


def result_of(
    spec: FitSpec,
    table: Table,
    dataset: Dataset,
    classifier: OPNBClassifier,
    seconds: float,
    notes: tuple[str, ...],
) -> FitResult:
    """Predict every row with a fitted classifier and score the predictions."""
    projected = project(
        classifier,
        dataset.X_train,
        dataset.y_train,
        dataset.X_test,
        dataset.y_test,
        rows=dataset.rows[dataset.train] + 1,
        rows_test=dataset.rows[dataset.test] + 1,
        class_names=dataset.class_names,
        feature_names=dataset.feature_names,
    )
    train, test = metrics(projected)
    return FitResult(spec, table, dataset, classifier, projected, train, test, seconds, notes)
