"""A table to keep: its values as Parquet, the rest as plain values; and back, without trust.

What comes back equals what was kept: unlike an upload, the columns are not looked at anew, so that text stays text.
"""

from __future__ import annotations

import io
from dataclasses import asdict, fields
from typing import Any, get_args, get_type_hints

from opnb.data.limits import Limits
from opnb.data.packed_tables import open_parquet
from opnb.data.table import ReadSettings, Table
from opnb.errors import DataError

_TEXTS = ("name", "description", "provenance")
_LISTS = ("sheets", "header_rows")
_LONGEST, _MOST_NOTES = 10_000, 10_000
_HASH_LENGTH = 64


def table_values(table: Table) -> bytes:
    """Write the columns of a table as Parquet."""
    buffer = io.BytesIO()
    table.frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def table_words(table: Table) -> dict[str, Any]:
    """Give everything else about a table as plain values."""
    words: dict[str, Any] = {name: getattr(table, name) for name in _TEXTS}
    return words | {
        "content_hash": table.content_hash,
        "settings": _plain(asdict(table.settings)),
        "notes": list(table.notes),
    }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    return settings | {name: list(settings[name]) for name in _LISTS}


def kept_table(words: dict[str, Any], values: bytes, limits: Limits) -> Table:
    """Put a table together again.

    Parameters
    ----------
    words : dict
        From `table_words`, or from anyone.
    values : bytes
        From `table_values`, or from anyone.
    limits : Limits
        Bounds on size and shape.

    Raises
    ------
    DataError
        When anything in it is not as it was written.
    """
    _expect(words.keys() == {*_TEXTS, "content_hash", "settings", "notes"}, "its description is malformed")
    _expect(all(_is_text(words[name]) for name in _TEXTS), "its name is no text")
    _expect(_is_text(words["content_hash"]) and len(words["content_hash"]) == _HASH_LENGTH, "it has no mark")
    _expect(set(words["content_hash"]) <= set("0123456789abcdef"), "it has no mark")
    _expect(_are_texts(words["notes"]), "its notes are no texts")
    frame = open_parquet(values, limits)
    _expect(all(map(_is_plain, frame.dtypes)), "a column is neither numbers, dates nor text")
    _expect(frame.columns.is_unique, "two of its columns have one name")
    return Table(
        frame,
        words["name"],
        words["content_hash"],
        _settings(words["settings"]),
        tuple(words["notes"]),
        words["description"],
        words["provenance"],
    )


def _settings(values: Any) -> ReadSettings:
    names = {field.name for field in fields(ReadSettings)}
    _expect(isinstance(values, dict), "how it was read is malformed")
    values = {"header_rows": []} | values  # version 0.1 did not write it
    _expect(values.keys() == names, "how it was read is malformed")
    _expect(values["format"] in get_args(get_type_hints(ReadSettings)["format"]), "its format is unknown")
    for name in ("encoding", "delimiter", "decimal", "sheet"):
        _expect(values[name] is None or _is_text(values[name]), "how it was read is malformed")
    _expect(isinstance(values["compressed"], bool), "how it was read is malformed")
    _expect(values["header"] is None or isinstance(values["header"], bool), "how it was read is malformed")
    _expect(_are_rows(values["header_rows"]), "its rows of names are no numbers")
    _expect(_are_texts(values["sheets"]), "its sheets are no texts")
    _expect(values["format"] != "excel" or values["sheet"] in values["sheets"], "its sheet is not among its sheets")
    return ReadSettings(**(values | {name: tuple(values[name]) for name in _LISTS}))


def _is_plain(dtype: Any) -> bool:
    import pandas as pd

    kinds = pd.api.types
    return bool(
        dtype in ("int64", "float64")
        or (isinstance(dtype, pd.StringDtype) and dtype == pd.Series(["a"]).dtype)
        or kinds.is_datetime64_any_dtype(dtype)
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST


def _are_rows(values: Any) -> bool:
    fine = isinstance(values, list) and len(values) <= 2
    return fine and all(type(value) is int and 1 <= value <= 2**31 for value in values)


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and len(values) <= _MOST_NOTES and all(map(_is_text, values))


def _expect(condition: bool, why: str) -> None:
    if not condition:
        raise DataError(f"A table that was kept cannot be used: {why}.")
