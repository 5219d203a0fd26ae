"""Work about a fit beyond the fit itself: one study at a time, in the queue of the fits, kept for the visit.

A study is named by a key (which view, which fit, which choices). The page asks for it at every run: it starts once,
reports its progress through its job, and later runs find the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from opnb.studio.work.jobs import Job, queue

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.studio.visit.settings import FitSpec

KEPT_STUDIES = 40


def diagnosis_key(result: FitResult) -> tuple[str, int]:
    """Name the study that diagnoses a fit."""
    return ("diagnosis", result.id)


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


@dataclass
class Studies:
    """The studies of a visit.

    Attributes
    ----------
    outcomes : dict
        What finished studies found, the latest last.
    failures : dict of key to str
        Why others have no outcome; an empty text when the visitor stopped them.
    key, job : the study under way
    """

    outcomes: dict[Hashable, Any] = field(default_factory=dict)
    failures: dict[Hashable, str] = field(default_factory=dict)
    key: Hashable = None
    job: Job[Any] | None = None

    def ask(self, key: Hashable, work: Callable[[Job[Any]], Any], owner: str, alive: Callable[[], bool]) -> None:
        """Start a study unless it is there, under way, or failed; another one under way is stopped."""
        if key in self.outcomes or key in self.failures or (key == self.key and self.job is not None):
            return
        self.stop()
        self.key = key
        self.job = queue().submit(Job(lambda job: _unless_stopped(work, job), owner, alive))

    def collect(self) -> None:
        """Take in the outcome of the study under way where it is there."""
        if self.job is None or not self.job.finished:
            return
        job, self.job = self.job, None
        if job.result is not None:
            self.outcomes[self.key] = job.result
            for old in list(self.outcomes)[:-KEPT_STUDIES]:
                del self.outcomes[old]
        else:
            self.failures[self.key] = job.error

    def cancel(self) -> None:
        """Ask the study under way to end; the visitor sees that it was stopped."""
        if self.job is not None:
            queue().cancel(self.job)

    def stop(self) -> None:
        """End the study under way and forget that it was asked for, so that it starts afresh when looked at again."""
        self.cancel()
        self.job = None

    def retry(self, key: Hashable) -> None:
        """Let a study that has no outcome start again."""
        self.failures.pop(key, None)


def _unless_stopped(work: Callable[[Job[Any]], Any], job: Job[Any]) -> Any:
    try:
        return work(job)
    except Stopped:
        return None
