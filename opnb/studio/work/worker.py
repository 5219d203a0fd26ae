"""The worker's end of the cluster: a job there, which is asked from afar how it is and told what to do.

The work sees a `Job` as it would in the server: it publishes its progress, says what it finds, and asks whether to
stop. The server asks several times a second; a worker that has not been asked for a while is alone, and stops.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opnb.errors import OPNBError
from opnb.studio.work.jobs import Job
from opnb.studio.work.parcel import Parcel, numbered

_ALONE = 30.0  # seconds without being asked
_LOOK = 0.1


@dataclass(frozen=True)
class Orders:
    """What the server tells a worker's job.

    Attributes
    ----------
    stop, abandoned : bool
        Whether to end, and whether that is because the visitor has left.
    held : bool
        Whether others have their turn.
    heard : int
        How many messages have arrived.
    """

    stop: bool = False
    abandoned: bool = False
    held: bool = False
    heard: int = 0


@dataclass(frozen=True)
class News:
    """What a worker's job tells the server: its progress, and the messages that have not arrived yet."""

    progress: Any
    messages: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of the work: a result or an error, and the last news."""

    result: Any
    error: Exception | None
    progress: Any
    messages: tuple[Any, ...]


class Seat:
    """A job at a worker."""

    def __init__(self, work: Any, owner: str) -> None:
        self.messages: list[Any] = []
        self.job: Job[Any] = Job(work, owner, self._is_asked, heard=self.messages.append)
        self.job.gives_way_by(self._give_way)
        self._asked = time.monotonic()
        self._free = threading.Event()
        self._free.set()
        self._aside = False

    def _is_asked(self) -> bool:
        return time.monotonic() - self._asked < _ALONE

    def obey(self, orders: Orders) -> News:
        """Do as the server says, and tell it how things are."""
        self._asked = time.monotonic()
        if orders.stop:
            self.job.abandoned = orders.abandoned
            self.job.cancel()
        (self._free.clear if orders.held and not orders.stop else self._free.set)()
        return News(self.job.progress, tuple(self.messages[orders.heard :]))

    def step_aside(self) -> None:
        """Let the worker take another job: the thread no longer counts as one of its own."""
        from distributed import secede

        if not self._aside:  # Dask lets no thread leave twice
            self._aside = True
            secede()

    def _give_way(self) -> None:
        """Let others have this worker while the job is held; called by the job's thread."""
        if self._free.is_set():
            return
        self.step_aside()
        with self.job.paused():
            while not self._free.wait(_LOOK) and self._is_asked():
                pass


_seats: dict[str, Seat] = {}


def do_work(name: str, owner: str, parcel: Parcel, limits: Mapping[str, str], beside: bool) -> Outcome:
    """Do the work in a parcel, beside that of others or not; run as a task by a worker of the cluster."""
    os.environ.update(limits)  # the worker keeps to what the server's owner allows
    seat = _seats[name] = Seat(parcel.work, owner)
    try:
        if beside:
            seat.step_aside()
        result, error = _outcome(seat.job)
    finally:
        del _seats[name]
    return Outcome(numbered(result, parcel.kept), error, seat.job.progress, tuple(seat.messages))


def _outcome(job: Job[Any]) -> tuple[Any, Exception | None]:
    """Do the work; an error is told in a form that every process can read."""
    try:
        return job.do(), None
    except OPNBError as error:
        return None, OPNBError(str(error))
    except MemoryError:
        return None, MemoryError()
    except ValueError as error:
        return None, ValueError(str(error))
    except Exception:
        return None, RuntimeError(traceback.format_exc())


def exchange(name: str, orders: Orders) -> News | None:
    """Pass orders to a job of this worker; None where it has not begun, or has ended."""
    seat = _seats.get(name)
    return None if seat is None else seat.obey(orders)


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    return record.args != (exchange.__name__,)


# Dask notes every question in the worker's log: some hundred thousand lines a day.
logging.getLogger("distributed.worker").addFilter(_is_worth_a_line)
