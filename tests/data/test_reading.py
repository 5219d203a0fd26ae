"""Reading: what is found, what can be corrected, and the round trip through text."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import Limits, ReadSettings, Table, read_table
from opnb.errors import DataError

PLAIN = "length,width,species\n1.5,2,setosa\n2.5,3,setosa\n3.5,4,virginica\n"


def test_plain_csv_is_understood():
    table = read_table(PLAIN.encode(), name="flowers.csv")
    assert table.settings == ReadSettings("text", encoding="utf-8", delimiter=",", decimal=".", header=True)
    assert table.frame["length"].tolist() == [1.5, 2.5, 3.5]
    assert table.frame["width"].dtype == np.int64
    assert table.frame["species"].tolist() == ["setosa", "setosa", "virginica"]
    assert table.name == "flowers.csv"
    assert table.notes == ()
    assert table.settings.sentence().startswith("Text, utf-8, columns divided by comma, decimal point")


@pytest.mark.parametrize(
    ("delimiter", "decimal"), [(",", "."), (";", ","), (";", "."), ("\t", ","), ("|", "."), (" ", ".")]
)
def test_delimiter_and_decimal_are_found(delimiter, decimal):
    text = PLAIN.replace(",", "!").replace(".", decimal).replace("!", delimiter)
    table = read_table(text)
    assert (table.settings.delimiter, table.settings.decimal) == (delimiter, decimal)
    assert table.frame["length"].tolist() == [1.5, 2.5, 3.5]


def test_semicolon_file_of_numbers_only_is_not_cut_at_its_decimal_commas():
    table = read_table("a;b\n1,5;2,5\n3,5;4,5\n")
    assert table.settings.delimiter == ";"
    assert table.frame.to_numpy().tolist() == [[1.5, 2.5], [3.5, 4.5]]


def test_quoted_decimal_commas_in_a_comma_file():
    table = read_table('a,b\n"1,5","x"\n"2,5","y"\n')
    assert table.settings.decimal == ","
    assert table.frame["a"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encoding_is_found(encoding):
    table = read_table("größe,art\n1,weiß\n2,grün\n".encode(encoding))
    assert table.settings.encoding == encoding
    assert list(table.frame.columns) == ["größe", "art"]
    assert table.frame["art"].tolist() == ["weiß", "grün"]


def test_bytes_no_code_page_has_are_read_as_latin_1():
    assert read_table(b"a,b\n1,\x81\n2,\xe9\n").settings.encoding == "latin-1"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings(ending):
    assert read_table(PLAIN.replace("\n", ending)).frame.shape == (3, 3)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", False),
        ("a,b\n1,2\n3,4\n", True),
        ("1,2\n3,4\n", False),
        ("id,2001,2002\n1,5,6\n2,7,8\n", True),
        ("low,red\nhigh,blue\nlow,blue\n", False),
        ("size,colour\nlow,red\nhigh,blue\nlow,blue\n", True),
        (",a,b\n1,2,x\n2,3,y\n", True),
    ],
)
def test_header_is_found(text, header):
    assert read_table(text).settings.header is header


def test_without_header_columns_get_names_and_a_note():
    table = read_table("1,2\n3,4\n")
    assert list(table.frame.columns) == ["X1", "X2"]
    assert table.notes == ("There is no row of names; the columns are called X1 to X2.",)


def test_every_setting_can_be_corrected():
    table = read_table(b"1,5;2\n3,5;4\n", encoding="latin-1", delimiter=";", decimal=",", header=False, name="mine")
    assert table.settings == ReadSettings("text", False, "latin-1", ";", ",", False)
    assert read_table("1,2\n3,4\n", header=True).frame.columns.tolist() == ["1", "2"]
    assert read_table("a;b\n1,5;x\n2,5;y\n", decimal=".").frame["a"].tolist() == ["1,5", "2,5"]


def test_missing_markers_are_missing_and_counted():
    table = read_table("a,b\n1,x\nNA,?\n,y\nn/a,None\n-, NA \n")
    assert table.frame["a"].isna().tolist() == [False, True, True, True, True]
    assert table.frame["b"].isna().tolist() == [False, True, False, False, True]
    assert table.notes == ("6 cells are missing (60 %): empty, or marked by NA, ?, - or the like.",)


def test_thousands_separators_are_numbers_with_a_note():
    table = read_table("a\tb\n1,234\tx\n12,345,678.5\ty\n7\tz\n")
    assert table.frame["a"].tolist() == [1234.0, 12345678.5, 7.0]
    assert "thousands separators" in table.notes[0]
    european = read_table("a;b\n1.234,5;x\n12.345,0;y\n")
    assert european.frame["a"].tolist() == [1234.5, 12345.0]


def test_a_column_with_points_in_a_decimal_comma_file():
    table = read_table("a;b;c\n1,5;1.25;x\n2,5;2.5;y\n", decimal=",")
    assert table.frame["b"].tolist() == [1.25, 2.5]
    assert "unlike the rest" in table.notes[0]


def test_mixed_types_stay_text_with_one_notation():
    table = read_table("a;b\n1,5;x\n2,5;y\nabc;z\n", decimal=",")
    assert table.frame["a"].tolist() == ["1.5", "2.5", "abc"]


def test_odd_but_valid_numbers():
    table = read_table("a,b\n+1,x\n 2e3 ,y\n.5,z\ninf,w\n")
    assert table.frame["a"].tolist() == [1.0, 2000.0, 0.5, np.inf]


def test_duplicate_and_empty_names_are_told():
    table = read_table("a,a,,a (2)\n1,2,3,4\n5,6,7,8\n")
    assert list(table.frame.columns) == ["a", "a (3)", "column 3", "a (2)"]
    assert "more than one column" in table.notes[0]


def test_a_trailing_delimiter_gives_no_column():
    table = read_table("a,b,\n1,2,\n3,4,\n")
    assert list(table.frame.columns) == ["a", "b"]


def test_row_names_as_r_writes_them():
    table = read_table('"a" "b"\n"1" 1.5 "x y"\n"2" 2.5 "z"\n')
    assert list(table.frame.columns) == ["row", "a", "b"]
    assert table.frame["b"].tolist() == ["x y", "z"]


def test_quoted_line_breaks_and_delimiters():
    table = read_table('a,b\n1,"x,\ny"\n2,"he said ""no"""\n')
    assert table.frame["b"].tolist() == ["x,\ny", 'he said "no"']


