"""What reading gives: a frozen table, the settings it was read with, and notes for the user."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

_FORMATS = {
    "parquet": "Parquet file.",
    "json": "JSON file.",
    "arff": "ARFF file.",
    "memory": "Table made in memory.",
}


@dataclass(frozen=True)
class ReadSettings:
    """How a table was read: found in the file, or given by the user.

    Settings that have no meaning for a format are None. `header_rows` are the rows of the names, from 1, as an editor
    or a spreadsheet counts; it is no part of what is written out, because hashes of version 0.1 hang on that.
    """

    format: Literal["text", "excel", "parquet", "json", "arff", "memory"]
    compressed: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    header_rows: tuple[int, ...] = field(default=(), repr=False, compare=False)

    def sentence(self) -> str:
        """Say the settings in words."""
        if self.format == "excel":
            return f"Excel workbook, sheet '{self.sheet}', {_header_words(self)}."
        if self.format != "text":
            return _FORMATS[self.format]
        delimiters = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"}
        between = delimiters.get(str(self.delimiter), f"'{self.delimiter}'")
        mark = "comma" if self.decimal == "," else "point"
        packed = "Compressed text" if self.compressed else "Text"
        names = _header_words(self)
        return f"{packed}, {self.encoding}, columns divided by {between}, decimal {mark}, {names}."


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read, before any decision about it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Numbers (int64, float64), dates (datetime64) or text (str) by column; row labels are 0..n-1. Not to
        be changed.
    name : str
        What the user calls it; usually the file's name.
    content_hash : str
        sha256 of the bytes and the settings: equal hashes mean equal tables.
    settings : ReadSettings
        How it was read.
    notes : tuple of str
        Plain sentences about what was found and changed.
    description, provenance : str
        For the examples: what the table holds and where it comes from.
    """

    frame: pd.DataFrame = field(repr=False)
    name: str
    content_hash: str
    settings: ReadSettings
    notes: tuple[str, ...] = ()
    description: str = ""
    provenance: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, name: str, *, description: str = "", provenance: str = "") -> Table:
        """Wrap a frame that was made in memory."""
        from opnb.data.converting import tidy_frame

        tidy, notes, _ = tidy_frame(frame)
        return cls(
            tidy,
            name,
            frame_hash(tidy),
            ReadSettings("memory"),
            notes,
            description=description,
            provenance=provenance,
        )


def bytes_hash(data: bytes, settings: ReadSettings, news: tuple[str, ...] = ()) -> str:
    """Hash a file's bytes together with the settings that turn them into a table.

    `news` is what version 0.1 would have read otherwise; without any, the hash is the one of that version.
    """
    return hashlib.sha256(data + repr(settings).encode() + (repr(news).encode() if news else b"")).hexdigest()


def frame_hash(frame: pd.DataFrame) -> str:
    """Hash the values and the column names of a frame."""
    from pandas.util import hash_pandas_object

    rows = hash_pandas_object(frame, index=False).to_numpy().tobytes()
    return hashlib.sha256(rows + repr(list(frame.columns)).encode()).hexdigest()


def _header_words(settings: ReadSettings) -> str:
    if not settings.header:
        return "no row of names"
    if len(settings.header_rows) == 2:
        return "names in rows {} and {}".format(*settings.header_rows)
    first = settings.header_rows in ((), (1,))
    return "names in the first row" if first else f"names in row {settings.header_rows[0]}"
