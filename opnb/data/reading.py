"""Reading a table from whatever the user has: one function, one frozen result.

Everything is treated as data: nothing is evaluated, unpickled or calculated. The kind of file is told from
its first bytes, not from its name, and every kind of bad input has a sentence of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from opnb.data.limits import Limits
from opnb.data.packed_tables import is_workbook, read_excel, read_parquet, unpack_gzip
from opnb.data.table import ReadSettings, Table, bytes_hash
from opnb.data.text_tables import read_text
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    import pandas as pd

Source = bytes | str | os.PathLike[str] | BinaryIO | TextIO

_ZIP, _OLE, _PARQUET, _GZIP = b"PK\x03\x04", bytes.fromhex("D0CF11E0A1B11AE1"), b"PAR1", b"\x1f\x8b"
_OTHER_BINARIES = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-zip archive",
    b"\x93NUMPY": "a NumPy file",
    b"\x80\x04\x95": "a Python pickle",
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
    sheet: str | None = None,
    limits: Limits | None = None,
) -> Table:
    r"""Read a table from text of any delimiter, Excel (.xlsx), Parquet, gzip of text, or pasted text.

    Parameters
    ----------
    source : bytes, path, file object or str
        A str with a line break in it is the text of a table itself, any other str is a path. What a stranger
        typed should come as bytes, which are never taken for a path.
    name : str, optional
        What to call the table; by default the file's name.
    encoding, delimiter, decimal, header, sheet : optional
        How to read it. What is None is found, and recorded in the table's settings. The delimiter " " stands
        for any run of white space; `decimal` is "." or ","; `header` says whether the first row holds names;
        `sheet` names a sheet of a workbook.
    limits : Limits, optional
        Bounds on size and shape.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With a sentence that says what is wrong, where, and what to do.

    Examples
    --------
    >>> read_table("a;b\n1,5;x\n2,5;y").frame["a"].tolist()
    [1.5, 2.5]
    """
    limits = limits or Limits()
    if decimal not in (None, ".", ","):
        raise DataError(f"The decimal mark must be '.' or ',', not {decimal!r}.")
    if decimal is not None and decimal == delimiter:
        raise DataError(f"'{decimal}' cannot be both the decimal mark and the delimiter. Change one of them.")
    data, found_name = _load(source, limits)
    name = name or found_name
    frame, settings, notes = _read(
        data,
        name,
        limits,
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        header=header,
        sheet=sheet,
    )
    return Table(frame, name, bytes_hash(data, settings), settings, tuple(notes))


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


def _read(
    data: bytes,
    name: str,
    limits: Limits,
    *,
    encoding: str | None,
    delimiter: str | None,
    decimal: str | None,
    header: bool | None,
    sheet: str | None,
) -> tuple[pd.DataFrame, ReadSettings, list[str]]:
    """Choose the reader by the first bytes."""
    if not data:
        raise DataError("The file is empty: it has no bytes. Choose another file.")
    _refuse_others(data, name.lower())
    if data.startswith(_ZIP):
        return read_excel(data, limits, sheet=sheet, header=header)
    if data.startswith(_PARQUET):
        return read_parquet(data, limits)
    compressed = data.startswith(_GZIP)
    if compressed:
        data = unpack_gzip(data, limits)
    return read_text(
        data,
        limits,
        compressed=compressed,
        encoding=encoding,
        delimiter=delimiter,
        decimal=decimal,
        header=header,
    )


def _refuse_others(data: bytes, name: str) -> None:
    """Raise `DataError` for files that are known not to be readable tables."""
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise DataError("The Excel file is protected by a password. Save it without one.")
        raise DataError("This is an Excel file of the old kind (.xls). Save it as .xlsx or as CSV.")
    if data.startswith(_ZIP) and not is_workbook(data):
        raise DataError("This is a zip archive, not a table. Unpack it and choose the table inside.")
    for ending, magic, kind in (
        (".xlsx", _ZIP, "Excel"),
        (".parquet", _PARQUET, "Parquet"),
        (".gz", _GZIP, "gzip"),
    ):
        if name.endswith(ending) and not data.startswith(magic):
            raise DataError(
                f"The file's name ends in {ending} but it is no {kind} file, or it is damaged. Save it again."
            )
    for magic, kind in _OTHER_BINARIES.items():
        if data.startswith(magic):
            raise DataError(f"This is {kind}, not a table. Save the table as CSV, Excel (.xlsx) or Parquet.")
