"""Workbooks: which sheet, formulas that were never calculated, and an end to what would take for ever."""

import re

import numpy as np
import pytest

from opnb.data import Limits, prepare, read_table
from opnb.errors import ReadingError, ReadingStoppedError
from tests.data.messy_files import NAMES, ROWS, book_of, rewritten

TABLE = [NAMES, *ROWS]
NOTES = [["This workbook was made by Bob"], ["See the other sheet"]]


@pytest.mark.parametrize(
    "sheets",
    [
        {"Notes": NOTES, "Data": TABLE},
        {"Data": TABLE, "Notes": NOTES},
        {"Cover": [], "Data": TABLE},
        {"Contents": [["Author", "Bob"], ["Date", "Monday"]], "Data": TABLE},
        {"Data": TABLE, "Another": TABLE[::-1]},
        {"Words": NOTES, "Data": [["size", "colour"], *([["low", "red"], ["high", "blue"]] * 5)]},
    ],
)
def test_the_sheet_that_holds_a_table_is_found(sheets):
    table = read_table(book_of(**sheets))
    assert table.settings.sheet == "Data"
    assert table.settings.sheets == tuple(sheets)
    assert any("read 'Data', not" in note for note in table.notes)


def test_a_sheet_by_name_or_number():
    book = book_of(Notes=NOTES, First=TABLE, **{"2024": TABLE, "3": NOTES})
    assert read_table(book, sheet="First").settings.sheet == "First"
    assert read_table(book, sheet=2).settings.sheet == "First"
    assert read_table(book, sheet="2").settings.sheet == "First"  # as the command line gives it
    assert read_table(book, sheet="2024").settings.sheet == "2024"
    assert read_table(book, sheet="3", limits=Limits(min_columns=1)).settings.sheet == "3"
    for wrong in ("Other", 9, 0, "0"):
        with pytest.raises(ReadingError, match=r"no sheet .* Its sheets: Notes, First, 2024, 3") as refused:
            read_table(book, sheet=wrong)
        assert refused.value.change == "sheet"
        assert refused.value.sheets == ("Notes", "First", "2024", "3")


def test_notes_alone_say_so_and_show_what_was_found():
    with pytest.raises(ReadingError, match=r"The sheet 'Notes' has one column.*Choose another sheet") as refused:
        read_table(book_of(Notes=NOTES))
    assert refused.value.lines == ("  1  This workbook was made by Bob", "  2  See the other sheet")
    assert refused.value.tried["sheet"] == "Notes"


def formulas():
    rows = [[a, b, f"=A{i}+B{i}", kind] for i, (a, b, kind) in enumerate(ROWS, start=2)]
    return book_of(Data=[["length", "width", "sum", "kind"], *rows])


def test_formulas_that_were_never_calculated_are_called_that():
    table = read_table(formulas())
    assert table.frame["sum"].isna().all()
    words = "Column 'sum': 30 formulas were never calculated, so the cells are empty. Open the file in a spreadsheet"
    assert any(note.startswith(words) for note in table.notes)
    assert any("never calculated" in line for line in prepare(table).account)
    with pytest.raises(ReadingError, match="nothing but formulas that were never calculated"):
        read_table(book_of(Data=[["=1+1", "=1+2"], ["=2+1", "=2+2"]]))


def test_values_that_were_calculated_are_used():
    book = rewritten(formulas(), "sheet1", lambda text: re.sub(rb"</f><v ?/?>(</v>)?", b"</f><v>8.5</v>", text))
    table = read_table(book)
    assert (table.frame["sum"] == 8.5).all()
    assert not any("never calculated" in note for note in table.notes)


def test_cells_are_counted_before_they_are_parsed(monkeypatch):
    book = book_of(Data=[[1] * 50] * 40)
    monkeypatch.setattr("openpyxl.load_workbook", lambda *_, **__: pytest.fail("was parsed"))
    with pytest.raises(ReadingError, match=r"2,000 cells or more, and the limit for Excel is 1,999.*CSV or Parquet"):
        read_table(book, limits=Limits(max_excel_cells=1999))


def test_cells_are_counted_while_they_are_parsed():
    book = rewritten(book_of(Data=[[1] * 50] * 40), "sheet1", lambda text: text.replace(b"<c ", b"<c\n"))
    with pytest.raises(ReadingError, match="cells or more"):
        read_table(book, limits=Limits(max_excel_cells=1999))


def test_a_workbook_within_the_limit_is_read():
    assert read_table(book_of(Data=[[1] * 50] * 40), limits=Limits(max_excel_cells=2000)).frame.shape == (40, 50)


def test_reading_can_be_stopped_at_any_moment():
    book = book_of(Data=[*TABLE, *(ROWS * 20)])
    asked = []
    read_table(book, should_stop=lambda: asked.append(1) is not None)
    assert len(asked) > 10
    for moment in np.linspace(1, len(asked), 8, dtype=int):
        seen = []
        with pytest.raises(ReadingStoppedError, match="was stopped"):
            read_table(book, should_stop=lambda seen=seen, moment=moment: seen.append(1) or len(seen) >= moment)


def test_text_can_be_stopped_too():
    with pytest.raises(ReadingStoppedError):
        read_table("a,b\n1,2\n", should_stop=lambda: True)


def test_styles_of_unusual_length_are_not_taken_in():
    book = rewritten(book_of(Data=TABLE), "styles", lambda text: text + b" " * (2**24))
    with pytest.raises(ReadingError, match="at a length that is not read"):
        read_table(book)


def test_a_far_cell_does_not_fill_the_memory():
    book = rewritten(book_of(Data=TABLE), "sheet1", lambda text: text.replace(b'r="C5"', b'r="ZZY5"'))
    with pytest.raises(ReadingError, match="columns, more than the limit"):
        read_table(book)
