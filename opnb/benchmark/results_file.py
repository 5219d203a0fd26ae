"""The results file of a run: rows are only ever appended, each as one line that is on disk before the next begins.

A process that is killed leaves at most one line without its end. Opening the file again cuts that line off, and
its task is done anew; all others are there and are not repeated. A file of version 0.1, which had no column for the
version, is continued with its own columns: nothing in it is written again.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from opnb import __version__
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.results import Results, read_results
from opnb.benchmark.rows import COLUMNS, COLUMNS_0_1, Row, line_of
from opnb.errors import DataError

try:
    import fcntl
except ImportError:  # not on Windows; there two runs into one file are not noticed
    fcntl = None  # type: ignore[assignment]


class ResultsFile:
    """A results file open for appending; no other run can write it meanwhile.

    Parameters
    ----------
    path : Path
    protocol : Protocol
    resume : bool
        Continue a file that is there. Without it, one that has something in it is refused.

    Attributes
    ----------
    finished : set of Task
        Tasks that have a row.
    notes : tuple of str
        What the reader should know about a file that is continued.
    """

    finished: set[Task]
    notes: tuple[str, ...] = ()
    _columns: tuple[str, ...] = COLUMNS

    def __init__(self, path: Path, protocol: Protocol, *, resume: bool) -> None:
        self.path = path
        try:
            # Not "append": a mode that cannot cut off a line that was not finished.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as fault:
            raise DataError(f"{path} cannot be written: {fault.strerror}. Choose another place.") from None
        self._file: BinaryIO = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            self._lock()
            self._begin(protocol, resume)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, row: Row) -> None:
        """Write a row and wait until it is on disk."""
        if row.task in self.finished:
            raise DataError(f"{self.path} has a row of {row.method} on '{row.dataset}', repeat {row.repeat} already.")
        self._write(line_of(row, self._columns))
        self.finished.add(row.task)

    def pending(self, tasks: Iterable[Task]) -> list[Task]:
        """Give the tasks that have no row yet."""
        return [task for task in tasks if task not in self.finished]

    def results(self) -> Results:
        """Read the file as it stands."""
        return read_results(self.path)

    def _lock(self) -> None:
        """Lock the file until it is closed or the process ends, however it ends."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataError(f"Another run is writing {self.path}. Wait for it, or choose another file.") from None

    def _begin(self, protocol: Protocol, resume: bool) -> None:
        size = self._file.seek(0, os.SEEK_END)
        if size and not resume:
            raise DataError(f"{self.path} is there already. Add --resume to continue it, or choose another file.")
        self.finished = self._recovered(protocol) if size else set()
        if self._file.seek(0, os.SEEK_END) == 0:
            self._write(line_of(None))

    def _recovered(self, protocol: Protocol) -> set[Task]:
        """Cut off an unfinished line and find the tasks of the others, which must be of the same experiment."""
        self._file.seek(0)
        data = self._file.readall()  # type: ignore[attr-defined]  # of an unbuffered file
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and not line_of(None).startswith(data):
            raise DataError(f"{self.path} is no results file. Choose another one.")
        results = read_results(whole, str(self.path)) if whole else None
        if results is not None:
            self._columns = self._columns_of(whole)
            self._check(results, protocol)
            self.notes = _said_of_versions(results, self.path)
        self._file.truncate(len(whole))
        return results.tasks() if results is not None else set()

    def _columns_of(self, whole: bytes) -> tuple[str, ...]:
        for columns in (COLUMNS, COLUMNS_0_1):
            if whole.startswith(line_of(None, columns)):
                return columns
        raise DataError(f"{self.path} has other columns than this version writes. Choose another file.")

    def _check(self, results: Results, protocol: Protocol) -> None:
        others = set(results.frame["protocol"]) - {protocol.settings()}
        if others:
            raise DataError(
                f"{self.path} was made with other settings: {sorted(others)[0]}, not {protocol.settings()}. Use those, "
                "or choose another file."
            )

    def _write(self, line: bytes) -> None:
        while line:  # a full disk may take a part
            line = line[self._file.write(line) :]
        os.fsync(self._file.fileno())


def _said_of_versions(results: Results, path: Path) -> tuple[str, ...]:
    """Say which rows this version of the program did not make."""
    counts = results.frame["version"].value_counts()
    others = [(name or "0.1", count) for name, count in counts.items() if name != __version__]
    if not others:
        return ()
    made = ", ".join(f"{count:,} by version {name}" for name, count in sorted(others))
    return (
        f"{path} has rows that another version made ({made}); this is {__version__}. What they measure may differ: "
        "begin a new file to compare like with like.",
    )
