"""Long work in a process of its own: its answers as they come, and an end at once when nobody wants them.

A process keeps the server's own threads free, and what a method does to the process it runs in stays there. It is of
low priority unless somebody waits for it, lives no longer than the server, and gets no more time and memory than the
server's owner allows. While others have their turn it is halted, and that time is not counted.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from opnb.errors import OPNBError
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import Cost, run_seconds

Say = Callable[[dict[str, Any]], None]
_PROBLEM = "ended because"
_COMMAND = "from opnb.studio.work.process import serve; serve()"
_LOOK = 0.1  # seconds between two looks at whether to stop
_NICENESS = 5  # a fit that somebody waits for goes first


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

    Raises
    ------
    OPNBError
        What the process found wrong, that it ended, or that it took all the time there is.
    """
    from opnb.benchmark.child import Child

    allowed = allowed or Cost(run_seconds(), math.inf)
    deadline = job.worked + allowed.seconds
    child = Child(_COMMAND)
    job.held_by(child.hold)
    try:
        child.tell(
            {
                "work": [work.__module__, work.__qualname__],
                "arguments": arguments,
                "niceness": 0 if awaited else _NICENESS,
                "megabytes": allowed.megabytes if allowed.megabytes < math.inf else None,
            }
        )
        while not job.stopping:
            if job.worked > deadline:
                raise OutOfTimeError(allowed.seconds)
            with suppress(TimeoutError):
                answer = child.hear(_LOOK)
                if answer is None:
                    _check_end(child.status())
                    return
                _pass(answer, heard)
    finally:
        job.held_by(lambda held: None)
        child.end()


def _pass(answer: dict[str, Any], heard: Say) -> None:
    if _PROBLEM in answer:
        raise OPNBError(answer[_PROBLEM])
    heard(answer)


def _check_end(status: int) -> None:
    if status != 0:
        raise OPNBError(f"The process that did the work ended with status {status}. The server's log may say why.")


def serve() -> None:
    """Be the process: do what the parent asks for."""
    from opnb.benchmark.child import conversation

    with conversation() as (hear, say):
        request = hear()
        if hasattr(os, "nice"):
            os.nice(request["niceness"])
        _limit_memory(request["megabytes"])
        module, name = request["work"]
        try:
            getattr(import_module(module), name)(say, **request["arguments"])
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
