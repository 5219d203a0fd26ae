"""Parquet tables and gzip: sizes are checked before anything is unpacked."""

from __future__ import annotations

import gzip
import io
import itertools
import zlib
from typing import TYPE_CHECKING, Any

from opnb.data.arrow_input import arrow_input
from opnb.data.converting import missing_notes, tidy_frame
from opnb.data.limits import Limits
from opnb.data.table import ReadSettings
from opnb.data.wishes import Reading
from opnb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def unpack_gzip(data: bytes, limits: Limits) -> bytes:
    """Unpack gzip, stopping at the limit."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(limits.max_uncompressed + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError("The gzip file is damaged or incomplete. Fetch it again, or unpack it yourself.") from None
    limits.check_unpacked(len(text), "The gzip file")
    return text


def read_parquet(data: bytes, limits: Limits) -> Reading:
    """Read a Parquet file whose declared and decoded sizes are within the limits."""
    frame, notes, new = tidy_frame(open_parquet(data, limits))
    limits.check_columns(frame.shape[1])
    return Reading(frame, ReadSettings("parquet"), [*notes, *missing_notes(frame)], new)


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

    source = arrow_input(data)
    file = pq.ParquetFile(source)
    meta = file.metadata
    limits.check_shape(meta.num_rows, len(file.schema_arrow.names))
    declared = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    limits.check_unpacked(declared, "The Parquet file", known=True)
    # text stays dictionary-encoded until its full length is known: a small file can repeat one long text
    # for ever
    text = [field.name for field in file.schema_arrow if _is_long(field.type)]
    columns = pq.ParquetFile(source, read_dictionary=text, pre_buffer=False).read(use_threads=False)
    table = columns.replace_schema_metadata(None)
    table.validate(full=True)  # indices within bounds, text that is UTF-8: what follows trusts both
    limits.check_unpacked(sum(map(_text_bytes, table.columns)), "The Parquet file", known=True)
    if table.num_rows == 0:
        raise DataError("The Parquet file holds columns but no rows. Choose a file with rows of data.")
    frame: pd.DataFrame = _decoded(table).to_pandas(ignore_metadata=True)
    return frame


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
