"""Reading results, whoever wrote them: every cell is checked, nothing in them is ever run.

A file that is still being written, or whose writer was killed, may end in the middle of a line. That line is left
out and said; any other fault is an error that names its line and column.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from opnb.benchmark.protocol import Task
from opnb.benchmark.rows import COLUMNS, REQUIRED, STATUSES, Row
from opnb.data.limits import megabytes
from opnb.errors import DataError

MAX_BYTES = 100 * 2**20
MOST_RESULTS = 500_000
_LONGEST_NAME = 200
_LONGEST_TEXT = 20_000
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{0,40}")
# Programs that know no missing whole numbers write 100 as 100.0.
_WHOLE = re.compile(r"([0-9]{1,15})(?:\.0)?")


@dataclass(frozen=True, eq=False)
class Results:
    """Checked results.

    Attributes
    ----------
    frame : pandas.DataFrame
        One row a task, with the columns of `Row`; numbers that are not known are NaN. Not to be changed.
    source : str
        Where they come from.
    notes : tuple of str
        What the reader should know about the file.
    """

    frame: pd.DataFrame = field(repr=False)
    source: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def from_rows(cls, rows: Iterable[Row], source: str = "", notes: Sequence[str] = ()) -> "Results":
        """Collect rows, in the order of their data set, method and repeat."""
        frame = pd.DataFrame([tuple(vars(row).values()) for row in rows], columns=list(COLUMNS))
        frame = frame.astype(_TYPES).sort_values(["dataset", "method", "repeat"], ignore_index=True)
        return cls(frame, source, tuple(notes))

    def tasks(self) -> set[Task]:
        """Give the tasks that have a row."""
        columns = (self.frame[name] for name in ("repeat", "dataset", "method"))
        return {Task(int(repeat), dataset, method) for repeat, dataset, method in zip(*columns, strict=True)}


def read_results(source: str | Path | bytes, name: str = "") -> Results:
    """Read a results file.

    Parameters
    ----------
    source : path or bytes
        The CSV file, or what is in it.
    name : str, optional
        What to call it in messages; the path by default.

    Returns
    -------
    Results

    Raises
    ------
    DataError
        If it is not a results file, or holds something that no benchmark writes.
    """
    called = name or (str(source) if not isinstance(source, bytes) else "The file")
    lines = _cells(_text(_bytes(source, called), called), called)
    position = _columns(lines[0][1], called)
    return _parsed(lines, position, called)


def _bytes(source: str | Path | bytes, called: str) -> bytes:
    if isinstance(source, bytes):
        data = source
    else:
        try:
            with Path(source).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as fault:
            raise DataError(f"{called} cannot be read: {fault.strerror}. Check the path.") from None
    if len(data) > MAX_BYTES:
        raise DataError(f"{called} has more than {megabytes(MAX_BYTES)}: no results file is as large. Choose another.")
    return data


def _text(data: bytes, called: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # The end of a file that is being written can fall inside a character.
        text = _decoded_but_for_the_end(data, called)
    if "\0" in text:
        raise DataError(f"{called} is not text. A results file is the CSV file that 'opnb benchmark' writes.")
    return text


def _decoded_but_for_the_end(data: bytes, called: str) -> str:
    try:
        return data[: data.rfind(b"\n") + 1].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{called} is not UTF-8 text. A results file is a CSV file of 'opnb benchmark'.") from None


def _cells(text: str, called: str) -> list[tuple[int, list[str], bool]]:
    """Cut the text into (line number, cells, whether the line is whole)."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[tuple[int, list[str], bool]] = []
    try:
        for cells in reader:
            if cells:
                lines.append((reader.line_num, cells, True))
            if len(lines) > MOST_RESULTS + 1:
                raise DataError(f"{called} has more than {MOST_RESULTS:,} rows: no results file is as long.")
    except csv.Error as fault:
        # Quotation marks that the end of the file leaves open belong to a line that was cut short.
        if text.endswith("\n") or reader.line_num < text.count("\n"):
            raise DataError(f"{called}, line {reader.line_num}: not CSV ({fault}).") from None
        lines.append((reader.line_num, [], False))
    if not lines:
        raise DataError(f"{called} is empty. Run 'opnb benchmark' to fill it.")
    if not text.endswith("\n"):
        lines[-1] = (*lines[-1][:2], False)
    return lines


def _columns(header: list[str], called: str) -> dict[str, int]:
    """Find the columns by their names; others are not looked at."""
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise DataError(
            f"{called} is no results file of 'opnb benchmark': it has no column {', '.join(map(repr, missing[:3]))}"
            f"{' and others' if len(missing) > 3 else ''}."
        )
    double = [name for name in COLUMNS if header.count(name) > 1]
    if double:
        raise DataError(f"{called} has more than one column '{double[0]}'. Keep one.")
    return {name: header.index(name) for name in COLUMNS if name in header}


