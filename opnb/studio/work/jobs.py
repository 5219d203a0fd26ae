"""Work that outlasts a page run: threads that know nothing of Streamlit, in one fair queue for the whole process.

A page makes a `Job`, hands it to `queue()`, and looks at it from time to time. The work gets the job itself: it
publishes its progress there and asks there whether to stop.

The next job is that of the visitor who has been served least of late, where every second of waiting makes up for one of
service: neither can one visitor with much work keep others out, nor can a stream of newcomers keep out who was served
before. Work that has run for a turn while others wait gives way at the point where it asks whether to stop, and goes
on there when its turn comes again.

A quiet job is one that nobody asked for. It runs only while no other waits or runs, takes no other's place, and is
asked to stop as soon as another comes.
"""

from __future__ import annotations

import gc
import logging
import math
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from opnb.errors import OPNBError
from opnb.studio.logs import event, visit_of
from opnb.studio.work.courtesy import let_pages_be_drawn, standing_still
from opnb.studio.work.limits import fits_at_a_time, scheduler, set_fits_at_a_time, turn_seconds

T = TypeVar("T")
Status = Literal["waiting", "running", "done", "failed", "cancelled"]
_GRACE = 1.5  # seconds a visitor may be unreachable: a reload of the page drops the connection for a moment
_REMEMBERED = 1_000  # visitors of whom it is known how long they were served
_FORGOTTEN = 600.0  # seconds after which a second of service counts for a third of one
_MOST_PAUSED = 4  # jobs that have given way: each still holds its memory
_LOOK = 0.1  # seconds between two looks of a paused job at whether to end
_A_LONG_RUN = 4  # threads of a cluster for each run of minutes, which it shares with the fits
_log = logging.getLogger(__name__)


class LostWorkError(OPNBError):
    """Raised where the machine that did the work is gone: nothing is wrong with the work, which can be done again."""


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
    heard : callable, optional
        Gets what the work says on its way; see `say`.

    Attributes
    ----------
    progress : object
        What can be seen of the work.
    lost : bool
        Whether there is no result because the machine that did the work is gone.
    """

    def __init__(
        self,
        work: Callable[[Job[T]], T],
        owner: str = "",
        alive: Callable[[], bool] = lambda: True,
        grace: float | None = None,
        *,
        quiet: bool = False,
        heard: Callable[[Any], None] = lambda message: None,
    ) -> None:
        self.id = uuid.uuid4().hex
        self.owner, self.quiet = owner, quiet
        self.progress: Any = None
        self.result: T | None = None
        self.error = ""
        self.status: Status = "waiting"
        self.started = self.began = time.monotonic()
        self.abandoned = self.lost = False
        self.awaited = False  # a page stands still for it: what else its owner has running gives way at once
        self._work, self._watchers, self._grace, self._heard = work, [alive], grace, heard
        self._in_the_way: Callable[[], bool] = lambda: False
        self._give_way: Callable[[], None] = lambda: None
        self._hold: Callable[[bool], None] = lambda held: None
        self._worker: threading.Thread | None = None
        self._paused = 0.0
        self._last_seen = self.started
        self._cancelled = threading.Event()
        self._finished = threading.Event()

    @property
    def stopping(self) -> bool:
        """Whether the work should end: asked for by `cancel`, or because nobody is there to see the result.

        The work itself, when it asks, may have to wait here for its next turn.
        """
        if threading.current_thread() is self._worker and not self._is_stopped():
            self._give_way()
        return self._is_stopped()

    def _is_stopped(self) -> bool:
        if not self._cancelled.is_set() and self._is_abandoned():
            self.abandoned = True
            self._cancelled.set()
        return self._cancelled.is_set()

    @property
    def worked(self) -> float:
        """Seconds of work so far, without those of waiting for a turn."""
        return time.monotonic() - self.began - self._paused

    def held_by(self, hold: Callable[[bool], None]) -> None:
        """Name a function that halts (True) and resumes (False) what works elsewhere for this job.

        While the job has to wait it is told to halt again and again, and may be told so when nothing works any more.
        """
        self._hold = hold

    def gives_way_by(self, give_way: Callable[[], None]) -> None:
        """Name a function that the work calls before it goes on: it returns when it is this job's turn."""
        self._give_way = give_way

    @contextmanager
    def paused(self) -> Iterator[Callable[[], None]]:
        """Halt what works elsewhere for this job, without counting the time; gives a function that says so again."""
        began = time.monotonic()
        self._hold(True)
        try:
            yield lambda: self._hold(True)
        finally:
            self._paused += time.monotonic() - began
            self._hold(False)

    def say(self, message: Any) -> None:
        """Tell who asked for the work what it has found so far."""
        self._heard(message)

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
        with standing_still():
            return self._finished.wait(timeout)

    def cancel(self) -> None:
        """Ask the work to end; a job that is still waiting ends at once."""
        self._cancelled.set()

    def watch(self, alive: Callable[[], bool]) -> None:
        """Let another visit wait for the outcome, too: the job is abandoned when all have left."""
        self._watchers = [*self._watchers, alive]

    def run(self) -> None:
        """Do the work in the calling thread and record the outcome; never raises."""
        try:
            self.result = self.do()
            self.status = "done"
        except OPNBError as error:
            self.lost = isinstance(error, LostWorkError)
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

    def do(self) -> T:
        """Do the work in the calling thread."""
        self.status, self.began, self._worker = "running", time.monotonic(), threading.current_thread()
        return self._work(self)

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


