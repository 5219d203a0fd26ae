"""Where long work is done: in the thread of its job, or by a worker of the Dask cluster that the server's owner names.

With the environment variable OPNB_SCHEDULER a job keeps its thread and its place in the queue here, but its work is
sent to the worker that has least to do (see `opnb.studio.work.worker`). The thread asks how it is several times a
second: progress and messages arrive with the answers; a stop, and the turns of others, go out with the questions.
A worker or a scheduler that goes away ends the job with words, and nothing else.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from typing import Any, TypeVar

from opnb.errors import OPNBError, needs
from opnb.studio.work.jobs import Job, LostWorkError, make_room
from opnb.studio.work.limits import SCHEDULER_VARIABLE, VARIABLES, scheduler
from opnb.studio.work.parcel import Parcel, filled, parcel_of
from opnb.studio.work.worker import News, Orders, Outcome, do_work, exchange

T = TypeVar("T")
_log = logging.getLogger(__name__)
_CONNECT = 5.0  # seconds for the scheduler to answer at first
_PATIENCE = 60.0  # seconds for the scheduler to answer, which has to load this package at first, or outcomes to arrive
_ANSWER = 5.0  # seconds for a worker to answer; one that imports or packs something may be asked again
_LOOK = 0.15  # seconds between two questions
_AWAY = (
    "The cluster that does the work of this server does not answer, so this was not done. Your data and your other "
    "fits are not touched. Ask for it again in a while."
)
_NO_WORKERS = "The cluster that does the work of this server has no workers just now. Ask for it again in a while."
_DIED = "The machine that did this work went away before it was done. Ask for it again: another one will do it."
_UNEQUAL = (
    "The cluster does not understand what this server asks for ({}). Whoever runs the app must install the same "
    "version of it for the server, the scheduler and all workers."
)
_NOT_INSTALLED = (
    f"The server was not started: {SCHEDULER_VARIABLE} names a cluster, but Dask is not installed here. Install it "
    "(pip install -r requirements.txt, or pip install 'opnb[app,cluster]'), or take the variable away."
)
_NOT_BEGUN = "This was stopped before it had begun."


def check_installed() -> None:
    """End a server that is being started for a cluster and could not talk to it."""
    if scheduler() is not None and find_spec("distributed") is None:
        sys.exit(_NOT_INSTALLED)


def hand_over(work: Callable[[Job[T]], T], job: Job[T]) -> T:
    """Have the work of a job done where this server has it done, and give its result.

    Parameters
    ----------
    work : callable
        As of a `Job`; it, its data and its result can be pickled.
    job : Job

    Raises
    ------
    LostWorkError
        Where the cluster, or the worker that was at it, is gone.
    Exception
        What the work raises.
    """
    address = scheduler()
    if address is None:
        return work(job)
    parcel = parcel_of(work)
    line = Line(connected(address), job)
    outcome = line.follow(parcel)
    line.take(News(outcome.progress, outcome.messages[line.heard :]))
    if outcome.error is not None:
        raise outcome.error
    result: T = filled(outcome.result, parcel.kept)
    return result


@contextmanager
def _in_words() -> Iterator[None]:
    """Say that the cluster is gone where its own errors say so."""
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except (OSError, TimeoutError, CancelledError, FutureCancelledError, KilledWorker):
        raise LostWorkError(_AWAY) from None


class Line:
    """The line between a job here and its work at a worker.

    Parameters
    ----------
    client : distributed.Client
    job : Job

    Attributes
    ----------
    heard : int
        How many messages have arrived.
    """

    def __init__(self, client: Any, job: Job[Any]) -> None:
        self.client, self.job, self.heard = client, job, 0
        self._begun = False

    def follow(self, parcel: Parcel) -> Outcome:
        """Send the work, ask how it is until it is done, and give what comes back."""
        task, ended = self._sent(parcel), threading.Event()
        task.add_done_callback(lambda task: ended.set())
        self.job.held_by(self._hold)
        try:
            while not ended.wait(_LOOK):
                self._ask(stop=self.job.stopping)
            return self._outcome(task)
        finally:
            self.job.held_by(lambda held: None)
            with suppress(Exception):  # where the cluster is gone, so is the task
                task.cancel()

    @_in_words()
    def _sent(self, parcel: Parcel) -> Any:
        """Send the work to the worker that has least to do, and give the task that it is there."""
        limits = {name: os.environ[name] for name in VARIABLES if name in os.environ and name != SCHEDULER_VARIABLE}
        place = {"workers": [self.worker]}
        try:
            data = self.client.scatter(parcel, hash=False, **place)
        except Exception as fault:
            if isinstance(fault, OSError):  # among them that it takes too long
                raise
            _log.exception("the cluster refused work")
            raise OPNBError(_UNEQUAL.format(type(fault).__name__)) from None
        return self.client.submit(
            do_work, self.job.id, self.job.owner, data, limits, key=self.job.id, pure=False, **place
        )

    @cached_property
    def worker(self) -> str:
        """Address of the worker that had least to do when the work was sent."""
        threads = self.client.nthreads()
        if not threads:
            raise LostWorkError(_NO_WORKERS)
        make_room(sum(threads.values()))
        busy = self._tasks()
        return min(threads, key=lambda worker: len(busy.get(worker, ())) / threads[worker])

    def _outcome(self, task: Any) -> Outcome:
        """Give what came back; what the work itself met with is a part of that."""
        try:
            with _in_words():
                found: Outcome = task.result(timeout=_PATIENCE)
                return found
        except (ImportError, AttributeError) as fault:
            raise OPNBError(_UNEQUAL.format(fault)) from None
        except LostWorkError:
            self._tasks()  # the scheduler is there, so the worker went
            raise LostWorkError(_DIED) from None

    @_in_words()
    def _tasks(self) -> Mapping[str, Sequence[str]]:
        """Ask the scheduler which tasks its workers have."""
        if self.client.status != "running":
            raise ConnectionError  # to wait for another connection would keep a stop waiting
        found: Mapping[str, Sequence[str]] = self.client.sync(
            self.client.scheduler.processing, workers=None, callback_timeout=_PATIENCE
        )
        return found

    def _ask(self, *, stop: bool = False, held: bool = False) -> None:
        """Ask how the work is, and take what has come of it."""
        news = self._news(Orders(stop, self.job.abandoned, held, self.heard))
        if news is not None:
            self._begun = True
            self.take(news)
        elif stop and not self._begun:
            raise OPNBError(_NOT_BEGUN)

    def _news(self, orders: Orders) -> News | None:
        """Pass orders on; None where no answer comes: the work has not begun, or the worker is slow, or just gone."""
        if self.worker not in self._tasks():
            raise LostWorkError(_DIED)
        with suppress(OSError, TimeoutError):
            asked = self.client.run(exchange, self.job.id, orders, workers=[self.worker], callback_timeout=_ANSWER)
            return asked[self.worker]
        return None

    def take(self, news: News) -> None:
        """Publish what has come from the worker."""
        self.job.progress = news.progress
        for message in news.messages:
            self.heard += 1
            self.job.say(message)

    def _hold(self, held: bool) -> None:
        """Let the worker wait, or go on; where that fails, the next question tells why."""
        with suppress(Exception):
            self._ask(held=held)


_lock = threading.Lock()
_clients: dict[str, Any] = {}


def connected(address: str) -> Any:
    """Give the one connection of this process to a scheduler, made anew where it was lost."""
    with _lock:
        client = _clients.get(address)
        if client is None or client.status != "running":
            if client is not None:
                with suppress(Exception):  # it may wait for a scheduler that is gone
                    client.close(timeout=1)
            _clients.pop(address, None)
            client = _clients[address] = _new_client(address)
        return client


def _new_client(address: str) -> Any:
    with needs("cluster"):
        from distributed import Client
    try:
        return Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError):  # the last for what is no address
        raise LostWorkError(_AWAY) from None


def cluster_is_well() -> bool:
    """Tell whether the cluster answers and has workers; a server without one has nothing to ask."""
    address = scheduler()
    if address is None:
        return True
    try:
        threads = connected(address).nthreads()
    except Exception:
        return False
    if threads:
        make_room(sum(threads.values()))
    return bool(threads)
