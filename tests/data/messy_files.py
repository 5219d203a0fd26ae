"""Files as people bring them, made for the tests: titles, comments, two rows of names, notes, marks around numbers."""

import io

import openpyxl
import pandas as pd

ROWS = [(5.1 + i % 7 / 10, 3.5 - i % 5 / 10, "ab"[i % 2]) for i in range(30)]
NAMES = ["length", "width", "kind"]


def csv_of(rows, *above, delimiter=","):
    """Write lines as they are given, then rows of cells."""
    return "\n".join([*above, *(delimiter.join(map(str, row)) for row in rows)]) + "\n"


def book_of(merged=(), **sheets):
    """Make a workbook of sheets, each a list of rows; merged cells are in the last sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        page = book.create_sheet(title)
        for row in rows:
            page.append(list(row))
    for cells in merged:
        page.merge_cells(cells)
    return saved(book)


def saved(book):
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def with_cached_values(rows):
    """Make a workbook of formulas with their values, as a spreadsheet program saves it."""
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        pd.DataFrame(rows).to_excel(writer, index=False, header=False)
    return buffer.getvalue()
