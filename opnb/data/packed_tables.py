"""Excel and Parquet tables, and gzip: sizes are checked before anything is unpacked."""

from __future__ import annotations

import gzip
import io
import itertools
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from opnb.data.converting import missing_notes, tidy_frame
from opnb.data.limits import Limits
from opnb.data.sniffing import MISSING_MARKERS, find_header
from opnb.data.table import ReadSettings
from opnb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

# What zipfile raises for archives that are damaged, or of a kind that it does not know.
_BAD_ARCHIVES = (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError)


def unpack_gzip(data: bytes, limits: Limits) -> bytes:
    """Unpack gzip, stopping at the limit."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(limits.max_uncompressed + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError("The gzip file is damaged or incomplete. Fetch it again, or unpack it yourself.") from None
    limits.check_unpacked(len(text), "The gzip file")
    return text


def read_excel(
    data: bytes, limits: Limits, *, sheet: str | None = None, header: bool | None = None
) -> tuple[pd.DataFrame, ReadSettings, list[str]]:
    """Read one sheet of a workbook: the values as last calculated, no formula is run."""
    book = _open_workbook(data, limits)
    try:
        sheets = tuple(page.title for page in book.worksheets)
        if sheet is not None and sheet not in sheets:
            raise DataError(f"The workbook has no sheet '{sheet}'. Its sheets: {', '.join(sheets)}.")
        title, rows = _first_filled(book, limits, [sheet] if sheet is not None else list(sheets))
    finally:
        book.close()
    frame, notes, header = _sheet_frame(rows, header, limits)
    if len(sheets) > 1:
        others = ", ".join(f"'{name}'" for name in sheets if name != title)
        notes.insert(0, f"The workbook has {len(sheets)} sheets; read '{title}', not {others}.")
    return frame, ReadSettings("excel", header=header, sheet=title, sheets=sheets), notes


def read_parquet(data: bytes, limits: Limits) -> tuple[pd.DataFrame, ReadSettings, list[str]]:
    """Read a Parquet file whose declared and decoded sizes are within the limits."""
    frame, notes = tidy_frame(open_parquet(data, limits))
    limits.check_columns(frame.shape[1])
    return frame, ReadSettings("parquet"), [*notes, *missing_notes(frame)]


def open_parquet(data: bytes, limits: Limits) -> pd.DataFrame:
    """Read the columns of a Parquet file as they are, once its sizes were found to be within the limits."""
    try:
        return _parquet_frame(data, limits)
    except DataError:
        raise
    except Exception as error:  # whatever a malformed part makes pyarrow raise: Arrow's own, Unicode, Overflow ...
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise DataError(f"The Parquet file is damaged and cannot be read ({reason}). Save it again.") from None


def _parquet_frame(data: bytes, limits: Limits) -> pd.DataFrame:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(io.BytesIO(data))
    meta = file.metadata
    limits.check_shape(meta.num_rows, len(file.schema_arrow.names))
    declared = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    limits.check_unpacked(declared, "The Parquet file")
    # text stays dictionary-encoded until its full length is known: a small file can repeat one long text
    # for ever
    text = [field.name for field in file.schema_arrow if _is_long(field.type)]
    table = pq.ParquetFile(io.BytesIO(data), read_dictionary=text).read().replace_schema_metadata(None)
    table.validate(full=True)  # indices within bounds, text that is UTF-8: what follows trusts both
    limits.check_unpacked(sum(map(_text_bytes, table.columns)), "The Parquet file")
    if table.num_rows == 0:
        raise DataError("The Parquet file holds columns but no rows. Choose a file with rows of data.")
    frame: pd.DataFrame = _decoded(table).to_pandas(ignore_metadata=True)
    return frame


def is_workbook(data: bytes) -> bool:
    """Tell whether a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except _BAD_ARCHIVES:
        return True  # let the workbook reader say that it is damaged


