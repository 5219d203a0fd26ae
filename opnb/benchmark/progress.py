"""How far a run is, as numbers and as a bar on the terminal."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

_WIDTH = 28
_SECONDS_BETWEEN_LINES = 30


@dataclass(frozen=True)
class Progress:
    """The state of a run.

    Attributes
    ----------
    done, total : int
        Tasks with a row, those of earlier runs included.
    before : int
        Tasks that had a row when this run began.
    bad : int
        Rows of this run without an error rate.
    seconds : float
        Since this run began.
    notes : tuple of str
        What to know about the file that is continued; given once, at the beginning.
    """

    done: int
    total: int
    before: int = 0
    bad: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def seconds_left(self) -> float | None:
        """What the rest takes if it goes on as it went; None before the first row."""
        fresh = self.done - self.before
        return self.seconds / fresh * (self.total - self.done) if fresh else None


Report = Callable[[Progress], None]


class Bar:
    """Show progress: a bar that moves on a terminal, else a line now and then.

    Parameters
    ----------
    stream : text file, optional
        The standard error stream by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._moves = self._stream.isatty()
        self._last = -float("inf")

    def __call__(self, progress: Progress) -> None:
        """Show where the run is."""
        for note in progress.notes:
            print(note, file=self._stream)
        if self._moves:
            end = "\n" if progress.done == progress.total else ""
            print(f"\r\x1b[K{bar_line(progress)}", end=end, file=self._stream, flush=True)
        elif progress.done == progress.total or time.monotonic() - self._last > _SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            print(bar_line(progress), file=self._stream, flush=True)


def bar_line(progress: Progress) -> str:
    """Write progress on one line."""
    filled = _WIDTH * progress.done // max(progress.total, 1)
    parts = [f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {progress.done:,} of {progress.total:,} rows"]
    if progress.bad:
        parts.append(f"{progress.bad:,} without a result")
    parts.append(f"{clock(progress.seconds)} gone")
    if progress.seconds_left is not None and progress.done < progress.total:
        parts.append(f"about {clock(progress.seconds_left)} left")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Write a duration for a reader, e.g. '2:05' or '1:02:05'."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