class _Service:
    """Remembers how long each owner was served; what is long past counts less and less."""

    def __init__(self) -> None:
        self._served: dict[str, tuple[float, float]] = {}

    def of(self, owner: str, now: float) -> float:
        """Give the seconds that count now."""
        seconds, when = self._served.get(owner, (0.0, now))
        return seconds * math.exp((when - now) / _FORGOTTEN)

    def add(self, owner: str, seconds: float, now: float) -> None:
        """Note that an owner was served."""
        total = self.of(owner, now) + seconds
        self._served.pop(owner, None)
        self._served[owner] = (total, now)
        for old in list(self._served)[:-_REMEMBERED]:
            del self._served[old]


class Queue:
    """Runs jobs in threads, a limited number at a time.

    Parameters
    ----------
    limit : int
        How many run at once.
    turn : float, optional
        Seconds a job runs before it gives way to those of others; the server's setting if not given.
    """

    def __init__(self, limit: int, turn: float | None = None) -> None:
        self.limit = limit
        self.turn = turn_seconds() if turn is None else turn
        self._waiting: dict[Job, float] = {}  # since when; those that have given way among them
        self._running: dict[Job, float] = {}
        self._paused: dict[Job, threading.Event] = {}
        self._service = _Service()
        self._moved = time.monotonic()
        self._lock = threading.Lock()

    def submit(self, job: Job[T]) -> Job[T]:
        """Put a job into the queue; it starts at once where there is room."""
        job._in_the_way = lambda: self._keeps_others_out(job)
        job.gives_way_by(lambda: self._give_way(job))
        with self._lock:
            self._moved = time.monotonic() if not self._waiting else self._moved
            self._waiting[job] = time.monotonic()
        self._advance()
        return job

    def _keeps_others_out(self, job: Job) -> bool:
        return job.status == "running" and any(
            other.owner != job.owner and not other.quiet for other in list(self._waiting)
        )

    def cancel(self, job: Job) -> None:
        """Stop a job, whether it waits or runs."""
        job.cancel()
        with self._lock:
            waits = job in self._waiting and job not in self._paused
            if waits:
                del self._waiting[job]
        if waits:
            job.drop()

    def place(self, job: Job) -> int:
        """Give the job's place among those that wait, from 1; 0 when it does not wait."""
        self._advance()  # those ahead may have been abandoned
        with self._lock:
            order = self._order()
            return order.index(job) + 1 if job in order else 0

    @property
    def running(self) -> int:
        """How many jobs run."""
        return len(self._running)

    def idle_seconds(self) -> float:
        """Give the seconds for which somebody waits and nothing has begun, ended or given way."""
        with self._lock:
            waits = any(not job.quiet for job in self._waiting)
            return time.monotonic() - self._moved if waits else 0.0

    def _order(self) -> list[Job]:
        """Sort the waiting jobs as they will start if no other comes: the smallest account first, quiet jobs last."""
        now = time.monotonic()
        ahead = Counter(job.owner for job in self._running if not job.quiet)
        since = {job: began for job, began in self._running.items() if not job.quiet}
        accounts: dict[Job, float] = {}
        for job, when in self._waiting.items():
            running = sum(now - began for other, began in since.items() if other.owner == job.owner)
            # What the owner has running or ahead counts as the turns that it will have.
            served = self._service.of(job.owner, now) + running + self.turn * ahead[job.owner]
            accounts[job] = served - (now - when)
            ahead[job.owner] += not job.quiet
        return sorted(accounts, key=lambda job: (job.quiet, accounts[job]))

    def _advance(self) -> None:
        with self._lock:
            for job in [job for job in self._waiting if job not in self._paused and job._is_stopped()]:
                del self._waiting[job]
                job.drop()
            starting = self._next()
            for job in starting:
                del self._waiting[job]
                self._running[job] = self._moved = time.monotonic()
            resumed = [self._paused.pop(job) for job in starting if job in self._paused]
            new = [job for job in starting if job.status == "waiting" and job._worker is None]
        for turn in resumed:
            turn.set()
        for job in new:
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

    def _give_way(self, job: Job) -> None:
        """Let others have their turn, where this job has had its own; called by the job's thread."""
        let_pages_be_drawn()
        turn = threading.Event()
        with self._lock:
            now = time.monotonic()
            if len(self._paused) >= _MOST_PAUSED or not self._is_wanted(job, now):
                return
            self._leave(job, now)
            self._waiting[job], self._paused[job], self._moved = now, turn, now
        with job.paused() as still_paused:
            self._advance()
            while not turn.wait(_LOOK):
                still_paused()
                if job._is_stopped():
                    self._come_back(job)

    def _is_wanted(self, job: Job, now: float) -> bool:
        """Tell whether the place of a running job is due to others, or to what its own owner stands still for."""
        due = now - self._running.get(job, now) >= self.turn
        others = (other for other in self._waiting if not other.quiet)
        return any(due if other.owner != job.owner else other.awaited for other in others)

    def _come_back(self, job: Job) -> None:
        """Let a job that is to end do so at once, beyond the limit: it takes but a moment."""
        with self._lock:
            turn = self._paused.pop(job, None)
            if turn is not None:
                del self._waiting[job]
                self._running[job] = time.monotonic()
                turn.set()

    def _leave(self, job: Job, now: float) -> None:
        seconds = now - self._running.pop(job)
        if not job.quiet:  # nobody pays for what he did not ask for
            self._service.add(job.owner, seconds, now)

    def _run(self, job: Job) -> None:
        job.run()
        _note(job)
        with self._lock:
            self._moved = time.monotonic()
            self._leave(job, self._moved)
        self._advance()


