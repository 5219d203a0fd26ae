"""Work that outlasts a page run: threads that know nothing of Streamlit, in one fair queue for the whole process.

A page makes a `Job`, hands it to `queue()`, and looks at it from time to time. The work gets the job itself: it
publishes its progress there and asks there whether to stop. One visitor with many jobs cannot keep others out: the
next job is that of a visitor with the fewest jobs running, of equals the one served longest ago.

A quiet job is one that nobody asked for. It runs only while no other waits or runs, takes no other's place, and is
asked to stop as soon as another comes.
"""

from __future__ import annotations

import gc
import itertools
import logging
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from opnb.errors import OPNBError
from opnb.studio.logs import event, visit_of
from opnb.studio.work.limits import fits_at_a_time

T = TypeVar("T")
Status = Literal["waiting", "running", "done", "failed", "cancelled"]
_GRACE = 1.5  # seconds a visitor may be unreachable: a reload of the page drops the connection for a moment
_TURN = 0.0005  # seconds
_REMEMBERED = 1_000  # visitors whose latest turn is known: one who had a turn goes behind one who had none
_log = logging.getLogger(__name__)


class Job(Generic[T]):
    """A piece of work, its progress and its outcome.

    Parameters
    ----------
    work : callable
        Gets the job and gives the result. It publishes progress, and returns soon after `stopping` is true, with what
        was reached by then.
    owner : str
        Who asked for it: jobs of one owner count against each other in the queue.
    alive : callable, optional
        Tells whether the owner is still there; a job whose owner has left is cancelled.
    grace : float, optional
        Seconds the owner may be unreachable; a short while by default, and while others wait for the worker.
    quiet : bool, default=False
        Whether every other job comes first.
    """

    def __init__(
        self,
        work: Callable[[Job[T]], T],
        owner: str = "",
        alive: Callable[[], bool] = lambda: True,
        grace: float | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        self.id = uuid.uuid4().hex
        self.owner, self.quiet = owner, quiet
        self.progress: Any = None
        self.result: T | None = None
        self.error = ""
        self.status: Status = "waiting"
        self.started = self.began = time.monotonic()
        self.abandoned = False
        self._work, self._watchers, self._grace = work, [alive], grace
        self._in_the_way: Callable[[], bool] = lambda: False
        self._last_seen = self.started
        self._cancelled = threading.Event()
        self._finished = threading.Event()

    @property
    def stopping(self) -> bool:
        """Whether the work should end: asked for by `cancel`, or because nobody is there to see the result."""
        if not self._cancelled.is_set() and self._is_abandoned():
            self.abandoned = True
            self._cancelled.set()
        return self._cancelled.is_set()

    @property
    def finished(self) -> bool:
        """Whether the outcome is there."""
        return self._finished.is_set()

    @property
    def seconds(self) -> float:
        """Time since the job was made."""
        return time.monotonic() - self.started

    def wait(self, timeout: float) -> bool:
        """Wait for the outcome, `timeout` seconds at the most, and tell whether it is there."""
        return self._finished.wait(timeout)

    def cancel(self) -> None:
        """Ask the work to end; a job that is still waiting ends at once."""
        self._cancelled.set()

    def watch(self, alive: Callable[[], bool]) -> None:
        """Let another visit wait for the outcome, too: the job is abandoned when all have left."""
        self._watchers = [*self._watchers, alive]

    def run(self) -> None:
        """Do the work in the calling thread and record the outcome; never raises."""
        self.status, self.began = "running", time.monotonic()
        try:
            self.result = self._work(self)
            self.status = "done"
        except OPNBError as error:
            self.fail(str(error))
        except MemoryError:
            self.fail("There is not enough memory for this. Use fewer rows, columns or directions.")
        except ValueError as error:  # scikit-learn's way of saying that input is wrong
            self.fail(str(error))
        except Exception:
            _log.exception("job %s failed", self.id)
            self.fail("Something went wrong inside the program. The details are in the server's log.")
        finally:
            self._finished.set()

    def fail(self, message: str) -> None:
        """Record why there is no result."""
        self.error, self.status = message, "failed"

    def drop(self) -> None:
        """End a job that never ran."""
        self._cancelled.set()
        self.status = "cancelled"
        self._finished.set()

    def _is_abandoned(self) -> bool:
        now = time.monotonic()
        if any(alive() for alive in self._watchers):
            self._last_seen = now
        grace = _GRACE if self._grace is None or self._in_the_way() else self._grace
        return now - self._last_seen > grace


class Queue:
    """Runs jobs in threads, a limited number at a time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._served: dict[str, int] = {}
        self._turns = itertools.count(1)
        self._lock = threading.Lock()

    def submit(self, job: Job[T]) -> Job[T]:
        """Put a job into the queue; it starts at once where there is room."""
        job._in_the_way = lambda: self._keeps_others_out(job)
        with self._lock:
            self._waiting.append(job)
        self._advance()
        return job

    def _keeps_others_out(self, job: Job) -> bool:
        return job.status == "running" and any(other.owner != job.owner for other in list(self._waiting))

    def cancel(self, job: Job) -> None:
        """Stop a job, whether it waits or runs."""
        job.cancel()
        with self._lock:
            waits = job in self._waiting
            if waits:
                self._waiting.remove(job)
        if waits:
            job.drop()

    def place(self, job: Job) -> int:
        """Give the job's place among those that wait, from 1; 0 when it does not wait."""
        self._advance()  # those ahead may have been abandoned
        with self._lock:
            order = self._order()
            return order.index(job) + 1 if job in order else 0

    def _order(self) -> list[Job]:
        """Sort the waiting jobs as they will start if no other comes.

        First comes the owner with the fewest jobs running or ahead, of equals the one served longest ago; quiet jobs
        come after all others.
        """
        busy = Counter(job.owner for job in self._running if not job.quiet)
        turns = []
        for job in self._waiting:
            turns.append((job.quiet, busy[job.owner], self._served.get(job.owner, 0)))
            busy[job.owner] += not job.quiet
        return [self._waiting[i] for i in sorted(range(len(turns)), key=turns.__getitem__)]

    def _advance(self) -> None:
        with self._lock:
            for job in [job for job in self._waiting if job.stopping]:
                self._waiting.remove(job)
                job.drop()
            starting = self._next()
            for job in starting:
                self._waiting.remove(job)
                self._running.append(job)
                if not job.quiet:  # nobody pays for what he did not ask for
                    self._served[job.owner] = next(self._turns)
            for owner in sorted(self._served, key=self._served.__getitem__)[:-_REMEMBERED]:
                del self._served[owner]
        for job in starting:
            threading.Thread(target=self._run, args=(job,), name=f"opnb-job-{job.id[:8]}", daemon=True).start()

    def _next(self) -> list[Job]:
        """Choose the jobs that start now; quiet ones make way for others, and wait for none to be left."""
        order = self._order()
        others = [job for job in order if not job.quiet]
        quiet = [job for job in self._running if job.quiet]
        busy = len(self._running) - len(quiet)
        if not others and not busy:
            return order[: max(self.limit - len(quiet), 0)]
        for job in quiet:
            job.cancel()
        return others[: max(self.limit - busy, 0)]

    def _run(self, job: Job) -> None:
        job.run()
        _note(job)
        with self._lock:
            self._running.remove(job)
        self._advance()


def _note(job: Job) -> None:
    """Tell the server's log how a job ended, without anything of its visitor."""
    status = "abandoned" if job.abandoned else job.status
    waited, seconds = job.began - job.started, time.monotonic() - job.began
    event("job", visit=visit_of(job.owner), status=status, waited=waited, seconds=seconds)


@cache
def queue() -> Queue:
    """Give the one queue of this process for fits and studies."""
    # A fit gives Python's lock away at every step of its search and has to get it back from the pages that are being
    # drawn meanwhile; at the usual 5 ms for each of these a class of visitors would bring it nearly to a halt.
    sys.setswitchinterval(_TURN)
    # What the libraries hold stays for good: no search for garbage need go through it again.
    gc.collect()
    gc.freeze()
    return Queue(fits_at_a_time())


@cache
def long_queue() -> Queue:
    """Give the one queue of this process for work of minutes, beside that of the fits: one at a time."""
    return Queue(1)
