"""Work about a fit beyond the fit itself: one study at a time, in the queue of the fits or one beside it.

A study is named by a key (which view, which fit, which choices). The page asks for it at every run: it starts once,
reports its progress through its job, and later runs find the outcome, which is kept for the visit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from opnb.studio.work.cluster import hand_over
from opnb.studio.work.errands import Errand, Visitor
from opnb.studio.work.jobs import Job, Queue, queue, side_queue

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.studio.visit.settings import FitSpec

KEPT_STUDIES = 40


def diagnosis_key(result: FitResult) -> tuple[str, int]:
    """Name the study that diagnoses a fit."""
    return ("diagnosis", result.id)


def advice_key(result: FitResult, n_findings: int) -> tuple[str, int, int]:
    """Name the study that tries the remedies for a fit; a path made meanwhile may have added a finding."""
    return ("advice", result.id, n_findings)


def quick_key(result: FitResult) -> tuple[str, int]:
    """Name the quick look at a fit, which asks for no other fit."""
    return ("quick", result.id)


def importance_key(result: FitResult) -> tuple[str, int]:
    """Name the study of what a fit's columns are worth."""
    return ("importance", result.id)


def path_key(result: FitResult) -> tuple[str, FitSpec]:
    """Name the study of a fit's path, which is the same for every lam."""
    return ("path", replace(result.spec, lam=1e-3))


class Stopped(Exception):  # noqa: N818 - no error: the visitor asked for it
    """Raised by the work of a study that was asked to stop and has nothing to show."""


@dataclass
class StudyProgress:
    """What can be seen of a study while it runs.

    Attributes
    ----------
    share : float
        Of the work that is done, from 0 to 1.
    words : str
        What is being done.
    """

    share: float = 0.0
    words: str = "Getting ready"


def report(job: Job[Any], share: float, words: str) -> None:
    """Publish the progress of a study; raises `Stopped` where it should end."""
    if job.stopping:
        raise Stopped
    job.progress = StudyProgress(min(max(share, 0.0), 1.0), words)


class Studies(Errand[Any]):
    """The studies of a visit, one at a time.

    Attributes
    ----------
    outcomes : dict
        What finished studies found, the latest last.
    failures : dict of key to str
        Why others have no outcome; an empty text when the visitor stopped them.
    key : hashable
        Which study is under way.
    """

    def __init__(self, visitor: Visitor | None = None, *, quiet: bool = False) -> None:
        super().__init__(visitor, quiet=quiet)
        self.outcomes: dict[Hashable, Any] = {}
        self.failures: dict[Hashable, str] = {}
        self.key: Hashable = None
        self._beside = False

    @property
    def queue(self) -> Queue:
        """Where the study under way waits, or the last one did."""
        return side_queue() if self._beside else queue()

    def ask(self, key: Hashable, work: Callable[[Job[Any]], Any], *, beside: bool = False) -> None:
        """Start a study unless it is there, under way, or failed; another one under way is ended.

        Parameters
        ----------
        key : hashable
        work : callable
            As of a `Job`.
        beside : bool, default=False
            Whether a process does the work: then it waits in a queue beside that of the fits.
        """
        if key in self.outcomes or key in self.failures or (key == self.key and self.job is not None):
            return
        self.drop()
        self.key, self._beside = key, beside
        self.begin(partial(hand_over, partial(_unless_stopped, work)))

    def collect(self) -> Job[Any] | None:
        """Note the outcome of the study under way where it is there; see `Errand`."""
        job = super().collect()
        if job is not None and job.result is not None:
            self.outcomes[self.key] = job.result
            for old in list(self.outcomes)[:-KEPT_STUDIES]:
                del self.outcomes[old]
        elif job is not None and (job.error or not self.quiet):  # a quiet one that made way may begin again
            self.failures[self.key] = job.error
        return job

    def retry(self, key: Hashable) -> None:
        """Let a study that has no outcome start again."""
        self.failures.pop(key, None)


def _unless_stopped(work: Callable[[Job[Any]], Any], job: Job[Any]) -> Any:
    try:
        return work(job)
    except Stopped:
        return None
