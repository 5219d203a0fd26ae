"""What reading gives: a frozen table, the settings it was read with, and notes for the user."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ReadSettings:
    """How a table was read: found in the file, or given by the user.

    Settings that have no meaning for a format are None.
    """

    format: Literal["text", "excel", "parquet", "memory"]
    compressed: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Say the settings in words."""
        if self.format == "excel":
            return f"Excel workbook, sheet '{self.sheet}', {_header_words(self.header)}."
        if self.format != "text":
            return "Parquet file." if self.format == "parquet" else "Table made in memory."
        delimiters = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"}
        between = delimiters.get(str(self.delimiter), f"'{self.delimiter}'")
        mark = "comma" if self.decimal == "," else "point"
        packed = "Compressed text" if self.compressed else "Text"
        names = _header_words(self.header)
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

        tidy, notes = tidy_frame(frame)
        return cls(
            tidy,
            name,
            frame_hash(tidy),
            ReadSettings("memory"),
            notes,
            description=description,
            provenance=provenance,
        )


def bytes_hash(data: bytes, settings: ReadSettings) -> str:
    """Hash a file's bytes together with the settings that turn them into a table."""
    return hashlib.sha256(data + repr(settings).encode()).hexdigest()


def frame_hash(frame: pd.DataFrame) -> str:
    """Hash the values and the column names of a frame."""
    from pandas.util import hash_pandas_object

    rows = hash_pandas_object(frame, index=False).to_numpy().tobytes()
    return hashlib.sha256(rows + repr(list(frame.columns)).encode()).hexdigest()


def _header_words(header: bool | None) -> str:
    return "names in the first row" if header else "no row of names"
