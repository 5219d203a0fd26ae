"""What a fit leaves behind: the classifier with the data it saw, how well it predicts, and notes in words."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from opnb.estimators.novelty import Novelty, learn_novelty
from opnb.views import ClassScores, Metrics, Projected, class_scores, metrics, project
from opnb.views.silent import silent_columns

if TYPE_CHECKING:
    from opnb.data import Dataset, Table
    from opnb.estimators.classifier import OPNBClassifier
    from opnb.studio.visit.settings import FitSpec

_numbers = itertools.count(1)


Measures = tuple[Metrics, Metrics | None]


def projected_rows(classifier: Any, dataset: Dataset) -> Projected:
    """Project the training rows, then the held-out rows of a data set, and let a fitted classifier predict them."""
    return project(
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


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fit of this visit.

    Parameters
    ----------
    spec : FitSpec
    table : Table
        Kept so that the fit can be restored after the visitor turned to other data.
    dataset : Dataset
    classifier : OPNBClassifier
        Fitted on the training rows.
    seconds : float
    notes : tuple of str
        What the user should know of the fit, for instance that it was stopped.
    measured : tuple of Metrics, optional
        The scores of a fit that was kept, so that a list of fits need not predict anything.
    id : int
        Distinct among all results of the process.
    key : str
        Names the fit in a workspace, for good.
    made : float
        When, in seconds since 1970.
    """

    spec: FitSpec
    table: Table = field(repr=False)
    dataset: Dataset = field(repr=False)
    classifier: OPNBClassifier = field(repr=False)
    seconds: float
    notes: tuple[str, ...] = ()
    measured: Measures | None = field(default=None, repr=False)
    id: int = field(default_factory=lambda: next(_numbers))
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    made: float = field(default_factory=time.time)

    def __getstate__(self) -> dict[str, Any]:
        """Give what another process needs, as it stands: a page may make more of it meanwhile."""
        return {name: value for name, value in list(self.__dict__.items()) if name != "sheets"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up a result that comes from another process, which counts its own."""
        self.__dict__.update(state | {"id": next(_numbers)})

    @cached_property
    def projected(self) -> Projected:
        """Training rows, then held-out rows, on every direction, with the full model's posteriors.

        Its `rows` count the table's rows from 1. Predicting is the dear part, done once, when first asked for.
        """
        return projected_rows(self.classifier, self.dataset)

    @cached_property
    def novelty(self) -> Novelty:
        """The densities of the training rows, by which new rows are told from them."""
        return learn_novelty(self.classifier, self.dataset.X_train, self.dataset.y_train)

    @cached_property
    def silent_columns(self) -> tuple[str, ...]:
        """The columns without effect on any prediction, of training and held-out rows; none of data without a table."""
        recipe = self.dataset.recipe
        return () if recipe is None else silent_columns(self.classifier, self.dataset.X, recipe)

    @cached_property
    def measures(self) -> Measures:
        """How well it predicts the training rows, and the held-out rows if there are any."""
        return self.measured or metrics(self.projected)

    @cached_property
    def class_scores(self) -> ClassScores:
        """How well it predicts class by class, on the held-out rows if there are any."""
        return class_scores(self.projected)

    @cached_property
    def sheets(self) -> dict[Hashable, Any]:
        """What was drawn of it and does not change, by what was asked for; see `opnb.studio.ui.charts.sheet`."""
        return {}

    @property
    def train(self) -> Metrics:
        """How well it predicts the rows it was fitted on."""
        return self.measures[0]

    @property
    def test(self) -> Metrics | None:
        """How well it predicts the held-out rows; None without any."""
        return self.measures[1]

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
    result = FitResult(spec, table, dataset, classifier, seconds, notes)
    result.measures  # noqa: B018 - so that the predictions are there when a page asks for them
    return result
