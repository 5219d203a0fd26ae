"""Processes that do tasks one after another and can be stopped.

A task that hangs, or that brings its process down, costs its own row and nothing else.

A box is a Python process that reads a protocol and then tasks as lines of JSON and answers each with a row. It
lives as long as its input is open, so it never outlives the process that started it.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import warnings
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import IO

from joblib import Parallel, delayed

from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.rows import Row, timed_out, unfinished

READY = "ready"
_START_SECONDS = 300
_COMMAND = "from opnb.benchmark.child import main; main()"
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


class Box:
    """One process, started when it is first needed and again after it ended."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Number of the process, if there is one."""
        return None if self._process is None else self._process.pid

    def run(self, task: Task) -> Row:
        """Do a task; a process that ends or takes too long is a row, too."""
        if not self._start():
            return unfinished(self.protocol, task, "failed", "The process for the task could not be started.")
        self._send(asdict(task))
        try:
            line = self._lines.get(timeout=self.protocol.timeout)
        except queue.Empty:
            self._stop()
            return timed_out(self.protocol, task)
        if line.endswith("\n"):
            return Row(**json.loads(line))
        return unfinished(self.protocol, task, "failed", f"The process ended with status {self._stop()}.")

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        self._stop()

    def _start(self) -> bool:
        if self._closed or (self._process is not None and self._process.poll() is None):
            return not self._closed
        self._process = spawn(_COMMAND)
        self._lines = queue.SimpleQueue()
        listen(self._process, self._lines)
        self._send(asdict(self.protocol))
        return self._is_ready()

    def _is_ready(self) -> bool:
        """Wait for the imports: the time of a task begins after them."""
        try:
            ready = self._lines.get(timeout=_START_SECONDS).strip() == READY
        except queue.Empty:
            ready = False
        if not ready:
            self._stop()
        return ready

    def _send(self, message: dict[str, object]) -> None:
        # A process that has ended takes nothing; the missing answer will tell.
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()

    def _stop(self) -> int | None:
        """End the process and give its status."""
        if self._process is None:
            return None
        self._process.kill()
        status = self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):  # what was still to be sent has no reader any more
                self._process.stdin.close()
        return status


def spawn(command: str) -> subprocess.Popen[str]:
    """Start a Python process with one numerical thread that can be written to and listened to, line by line."""
    environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf8",
        env=environment,
    )


def listen(process: subprocess.Popen[str], lines: "queue.SimpleQueue[str]") -> None:
    """Pass on, in a thread, what a process says; the empty text at its end, too."""
    threading.Thread(target=_pass_on, args=(process.stdout, lines), daemon=True).start()


def _pass_on(stream: IO[str], lines: "queue.SimpleQueue[str]") -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.close()
