"""Long work in a process of its own: its answers as they come, and an end at once when nobody wants them.

A process keeps the server's own threads free, and what a method does to the process it runs in stays there. It is of
low priority, lives no longer than the server, and gets no more time than the server's owner allows.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from opnb.errors import OPNBError
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import run_seconds

Say = Callable[[dict[str, Any]], None]
_PROBLEM = "ended because"
_COMMAND = "from opnb.studio.work.process import serve; serve()"
_LOOK = 0.1  # seconds between two looks at whether to stop
_NICENESS = 5  # a fit that somebody waits for goes first


def run_in_child(job: Job[Any], work: Callable[..., None], arguments: dict[str, Any], heard: Say) -> None:
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

    Raises
    ------
    OPNBError
        What the process found wrong, that it ended, or that it took all the time there is.
    """
    from opnb.benchmark.child import Child

    allowed = run_seconds()
    deadline = time.monotonic() + allowed
    child = Child(_COMMAND)
    try:
        child.tell({"work": [work.__module__, work.__qualname__], "arguments": arguments})
        while not job.stopping:
            if time.monotonic() > deadline:
                raise OPNBError(
                    f"This took all the time that this server allows a run, {allowed:,g} seconds, and was "
                    "stopped. What was done by then is kept."
                )
            with suppress(TimeoutError):
                answer = child.hear(_LOOK)
                if answer is None:
                    _check_end(child.status())
                    return
                _pass(answer, heard)
    finally:
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

    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    with conversation() as (hear, say):
        request = hear()
        module, name = request["work"]
        try:
            getattr(import_module(module), name)(say, **request["arguments"])
        except OPNBError as problem:
            say({_PROBLEM: str(problem)})