def _open_workbook(data: bytes, limits: Limits) -> Any:
    damaged = DataError("The Excel file is damaged and cannot be opened. Save it again as .xlsx, or as CSV.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            encrypted = any(part.flag_bits & 1 for part in parts)
    except _BAD_ARCHIVES:
        raise damaged from None
    if encrypted:
        raise DataError("The Excel file is protected by a password. Save it without one.")
    # zipfile never unpacks a part beyond the size declared here
    limits.check_unpacked(sum(part.file_size for part in parts), "The Excel file")
    import openpyxl

    try:
        return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    except Exception:  # openpyxl raises whatever its parts raise: KeyError, ParseError, BadZipFile, TypeError ...
        raise damaged from None


def _first_filled(book: Any, limits: Limits, titles: list[str]) -> tuple[str, list[list[Any]]]:
    for title in titles:
        rows = _sheet_rows(book[title], limits)
        if rows:
            return title, rows
    raise DataError("The Excel file is empty: no sheet holds a value. Choose another file or sheet.")


def _sheet_rows(page: Any, limits: Limits) -> list[list[Any]]:
    """Read the rows that hold something, checking the limits as they come."""
    page.reset_dimensions()  # the declared size of a sheet may be wrong, or meant to exhaust the memory
    rows: list[list[Any]] = []
    width = 1
    try:
        for seen, row in enumerate(page.iter_rows(values_only=True)):
            values = [_excel_value(value) for value in row]
            while values and values[-1] is None:
                values.pop()
            if values:
                rows.append(values)
                width = max(width, len(values))
            if width > limits.max_columns or seen > limits.max_rows or len(rows) * width > limits.max_cells:
                limits.check_shape(seen + 1, width)
    except DataError:
        raise
    except Exception as error:  # whatever a malformed part makes openpyxl raise
        raise DataError(
            f"Sheet '{page.title}' of the Excel file is damaged ({type(error).__name__}). Save it again, or as CSV."
        ) from None
    return [values + [None] * (width - len(values)) for values in rows]


def _excel_value(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
        return None if value in MISSING_MARKERS else value
    return value


def _sheet_frame(rows: list[list[Any]], header: bool | None, limits: Limits) -> tuple[pd.DataFrame, list[str], bool]:
    import pandas as pd

    limits.check_columns(len(rows[0]))
    if header is None:
        header = find_header([["" if cell is None else str(cell) for cell in row] for row in rows[:100]], ".")
    names = ["" if cell is None else str(cell) for cell in rows[0]] if header else []
    body = rows[1:] if header else rows
    if not body:
        raise DataError("The Excel sheet holds a row of names and nothing below it. Choose a sheet with rows of data.")
    names = names or [f"X{i + 1}" for i in range(len(rows[0]))]
    filled = [i for i, column in enumerate(zip(*body, strict=True)) if names[i] or any(v is not None for v in column)]
    limits.check_shape(len(body), len(filled))
    columns = {i: pd.Series([row[i] for row in body], dtype=object) for i in filled}
    frame = pd.DataFrame(columns).set_axis([names[i] for i in filled], axis=1)
    tidy, notes = tidy_frame(frame)
    return tidy, [*notes, *missing_notes(tidy)], header


def _text_bytes(column: Any) -> int:
    """Count the bytes of a dictionary-encoded column when every cell is written out; 0 for other columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type) or not _is_long(column.type.value_type):
        return 0
    lengths = (pc.take(pc.binary_length(chunk.dictionary), chunk.indices) for chunk in column.chunks)
    return sum(itertools.chain([0], (pc.sum(part).as_py() or 0 for part in lengths)))


def _is_long(kind: Any) -> bool:
    """Tell whether a cell of this Arrow type can be of any length."""
    import pyarrow as pa

    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(kind) for test in (*texts, pa.types.is_binary, pa.types.is_large_binary))


def _decoded(table: Any) -> Any:
    """Write out the cells of dictionary-encoded columns."""
    import pyarrow as pa

    for position, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(position, field.name, table.column(position).cast(field.type.value_type))
    return table
