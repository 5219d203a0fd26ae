"""Long work in a process of its own: its answers as they come, and an end at once when nobody wants them.

A process keeps the server's own threads free, and what a method does to the process it runs in stays there. It is of
low priority unless somebody waits for it, lives no longer than the server, and gets no more time and memory than the
server's owner allows. While others have their turn it is halted, and that time is not counted.

To start one takes seconds, most of them for what it imports. So one that did short work may be kept for the next.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from opnb.errors import OPNBError
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import Cost, run_seconds

if TYPE_CHECKING:
    from opnb.benchmark.child import Child

Say = Callable[[dict[str, Any]], None]
_PROBLEM, _DONE = "ended because", "done"
_COMMAND = "from opnb.studio.work.process import serve; serve()"
_LOOK = 0.1  # seconds between two looks at whether to stop
_NICENESS = 5  # a fit that somebody waits for goes first
_KEPT = 300.0  # seconds that a process waits for more work


class OutOfTimeError(OPNBError):
    """Raised for work that took all the time there is.

    Parameters
    ----------
    seconds : float
        How much there was.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"This took all the time that this server allows a run, {seconds:,g} seconds, and was stopped. "
            "What was done by then is kept."
        )


def run_in_child(
    job: Job[Any],
    work: Callable[..., None],
    arguments: dict[str, Any],
    heard: Say = lambda answer: None,
    allowed: Cost | None = None,
    *,
    awaited: bool = False,
    keep: bool = False,
) -> None:
    """Let a process call a function and hear what it says; return when it is done, or soon after a stop.

    Parameters
    ----------
    job : Job
        Ends the process when it is stopped.
    work : callable
        A function of a module, called with a function that says something to us (a dict for JSON) and the arguments.
    arguments : dict
        For JSON.
    heard : callable
        Gets everything that is said.
    allowed : Cost, optional
        The most that it may take; the time of a run, and any memory, by default.
    awaited : bool, default=False
        Whether somebody waits for it: then it is of no lower priority than the server.
    keep : bool, default=False
        Whether to take a process that is there, and to let it wait for more work of this kind. Not for `awaited` work.

    Raises
    ------
    OPNBError
        What the process found wrong, that it ended, or that it took all the time there is.
    """
    from opnb.benchmark.child import Child

    allowed = allowed or Cost(run_seconds(), math.inf)
    deadline = job.worked + allowed.seconds
    child = (_kept.take() if keep else None) or Child(_COMMAND)
    job.held_by(child.hold)
    done = False
    try:
        child.tell(
            {
                "work": [work.__module__, work.__qualname__],
                "arguments": arguments,
                "niceness": 0 if awaited else _NICENESS,
                "megabytes": allowed.megabytes if allowed.megabytes < math.inf else None,
            }
        )
        while not (done or job.stopping):
            if job.worked > deadline:
                raise OutOfTimeError(allowed.seconds)
            with suppress(TimeoutError):
                done = _heard_all(child, heard)
    finally:
        job.held_by(lambda held: None)
        _kept.put(child) if keep and done else child.end()


def _heard_all(child: Child, heard: Say) -> bool:
    """Pass the next answer on; tell whether it was the last."""
    answer = child.hear(_LOOK)
    if answer is None:
        raise OPNBError(
            f"The process that did the work ended with status {child.status()}. The server's log may say why."
        )
    if _PROBLEM in answer:
        raise OPNBError(answer[_PROBLEM])
    if _DONE not in answer:
        heard(answer)
    return _DONE in answer


class _Kept:
    """The processes that wait for more work; each is ended when none has come for a while."""

    def __init__(self) -> None:
        self._children: dict[Child, float] = {}  # since when
        self._lock = threading.Lock()

    def take(self) -> Child | None:
        """Give the one that was used last, if there is one."""
        with self._lock:
            while self._children:
                child, _ = self._children.popitem()
                if child.is_running:
                    return child
                child.end()
        return None

    def put(self, child: Child) -> None:
        """Let one wait."""
        with self._lock:
            self._children[child] = time.monotonic()
        look = threading.Timer(_KEPT, self.end, (_KEPT - _LOOK,))
        look.daemon = True
        look.start()

    def end(self, age: float = 0.0) -> None:
        """End those that have waited for so long."""
        now = time.monotonic()
        with self._lock:
            for child in [child for child, since in self._children.items() if now - since >= age]:
                del self._children[child]
                child.end()


_kept = _Kept()
atexit.register(_kept.end)


def serve() -> None:
    """Be the process: do what the parent asks for."""
    from opnb.benchmark.child import conversation

    niceness = 0
    with conversation() as (hear, say):
        while True:  # it ends with its input
            request = hear()
            if hasattr(os, "nice"):
                os.nice(request["niceness"] - niceness)
            niceness = request["niceness"]
            _limit_memory(request["megabytes"])
            module, name = request["work"]
            try:
                getattr(import_module(module), name)(say, **request["arguments"])
                say({_DONE: True})
            except OPNBError as problem:
                say({_PROBLEM: str(problem)})
            except MemoryError:
                say({_PROBLEM: "This needs more memory than this server allows it. Use fewer rows or columns."})


def _limit_memory(megabytes: float | None) -> None:
    """Let this process have no more memory than that, where the system can; asking for more fails."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if megabytes is not None:
        most = int(megabytes * 2**20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
