"""Another Python process that is told what to do and answers, both as lines of JSON: the two ends of the conversation.

The process lives as long as its input is open, so it never outlives the one that started it.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any, TextIO

Message = dict[str, Any]
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


class Child:
    """The parent's end: a Python process with one numerical thread.

    Parameters
    ----------
    command : str
        The code that it runs, which uses `conversation`.
    """

    def __init__(self, command: str) -> None:
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf8",
            env=environment,
            # What it starts itself is halted and ended with it. Of the same session, so that the system wakes and ends
            # one that is halted when this process is killed.
            process_group=None if sys.platform == "win32" else 0,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_pass_on, args=(self._process.stdout, self._lines), daemon=True).start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def tell(self, message: Message) -> None:
        """Send a message; a process that has ended takes none, which the missing answer will tell."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def hear(self, timeout: float | None = None) -> Message | None:
        """Wait for the next answer; None when the process has ended.

        Raises
        ------
        TimeoutError
            When none has come after `timeout` seconds.
        """
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        answer: Message | None = json.loads(line) if line.endswith("\n") else None
        return answer

    def status(self) -> int:
        """Wait for the end of the process and give its status."""
        return self._process.wait()

    def hold(self, held: bool) -> None:
        """Halt the process and all that it started, or let them go on; where the system cannot, nothing happens."""
        self._signal("SIGSTOP" if held else "SIGCONT")

    def _signal(self, name: str) -> None:
        number = getattr(signal, name, None)
        if number is not None and hasattr(os, "killpg") and self.is_running:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._signal("SIGKILL")
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):  # what was still to be sent has no reader any more
                self._process.stdin.close()


def _pass_on(stream: IO[str], lines: "queue.SimpleQueue[str]") -> None:
    """Pass on what a process says; the empty text at its end, too."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


@contextmanager
def conversation() -> Iterator[tuple[Callable[[], Message], Callable[[Message], None]]]:
    """Give the child's end: a function that waits for the parent's next message, and one that answers."""
    # Ctrl-C goes to all processes of a terminal; the parent decides what becomes of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Answers have the output for themselves: what a library prints goes to the errors.
    with os.fdopen(os.dup(1), "w", encoding="utf8") as answers:
        os.dup2(2, 1)
        messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(messages,), daemon=True).start()
        yield messages.get, partial(_answer, answers)


def _answer(answers: TextIO, message: Message) -> None:
    try:
        print(json.dumps(message), file=answers, flush=True)
    except BrokenPipeError:
        os._exit(0)  # the parent was killed; without the usual end, which would try to write again


def _read(messages: "queue.SimpleQueue[Message]") -> None:
    """Pass on the input; at its end the parent is gone or done, and a task under way is of no use."""
    for line in sys.stdin:
        messages.put(json.loads(line))
    os._exit(0)
