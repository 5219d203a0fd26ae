"""Text tables: CSV, TSV, semicolon files, white space, pasted text.

Every cell is read as text (pyarrow's parser, with all columns declared strings) and only then converted, so
that what a number or a missing cell is stays our decision.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from opnb.data.converting import convert_text, missing_notes, unique_names
from opnb.data.limits import Limits
from opnb.data.sniffing import (
    MISSING_MARKERS,
    SAMPLE_ROWS,
    find_decimal,
    find_delimiter,
    find_encoding,
    find_header,
    sample_of,
    split_rows,
    tabs_for_spaces,
)
from opnb.data.table import ReadSettings
from opnb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def read_text(
    data: bytes,
    limits: Limits,
    *,
    compressed: bool = False,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
) -> tuple[pd.DataFrame, ReadSettings, list[str]]:
    """Read the bytes of a text table; what is not given is found.

    Returns
    -------
    frame : pandas.DataFrame
    settings : ReadSettings
    notes : list of str
    """
    encoding = encoding or find_encoding(data)
    text = _decode(data, encoding)
    delimiter = delimiter or find_delimiter(sample_of(text))
    if delimiter == " ":
        text = tabs_for_spaces(text)
    separator = "\t" if delimiter == " " else delimiter
    rows = _first_rows(text, separator)
    limits.check_columns(max(map(len, rows[:2])))
    decimal = decimal or find_decimal(rows, delimiter)
    header = find_header(rows, decimal) if header is None else header
    notes: list[str] = []
    if header and _lacks_a_name(rows):
        # R writes row names without naming their column
        text, rows = f"row{separator}{text.lstrip()}", [["row", *rows[0]], *rows[1:]]
        notes.append("The first row names one column fewer than there are; the first column is now 'row'.")
    columns = _parse(text, separator, len(rows[0]))
    frame, more = _build(columns, rows[0] if header else None, decimal, limits)
    settings = ReadSettings("text", compressed, encoding, delimiter, decimal, header)
    return frame, settings, notes + more


def _decode(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"The text is not in the encoding {encoding}: byte {error.start + 1:,} does not fit. "
            "Choose another encoding, or let it be found."
        ) from None
    except LookupError:
        raise DataError(f"There is no encoding '{encoding}'. Try utf-8, utf-16, cp1252 or latin-1.") from None
    if _CONTROL.search(sample_of(text)):
        raise DataError(
            "The file is binary, not text, whatever its name says. Save the table as CSV, Excel (.xlsx) or Parquet."
        )
    if not text.strip("\ufeff \t\r\n"):
        raise DataError("The file is empty: it holds no text. Choose another file.")
    return text.removeprefix("\ufeff")


def _first_rows(text: str, separator: str) -> list[list[str]]:
    if len(separator) != 1 or separator in '"\r\n':
        raise DataError(f"The delimiter must be one character, not {separator!r}.")
    try:
        rows = split_rows(sample_of(text), separator, SAMPLE_ROWS)
    except csv.Error as error:
        raise DataError(f"The text cannot be cut into columns ({error}). Check its quotation marks.") from None
    if not rows:
        raise DataError("The file is empty: it holds no rows. Choose another file.")
    return rows


def _lacks_a_name(rows: list[list[str]]) -> bool:
    return len(rows) > 1 and all(len(row) == len(rows[0]) + 1 for row in rows[1:])


def _parse(text: str, separator: str, width: int) -> Any:
    """Parse the whole text into a pyarrow table of strings, the first row included."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(width)]
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(text.encode()),
            arrow_csv.ReadOptions(column_names=names, block_size=2**24),
            arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=list(MISSING_MARKERS),
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _ragged(text, separator, width) or DataError(
            f"The text cannot be cut into rows and columns ({str(error).splitlines()[0]}). Check its quotation marks."
        ) from None
    if text.count('"') % 2 and _swallowed_lines(table):
        raise DataError('A quotation mark (") is opened but never closed. Close it, or take it out.')
    return table


def _ragged(text: str, separator: str, width: int) -> DataError | None:
    """Say which line is the first with another number of cells, or None where there is none."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            if row and len(row) != width:
                return DataError(
                    f"Line {reader.line_num:,} has {len(row)} {'cell' if len(row) == 1 else 'cells'} but the "
                    f"first row has {width}. Give every row the same number of cells (text that contains the "
                    "delimiter belongs in quotation marks), or choose another delimiter."
                )
    except csv.Error:
        return None
    return None


def _swallowed_lines(table: Any) -> bool:
    last = table.slice(max(table.num_rows - 1, 0)).to_pylist()
    return bool(last) and any("\n" in (cell or "") for cell in last[0].values())


def _build(columns: Any, header: list[str] | None, decimal: str, limits: Limits) -> tuple[pd.DataFrame, list[str]]:
    import pandas as pd

    if header is not None:
        columns = columns.slice(1)
    limits.check_shape(columns.num_rows, columns.num_columns)
    if columns.num_rows == 0:
        raise DataError("The file holds a row of names and nothing below it. Choose a file with rows of data.")
    names, notes = unique_names(header or [f"X{i + 1}" for i in range(columns.num_columns)])
    if header is None:
        notes.append(f"There is no row of names; the columns are called X1 to X{columns.num_columns}.")
    converted: dict[str, pd.Series] = {}
    for name, given, column in zip(names, header or names, columns.columns, strict=True):
        if not given and column.null_count == columns.num_rows:
            notes.append(f"Left out {name}, which has neither a name nor a value.")
            continue
        converted[name], note = convert_text(column, decimal)
        if note:
            notes.append(f"Column '{name}' {note}.")
    limits.check_columns(len(converted))
    frame = pd.DataFrame(converted)
    return frame, notes + missing_notes(frame)
