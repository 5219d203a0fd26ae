"""From text to values: what counts as a number or a missing cell is decided here and told to the user.

Columns come as pyarrow string arrays. The usual column is converted by one vectorised cast; only a column
that resists (white space, thousands separators, mixed types) takes the slower way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from opnb.data.marks import without_marks
from opnb.data.sniffing import MISSING_MARKERS, NUMBER

if TYPE_CHECKING:
    import pandas as pd

_ANY_NUMBER = rf"^({NUMBER}|[+-]?(?i:inf(inity)?))$"


class Converted(NamedTuple):
    """A column as numbers (int64, float64) or text (str), what had to be done for it, and whether 0.1 did it too."""

    series: Any  # a pandas.Series, or None where the column cannot be used
    note: str = ""
    new: bool = False


def convert_text(column: Any, decimal: str) -> Converted:
    """Convert a column of text to numbers where every present value is one.

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray
        Strings; missing cells are null.
    decimal : {".", ","}
        The decimal mark.

    Returns
    -------
    Converted
        The note says what had to be done beyond the obvious; it is empty as a rule. 5 % becomes 5.
    """
    numbers = _cast(_with_point(column, decimal))
    if numbers is not None:
        return Converted(numbers)
    text = clean_text(column)
    found = _number_column(text, decimal)
    if found is not None:
        return found
    bare, mark = without_marks(text)
    if mark:
        found = _number_column(bare, decimal) or _number_column(bare, "," if decimal == "." else ".")
        if found is not None:
            return Converted(found.series, f"holds numbers with {mark}, which was taken off", True)
        return Converted(_points_in_numbers(bare, decimal).to_pandas(), f"holds {mark}, which was taken off", True)
    return Converted(_points_in_numbers(text, decimal).to_pandas())


def _number_column(text: Any, decimal: str) -> Converted | None:
    """Convert a trimmed column of numbers, of whatever notation, or give None."""
    attempts = (
        (_with_point(text, decimal), ""),
        (_without_thousands(text, decimal), "holds numbers with thousands separators; they were read as numbers"),
        (text, "is written with decimal points, unlike the rest; it was read as numbers"),
    )
    for attempt, note in attempts:
        numbers = _cast(attempt)
        if numbers is not None:
            return Converted(numbers, note, bool(note) and _has_apostrophes(text))
    return None


def clean_text(column: Any) -> Any:
    """Trim white space and make the missing markers null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(trimmed, value_set=pa.array(MISSING_MARKERS))
    return pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def numbers_in(series: pd.Series) -> np.ndarray:
    """Give a column as floats; what is no number is NaN.

    Parameters
    ----------
    series : pandas.Series
        Numbers, or text in which some cells are written as numbers.

    Returns
    -------
    ndarray of shape (n,)
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if pd.api.types.is_numeric_dtype(series):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if pd.api.types.is_datetime64_any_dtype(series):
        return np.full(len(series), np.nan)
    text = pa.array(series.astype("str"), type=pa.string(), from_pandas=True)
    is_number = pc.match_substring_regex(text, _ANY_NUMBER)
    values = pc.cast(pc.if_else(is_number, text, pa.scalar(None, pa.string())), pa.float64())
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def text_of(series: pd.Series) -> pd.Series:
    """Give a column as category labels; whole numbers are written without a decimal point.

    The same value gives the same label whether its column was read as integers, floats or text.
    """
    import pandas as pd

    if not pd.api.types.is_float_dtype(series):
        return series.astype("str")
    codes, values = pd.factorize(series)
    labels = [str(int(value)) if float(value).is_integer() else repr(float(value)) for value in values]
    return pd.Series(np.array([*labels, np.nan], dtype=object)[codes], index=series.index, dtype="str")


class Tidy(NamedTuple):
    """A frame of the few types a `Table` has, notes, and the columns that version 0.1 would have left as text."""

    frame: pd.DataFrame
    notes: tuple[str, ...]
    new: tuple[str, ...]


def tidy_frame(frame: pd.DataFrame) -> Tidy:
    """Bring a frame of any origin to the few types a `Table` has: numbers, dates and text.

    Returns
    -------
    Tidy
        With row labels 0..n-1 and unique names.
    """
    import pandas as pd

    names, notes = unique_names([str(name) for name in frame.columns])
    columns: dict[str, pd.Series] = {}
    new: list[str] = []
    for position, name in enumerate(names):
        found = _tidy_series(frame.iloc[:, position].reset_index(drop=True))
        if found.note:
            notes.append(f"Column '{name}' {found.note}.")
        if found.new:
            new.append(name)
        if found.series is not None:
            columns[name] = found.series
    return Tidy(pd.DataFrame(columns, index=range(len(frame))), tuple(notes), tuple(new))


def missing_notes(frame: pd.DataFrame) -> list[str]:
    """Say how many cells are missing, if any are."""
    missing = int(frame.isna().to_numpy().sum())
    if missing == 0:
        return []
    cells = "1 cell is" if missing == 1 else f"{missing:,} cells are"
    return [f"{cells} missing ({100 * missing / frame.size:.2g} %): empty, or marked by NA, ?, - or the like."]


def unique_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Give every column a name of its own, with notes about those that had to change."""
    taken = {name for name in names if name}
    result: list[str] = []
    notes: list[str] = []
    for position, name in enumerate(names, start=1):
        new = name or f"column {position}"
        copy = 2
        while new in result or (new != name and new in taken):
            new = f"{name or f'column {position}'} ({copy})"
            copy += 1
        if name and new != name:
            notes.append(f"The name '{name}' is used by more than one column; column {position} is now '{new}'.")
        result.append(new)
    return result, notes