def _parsed(lines: list[tuple[int, list[str], bool]], position: dict[str, int], called: str) -> Results:
    width, rows, notes = len(lines[0][1]), {}, []
    for number, cells, whole in lines[1:]:
        try:
            row = _row(cells, width, position, whole)
        except DataError as fault:
            if whole:
                raise DataError(f"{called}, line {number}: {fault}") from None
            notes.append(f"The last line, {number}, was cut short and is left out.")
            continue
        if row.task in rows:
            raise DataError(
                f"{called}, line {number}: a second row of {row.method} on '{row.dataset}', repeat {row.repeat}. "
                "Take one of them out."
            )
        rows[row.task] = row
    versions = sorted({row.version for row in rows.values()} - {""})
    if len(versions) > 1:
        notes.append(f"The rows were made by different versions of the program: {', '.join(versions)}.")
    return Results.from_rows(rows.values(), called, notes)


def _row(cells: list[str], width: int, position: dict[str, int], whole: bool) -> Row:
    if len(cells) != width:
        raise DataError(f"{len(cells)} cells, but the first line has {width}.")
    if not whole and "protocol" in position and not cells[position["protocol"]]:
        raise DataError("the last cell was cut off.")
    values = {"version": ""} | {name: _PARSERS[name](name, cells[at]) for name, at in position.items()}
    if not whole:  # its version may be a part of one
        values["version"] = ""
    if values["status"] == "ok" and (math.isnan(values["error"]) or None in (values["n"], values["p"], values["K"])):
        raise DataError("the status is ok, but error, n, p or K is empty.")
    if values["status"] != "ok" and not math.isnan(values["error"]):
        raise DataError(f"the status is {values['status']}, but there is an error rate.")
    return Row(**values)


def _name(column: str, cell: str) -> str:
    if not cell.strip() or len(cell) > _LONGEST_NAME or not cell.isprintable():
        raise DataError(f"{column} must be a name of at most {_LONGEST_NAME} printable characters, not {cell[:40]!r}.")
    return cell


def _any_text(column: str, cell: str) -> str:
    if len(cell) > _LONGEST_TEXT:
        raise DataError(f"{column} has {len(cell):,} characters; {_LONGEST_TEXT:,} is the limit.")
    return "".join(c if c.isprintable() else " " for c in cell)


def _json(column: str, cell: str) -> str:
    text = _any_text(column, cell)
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DataError(f"{column} must be a JSON object, not {cell[:40]!r}.")
    return cell or "{}"


def _version(column: str, cell: str) -> str:
    if not _VERSION.fullmatch(cell):
        raise DataError(f"{column} must be a version such as 0.2.0, or empty, not {cell[:40]!r}.")
    return cell


def _status(column: str, cell: str) -> str:
    if cell not in STATUSES:
        raise DataError(f"{column} must be one of {', '.join(STATUSES)}, not {cell[:40]!r}.")
    return cell


def _whole(column: str, cell: str, *, least: int, optional: bool = False) -> int | None:
    if optional and not cell:
        return None
    written = _WHOLE.fullmatch(cell)
    if not written or int(written[1]) < least:
        raise DataError(f"{column} must be a whole number from {least} on, not {cell[:40]!r}.")
    return int(written[1])


def _number(column: str, cell: str, *, most: float) -> float:
    """Read a number from zero to `most`; an empty cell is not known."""
    if not cell:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        limits = f"from 0 to {most:g}" if math.isfinite(most) else "from 0 on"
        raise DataError(f"{column} must be a number {limits}, or empty, not {cell[:40]!r}.")
    return value


def _repeat(column: str, cell: str) -> int | None:
    return _whole(column, cell, least=0)


def _size(column: str, cell: str) -> int | None:
    return _whole(column, cell, least=1, optional=True)


def _share(column: str, cell: str) -> float:
    return _number(column, cell, most=1.0)


def _amount(column: str, cell: str) -> float:
    return _number(column, cell, most=math.inf)


_KINDS: dict[Callable[[str, str], Any], tuple[str, tuple[str, ...]]] = {
    _name: ("str", ("dataset", "method")),
    _repeat: ("int64", ("repeat",)),
    _share: ("float64", ("error", "share_binary", "class_variance", "error_centroid", "error_1nn")),
    _amount: ("float64", ("log_loss", "seconds_tune", "seconds_fit")),
    _size: ("float64", ("n", "p", "K")),
    _json: ("str", ("params", "protocol")),
    _status: ("str", ("status",)),
    _any_text: ("str", ("message",)),
    _version: ("str", ("version",)),
}
_PARSERS = {name: parse for parse, (_, names) in _KINDS.items() for name in names}
_TYPES = {name: kind for kind, names in _KINDS.values() for name in names}
