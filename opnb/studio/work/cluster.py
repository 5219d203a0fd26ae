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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
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


def hand_over(work: Callable[[Job[T]], T], job: Job[T], *, beside: bool = False) -> T:
    """Have the work of a job done where this server has it done, and give its result.

    Parameters
    ----------
    work : callable
        As of a `Job`; it, its data and its result can be pickled.
    job : Job
    beside : bool, default=False
        Whether it is work of a process of low priority: it takes no thread of the worker away from others.

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
    parcel, client = parcel_of(work), connected(address)
    with _place(client) as worker:
        line = Line(client, worker, job)
        outcome = line.follow(parcel, beside)
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
    except (OSError, CancelledError, FutureCancelledError, KilledWorker):
        raise LostWorkError(_AWAY) from None


def threads_of(client: Any) -> Mapping[str, int]:
    """Ask the scheduler how many threads its workers have, and let as many jobs run."""
    with _in_words():
        threads: Mapping[str, int] = client.nthreads()
    if not threads:
        raise LostWorkError(_NO_WORKERS)
    make_room(sum(threads.values()))
    return threads


def _tasks(client: Any) -> Mapping[str, Sequence[str]]:
    """Ask the scheduler which tasks its workers have."""
    with _in_words():
        if client.status != "running":
            raise ConnectionError  # to wait for another connection would keep a stop waiting
        found: Mapping[str, Sequence[str]] = client.sync(
            client.scheduler.processing, workers=None, callback_timeout=_PATIENCE
        )
        return found


_placing = threading.Lock()
# Jobs of this process by worker: the scheduler hears of one a while after it was sent.
_placed: Counter[str] = Counter()


@contextmanager
def _place(client: Any) -> Iterator[str]:
    """Give the worker that has least to do a job more, and its address."""
    threads, busy = threads_of(client), _tasks(client)
    with _placing:
        worker = min(threads, key=lambda name: max(len(busy.get(name, ())), _placed[name]) / threads[name])
        _placed[worker] += 1
    try:
        yield worker
    finally:
        with _placing:
            _placed[worker] -= 1
            if not _placed[worker]:
                del _placed[worker]


class Line:
    """The line between a job here and its work at a worker.

    Parameters
    ----------
    client : distributed.Client
    worker : str
        Its address.
    job : Job

    Attributes
    ----------
    heard : int
        How many messages have arrived.
    """

    def __init__(self, client: Any, worker: str, job: Job[Any]) -> None:
        self.client, self.worker, self.job, self.heard = client, worker, job, 0
        self._begun = False

    def follow(self, parcel: Parcel, beside: bool) -> Outcome:
        """Send the work, ask how it is until it is done, and give what comes back."""
        task, ended = self._sent(parcel, beside), threading.Event()
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
    def _sent(self, parcel: Parcel, beside: bool) -> Any:
        """Send the work, and give the task that it is there."""
        limits = {name: os.environ[name] for name in VARIABLES if name in os.environ and name != SCHEDULER_VARIABLE}
        place = {"workers": [self.worker]}
        try:
            data = self.client.scatter(parcel, hash=False, **place)
        except OSError:  # among them that it takes too long
            raise
        except Exception as fault:
            _log.exception("the cluster refused work")
            raise OPNBError(_UNEQUAL.format(type(fault).__name__)) from None
        return self.client.submit(
            do_work, self.job.id, self.job.owner, data, limits, beside, key=self.job.id, pure=False, **place
        )

    def _outcome(self, task: Any) -> Outcome:
        """Give what came back; what the work itself met with is a part of that."""
        try:
            with _in_words():
                found: Outcome = task.result(timeout=_PATIENCE)
                return found
        except (ImportError, AttributeError) as fault:
            raise OPNBError(_UNEQUAL.format(fault)) from None
        except LostWorkError:
            _tasks(self.client)  # the scheduler is there, so the worker went
            raise LostWorkError(_DIED) from None

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
        if self.worker not in _tasks(self.client):
            raise LostWorkError(_DIED)
        with suppress(OSError):
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
        client = _clients.pop(address, None)
        if client is not None and client.status != "running":
            with suppress(Exception):  # it may wait for a scheduler that is gone
                client.close(timeout=1)
            client = None
        _clients[address] = client or _new_client(address)
        return _clients[address]


def _new_client(address: str) -> Any:
    with needs("cluster"):
        from distributed import Client
    connect = partial(Client, address, timeout=_CONNECT, set_as_default=False)
    try:
        try:
            return connect()
        except AssertionError:  # Dask's own: the scheduler had other news for it before the answer
            return connect()
    except (OSError, ValueError):  # the last for what is no address
        raise LostWorkError(_AWAY) from None


def cluster_is_well() -> bool:
    """Tell whether the cluster answers and has workers; a server without one has nothing to ask."""
    address = scheduler()
    if address is None:
        return True
    try:
        threads_of(connected(address))
    except Exception:
        return False
    return True
