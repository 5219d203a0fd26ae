"""What a fit leaves behind: the classifier with the data it saw, how well it predicts, and notes in words."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from opnb.classifier import OPNBClassifier
    from opnb.data import Dataset, Table
    from opnb.studio.spec import FitSpec

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Score:
    """How well some rows are predicted."""

    wrong: int
    n: int
    log_loss: float

    @property
    def error(self) -> float:
        """Share of wrong predictions."""
        return self.wrong / self.n

    def words(self) -> str:
        """Say the error with its counts."""
        return f"{100 * self.error:.1f} % ({self.wrong:,} of {self.n:,})"


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
    posteriors : ndarray of shape (n, n_classes)
        Of every row of `dataset`.
    train, test : Score
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
    posteriors: NDArray[np.float64] = field(repr=False)
    train: Score
    test: Score | None
    seconds: float
    notes: tuple[str, ...] = ()
    id: int = field(default_factory=lambda: next(_numbers))

    @property
    def n_directions(self) -> int:
        """Number of directions of the model."""
        return len(self.classifier.components_)

    @property
    def predicted(self) -> NDArray:
        """Predicted class of every row of the data."""
        return self.classifier.classes_[self.posteriors.argmax(axis=1)]


def score(classes: NDArray, y: NDArray, log_posteriors: NDArray[np.float64]) -> Score:
    """Compare log posteriors with the true classes.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    y : ndarray of shape (n,)
        At least one row.
    log_posteriors : ndarray of shape (n, n_classes)
    """
    truth = np.searchsorted(classes, y)
    wrong = int((log_posteriors.argmax(axis=1) != truth).sum())
    return Score(wrong, len(y), float(-log_posteriors[np.arange(len(y)), truth].mean()))