def _note(job: Job) -> None:
    """Tell the server's log how a job ended, without anything of its visitor."""
    status = "abandoned" if job.abandoned else job.status
    waited, seconds = job.began - job.started, job.worked
    event("job", visit=visit_of(job.owner), status=status, waited=waited, seconds=seconds)


@cache
def queue() -> Queue:
    """Give the one queue of this process for fits and studies."""
    # What the libraries hold stays for good: no search for garbage need go through it again.
    gc.collect()
    gc.freeze()
    return Queue(fits_at_a_time())


@cache
def long_queue() -> Queue:
    """Give the one queue of this process for work of minutes, beside that of the fits: one at a time."""
    return Queue(1)


def side_queue() -> Queue:
    """Give the one queue for studies in processes, beside that of the fits, unless both are made elsewhere."""
    return _queue_of_processes() if scheduler() is None else queue()


@cache
def _queue_of_processes() -> Queue:
    return Queue(fits_at_a_time())


def file_queue() -> Queue:
    """Give the one queue for files on their way in and out: that of the fits, unless these are made elsewhere."""
    return queue() if scheduler() is None else _queue_beside_a_cluster()


@cache
def _queue_beside_a_cluster() -> Queue:
    return Queue(fits_at_a_time())


def make_room(threads: int) -> None:
    """Let as many jobs run at once as a cluster has threads for, unless the owner has set how many."""
    queue().limit = set_fits_at_a_time() or threads
    long_queue().limit = max(threads // _A_LONG_RUN, 1)
