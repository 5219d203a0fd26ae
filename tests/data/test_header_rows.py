"""The row of names: below comments, titles and blank rows, in one row or in two, and where the user says."""

import pytest

from opnb.data import ReadSettings, read_table
from opnb.errors import DataError, ReadingError
from tests.data.messy_files import NAMES, ROWS, book_of, csv_of

TITLE = ["Measurements of 2024"]
NAMES_LINE = ",".join(NAMES)


@pytest.mark.parametrize(
    ("above", "row"),
    [
        ([], 1),
        (["", ""], 3),
        (["# exported by X", "# 2024-01-01"], 3),
        (["% a comment, with a comma", "// and another", ""], 4),
        (["Measurements of 2024", ""], 3),
        (["Measurements of 2024,,", ",,"], 3),
        (["Operator:,Bob", "", "Place: Lancaster"], 4),
        (["# one, two, three"], 2),
        (['"A title,', 'on two lines"'], 3),
        (["sep=,"], 2),
        ([f"# line {i}" for i in range(150)], 151),
    ],
)
def test_names_below_other_lines(above, row):
    table = read_table(csv_of(ROWS, *above, NAMES_LINE))
    assert list(table.frame.columns) == NAMES
    assert table.settings.header_rows == (row,)
    assert len(table.frame) == len(ROWS)
    assert table.frame["length"].dtype == float
    skipped = any(line.strip(" ,") for line in above)
    assert any("above the table" in note for note in table.notes) == skipped
    assert (f"The names are in row {row}." in table.notes) == skipped


def test_a_semicolon_hint_of_a_spreadsheet_is_followed():
    table = read_table(csv_of(ROWS, "sep=|", "|".join(NAMES), delimiter="|"))
    assert table.settings.delimiter == "|"
    assert list(table.frame.columns) == NAMES


def test_two_rows_of_names_are_joined():
    rows = [(a, b, a, b, kind) for a, b, kind in ROWS]
    upper, lower = "sepal,,petal,,kind", "length (cm),width (cm),length (cm),width (cm),"
    table = read_table(csv_of(rows, "# plants", upper, lower))
    expected = ["sepal / length (cm)", "sepal / width (cm)", "petal / length (cm)", "petal / width (cm)", "kind"]
    assert list(table.frame.columns) == expected
    assert table.settings.header_rows == (2, 3)
    assert "The names are in rows 2 and 3; they were joined." in table.notes
    assert "names in rows 2 and 3" in table.settings.sentence()


def test_a_row_of_one_unit():
    table = read_table(csv_of([row[1:] for row in ROWS], "width,kind", "cm,"))
    assert list(table.frame.columns) == ["width / cm", "kind"]


def test_a_first_row_of_words_is_no_second_row_of_names():
    table = read_table(csv_of(ROWS, NAMES_LINE, "unknown,3.5,a"))
    assert list(table.frame.columns) == NAMES
    assert table.frame["length"][0] == "unknown"


def test_names_are_never_lost_silently():
    assert "There is no row of names; the columns are called X1 to X3." in read_table(csv_of(ROWS)).notes
    titled = read_table(csv_of(ROWS, "Measurements of 2024"))
    assert list(titled.frame.columns) == ["X1", "X2", "X3"]
    assert titled.notes == (
        "Left out 1 row above the table ('Measurements of 2024').",
        "There is no row of names; the columns are called X1 to X3.",
    )
    with pytest.raises(ReadingError, match="Line 1 has 4 cells but most rows have 3"):
        read_table(csv_of(ROWS, "a,b,c,d"))
    assert list(read_table(csv_of(ROWS, "#length,width,kind")).frame.columns) == ["#length", "width", "kind"]


def test_comments_and_lone_words_between_the_rows_are_left_out_and_told():
    table = read_table(csv_of([*ROWS, ["# the end"], ["Source: us"]], NAMES_LINE))
    assert len(table.frame) == len(ROWS)
    assert "Left out 2 lines that are no rows of the table, the first: '# the end'." in table.notes


