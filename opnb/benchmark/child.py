"""The process inside a box (see `opnb.benchmark.boxes`): tasks in, rows out, as lines of JSON."""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, TextIO

from opnb.benchmark.boxes import READY
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.tasks import run_task


@contextmanager
def conversation() -> Iterator[tuple[Callable[[], dict[str, Any]], Callable[[str], None]]]:
    """Give a function that waits for the parent's next message, and one that answers it with a line."""
    # Ctrl-C goes to all processes of a terminal; the parent decides what becomes of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Answers have the output for themselves: what a library prints goes to the errors.
    with os.fdopen(os.dup(1), "w", encoding="utf8") as answers:
        os.dup2(2, 1)
        messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(messages,), daemon=True).start()
        yield messages.get, partial(_answer, answers)


def main() -> None:
    """Answer until the input ends."""
    with conversation() as (hear, answer):
        protocol = Protocol(**hear())
        answer(READY)
        while True:
            answer(json.dumps(asdict(run_task(protocol, Task(**hear())))))


def _answer(answers: TextIO, line: str) -> None:
    try:
        print(line, file=answers, flush=True)
    except BrokenPipeError:
        os._exit(0)  # the parent was killed; without the usual end, which would try to write again


def _read(messages: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """Pass on the input; at its end the parent is gone or done, and a task under way is of no use."""
    for line in sys.stdin:
        messages.put(json.loads(line))
    os._exit(0)