def _tidy_series(series: pd.Series) -> Converted:
    """Give a column in one of the few types, without values where it cannot be used."""
    import pandas as pd

    kind = pd.api.types
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype)
    if kind.is_bool_dtype(series):
        return Converted(series.astype("str"))
    if kind.is_numeric_dtype(series) and not kind.is_complex_dtype(series):
        return Converted(_plain_numbers(series))
    if kind.is_datetime64_any_dtype(series):
        return Converted(series)
    if isinstance(series.dtype, pd.StringDtype):
        return _stored_as_text(series)
    return _tidy_objects(series)


def _tidy_objects(series: pd.Series) -> Converted:
    """Convert a column of Python objects (from Excel or JSON, or made in memory)."""
    import datetime
    import decimal

    import pandas as pd

    kinds = set(series.dropna().map(type))
    if kinds & {list, dict, tuple, set, bytes, np.ndarray}:
        return Converted(None, "holds lists or other nested values and was left out")
    if kinds and kinds <= {datetime.date, datetime.datetime, pd.Timestamp}:
        return Converted(pd.to_datetime(series, errors="coerce"))
    if all(issubclass(kind, (int, float, np.number, decimal.Decimal)) and kind is not bool for kind in kinds):
        return Converted(_plain_numbers(series.astype("float64")))
    found = _stored_as_text(series.map(str, na_action="ignore"))
    return found if str in kinds else Converted(found.series)


def _stored_as_text(series: pd.Series) -> Converted:
    import pandas as pd
    import pyarrow as pa

    found = convert_text(pa.array(series, pa.string(), from_pandas=True), ".")
    if not found.note and pd.api.types.is_numeric_dtype(found.series) and found.series.notna().any():
        return Converted(found.series, "holds numbers stored as text; they were read as numbers")
    return found


def _plain_numbers(series: pd.Series) -> pd.Series:
    """Store numbers as int64 when all are present and whole in type, else as float64."""
    import pandas as pd

    if pd.api.types.is_integer_dtype(series) and not series.isna().any():
        with_room = series.max() <= np.iinfo(np.int64).max if len(series) else True
        return series.astype("int64" if with_room else "float64")
    return pd.Series(series.to_numpy(dtype=np.float64, na_value=np.nan), index=series.index)


def _cast(text: Any) -> pd.Series | None:
    """Cast a column of text to int64 or float64, or give None where a value is no number."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if text.null_count == len(text):
        return pd.Series(np.full(len(text), np.nan))
    # a cast that fails is twenty times as slow as one that succeeds, so most are refused by their first
    # values
    if pc.any(pc.invert(pc.match_substring_regex(text.slice(0, 100), _ANY_NUMBER))).as_py():
        return None
    try:
        numbers = pc.cast(text, pa.float64()).to_pandas()
    except pa.ArrowInvalid:
        return None
    if (numbers % 1 == 0).all() and not pc.any(pc.match_substring_regex(text, r"[^\d-]")).as_py():
        try:
            return pc.cast(text, pa.int64()).to_pandas()
        except pa.ArrowInvalid:  # beyond 64 bits
            return numbers
    return numbers


def _has_apostrophes(text: Any) -> bool:
    """Tell whether a typographic apostrophe stands between thousands, which version 0.1 did not know."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(text, "\u2019")).as_py())


def _with_point(text: Any, decimal: str) -> Any:
    """Write numbers with a point; in a decimal-comma file, a cell with a point is no plain number."""
    import pyarrow.compute as pc

    if decimal == ".":
        return text
    return pc.if_else(pc.match_substring(text, "."), "no plain number", pc.replace_substring(text, ",", "."))


def _points_in_numbers(text: Any, decimal: str) -> Any:
    """Write the numbers in a column of mixed types with a decimal point, and leave the rest."""
    import pyarrow.compute as pc

    if decimal == ".":
        return text
    numeric = pc.match_substring_regex(text, _ANY_NUMBER.replace(r"\.", ","))
    return pc.if_else(numeric, pc.replace_substring(text, ",", "."), text)


def _without_thousands(text: Any, decimal: str) -> Any:
    """Take out thousands separators where every value that has one has them in the right places."""
    import pyarrow.compute as pc

    separators = ",' \u00a0\u202f\u2019" if decimal == "." else ".' \u00a0\u202f\u2019"
    pattern = rf"^[+-]?\d{{1,3}}([{separators}]\d{{3}})+({re.escape(decimal)}\d*)?$"
    grouped = pc.match_substring_regex(text, pattern)
    removed = pc.replace_substring_regex(text, f"[{separators}]", "")
    return _with_point(pc.if_else(grouped, removed, text), decimal)