def test_rows_of_data_that_alone_end_in_a_delimiter():
    table = read_table(csv_of([(*row, "") for row in ROWS], NAMES_LINE))
    assert list(table.frame.columns) == NAMES


def test_the_row_can_be_said():
    text = csv_of(ROWS, "one,two,three", NAMES_LINE)
    table = read_table(text, header_row=2)
    assert list(table.frame.columns) == NAMES
    assert table.settings.header_rows == (2,)
    assert len(table.frame) == len(ROWS)
    assert list(read_table(text, header_row=(1, 2)).frame.columns) == ["one / length", "two / width", "three / kind"]
    assert len(read_table(csv_of(ROWS, NAMES_LINE), header_row=0).frame) == len(ROWS) + 1
    assert len(read_table(csv_of(ROWS, NAMES_LINE), header_row=False).frame) == len(ROWS) + 1
    assert len(read_table(csv_of(ROWS, NAMES_LINE), header_row=3).frame) == len(ROWS) - 2
    book = book_of(Data=[TITLE, [], ["one", "two", "three"], NAMES, *ROWS])
    assert list(read_table(book, header_row=4).frame.columns) == NAMES


@pytest.mark.parametrize("row", [-1, 2, 500, (1, 3), (1, 2, 3), (0,)])
def test_a_row_that_cannot_be_is_refused_in_words(row):
    text = csv_of(ROWS, NAMES_LINE, "")
    for source in (text, book_of(Data=[NAMES, [], *ROWS])):
        with pytest.raises(ReadingError, match=r"[Rr]ow|Line") as refused:
            read_table(source, header_row=row)
        assert refused.value.change == "header_row"


def test_an_excel_sheet_with_a_title_two_rows_of_names_and_merged_cells():
    rows = [(a, b, a, b, kind) for a, b, kind in ROWS]
    upper, lower = ["Sepal", None, "Petal", None, "Kind"], ["length", "width", "length", "width", None]
    book = book_of(
        ["A1:E1", "A3:B3", "C3:D3", "E3:E4"], Notes=[["by Bob"], ["see sheet 2"]], Data=[TITLE, [], upper, lower, *rows]
    )
    table = read_table(book)
    expected = ["Sepal / length", "Sepal / width", "Petal / length", "Petal / width", "Kind"]
    assert list(table.frame.columns) == expected
    assert table.settings == ReadSettings("excel", header=True, sheet="Data", sheets=("Notes", "Data"))
    assert table.settings.header_rows == (3, 4)
    assert len(table.frame) == len(ROWS)


def test_a_merged_name_is_filled_along():
    book = book_of(["A1:B1"], Data=[["Size", None, "Kind"], *ROWS])
    assert list(read_table(book).frame.columns) == ["Size", "Size (2)", "Kind"]


def test_a_sparse_upper_row_that_names_a_column_is_kept():
    rows = [(a, b, a, b, kind) for a, b, kind in ROWS]
    upper, lower = ["Sizes", None, None, None, "Kind"], ["a", "b", "c", "d", None]
    assert list(read_table(book_of(Data=[upper, lower, *rows])).frame.columns)[-1] == "Kind"


def test_the_first_row_of_an_excel_sheet_without_names():
    table = read_table(book_of(Data=ROWS))
    assert "There is no row of names; the columns are called X1 to X3." in table.notes


def test_settings_of_names_elsewhere_change_the_hash_and_blank_lines_do_not_matter_to_values():
    plain, titled = csv_of(ROWS, NAMES_LINE), csv_of(ROWS, "Title", NAMES_LINE)
    assert read_table(plain).frame.equals(read_table(titled).frame)
    assert read_table(csv_of(ROWS, "one,two,three", NAMES_LINE)) != read_table(
        csv_of(ROWS, "one,two,three", NAMES_LINE), header_row=2
    )
    with pytest.raises(DataError):
        read_table("length,width,kind\n")
