"""Reading a table from whatever the user has: one function, one frozen result.

Everything is treated as data: nothing is evaluated, unpickled or calculated. The kind of file is told from
its first bytes, not from its name, and every kind of bad input has a sentence of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO

from opnb.data.excel_tables import is_workbook, read_excel
from opnb.data.limits import Limits
from opnb.data.other_tables import looks_like_arff, looks_like_json, read_arff, read_json
from opnb.data.packed_tables import read_parquet, unpack_gzip
from opnb.data.sniffing import find_encoding
from opnb.data.table import Table, bytes_hash
from opnb.data.text_tables import read_text
from opnb.data.wishes import (
    LINE_LENGTH,
    LINES_SHOWN,
    SUPPORTED,
    Reading,
    Trial,
    Wishes,
    header_wish,
    shown_lines,
)
from opnb.errors import DataError, ReadingError, needs

Source = bytes | str | os.PathLike[str] | BinaryIO | TextIO

_ZIP, _OLE, _PARQUET, _GZIP = b"PK\x03\x04", bytes.fromhex("D0CF11E0A1B11AE1"), b"PAR1", b"\x1f\x8b"
_JSON_NAMES = (".json", ".jsonl", ".ndjson")
_OTHERS = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF89a": "a GIF picture",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-zip archive",
    b"\x93NUMPY": "a NumPy file",
    b"\x80\x02": "a Python pickle",
    b"\x80\x03": "a Python pickle",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"$FL2@(#)": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"\x89HDF": "an HDF5 file",
    b"MATLAB 5.0": "a MATLAB file",
    b"ARROW1\x00": "an Arrow (Feather) file",
    b"SQLite format 3": "an SQLite database",
    b"RDX2\n": "an R data file",
    b"RDX3\n": "an R data file",
    b"{\\rtf": "a text document (RTF)",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"<?xml": "an XML file",
}


@needs("data")
def read_table(
    source: Source,
    *,
    name: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    header_row: int | Sequence[int] | None = None,
    sheet: str | int | None = None,
    limits: Limits | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Table:
    r"""Read a table from text of any delimiter, Excel (.xlsx), Parquet, JSON, ARFF, gzip of text, or pasted text.

    Parameters
    ----------
    source : bytes, path, file object or str
        A str with a line break in it is the text of a table itself, any other str is a path. What a stranger
        typed should come as bytes, which are never taken for a path.
    name : str, optional
        What to call the table; by default the file's name.
    encoding, delimiter, decimal, sheet : optional
        How to read it. What is None is found, and recorded in the table's settings. The delimiter " " stands
        for any run of white space; `decimal` is "." or ","; `sheet` is the name or the number (from 1) of a sheet.
    header : bool, optional
        Whether there is a row of names at all.
    header_row : int or pair of int, optional
        The row of the names, from 1, as an editor or a spreadsheet counts; two rows that follow each other are
        joined; 0 says that there is none. Goes before `header`.
    limits : Limits, optional
        Bounds on size and shape.
    should_stop : callable, optional
        Asked again and again while a large file is read; when it says True, reading ends with an error.

    Returns
    -------
    Table

    Raises
    ------
    ReadingError
        With a sentence that says what is wrong, where, and what to do; with the first lines, the sheets, what was
        tried, and the keyword to change.

    Examples
    --------
    >>> read_table("a;b\n1,5;x\n2,5;y").frame["a"].tolist()
    [1.5, 2.5]
    """
    limits, trial = limits or Limits(), Trial()
    try:
        header, header_rows = header_wish(header, header_row)
        wishes = Wishes(encoding, delimiter, decimal, header, header_rows, sheet, should_stop)
        _check_marks(wishes)
        data, found_name = _load(source, limits)
        name = name or found_name
        frame, settings, notes, news = _read(data, name, limits, wishes, trial)
    except DataError as error:
        raise trial.failed(error) from None
    return Table(frame, name, bytes_hash(data, settings, news), settings, tuple(notes))


def first_lines(data: bytes, encoding: str | None = None) -> tuple[str, ...]:
    """Give the first lines of a text file as they are, cut to a length that can be shown.

    Examples
    --------
    >>> from opnb.data import first_lines
    >>> first_lines(b"width,kind")
    ('width,kind',)
    """
    start = data[: 4 * LINES_SHOWN * LINE_LENGTH]
    try:
        text = start.decode(encoding or find_encoding(data), errors="replace")
    except LookupError:
        text = start.decode("latin-1")
    return shown_lines(text.removeprefix("\ufeff").splitlines())


def _check_marks(wishes: Wishes) -> None:
    if wishes.decimal not in (None, ".", ","):
        raise ReadingError(f"The decimal mark must be '.' or ',', not {wishes.decimal!r}.", change="decimal")
    if wishes.decimal is not None and wishes.decimal == wishes.delimiter:
        raise ReadingError(
            f"'{wishes.decimal}' cannot be both the decimal mark and the delimiter. Change one of them.",
            change="decimal",
        )


def _load(source: Source, limits: Limits) -> tuple[bytes, str]:
    """Get the bytes and a name, never more of them than the limit allows."""
    if isinstance(source, bytes):
        data, name = source, "table"
    elif isinstance(source, str) and ("\n" in source or "\r" in source):
        data, name = source.encode("utf-8", errors="replace"), "pasted text"
    elif isinstance(source, (str, os.PathLike)):
        return _load_path(Path(source), limits)
    elif hasattr(source, "read"):
        content = source.read(limits.max_bytes + 1)
        data = content.encode() if isinstance(content, str) else bytes(content)
        name = Path(str(getattr(source, "name", "table"))).name
    else:
        raise TypeError(f"read_table takes bytes, a path, a file object or text, not {type(source).__name__}.")
    limits.check_bytes(len(data))
    return data, name


def _load_path(path: Path, limits: Limits) -> tuple[bytes, str]:
    try:
        with path.open("rb") as file:
            limits.check_bytes(os.fstat(file.fileno()).st_size)
            data = file.read(limits.max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"The file '{path}' cannot be read: {reason}. Check its name and place.") from None
    limits.check_bytes(len(data))
    return data, path.name


def _read(data: bytes, name: str, limits: Limits, wishes: Wishes, trial: Trial) -> Reading:
    """Choose the reader by the first bytes."""
    if not data:
        raise ReadingError("The file is empty: it has no bytes. Choose another file.")
    _refuse_others(data, name.lower())
    if data.startswith(_ZIP):
        return read_excel(data, limits, wishes, trial)
    if data.startswith(_PARQUET):
        return read_parquet(data, limits)
    compressed = data.startswith(_GZIP)
    if compressed:
        data = unpack_gzip(data, limits)
        _refuse_others(data, "")
    trial.lines = first_lines(data, wishes.encoding)
    if looks_like_arff(data):
        return read_arff(data, limits, wishes, trial, compressed=compressed)
    surely_json = name.lower().removesuffix(".gz").endswith(_JSON_NAMES)
    if surely_json or looks_like_json(data):
        return read_json(data, limits, wishes, compressed=compressed)
    return read_text(data, limits, wishes, trial, compressed=compressed)


def _refuse_others(data: bytes, name: str) -> None:
    """Raise `ReadingError` for files that are known not to be readable tables."""
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise ReadingError("The Excel file is protected by a password. Save it without one.")
        raise ReadingError("This is an Excel file of the old kind (.xls). Save it as .xlsx or as CSV.")
    if data.startswith(_ZIP) and b"application/vnd.oasis.opendocument" in data[:200]:
        raise ReadingError("This is an OpenDocument file. Save the table as Excel (.xlsx) or as CSV.")
    if data.startswith(_ZIP) and not is_workbook(data):
        raise ReadingError("This is a zip archive, not a table. Unpack it and choose the table inside.")
    for ending, magic, kind in (
        (".xlsx", _ZIP, "Excel"),
        (".parquet", _PARQUET, "Parquet"),
        (".gz", _GZIP, "gzip"),
    ):
        if name.endswith(ending) and not data.startswith(magic):
            raise ReadingError(
                f"The file's name ends in {ending} but it is no {kind} file, or it is damaged. Save it again."
            )
    start = data[:64].lstrip().lower()
    for magic, kind in _OTHERS.items():
        if data.startswith(magic) or (magic[:1] == b"<" and start.startswith(magic)):
            raise ReadingError(f"This is {kind}, not a table. Save the table as {SUPPORTED}.")
