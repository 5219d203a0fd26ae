"""Every kind of bad file has a sentence of its own."""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from opnb.data import Limits, read_table
from opnb.errors import DataError

OLE = bytes.fromhex("D0CF11E0A1B11AE1")


def refused(source, sentence, **settings):
    with pytest.raises(DataError, match=sentence):
        read_table(source, **settings)


def workbook(rows):
    buffer = io.BytesIO()
    pd.DataFrame(rows).to_excel(buffer, index=False, header=False)
    return buffer.getvalue()


@pytest.mark.parametrize("data", [b"", b" \n \n", b"\xef\xbb\xbf", b"\n\n\n"])
def test_empty(data):
    refused(data, "is empty")


def test_only_a_header():
    refused("a,b,c\n", "a row of names and nothing below")


def test_one_column():
    refused("a\n1\n2\n", "one column.*choose the delimiter")
    assert read_table("a\n1\n2\n", limits=Limits(min_columns=1)).frame["a"].tolist() == [1, 2]


def test_ragged_rows_name_the_line_and_the_counts():
    refused("a,b\n1,2\n\n3,4,5\n6,7\n", "Line 4 has 3 cells but the first row has 2")
    refused('a,b\n"1\n",2\n3\n', "Line 4 has 1 cell but the first row has 2")


def test_too_many_columns():
    refused(",".join(["1"] * 10_000) + "\n" + ",".join(["2"] * 10_000), "10,000 columns.*limit of 5,000")


def test_too_many_rows_or_cells():
    refused("a,b\n1,2\n3,4\n5,6\n", "3 rows, more than the limit of 2", limits=Limits(max_rows=2))
    refused("a,b\n1,2\n3,4\n5,6\n", "6 cells", limits=Limits(max_cells=5))


def test_too_large(tmp_path):
    path = tmp_path / "big.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 1000)
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes()), path.read_text()):
        refused(source, "more than the limit of 1 kB", limits=Limits(max_bytes=1024))


def test_binary_with_a_text_name():
    refused(bytes(range(256)) * 4, "binary, not text", name="data.csv")
    refused(b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG picture", name="data.csv")
    refused(np.random.default_rng(0).bytes(5000), "binary", name="data.csv")


def test_old_and_protected_excel():
    refused(OLE + bytes(600), "old kind")
    refused(OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le"), "protected by a password")


def test_corrupt_excel():
    whole = workbook([["a", "b"], [1, 2]])
    refused(whole[: len(whole) // 2], "Excel file is damaged")
    refused(b"nonsense", "ends in .xlsx but", name="book.xlsx")
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(buffer, "w") as new:
        for part in old.infolist():
            content = old.read(part)
            new.writestr(part.filename, content[:80] if "sheet1" in part.filename else content)
    refused(buffer.getvalue(), "damaged")


def test_a_zip_archive_is_no_workbook():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data.csv", "a,b\n1,2\n")
    refused(buffer.getvalue(), "zip archive, not a table")


def test_zip_bomb_is_not_opened():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 3_000_000)
    refused(buffer.getvalue(), "unpacks to 2.86 MB, more than the limit of 1 MB", limits=Limits(max_uncompressed=2**20))


def test_gzip_bomb_is_not_unpacked():
    data = gzip.compress(b"0" * 3_000_000)
    refused(data, "unpacks to more than the limit of 1 MB", limits=Limits(max_uncompressed=2**20))


def test_corrupt_gzip():
    whole = gzip.compress(b"a,b\n1,2\n" * 100)
    refused(whole[:-10], "gzip file is damaged")
    refused(b"a,b\n1,2\n", "ends in .gz but", name="data.csv.gz")
    refused(gzip.compress(whole), "binary")


def parquet(table, **settings):
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **settings)
    return buffer.getvalue()


def test_bad_parquet():
    whole = parquet(pa.table({"a": [1, 2], "b": ["x", "y"]}))
    refused(whole[:-20], "Parquet file is damaged")
    refused(b"PAR1" + bytes(100), "Parquet file is damaged")
    refused(b"a,b\n1,2\n", "ends in .parquet but", name="data.parquet")
    refused(parquet(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())})), "no rows")


def test_parquet_bombs_are_not_read():
    constant = parquet(pa.table({"a": np.zeros(100_000), "b": np.zeros(100_000)}))
    assert len(constant) < 20_000
    refused(constant, "200,000 cells", limits=Limits(max_cells=150_000))
    long_text = parquet(pa.table({"a": ["x" * 10_000] * 1000, "b": list(range(1000))}))
    assert len(long_text) < 50_000
    refused(long_text, "Parquet file unpacks to .* MB, more than", limits=Limits(max_uncompressed=2**20))


def test_excel_limits_hold_while_reading():
    data = workbook([["a", "b", "c"], [1, 2, 3], [4, 5, 6]])
    refused(data, "3 columns, more than the limit of 2", limits=Limits(max_columns=2))
    refused(data, "more than the limit of 1", limits=Limits(max_rows=1))
    refused(workbook([["a", "b"]]), "a row of names and nothing below|one column")


def test_an_empty_workbook():
    refused(workbook([]), "no sheet holds a value")


def test_wrong_settings():
    refused("a,b\n1,2\n", "no encoding 'klingon'", encoding="klingon")
    refused("a,ü\n1,2\n".encode("cp1252"), "not in the encoding utf-8: byte 3", encoding="utf-8")
    refused("a,b\n1,2\n", "must be '.' or ','", decimal="!")
    refused("a,b\n1,2\n", "cannot be both", decimal=",", delimiter=",")
    refused("a,b\n1,2\n", "one character", delimiter="ab")
    refused(workbook([["a", "b"], [1, 2]]), "no sheet 'Other'. Its sheets: Sheet1", sheet="Other")


def test_absent_file(tmp_path):
    refused(tmp_path / "absent.csv", "cannot be read: No such file")
    refused("absent.csv", "cannot be read: No such file")
    refused(tmp_path, "cannot be read: Is a directory")


def test_an_unclosed_quotation_mark():
    refused('a,b\n1,2\n3,"4\n5,6\n7,8\n', "never closed")


def test_limits_are_checked_themselves():
    with pytest.raises(ValueError, match="max_rows must be at least 1"):
        Limits(max_rows=0)
