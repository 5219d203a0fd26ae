"""Processes that do tasks one after another and can be stopped.

A task that hangs, or that brings its process down, costs its own row and nothing else.
"""

import queue
import threading
from collections.abc import Generator, Sequence
from dataclasses import asdict

from joblib import Parallel, delayed

from opnb.benchmark.child import Child, conversation
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.rows import Row, timed_out, unfinished
from opnb.benchmark.tasks import run_task
from opnb.quiet import own_warnings

_START_SECONDS = 300
_COMMAND = "from opnb.benchmark.boxes import serve; serve()"


class Box:
    """One process, started when it is first needed and again after it ended; see `serve`."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._child: Child | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Number of the process, if there is one."""
        return None if self._child is None else self._child.pid

    def run(self, task: Task) -> Row:
        """Do a task; a process that ends or takes too long is a row, too."""
        child = self._started()
        if child is None:
            return unfinished(self.protocol, task, "failed", "The process for the task could not be started.")
        child.tell(asdict(task))
        try:
            answer = child.hear(self.protocol.timeout)
        except TimeoutError:
            child.end()
            return timed_out(self.protocol, task)
        if answer is not None:
            return Row(**answer)
        return unfinished(self.protocol, task, "failed", f"The process ended with status {child.status()}.")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        if self._child is not None:
            self._child.end()

    def _started(self) -> Child | None:
        """Give the process, started where it is not there; None where it does not get ready."""
        if self._closed or (self._child is not None and self._child.is_running):
            return None if self._closed else self._child
        if self._child is not None:
            self._child.end()  # closes its input
        self._child = Child(_COMMAND)
        self._child.tell(asdict(self.protocol))
        return self._child if self._is_ready(self._child) else None

    def _is_ready(self, child: Child) -> bool:
        """Wait for the imports: the time of a task begins after them."""
        try:
            ready = child.hear(_START_SECONDS) is not None
        except TimeoutError:
            ready = False
        if not ready:
            child.end()
        return ready


def serve() -> None:
    """Be the process inside a box: hear a protocol, get ready, then answer every task with its row."""
    with conversation() as (hear, answer):
        protocol = Protocol(**hear())
        answer({"ready": True})
        while True:
            answer(asdict(run_task(protocol, Task(**hear()))))


_own = threading.local()


def run_in_own_box(protocol: Protocol, task: Task) -> Row:
    """Do a task in a process that belongs to this thread and stays for its next task."""
    box = getattr(_own, "box", None)
    if box is None or box.protocol != protocol:
        if box is not None:
            box.close()
        box = _own.box = Box(protocol)
    return box.run(task)


def run_in_boxes(protocol: Protocol, tasks: Sequence[Task], jobs: int) -> Generator[Row]:
    """Do tasks in processes of this machine; rows come as they are ready.

    Parameters
    ----------
    protocol : Protocol
    tasks : sequence of Task
    jobs : int
        Processes at a time.

    Yields
    ------
    Row
    """
    boxes = [Box(protocol) for _ in range(jobs)]
    free: queue.SimpleQueue[Box] = queue.SimpleQueue()
    for box in boxes:
        free.put(box)

    def run(task: Task) -> Row:
        taken = free.get()
        try:
            return taken.run(task)
        finally:
            free.put(taken)

    # Threads only wait for their boxes. In batches, finished rows would wait for unfinished ones.
    pool = Parallel(n_jobs=jobs, backend="threading", batch_size=1, return_as="generator_unordered")
    rows = pool(delayed(run)(task) for task in tasks)
    try:
        for row in rows:  # noqa: UP028  # the end of this generator must come before that of joblib's
            yield row
    finally:
        # First the processes, so that no thread waits for one; then the threads, whose tasks are given up knowingly.
        for box in boxes:
            box.close()
        with own_warnings():
            rows.close()
