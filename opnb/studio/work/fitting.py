"""The fit as a job: a live record of the search, a stop within one iteration, and a result with its scores."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from opnb.errors import OPNBError
from opnb.estimators.radial import RadialColumns
from opnb.estimators.training import Scaling
from opnb.quiet import own_warnings
from opnb.studio.logs import event, visit_of
from opnb.studio.visit.results import FitResult, result_of
from opnb.studio.work.cluster import hand_over
from opnb.studio.work.estimates import Size, all_steps_left, check_cost, size_of, speed
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import fit_limits, scheduler

if TYPE_CHECKING:
    from opnb.core.optimise import Iteration
    from opnb.data import Dataset, Table
    from opnb.estimators.classifier import OPNBClassifier
    from opnb.studio.visit.settings import FitSpec

_STEPS_TO_JUDGE = 3
_LOGGED = ("rows", "columns", "directions", "classes", "starts")
SHOWN_POINTS = 500  # of a moving picture: more keep a slow browser busy with drawing
_NOT_CONVERGED = (
    "The search ended short of its precision: the result may still move. "
    "Allow more iterations, or raise the smoothness."
)
_GIVEN = "These axes were turned by hand; nothing was searched."
_STOPPED = "You stopped this fit: what you see is what it had reached."
_OUT_OF_TIME = "This fit took all the time that this server allows a fit: what you see is what it had reached."
_ABANDONED = "The connection was lost and this fit ended early: what you see is what it had reached."


@dataclass
class FitProgress:
    """What can be seen of a fit while it runs; one thread writes, any other reads.

    Attributes
    ----------
    objectives : dict of int to list of float
        For every start, the objective after each iteration.
    points : ndarray of shape (m, 2 or 1)
        Projection of some training points at the latest iteration, with their classes in `labels`.
    size : Size, optional
        What the time that is left is guessed from.
    began, latest : float
        When the search began and when it took its latest step, by `clock`.
    """

    spec: FitSpec
    labels: NDArray
    objectives: dict[int, list[float]] = field(default_factory=dict)
    points: NDArray[np.float64] | None = None
    stage: str = "search"
    size: Size | None = None
    began: float = 0.0
    latest: float = 0.0
    clock: Callable[[], float] = time.perf_counter

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

    @property
    def steps(self) -> int:
        """Steps of all starts so far."""
        return sum(len(values) - 1 for values in list(self.objectives.values()))

    @property
    def seconds_left(self) -> float | None:
        """A guess of the time until the fit is done; None before the first steps."""
        if self.size is None or self.steps < _STEPS_TO_JUDGE:
            return None
        a_step = (self.latest - self.began) / self.steps
        left = a_step * all_steps_left(self.objectives, self.spec.tol, self.size) - (self.clock() - self.latest)
        return max(left, a_step)

    def __getstate__(self) -> dict[str, Any]:
        """Give the state for another process, whose clock is another: its times as ages, its lists as they stand."""
        now = self.clock()
        objectives = {start: list(values) for start, values in list(self.objectives.items())}
        return self.__dict__ | {"objectives": objectives, "began": self.began - now, "latest": self.latest - now}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up a state of another process."""
        now = state["clock"]()
        self.__dict__.update(state | {"began": state["began"] + now, "latest": state["latest"] + now})

    def note(self, start: int, objective: float) -> None:
        """Note a step of the search; the first of a start is the start itself."""
        self.latest = self.clock()
        if not self.objectives:
            self.began = self.latest
        self.objectives.setdefault(start, []).append(objective)