def test_nothing_is_calculated():
    table = read_table("a,b\n=1+1,__import__('os')\n=2,x\n")
    assert table.frame["a"].tolist() == ["=1+1", "=2"]


def test_sources(tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_text(PLAIN)
    packed = gzip.compress(PLAIN.encode())
    tables = [
        read_table(path),
        read_table(str(path)),
        read_table(io.BytesIO(PLAIN.encode())),
        read_table(io.StringIO(PLAIN)),
        read_table(PLAIN),
    ]
    assert {table.content_hash for table in tables} == {tables[0].content_hash}
    assert len(set(tables)) == 1
    assert tables[0].name == "flowers.csv"
    assert tables[4].name == "pasted text"
    compressed = read_table(packed, name="flowers.csv.gz")
    assert compressed.settings.compressed
    assert compressed.frame.equals(tables[0].frame)
    with pytest.raises(TypeError, match="not int"):
        read_table(3)


def test_the_hash_tells_contents_and_settings_apart():
    first = read_table("a,b\n1,2\n3,4\n")
    assert first != read_table("a,b\n1,2\n3,5\n")
    assert first != read_table("a,b\n1,2\n3,4\n", header=False)


@pytest.mark.parametrize(
    ("data", "digest"),
    [
        (b"length,width,kind\n1.5,2,a\n2.5,3,b\n3.5,4,a\n", "b2bc226e503c2058"),
        (b"l\xe4nge;art\n1,5;x\n2,5;y\n", "8175ff99f22204b3"),
        (b"1,2\n3,4\n", "c6c8f25e216a41d4"),
        (b'"a" "b"\n"1" 1.5 "x y"\n"2" 2.5 "z"\n', "74125ffc4445ec9e"),
        (b"\n\na\tb\n1\t2\n3\tNA\n", "e45be08a1d31b4de"),
        (b"#id,size\n1,2.5\n2,3.5\n", "e22348c5b4578903"),
    ],
)
def test_what_version_0_1_read_right_keeps_its_hash(data, digest):
    assert read_table(data).content_hash.startswith(digest)


def test_a_frame_from_memory():
    frame = pd.DataFrame(
        {
            "flag": [True, False],
            "kind": pd.Categorical(["u", "v"]),
            "code": pd.Categorical([3, 4]),
            "part": pd.array([1, None], dtype="Int64"),
            "mixed": ["1", "2"],
            "list": [[1], [2]],
            "when": pd.to_datetime(["2020-01-01", "2020-01-02"]),
        }
    )
    table = Table.from_frame(frame, "memory")
    assert list(table.frame.columns) == ["flag", "kind", "code", "part", "mixed", "when"]
    assert table.frame["flag"].tolist() == ["True", "False"]
    assert table.frame["code"].dtype == np.int64
    assert table.frame["mixed"].tolist() == [1, 2]
    assert "'list' holds lists" in " ".join(table.notes)
    assert table == Table.from_frame(frame.copy(), "other name")


words = st.text(st.characters(categories=("Ll", "Lu"), max_codepoint=0x17F), min_size=2, max_size=6).map(
    lambda word: "w" + word
)
numbers = st.floats(-1e9, 1e9, allow_nan=False).map(lambda value: round(value, 4) + 0.0)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(numbers, st.integers(-(10**12), 10**12), words), min_size=3, max_size=30),
    style=st.sampled_from([(",", "."), (";", ","), (";", "."), ("\t", "."), ("\t", ","), ("|", ",")]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_round_trip_through_text(rows, style, encoding):
    delimiter, decimal = style
    frame = pd.DataFrame(rows, columns=["some number", "whole", "word"])
    data = frame.to_csv(index=False, sep=delimiter, decimal=decimal).encode(encoding)
    table = read_table(data)
    assert table.settings.delimiter == delimiter
    assert table.frame["word"].tolist() == frame["word"].tolist()
    assert table.frame["whole"].tolist() == frame["whole"].tolist()
    np.testing.assert_array_equal(table.frame["some number"], frame["some number"])


def table_or_sentence(source, limits):
    """Read something that may be nonsense: the outcome is a table, or a sentence."""
    try:
        return read_table(source, limits=limits)
    except DataError as error:
        return str(error)


@settings(max_examples=80, deadline=None)
@given(data=st.binary(max_size=300))
def test_any_bytes_give_a_table_or_a_sentence(data):
    outcome = table_or_sentence(data, Limits(min_columns=1))
    assert outcome.endswith(".") if isinstance(outcome, str) else len(outcome.frame) >= 1


@settings(max_examples=80, deadline=None)
@given(text=st.text(alphabet='ab1,;.\t "\n-', max_size=80))
def test_any_text_gives_a_table_or_a_sentence(text):
    outcome = table_or_sentence(text + "\n", Limits())
    assert outcome.endswith(".") if isinstance(outcome, str) else outcome.frame.shape[1] >= 2
