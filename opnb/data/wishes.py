"""What the caller of `read_table` asked for, and what a reader hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from opnb.data.table import ReadSettings
from opnb.errors import DataError, ReadingError, ReadingStoppedError

if TYPE_CHECKING:
    import pandas as pd

LINES_SHOWN, LINE_LENGTH = 20, 200
SUPPORTED = "CSV and other text, Excel (.xlsx), Parquet, JSON, ARFF, or gzip of text"


@dataclass(frozen=True)
class Wishes:
    """The settings a user gave; what is None is to be found.

    `header_rows` counts rows from 1, as an editor or a spreadsheet does; it is empty where `header` alone decides.
    """

    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    header_rows: tuple[int, ...] = ()
    sheet: str | int | None = None
    should_stop: Callable[[], bool] | None = None

    def check_stop(self) -> None:
        """Raise `ReadingStoppedError` when the caller wants no table any more."""
        if self.should_stop is not None and self.should_stop():
            raise ReadingStoppedError("Reading was stopped before the table was complete. Choose the file again.")


@dataclass
class Trial:
    """What is known of a file while it is being read, for the error if there is one."""

    lines: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    tried: dict[str, Any] = field(default_factory=dict)

    def failed(self, error: DataError) -> ReadingError:
        """Give the error with all that is known."""
        kind = type(error) if isinstance(error, ReadingError) else ReadingError
        return kind(
            str(error),
            change=getattr(error, "change", ""),
            lines=self.lines,
            sheets=self.sheets,
            tried=self.tried,
            remedies=error.remedies,
        )


class Reading(NamedTuple):
    """A table as a reader gives it.

    `news` names what version 0.1 would have read otherwise; it enters the table's hash, so that tables which that
    version read in the same way keep the hash they had.
    """

    frame: pd.DataFrame
    settings: ReadSettings
    notes: list[str]
    news: tuple[str, ...] = ()


def header_wish(header: bool | None, header_row: int | Iterable[int] | None) -> tuple[bool | None, tuple[int, ...]]:
    """Bring the two ways to speak of the row of names to one; a row 0 means that there is none."""
    if header_row is None:
        return header, ()
    if isinstance(header_row, int):
        header_row = (header_row,) if header_row else ()
    rows = tuple(header_row)
    if not rows:
        return False, ()
    fine = all(isinstance(row, int) and row >= 1 for row in rows)
    if not fine or len(rows) > 2 or rows != tuple(range(rows[0], rows[0] + len(rows))):
        raise ReadingError(
            "The row of names is a number from 1 on, or two that follow each other, as in 2 and 3; 0 says that there "
            "is none.",
            change="header_row",
        )
    return True, rows


def shown_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Cut lines to what can be shown to the user; what cannot be printed becomes a question mark of its own."""
    return tuple(_shown(line) for line, _ in zip(lines, range(LINES_SHOWN), strict=False))


def _shown(line: str) -> str:
    line = line.rstrip("\r\n")
    cut = line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…"
    return "".join(letter if letter.isprintable() or letter == "\t" else "\ufffd" for letter in cut)
