"""When reading fails, the error has what is needed to read otherwise; no outcome is a dead end."""

import io
import pickle
import re
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import Limits, first_lines, read_table
from opnb.errors import DataError, ReadingError, ReadingStoppedError, Remedy
from tests.data.messy_files import ROWS, book_of, csv_of

KEYWORDS = {"", "encoding", "delimiter", "decimal", "header_row", "sheet"}
# every sentence that refuses a file ends in what to do: one of these is in it
DOING = re.compile(
    r"\b(Choose|choose|Save|save|Give|Close|Check|Use|Leave|Keep|Unpack|Fetch|Try|Change|Open|Fill|let it be found)\b"
)


def refusal(source, **settings):
    with pytest.raises(ReadingError) as refused:
        read_table(source, **settings)
    return refused.value


def test_all_that_is_known_comes_with_the_error():
    text = "a;b\n1;2;3\n4;5\n6;7\n"
    error = refusal(text)
    assert error.lines == ("a;b", "1;2;3", "4;5", "6;7")
    assert error.tried == {"encoding": "utf-8", "delimiter": ";", "decimal": ".", "header_row": (1,)}
    assert error.change == "delimiter"
    assert "Line 2 has 3 cells" in str(error)
    one = refusal("words\nand words\n")
    assert (one.change, one.tried["delimiter"]) == ("delimiter", ",")


def test_lines_are_bounded_and_can_be_printed():
    error = refusal("x" * 5000 + "\n" + "\u202ey\x07\n" * 50)
    assert len(error.lines) == 20
    assert len(error.lines[0]) == 200
    assert error.lines[1] == "\ufffdy\ufffd"
    assert refusal(b"\x00\x01\x02" * 500).lines


def test_wrong_encodings_still_show_the_lines():
    data = "gr\u00f6\u00dfe,art\n1,x\n".encode("cp1252")
    error = refusal(data, encoding="utf-8")
    assert error.change == "encoding"
    assert error.lines[0].endswith("e,art")
    assert refusal(data, encoding="klingon").lines[0] == "größe,art"
    assert first_lines(data) == ("größe,art", "1,x")


def test_errors_survive_a_process():
    error = refusal("a,b\n1,2,3\n4,5\n6,7\n")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.lines, again.tried) == (str(error), error.lines, error.tried)
    assert isinstance(again, DataError)
    stopped = pickle.loads(pickle.dumps(ReadingStoppedError("Stopped.", remedies=(Remedy("sheet", 2, "Read it"),))))
    assert stopped.remedies[0].value == 2


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"%PDF-1.7\n", "t.csv", "a PDF document"),
        (b"$FL2@(#) SPSS DATA FILE", "t.sav", "an SPSS file"),
        (b"<stata_dta><header>", "t.dta", "a Stata file"),
        (b"\x89HDF\r\n\x1a\n", "t.h5", "an HDF5 file"),
        (b"\n<!DOCTYPE html>\n<html></html>", "t.csv", "a web page"),
        (b"<?xml version='1.0'?>", "t.csv", "an XML file"),
        (b"\x80\x05\x95abc", "t.pkl", "a Python pickle"),
        (b"SQLite format 3\x00", "t.db", "an SQLite database"),
        (b"ARROW1\x00\x00", "t.feather", "an Arrow"),
    ],
)
def test_other_files_are_named_and_so_are_those_that_are_read(data, name, words):
    error = refusal(data, name=name)
    assert words in str(error)
    assert "Save the table as CSV and other text, Excel (.xlsx), Parquet, JSON, ARFF, or gzip of text." in str(error)


def test_open_document_is_told():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    assert "OpenDocument" in str(refusal(buffer.getvalue()))


def test_too_large_says_both_sizes():
    assert "has 2 kB, more than the limit of 1 kB" in str(refusal(b"a,b\n" * 512, limits=Limits(max_bytes=1024)))
    book = book_of(Data=[["a", "b"], *([[1, 2]] * 50)])
    words = str(refusal(book, limits=Limits(max_uncompressed=1024)))
    assert re.search(r"unpacks to [\d.]+ kB, more than the limit of 1 kB", words)


def sentence_or_table(source, **given):
    """Read anything: the outcome is a table, or a sentence that says what to do, with a keyword or none."""
    try:
        outcome = read_table(source, limits=Limits(max_rows=1000, max_columns=50), **given)
    except ReadingError as error:
        outcome = error
    if isinstance(outcome, ReadingError):
        check_error(outcome)
    else:
        check_table(outcome)


def check_error(error):
    assert str(error).endswith(".")
    assert DOING.search(str(error)), str(error)
    assert error.change in KEYWORDS
    assert len(error.lines) <= 20
    assert all(len(line) <= 200 and "\n" not in line for line in error.lines)


def check_table(table):
    assert table.frame.shape[0] >= 1
    assert table.frame.shape[1] >= 2
    assert table.frame.columns.is_unique
    named = table.settings.header is not False or any("no row of names" in note for note in table.notes)
    assert named, "names are never lost without a word"


CELLS = st.sampled_from(
    ["a", "b", "cm", "5", "3.5", "-1", "x y", "", "NA", "#c", "1,5", "5%", "$3", "12 kg", '"q"', "{", "["]
)
ODD_LINES = ["", "# note", "Title", "@data", '{"a": 1, "b": 2}', "sep=;", "@attribute a numeric", "@relation x"]
LINES = st.lists(
    st.one_of(
        st.lists(CELLS, min_size=1, max_size=5).map(",".join),
        st.lists(CELLS, min_size=3, max_size=3).map(",".join),
        st.sampled_from(ODD_LINES),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    lines=LINES,
    header_row=st.sampled_from([None, None, None, 0, 1, 2, 3, (1, 2)]),
    delimiter=st.sampled_from([None, None, ",", ";"]),
    name=st.sampled_from(["t.csv", "t.json", "t"]),
)
def test_no_text_is_a_dead_end(lines, header_row, delimiter, name):
    sentence_or_table("\n".join(lines).encode(), header_row=header_row, delimiter=delimiter, name=name)


VALUES = st.sampled_from(["a", "b", "5 %", 3, 2.5, None, True, "", "Title", "=1+1", "2024"])


@settings(max_examples=40, deadline=None)
@given(
    sheets=st.lists(st.lists(st.lists(VALUES, max_size=4), max_size=6), min_size=1, max_size=2),
    merged=st.lists(st.sampled_from(["A1:B1", "A1:D1", "B2:C3", "A2:A4"]), max_size=1),
    header_row=st.sampled_from([None, None, 0, 1, 2]),
    sheet=st.sampled_from([None, None, 1, "2"]),
)
def test_no_workbook_is_a_dead_end(sheets, merged, header_row, sheet):
    book = book_of(merged, **{f"S{i}": rows for i, rows in enumerate(sheets)})
    sentence_or_table(book, header_row=header_row, sheet=sheet)


def test_corrections_lead_out_of_a_failure():
    text = csv_of(ROWS, "a,b,c,d")
    error = refusal(text)
    assert error.change == "delimiter"
    assert read_table(text, header_row=2).frame.shape == (29, 3)
