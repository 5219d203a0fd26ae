"""JSON and ARFF: tables whose columns are named and divided by the format itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from opnb.data.converting import missing_notes, tidy_frame
from opnb.data.limits import Limits
from opnb.data.sniffing import MISSING_MARKERS, find_encoding, sample_of
from opnb.data.table import ReadSettings
from opnb.data.text_tables import decoded, parse_columns, typed_columns
from opnb.data.wishes import Reading, Trial, Wishes
from opnb.errors import ReadingError

_JSON_START = re.compile(rb'\s*(\[\s*\{|\{\s*")')
_ARFF_START = re.compile(rb"(\s*(%[^\r\n]*)?[\r\n]+)*\s*@relation\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)\s+(.+)", re.IGNORECASE)
_JSON_FORMS = 'a list of records, [{"a": 1, "b": "x"}, …], one record a line, or columns, {"a": [1, …], "b": ["x", …]}'
_LONGEST_NUMBER = 18  # digits that surely fit into 64 bits


def looks_like_json(data: bytes) -> bool:
    """Tell JSON of records or columns from text by its first signs."""
    return bool(_JSON_START.match(data.removeprefix(b"\xef\xbb\xbf")[:1000]))


def looks_like_arff(data: bytes) -> bool:
    """Tell ARFF by its first statement."""
    return bool(_ARFF_START.match(data.removeprefix(b"\xef\xbb\xbf")[:100_000]))


# JSON -------------------------------------------------------------------------------------------------------------


def read_json(data: bytes, limits: Limits, wishes: Wishes, *, compressed: bool = False) -> Reading:
    """Read records or columns; nested values are refused."""
    encoding = wishes.encoding or find_encoding(data)
    text = decoded(data, encoding)
    _check_counts(text, limits)
    columns = _json_columns(_parsed(text))
    wishes.check_stop()
    limits.check_shape(len(next(iter(columns.values()), ())), len(columns))
    _refuse_nested(columns)
    import pandas as pd

    frame = pd.DataFrame({name: pd.Series(list(map(_json_value, values))) for name, values in columns.items()})
    if frame.empty:
        raise ReadingError("The JSON file holds no rows. Choose a file with rows of data.")
    tidy = tidy_frame(frame)
    settings = ReadSettings("json", compressed, encoding)
    return Reading(tidy.frame, settings, [*tidy.notes, *missing_notes(tidy.frame)], tidy.new)


def _check_counts(text: str, limits: Limits) -> None:
    """Refuse by counting signs what would fill the memory when parsed."""
    if text.count("{") + text.count("[") > max(limits.max_rows, limits.max_columns) + 2:
        raise ReadingError(
            f"The JSON file holds more records than the limit of {limits.max_rows:,}, or nested values. Use a sample."
        )
    if text.count(",") + text.count(":") > 2 * limits.max_cells:
        raise ReadingError(f"The JSON file holds more cells than the limit of {limits.max_cells:,}. Use a sample.")


def _parsed(text: str) -> Any:
    """Parse one value, or one record a line."""
    try:
        return _loads(text)
    except ReadingError:
        raise
    except ValueError as error:
        first = error
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
        raise _no_json(first)
    try:
        return [_loads(line) for line in lines]
    except ReadingError:
        raise
    except ValueError:
        raise _no_json(first) from None


def _no_json(error: ValueError) -> ReadingError:
    place = f" (line {error.lineno:,}, {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
    return ReadingError(f"The file is not valid JSON{place}. Save it again, as {_JSON_FORMS}.")


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError:
        raise _unknown_form("values within values") from None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


def _json_columns(value: Any) -> dict[str, list[Any]]:
    if isinstance(value, list) and value and all(isinstance(record, dict) for record in value):
        names = dict.fromkeys(name for record in value for name in record)
        return {name: [record.get(name) for record in value] for name in names}
    if isinstance(value, dict) and value and all(isinstance(column, list) for column in value.values()):
        return _even(value)
    if isinstance(value, dict) and value and all(isinstance(column, dict) for column in value.values()):
        keys = dict.fromkeys(key for column in value.values() for key in column)  # as pandas writes a frame
        return {name: [column.get(key) for key in keys] for name, column in value.items()}
    if isinstance(value, dict) and value and not any(isinstance(cell, (list, dict)) for cell in value.values()):
        return {name: [cell] for name, cell in value.items()}  # a single record
    raise _unknown_form("an empty list" if value in ([], {}) else "something else")


def _even(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise ReadingError(
            f"The columns of the JSON file are not of one length: '{short}' has {lengths[short]:,} values, '{long}' "
            f"has {lengths[long]:,}. Give every column the same number of values, null where one is missing."
        )
    return columns


def _unknown_form(what: str) -> ReadingError:
    return ReadingError(f"The JSON file holds {what}, not a table. Save it as {_JSON_FORMS}.")


def _refuse_nested(columns: dict[str, list[Any]]) -> None:
    for name, values in columns.items():
        row = next((i for i, value in enumerate(values) if isinstance(value, (list, dict))), None)
        if row is not None:
            raise ReadingError(
                f"The JSON file holds a list or an object within '{name}' (record {row + 1:,}), and a table has one "
                "value a cell. Give each part of it a name of its own, or leave it out."
            )


def _json_value(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
        return None if value in MISSING_MARKERS else value
    return value


# ARFF -------------------------------------------------------------------------------------------------------------


def read_arff(data: bytes, limits: Limits, wishes: Wishes, trial: Trial, *, compressed: bool = False) -> Reading:
    """Read the attributes and the dense rows of a Weka file; sparse rows are refused."""
    encoding = wishes.encoding or find_encoding(data)
    text = decoded(data, encoding)
    parts = re.split(r"^\s*@data[^\r\n]*", text, maxsplit=1, flags=re.IGNORECASE | re.MULTILINE)
    if len(parts) < 2:
        raise ReadingError("The ARFF file has no line '@data', and so no rows. Save it again, or as CSV.")
    trial.tried |= {"encoding": encoding}
    names = _attributes(parts[0].splitlines())
    limits.check_columns(len(names))
    body = re.sub(r"^[ \t]*%[^\r\n]*", "", parts[1], flags=re.MULTILINE)
    if not body.strip():
        raise ReadingError("The ARFF file has no rows below '@data'. Choose a file with rows of data.")
    if body.lstrip().startswith("{"):
        raise ReadingError("The ARFF file has sparse rows, which are not read. Save it in the dense form, or as CSV.")
    quote = "'" if "'" in sample_of(body) else '"'
    body = re.sub(r",[ \t]+", ",", body)
    above = text[: len(text) - len(parts[1])].count("\n")
    columns, notes = parse_columns(body, ",", len(names), above, "the list of attributes", quote=quote)
    frame, more, marked = typed_columns(columns, names, ".", limits, wishes)
    return Reading(frame, ReadSettings("arff", compressed, encoding), notes + more, tuple(marked))


def _attributes(lines: Iterable[str]) -> list[str]:
    names = []
    for number, line in enumerate(lines, start=1):
        if line.strip().lower().startswith("@attribute"):
            match = _ATTRIBUTE.fullmatch(line.strip())
            if match is None:
                raise ReadingError(f"Line {number:,} of the ARFF file names no attribute with its type. Save it again.")
            names.append(re.sub(r"\\(.)", r"\1", match[1].strip("'\"")))
    if not names:
        raise ReadingError("The ARFF file has no line '@attribute', and so no columns. Save it again, or as CSV.")
    return names
