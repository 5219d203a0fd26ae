"""Files are read without keeping the server from others: small uploads at once, the rest in their turn, elsewhere.

A small text file is read in the thread of its page, which costs milliseconds. What is large, and what may unpack to
something large, waits in the queue of the fits and is read by another process, which has limits on its time and memory
and ends when its visitor leaves or wants something else.
"""

from __future__ import annotations

import io
import json
import tempfile
import time
import zipfile
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from opnb.data import Limits, Table, read_table
from opnb.data.kept_tables import kept_table, table_values, table_words
from opnb.errors import OPNBError, ReadingError, Remedy
from opnb.studio.work.errands import Attended
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import reading_limits, tables_folder
from opnb.studio.work.process import OutOfTimeError, Say, run_in_child

# As bytes of text that take as long to read: the start of another process costs as much as some megabytes.
_LIGHT = 4 * 2**20
_SLOW_KINDS = 10  # an Excel file's XML against text
# Of the server's own tables: more than anyone may send, and still what a fit can have in memory.
TABLE_LIMITS = Limits(max_bytes=4 * 2**30, max_uncompressed=8 * 2**30, max_rows=10_000_000, max_cells=100_000_000)
_TABLE_ENDINGS = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz")
_MOST_LISTED = 500
_PACKED_UP_TO = 1_000  # times its size, which gzip and Parquet may unpack to
_TABLE, _WORDS, _ERROR = "table.parquet", "table.json", "error.json"


def read_upload(errand: Attended, data: bytes, name: str, limits: Limits, **reading: Any) -> Table:
    """Read a file that a visitor sent.

    Parameters
    ----------
    errand : Attended
        Of the visitor, for what is not read at once.
    data : bytes
    name : str
    limits : Limits
    **reading
        Corrections, as keywords of `opnb.data.read_table`.

    Raises
    ------
    ReadingError
        As `read_table`; also where it takes more time or memory than the server allows.
    """
    if len(data) > limits.max_bytes or weight(data) <= _LIGHT:
        deadline = time.monotonic() + reading_limits().seconds
        return read_table(data, name=name, limits=limits, should_stop=lambda: time.monotonic() > deadline, **reading)
    with tempfile.TemporaryDirectory(prefix="opnb-reading-") as folder:
        file = Path(folder, "upload")
        file.write_bytes(data)
        return _read_in_turn(errand, folder, file, name, limits, reading)


def read_server_table(errand: Attended, name: str) -> Table:
    """Read a table of the server's own, which its owner offers; always elsewhere, as it may be large.

    Raises
    ------
    ReadingError
        Where there is none of this name, and as `read_upload`.
    """
    if name not in server_tables():  # a name that is on the list leads nowhere else
        raise ReadingError(f"This server offers no table '{name}'. Choose one of its list on the Data page.")
    with tempfile.TemporaryDirectory(prefix="opnb-reading-") as folder:
        return _read_in_turn(errand, folder, _folder_of_tables() / name, name, TABLE_LIMITS, {})


def server_tables() -> list[str]:
    """List the tables that the owner offers: files of the folder itself that are no links to others."""
    folder = tables_folder()
    try:
        found = [] if folder is None else list(folder.iterdir())
        names = [file.name for file in found if _is_table(file)]
    except OSError:  # no such folder, or none that may be read
        return []
    return sorted(names)[:_MOST_LISTED]


def _folder_of_tables() -> Path:
    folder = tables_folder()
    assert folder is not None
    return folder


def _is_table(file: Path) -> bool:
    return file.name.lower().endswith(_TABLE_ENDINGS) and not file.is_symlink() and file.is_file()


def _read_in_turn(
    errand: Attended, folder: str, file: Path, name: str, limits: Limits, reading: dict[str, Any]
) -> Table:
    try:
        errand.attend(partial(_read_elsewhere, folder, str(file), name, limits, reading))
    except OPNBError as error:
        raise ReadingError(str(error)) from None
    return _found(Path(folder), limits)


def weight(data: bytes) -> int:
    """Guess how much there is to do, in bytes of text, from the beginning and the declared sizes alone."""
    if data.startswith(b"PK"):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return _SLOW_KINDS * sum(part.file_size for part in archive.infolist())
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
            return len(data)  # the reader says what is wrong with it
    return len(data) * (_PACKED_UP_TO if data.startswith((b"\x1f\x8b", b"PAR1")) else 1)


def _read_elsewhere(folder: str, file: str, name: str, limits: Limits, reading: dict[str, Any], job: Job[None]) -> None:
    allowed = reading_limits()
    arguments = {"folder": folder, "file": file, "name": name, "limits": asdict(limits), "reading": reading}
    try:
        run_in_child(job, say_table, arguments, allowed=allowed, awaited=True)
    except OutOfTimeError:
        raise OPNBError(
            f"Reading this file took all the time that this server allows it, {allowed.seconds:,g} seconds, and was "
            "stopped. Save it as CSV or Parquet, or use fewer rows or columns."
        ) from None


def say_table(say: Say, folder: str, file: str, name: str, limits: dict[str, int], reading: dict[str, Any]) -> None:
    """Read a file, and leave in a folder what came of it; run by the other process."""
    place = Path(folder)
    try:
        table = read_table(Path(file).read_bytes(), name=name, limits=Limits(**limits), **reading)
    except ReadingError as error:
        about = {"words": str(error), "remedies": [asdict(remedy) for remedy in error.remedies]}
        about |= {part: getattr(error, part) for part in ("change", "lines", "sheets", "tried")}
        (place / _ERROR).write_text(json.dumps(about), encoding="utf8")
        return
    (place / _TABLE).write_bytes(table_values(table))
    (place / _WORDS).write_text(json.dumps(table_words(table)), encoding="utf8")


def _found(place: Path, limits: Limits) -> Table:
    if (place / _ERROR).is_file():
        about = json.loads((place / _ERROR).read_text(encoding="utf8"))
        remedies = tuple(Remedy(**remedy) for remedy in about.pop("remedies"))
        about |= {part: tuple(about[part]) for part in ("lines", "sheets")}
        raise ReadingError(about.pop("words"), remedies=remedies, **about)
    if not (place / _WORDS).is_file():
        raise ReadingError("Reading was stopped before the table was complete. Choose the file again.")
    words = json.loads((place / _WORDS).read_text(encoding="utf8"))
    # The other process has checked the table; as Parquet it may have more bytes than the file it came from.
    roomy = replace(limits, max_bytes=2**40, max_uncompressed=2**40)
    return kept_table(words, (place / _TABLE).read_bytes(), roomy)
