"""Files as people bring them, made for the tests: titles, comments, two rows of names, notes, marks around numbers."""

import io
import zipfile

import openpyxl

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


def rewritten(data, part, change):
    """Change the text of the parts of a workbook whose name holds some letters."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            text = before.read(name)
            after.writestr(name, change(text) if part in name else text)
    return buffer.getvalue()
