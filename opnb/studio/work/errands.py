"""What a visit sends for: one job at a time in one of the queues, its place there, its end and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from opnb.errors import OPNBError
from opnb.studio.work.jobs import Job, Queue, file_queue, long_queue, queue

T = TypeVar("T")
_LOOK = 0.2  # seconds between two looks at work that somebody waits for


@dataclass(frozen=True)
class Visitor:
    """For whom work is done: jobs of one owner count against each other, and end when nobody is `alive`."""

    owner: str = ""
    alive: Callable[[], bool] = lambda: True


class Errand(Generic[T]):
    """Work of one kind for a visit, one job at a time.

    Parameters
    ----------
    visitor : Visitor
    quiet : bool, default=False
        Whether its jobs let all others go first; see `opnb.studio.work.jobs`.

    Attributes
    ----------
    job : Job or None
        The one under way, or the one that has finished and is not collected yet.
    """

    def __init__(self, visitor: Visitor | None = None, *, quiet: bool = False) -> None:
        self.visitor, self.quiet = visitor or Visitor(), quiet
        self.job: Job[T] | None = None
        self._closed = False

    @property
    def queue(self) -> Queue:
        """Where its jobs wait."""
        return queue()

    def begin(
        self,
        work: Callable[[Job[T]], T],
        grace: float | None = None,
        note: Callable[[Job[T]], None] = lambda job: None,
        heard: Callable[[Any], None] = lambda message: None,
    ) -> Job[T]:
        """Put work into the queue.

        Parameters
        ----------
        work, grace, heard : as in `Job`
        note : callable
            Gets the job before it can start, so that whoever saves or shows it knows of it from its first moment.
        """
        job = self.job = Job(work, self.visitor.owner, self.visitor.alive, grace, quiet=self.quiet, heard=heard)
        note(job)
        if self._closed:
            job.drop()
        else:
            self.queue.submit(job)
        return job

    @property
    def place(self) -> int:
        """Place of the job among those that wait, from 1; 0 when it does not wait, or when there is none."""
        return 0 if self.job is None else self.queue.place(self.job)

    @property
    def is_under_way(self) -> bool:
        """Whether a job waits or runs."""
        return self.job is not None and not self.job.finished

    def collect(self) -> Job[T] | None:
        """Give the job that has finished, once; None while there is none."""
        if self.job is None or not self.job.finished:
            return None
        job, self.job = self.job, None
        return job

    def cancel(self) -> None:
        """Ask the work under way to end; what it reached is still collected."""
        if self.job is not None:
            self.queue.cancel(self.job)

    def drop(self) -> None:
        """End the work under way and forget that it was asked for."""
        self.cancel()
        self.job = None

    def close(self) -> None:
        """End the work under way, and begin no other."""
        self._closed = True
        self.cancel()


class LongRun(Errand[None]):
    """Work of minutes, which goes on while other pages are looked at and has said what it found when it ends.

    Attributes
    ----------
    problem : str
        Why the last one ended before its end; empty if it did not, or if it was stopped.
    """

    def __init__(self, visitor: Visitor | None = None) -> None:
        super().__init__(visitor)
        self.problem = ""

    @property
    def queue(self) -> Queue:
        """Where its jobs wait: not among the fits, which somebody looks at."""
        return long_queue()

    def begin(
        self,
        work: Callable[[Job[None]], None],
        grace: float | None = None,
        note: Callable[[Job[None]], None] = lambda job: None,
        heard: Callable[[Any], None] = lambda message: None,
    ) -> Job[None]:
        """Put work into the queue; see `Errand`."""
        self.problem = ""
        return super().begin(work, grace, note, heard)

    def collect(self) -> Job[None] | None:
        """Notice that the work has ended; see `Errand`."""
        job = super().collect()
        if job is not None:
            self.problem = job.error
        return job


class Attended(Errand[Any]):
    """Work that somebody waits for in the thread that asks: it ends when that goes on without it.

    Attributes
    ----------
    look : callable
        Called from time to time with the job and its place in the queue, to show them; what it raises ends the work.
    """

    def __init__(self, visitor: Visitor | None = None) -> None:
        super().__init__(visitor)
        self.look: Callable[[Job[Any], int], None] = lambda job, place: None

    @property
    def queue(self) -> Queue:
        """Where its jobs wait: always on this machine, which has the files."""
        return file_queue()

    def attend(self, work: Callable[[Job[T]], T]) -> T:
        """Have work done in its turn and give the outcome; what this visitor waited for before is ended.

        Raises
        ------
        OPNBError
            What went wrong, or that it was ended.
        """
        self.drop()
        job = self.begin(work, note=_note_awaited)
        try:
            while not job.wait(_LOOK):
                self.look(job, self.queue.place(job))
            ended = job.stopping
        finally:
            self.queue.cancel(job)
            self.job = None if self.job is job else self.job
        if job.error or ended:
            raise OPNBError(job.error or "This was stopped before it was done. Ask for it again.")
        return cast("T", job.result)


def _note_awaited(job: Job[Any]) -> None:
    job.awaited = True