class _Watch:
    """The classifier's callback: writes the progress and passes a stop on."""

    def __init__(self, job: Job[FitResult], progress: FitProgress, X: NDArray[np.float64]) -> None:
        self.job, self.progress, self.X = job, progress, X
        self.deadline = job.worked + fit_limits().seconds
        self.stopped = self.late = False

    def __call__(self, iteration: Iteration) -> bool:
        self.progress.note(iteration.start, iteration.objective)
        self.progress.points = self._project(iteration.V[:, :2])
        self.late = self.job.worked > self.deadline  # the estimate before the start can err
        self.stopped = self.job.stopping
        return self.stopped or self.late

    def _project(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        lengths = np.maximum(np.linalg.norm(V, axis=0), np.finfo(float).tiny)
        return self.X @ (V / lengths)


def fit_work(
    spec: FitSpec, table: Table, dataset: Dataset, job: Job[FitResult], notes: tuple[str, ...] = ()
) -> FitResult:
    """Fit, predict every row, and score; run by a `Job`.

    A stop keeps what the search had reached, with a note that says so, after the `notes` that are given.
    """
    check_size(spec, dataset)
    began = time.perf_counter()
    rows = _some_rows(dataset.train)
    progress = FitProgress(spec, dataset.y[rows], size=size_of(spec, dataset))
    watch = _Watch(job, progress, _as_searched(spec, dataset, rows))
    classifier = spec.classifier(callback=watch)
    job.progress = progress
    with own_warnings(ConvergenceWarning):  # an early end is said in the notes instead
        classifier.fit(dataset.X_train, dataset.y_train)
    classifier.callback = None  # it holds the job, which the result should outlive
    progress.stage = "score"
    notes += _notes(classifier, watch, job.abandoned)
    result = result_of(spec, table, dataset, classifier, time.perf_counter() - began, notes)
    _learn_from(progress, job.owner, result)
    return result


def fit_somewhere(fitting: Callable[[Job[FitResult]], FitResult], job: Job[FitResult]) -> FitResult:
    """Have a fit made where this server has its work done, and learn from it how long fits take there."""
    result = hand_over(fitting, job)
    if scheduler() is not None and isinstance(job.progress, FitProgress):
        _learn_from(job.progress, job.owner, result)
    return result


def _learn_from(progress: FitProgress, owner: str, result: FitResult) -> None:
    assert progress.size is not None
    speed.learn(progress.size, progress.steps, progress.latest - progress.began)
    event("fit", visit=visit_of(owner), seconds=result.seconds, **_numbers(progress))


def _numbers(progress: FitProgress) -> dict[str, int]:
    size = progress.size
    assert size is not None
    return {"steps": progress.steps} | {name: getattr(size, name) for name in _LOGGED}


def check_size(spec: FitSpec, dataset: Dataset) -> None:
    """Refuse settings that do not suit the data, or cost more than the server allows, before any work."""
    p = dataset.X.shape[1]
    if spec.n_components is not None and spec.n_components > p:
        raise OPNBError(
            f"{spec.n_components} directions were asked for, but the data have {p} columns after preparation. "
            f"Choose at most {p}."
        )
    if spec.has_given_axes and spec.start is not None and spec.bend is None and len(spec.start[0]) != p:
        raise OPNBError(
            f"The axes to start from have {len(spec.start[0])} columns, but the data have {p} after preparation. "
            "Choose another start."
        )
    check_cost(size_of(spec, dataset), fit_limits(), speed.factor)


def _notes(classifier: OPNBClassifier, watch: _Watch, abandoned: bool) -> tuple[str, ...]:
    # The classifier speaks of its best start only; the stop may have come in a later one.
    if watch.stopped:
        return (_ABANDONED if abandoned else _STOPPED,)
    if watch.late:
        return (_OUT_OF_TIME,)
    if classifier.max_iter == 0:
        return (_GIVEN,)
    return () if classifier.converged_ else (_NOT_CONVERGED,)


def ended_early(result: FitResult) -> bool:
    """Tell whether a fit was stopped on its way, so that the same settings can lead further."""
    return any(note in (_STOPPED, _OUT_OF_TIME, _ABANDONED) for note in result.notes)


def _as_searched(spec: FitSpec, dataset: Dataset, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Give rows in the columns that the search weighs: scaled, and bent where directions may bend."""
    scaling = Scaling.of(dataset.X_train, spec.scale)
    shown = scaling.apply(dataset.X[rows])
    if spec.bend is None:
        return shown
    return RadialColumns.of(scaling.apply(dataset.X_train), spec.bend).apply(shown)


def _some_rows(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return rows[:: -(-len(rows) // SHOWN_POINTS)]


class _Part(Job[Any]):
    """A piece of a study's work: it stops when the study does."""

    whole: Job[Any]

    @property
    def stopping(self) -> bool:
        """Whether the study should end."""
        return self.whole.stopping

    @property
    def worked(self) -> float:
        """Seconds of the study's work."""
        return self.whole.worked


def fit_within(job: Job[Any], spec: FitSpec, result: FitResult, dataset: Dataset | None = None) -> FitResult:
    """Fit other settings to the data of a result, as a part of a study."""
    part = _Part(partial(fit_work, spec, result.table, dataset or result.dataset))
    part.whole = job
    part.run()
    if part.error:
        raise OPNBError(part.error)
    assert part.result is not None
    outcome: FitResult = part.result
    return outcome
