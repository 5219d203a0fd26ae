"""The fit as a job: a live record of the search, a stop within one iteration, and a result with its scores."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from opnb.errors import OPNBError
from opnb.studio.jobs import Job
from opnb.studio.results import FitResult, result_of

if TYPE_CHECKING:
    from opnb.classifier import OPNBClassifier
    from opnb.core.optimise import Iteration
    from opnb.data import Dataset, Table
    from opnb.studio.spec import FitSpec

SHOWN_POINTS = 500  # of a moving picture: more keep a slow browser busy with drawing
_NOT_CONVERGED = (
    "The search ended short of its precision: the result may still move. "
    "Allow more iterations, or raise the smoothness."
)
_STOPPED = "You stopped this fit: what you see is what it had reached."


@dataclass
class FitProgress:
    """What can be seen of a fit while it runs; one thread writes, any other reads.

    Attributes
    ----------
    objectives : dict of int to list of float
        For every start, the objective after each iteration.
    points : ndarray of shape (m, 2 or 1)
        Projection of some training points at the latest iteration, with their classes in `labels`.
    """

    spec: FitSpec
    labels: NDArray
    objectives: dict[int, list[float]] = field(default_factory=dict)
    points: NDArray[np.float64] | None = None
    stage: str = "search"

    @property
    def start(self) -> int:
        """Number of the start under way, from 0."""
        return max(self.objectives, default=0)

    @property
    def iteration(self) -> int:
        """Iterations of the start under way."""
        return max(len(self.objectives.get(self.start, ())) - 1, 0)

    @property
    def share(self) -> float:
        """A cautious guess of the share of the work that is done."""
        n_starts = self.spec.n_init if self.spec.init == "random" else 1
        return min((self.start + self.iteration / self.spec.max_iter) / n_starts, 1.0)


class _Watch:
    """The classifier's callback: writes the progress and passes a stop on."""

    def __init__(self, job: Job[FitResult], progress: FitProgress, X: NDArray[np.float64]) -> None:
        self.job, self.progress, self.X = job, progress, X
        self.classifier: OPNBClassifier | None = None
        self.stopped = False

    def __call__(self, iteration: Iteration) -> bool:
        self.progress.objectives.setdefault(iteration.start, []).append(iteration.objective)
        self.progress.points = self._project(iteration.V[:, :2])
        self.stopped = self.job.stopping
        return self.stopped

    def _project(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.classifier is not None
        lengths = np.maximum(np.linalg.norm(V, axis=0), np.finfo(float).tiny)
        return (self.X - self.classifier.mean_) / self.classifier.scale_ @ (V / lengths)


def fit_work(spec: FitSpec, table: Table, dataset: Dataset, job: Job[FitResult]) -> FitResult:
    """Fit, predict every row, and score; run by a `Job`.

    A stop keeps what the search had reached, with a note that says so.
    """
    check_size(spec, dataset)
    began = time.perf_counter()
    rows = _some_rows(dataset.train)
    progress = FitProgress(spec, dataset.y[rows])
    watch = _Watch(job, progress, dataset.X[rows])
    classifier = spec.classifier(callback=watch)
    watch.classifier = classifier
    job.progress = progress
    with warnings.catch_warnings():
        # Said in the notes instead.
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(dataset.X_train, dataset.y_train)
    classifier.callback = None  # it holds the job, which the result should outlive
    progress.stage = "score"
    return result_of(spec, table, dataset, classifier, time.perf_counter() - began, _notes(classifier, watch.stopped))


def check_size(spec: FitSpec, dataset: Dataset) -> None:
    """Refuse settings that do not suit the data, before any work."""
    p = dataset.X.shape[1]
    if spec.n_components is not None and spec.n_components > p:
        raise OPNBError(
            f"{spec.n_components} directions were asked for, but the data have {p} columns after preparation. "
            f"Choose at most {p}."
        )


def _notes(classifier: OPNBClassifier, stopped: bool) -> tuple[str, ...]:
    # The classifier speaks of its best start only; the stop may have come in a later one.
    if stopped:
        return (_STOPPED,)
    return () if classifier.converged_ else (_NOT_CONVERGED,)


def _some_rows(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return rows[:: -(-len(rows) // SHOWN_POINTS)]
