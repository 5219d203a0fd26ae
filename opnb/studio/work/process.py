"""Long work in a process of its own: its answers as they come, and an end at once when nobody wants them.

A process keeps the server's own threads free, and what a method does to the warnings filter stays in it. It is of low
priority and lives no longer than the server (see `opnb.studio.work.child`). One such work runs at a time for all
visitors, beside the fits, which have a queue of their own.
"""

from __future__ import annotations

import json
import queue
import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from opnb.errors import OPNBError
from opnb.studio.work.jobs import Job, Queue

PROBLEM = "ended because"
_COMMAND = "from opnb.studio.work.child import main; main()"
_QUICK = 0.8  # seconds: work that is done by then is shown without the way there
_STEP = 0.1  # seconds between two looks at whether to stop


@cache
def long_queue() -> Queue:
    """Give the one queue of this process for work of minutes."""
    return Queue(1)


class Background:
    """Work of a visit that goes on while other pages are looked at.

    Attributes
    ----------
    job : Job or None
        The work under way.
    problem : str
        Why the last one ended before its end; empty if it did not, or if it was stopped.
    """

    def __init__(self) -> None:
        self.job: Job[None] | None = None
        self.problem = ""

    def begin(self, work: Callable[[Job[None]], None], owner: str, alive: Callable[[], bool]) -> None:
        """Put work into the queue."""
        self.problem = ""
        self.job = long_queue().submit(Job(work, owner, alive))

    def cancel(self) -> None:
        """Stop the work under way; what it has said stays."""
        if self.job is not None:
            long_queue().cancel(self.job)

    def wait_briefly(self) -> None:
        """Give quick work, or a stop, the time to end, so that the page does not flicker."""
        if self.job is not None:
            self.job.wait(_QUICK if self.job.stopping else max(_QUICK - self.job.seconds, 0.0))
        self.collect()

    def collect(self) -> None:
        """Notice that the work has ended."""
        if self.job is not None and self.job.finished:
            self.problem, self.job = self.job.error, None


def follow(job: Job[Any], request: dict[str, Any], take: Callable[[dict[str, Any]], None]) -> None:
    """Let a process do some work and take each of its answers; return when it is done, or soon after a stop.

    Parameters
    ----------
    job : Job
        Ends the process when it is stopped.
    request : dict
        What `opnb.studio.work.child` understands, for JSON.
    take : callable
        Gets every answer.

    Raises
    ------
    OPNBError
        What the process found wrong, or that it ended.
    """
    from opnb.benchmark.boxes import listen, spawn

    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    process = spawn(_COMMAND)
    try:
        listen(process, lines)
        _send(process, request)
        while not job.stopping:
            with suppress(queue.Empty):
                line = lines.get(timeout=_STEP)
                if not line:
                    _check_end(process)
                    return
                _pass(json.loads(line), take)
    finally:
        _end(process)


def _send(process: subprocess.Popen[str], request: dict[str, Any]) -> None:
    assert process.stdin is not None
    with suppress(OSError):  # a process that has ended takes nothing; its status will tell
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()


def _pass(answer: dict[str, Any], take: Callable[[dict[str, Any]], None]) -> None:
    if PROBLEM in answer:
        raise OPNBError(answer[PROBLEM])
    take(answer)


def _check_end(process: subprocess.Popen[str]) -> None:
    status = process.wait()
    if status != 0:
        raise OPNBError(f"The process that did the work ended with status {status}. The server's log may say why.")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdin is not None:
        with suppress(OSError):  # what was still to be sent has no reader any more
            process.stdin.close()
