"""Excel and Parquet."""

import datetime
import io

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv as arrow_csv

from opnb.data import read_table
from opnb.errors import DataError


def saved(book):
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_excel_types_and_sheets():
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    page = book.create_sheet("Data")
    for row in (
        ["size", "code", "kind", "day", "total", None],
        [1.5, "007", "x", datetime.date(2020, 1, 1), "=A2*2", None],
        [None, "8", "NA", datetime.date(2020, 1, 2), None, None],
        [2.5, "9", True, datetime.date(2020, 1, 3), None, None],
    ):
        page.append(row)
    table = read_table(saved(book), name="book.xlsx")
    assert table.settings.sheet == "Data"
    assert table.settings.sheets == ("Cover", "Data")
    assert list(table.frame.columns) == ["size", "code", "kind", "day", "total"]
    assert np.isnan(table.frame["size"][1])
    assert table.frame["code"].tolist() == [7, 8, 9]
    assert pd.api.types.is_datetime64_any_dtype(table.frame["day"])
    assert table.frame["total"].isna().all()  # a formula without a stored value is not calculated
    notes = " ".join(table.notes)
    assert "numbers stored as text" in notes
    assert "read 'Data', not 'Cover'" in notes


def test_excel_sheet_and_header_can_be_chosen():
    book = openpyxl.Workbook()
    book.active.append([1, 2])
    other = book.create_sheet("Other")
    other.append([1, 2])
    other.append([3, 4])
    table = read_table(saved(book), sheet="Other")
    assert table.settings.header is False
    assert list(table.frame.columns) == ["X1", "X2"]
    assert read_table(saved(book), sheet="Other", header=True).frame.shape == (1, 2)


def test_parquet_types():
    source = pa.table(
        {
            "whole": pa.array([1, 2, 3], pa.int32()),
            "part": pa.array([1.5, None, 2.5], pa.float32()),
            "money": pa.array(["1.50", "2.50", "3.50"]).cast(pa.decimal128(5, 2)),
            "word": ["x", None, "y"],
            "flag": [True, False, None],
            "day": pa.array([1, 2, 3], pa.date32()),
            "list": [[1], [2], [3]],
        }
    )
    buffer = io.BytesIO()
    pq.write_table(source, buffer)
    table = read_table(buffer.getvalue())
    assert list(table.frame.columns) == ["whole", "part", "money", "word", "flag", "day"]
    assert table.frame["whole"].dtype == np.int64
    assert table.frame["money"].tolist() == [1.5, 2.5, 3.5]
    assert table.frame["word"].isna().tolist() == [False, True, False]
    assert table.frame["flag"].tolist()[:2] == ["True", "False"]
    assert pd.api.types.is_datetime64_any_dtype(table.frame["day"])
    assert "'list' holds lists" in table.notes[0]


def test_a_workbook_packed_in_an_unknown_way_is_refused_in_words():
    data = bytearray(saved(openpyxl.Workbook()))
    listed = data.index(b"PK\x01\x02")
    data[listed + 6] = 255  # the version of zip that is needed to unpack the first part
    with pytest.raises(DataError, match="damaged and cannot be opened"):
        read_table(bytes(data), name="book.xlsx")


def test_a_parquet_file_with_words_that_are_no_text_is_refused_or_read_in_words():
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]}).replace_schema_metadata({"pandas": "{}"}), buffer)
    told = buffer.getvalue()
    assert read_table(told.replace(b"pandas", b"pand\xff\xfe"), name="t.parquet").frame.shape == (3, 2)
    cells = pa.Array.from_buffers(pa.string(), 3, pa.array([b"x", b"\xff\xfe", b"x"], pa.binary()).buffers())
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2, 3], "b": cells}), buffer)
    with pytest.raises(DataError, match="The Parquet file is damaged"):
        read_table(buffer.getvalue(), name="t.parquet")


def test_arrow_gets_nothing_of_pythons(monkeypatch):
    """A thread of Arrow's that touches a Python object as the process ends would bring it down with status 134."""
    given = []

    def noted(read):
        return lambda source, *options, **more: given.append((source, options, more)) or read(source, *options, **more)

    monkeypatch.setattr(arrow_csv, "read_csv", noted(arrow_csv.read_csv))
    monkeypatch.setattr(pq, "ParquetFile", noted(pq.ParquetFile))
    read_table("a,b\n1,x\n2,y\n")
    out = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), out)
    read_table(out.getvalue())
    assert [type(source) for source, _, _ in given] == [pa.BufferReader] * 3
    assert given[0][1][0].use_threads is False
    assert given[2][2]["pre_buffer"] is False
