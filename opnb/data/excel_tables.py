"""Excel workbooks: the sheet that holds a table is found, values are those last calculated, no formula is run.

A workbook of a megabyte can unpack to millions of cells. So the sheets are first looked through as they are unpacked,
which takes a hundredth of the time of parsing them: cells are counted, merged cells and formulas that were never
calculated are found. Parsing then counts again, and asks at every step whether it should stop.
"""

from __future__ import annotations

import io
import itertools
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opnb.data.converting import missing_notes, tidy_frame
from opnb.data.header_rows import Layout, above_notes, find_layout, joined_names
from opnb.data.limits import Limits
from opnb.data.sniffing import MISSING_MARKERS, SAMPLE_ROWS, is_number
from opnb.data.table import ReadSettings
from opnb.data.wishes import LINES_SHOWN, Reading, Trial, Wishes, shown_lines
from opnb.errors import DataError, ReadingError

if TYPE_CHECKING:
    import pandas as pd

# What zipfile raises for archives that are damaged, or of a kind that it does not know.
BAD_ARCHIVES = (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError)
_DAMAGED = "The Excel file is damaged and cannot be opened. Save it again as .xlsx, or as CSV."
_CALCULATE = "Open the file in a spreadsheet program, save it, and choose it again."
_CHUNK = 2**20
_MAX_DESCRIPTION = 2**24  # bytes of styles and the like, which openpyxl takes in whole

_MERGED = re.compile(rb'mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_UNCALCULATED = re.compile(
    rb'<(?:\w+:)?c\s+r="([A-Z]{1,3})\d{1,7}"[^>]*><(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?</(?:\w+:)?c>"
)


@dataclass
class _Scan:
    """What a look through the text of a sheet finds; columns count from 0, rows from 1."""

    cells: int = 0
    merged: set[tuple[int, int, int, int]] = field(default_factory=set)  # first column, row, last column, row
    uncalculated: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Sheet:
    """The rows of a sheet that hold something, all of one length, with their numbers."""

    title: str
    numbers: list[int]
    rows: list[list[Any]]


def read_excel(data: bytes, limits: Limits, wishes: Wishes, trial: Trial) -> Reading:
    """Read one sheet of a workbook."""
    scans = _scan_parts(data, limits, wishes)
    book = _open_workbook(data, wishes)
    try:
        trial.sheets = tuple(page.title for page in book.worksheets)
        page = _choose_page(book, limits, wishes, trial, scans)
        trial.tried["sheet"] = page.title
        sheet = _whole_sheet(page, limits, wishes)
        scan = scans.get(page._worksheet_path, _Scan())
    finally:
        book.close()
    trial.lines = _preview(zip(sheet.numbers, sheet.rows, strict=True))
    reading = _sheet_table(_filled_along(sheet, scan), scan, limits, wishes, trial)
    if len(trial.sheets) > 1:
        others = ", ".join(f"'{name}'" for name in trial.sheets if name != sheet.title)
        reading.notes.insert(0, f"The workbook has {len(trial.sheets)} sheets; read '{sheet.title}', not {others}.")
    return reading


def is_workbook(data: bytes) -> bool:
    """Tell whether a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except BAD_ARCHIVES:
        return True  # let the workbook reader say that it is damaged


# Before parsing ---------------------------------------------------------------------------------------------------


def _scan_parts(data: bytes, limits: Limits, wishes: Wishes) -> dict[str, _Scan]:
    """Check the sizes, and look through the text of every sheet."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if any(part.flag_bits & 1 for part in parts):
                raise ReadingError("The Excel file is protected by a password. Save it without one.")
            # zipfile never unpacks a part beyond the size declared here
            limits.check_unpacked(sum(part.file_size for part in parts), "The Excel file", known=True)
            _check_descriptions(parts)
            sheets = [part for part in parts if part.filename.startswith("xl/worksheets/") and not part.is_dir()]
            scans: dict[str, _Scan] = {}
            for part in sheets:
                before = sum(scan.cells for scan in scans.values())
                scans[part.filename] = _scan_sheet(archive, part, limits, wishes, before)
            return scans
    except DataError:
        raise
    except (*BAD_ARCHIVES, zlib.error):
        raise ReadingError(_DAMAGED) from None


def _check_descriptions(parts: list[zipfile.ZipInfo]) -> None:
    for part in parts:
        parsed_whole = part.filename.endswith((".xml", ".rels")) and "sharedStrings" not in part.filename
        if parsed_whole and "worksheets/" not in part.filename and part.file_size > _MAX_DESCRIPTION:
            raise ReadingError(
                f"The Excel file describes its styles or parts at a length that is not read ({part.filename}). "
                "Save the sheet as CSV."
            )


def _scan_sheet(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, limits: Limits, wishes: Wishes, cells_before: int
) -> _Scan:
    """Look through a sheet, and no further than the limit of cells."""
    scan, rest = _Scan(), b""
    with archive.open(part) as file:
        while chunk := file.read(_CHUNK):
            wishes.check_stop()
            text = rest + chunk
            cut = max(text.rfind(b"<c "), text.rfind(b":c "))  # so that no cell is cut in two
            cut = cut if cut > len(text) - _CHUNK else text.rfind(b"<")
            cut = cut if cut > len(text) - _CHUNK else len(text)
            _look(text[:cut], scan)
            limits.check_excel(cells_before + scan.cells)
            rest = text[cut:]
    _look(rest, scan)
    limits.check_excel(cells_before + scan.cells)
    return scan


def _look(text: bytes, scan: _Scan) -> None:
    scan.cells += text.count(b"<c ") + text.count(b":c ") + text.count(b"<c>") + text.count(b"<c/>")
    if b"mergeCell" in text:
        for first, top, last, bottom in _MERGED.findall(text):
            if int(top) <= SAMPLE_ROWS and len(scan.merged) < 10_000:
                scan.merged.add((_column_index(first), int(top), _column_index(last), int(bottom)))
    if b"f>" in text or b"<f" in text or b":f" in text:
        scan.uncalculated.update(map(_column_index, _UNCALCULATED.findall(text)))


def _column_index(letters: bytes) -> int:
    index = 0
    for letter in letters:
        index = 26 * index + letter - 64
    return index - 1


class _StoppableBytes(io.BytesIO):
    """Bytes that ask before each read whether to go on, so that a parser without such a question can be stopped."""

    def __init__(self, data: bytes, wishes: Wishes) -> None:
        super().__init__(data)
        self.wishes = wishes

    def read(self, size: int | None = -1, /) -> bytes:
        self.wishes.check_stop()
        return super().read(size)


def _open_workbook(data: bytes, wishes: Wishes) -> Any:
    import openpyxl

    try:
        return openpyxl.load_workbook(_StoppableBytes(data, wishes), read_only=True, data_only=True, keep_links=False)
    except DataError:
        raise
    except Exception:  # openpyxl raises whatever its parts raise: KeyError, ParseError, BadZipFile, TypeError ...
        wishes.check_stop()  # it may have swallowed the stop
        raise ReadingError(_DAMAGED) from None


# Sheets -----------------------------------------------------------------------------------------------------------


def _choose_page(book: Any, limits: Limits, wishes: Wishes, trial: Trial, scans: dict[str, _Scan]) -> Any:
    """Give the sheet asked for, else the first that looks like a table, else the first that holds anything."""
    if wishes.sheet is not None:
        return _named_page(book, wishes.sheet)
    filled = None
    for page in book.worksheets:
        numbered = list(itertools.islice(_filled_rows(page, limits, wishes), SAMPLE_ROWS))
        rows = [row for _, row in numbered]
        if rows and (filled is None or _looks_like_table(rows)):
            filled = filled or page
            trial.lines = trial.lines or _preview(numbered)
            if _looks_like_table(rows):
                return page
    if filled is not None:
        return filled
    if any(scan.uncalculated for scan in scans.values()):
        raise ReadingError(f"The Excel file holds nothing but formulas that were never calculated. {_CALCULATE}")
    raise ReadingError("The Excel file is empty: no sheet holds a value. Choose another file or sheet.", change="sheet")


def _named_page(book: Any, wanted: str | int) -> Any:
    titles = [page.title for page in book.worksheets]
    if wanted in titles:
        return book.worksheets[titles.index(wanted)]
    if str(wanted).isdecimal() and 1 <= int(wanted) <= len(titles):
        return book.worksheets[int(wanted) - 1]
    shown = ", ".join(titles[:20]) + (" and others" if len(titles) > 20 else "")
    raise ReadingError(
        f"The workbook has no sheet '{wanted}'. Its sheets: {shown}. Choose one of them.", change="sheet"
    )


def _looks_like_table(rows: list[list[Any]]) -> bool:
    """Tell a table from notes: two columns at least, and numbers below each other or five rows of text."""
    width = max(map(len, rows))
    columns = itertools.zip_longest(*rows)
    numeric = any(sum(map(_is_number_cell, column)) > 1 for column in columns)
    filled = sum(2 * sum(cell is not None for cell in row) >= width for row in rows)
    return width > 1 and filled > 1 and (numeric or filled >= 5)


def _is_number_cell(cell: Any) -> bool:
    return is_number(cell) if isinstance(cell, str) else isinstance(cell, (int, float))


def _whole_sheet(page: Any, limits: Limits, wishes: Wishes) -> _Sheet:
    numbers, rows = [], []
    for number, row in _filled_rows(page, limits, wishes):
        numbers.append(number)
        rows.append(row)
    if not rows:
        raise ReadingError(f"The sheet '{page.title}' holds no value. Choose another sheet.", change="sheet")
    width = max(map(len, rows))
    return _Sheet(page.title, numbers, [row + [None] * (width - len(row)) for row in rows])


def _filled_rows(page: Any, limits: Limits, wishes: Wishes) -> Iterator[tuple[int, list[Any]]]:
    """Read the rows that hold something, checking the limits as they come."""
    page.reset_dimensions()  # the declared size of a sheet may be wrong, or meant to exhaust the memory
    width, cells = 1, 0
    try:
        for number, row in enumerate(page.iter_rows(values_only=True), start=1):
            values = [_excel_value(value) for value in row]
            while values and values[-1] is None:
                values.pop()
            width, cells = max(width, len(values)), cells + len(row)
            if number % 100 == 0:
                wishes.check_stop()
            limits.check_excel(cells)
            if width > limits.max_columns or number > limits.max_rows + 1:
                limits.check_shape(number, max(width, limits.min_columns))
            if values:
                yield number, values
    except DataError:
        raise
    except Exception as error:  # whatever a malformed part makes openpyxl raise
        wishes.check_stop()
        raise ReadingError(
            f"Sheet '{page.title}' of the Excel file is damaged ({type(error).__name__}). Save it again, or as CSV.",
            change="sheet",
        ) from None


def _excel_value(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
        return None if value in MISSING_MARKERS else value
    return value


def _filled_along(sheet: _Sheet, scan: _Scan) -> _Sheet:
    """Write the value of merged cells into each of them, in the first rows, unless it is a title across the sheet."""
    width = len(sheet.rows[0])
    rows = list(sheet.rows)
    places = {number: place for place, number in enumerate(sheet.numbers[:SAMPLE_ROWS])}
    for first, top, last, bottom in scan.merged:
        if top not in places or first >= width or (first == 0 and last >= width - 1):
            continue
        value = rows[places[top]][first]
        for place in (places[row] for row in range(top, min(bottom, top + SAMPLE_ROWS) + 1) if row in places):
            rows[place] = [value if first <= i <= last and cell is None else cell for i, cell in enumerate(rows[place])]
    return _Sheet(sheet.title, sheet.numbers, rows)


def _preview(rows: Iterable[tuple[int, list[Any]]]) -> tuple[str, ...]:
    """Write the first rows as lines, each with its number, because blank rows are not among them."""
    return shown_lines(
        f"{number:>3}  " + " | ".join("" if cell is None else str(cell)[:80] for cell in row)
        for number, row in itertools.islice(rows, LINES_SHOWN)
    )


# From rows to a table ---------------------------------------------------------------------------------------------


def _sheet_table(sheet: _Sheet, scan: _Scan, limits: Limits, wishes: Wishes, trial: Trial) -> Reading:
    width = len(sheet.rows[0])
    if width < limits.min_columns:
        raise ReadingError(
            f"The sheet '{sheet.title}' has one column, but at least {limits.min_columns} are needed: the target and "
            "something to tell it from. Choose another sheet or file.",
            change="sheet",
        )
    limits.check_columns(width)
    words = [["" if cell is None else str(cell) for cell in row] for row in sheet.rows[:SAMPLE_ROWS]]
    layout = _layout(sheet, words, wishes)
    header_rows = tuple(sheet.numbers[place] for place in layout.names)
    trial.tried["header_row"] = header_rows
    frame, columns = _frame(sheet, layout, words, limits)
    tidy = tidy_frame(frame)
    notes = above_notes(words[: layout.start], header_rows)
    if not layout.names:
        notes.append(f"There is no row of names; the columns are called {frame.columns[0]} to {frame.columns[-1]}.")
    notes += [*tidy.notes, *_formula_notes(scan, columns, list(tidy.frame.columns)), *missing_notes(tidy.frame)]
    news = () if layout.start == 0 and len(layout.names) < 2 else (f"names in {header_rows}, data from {layout.first}",)
    merged = ("merged",) if any(top in header_rows for _, top, _, _ in scan.merged) else ()
    settings = ReadSettings(
        "excel", header=bool(layout.names), sheet=sheet.title, sheets=trial.sheets, header_rows=header_rows
    )
    return Reading(tidy.frame, settings, notes, (*news, *merged, *tidy.new))


def _layout(sheet: _Sheet, words: list[list[str]], wishes: Wishes) -> Layout:
    if not wishes.header_rows:
        return find_layout(words, len(words[0]), ".", wishes.header)
    known = sheet.numbers[: len(words)]
    absent = [row for row in wishes.header_rows if row not in known]
    if absent:
        raise ReadingError(
            f"Row {absent[0]:,} of the sheet '{sheet.title}' is empty, or too far down to hold the names. Choose a row "
            f"from {known[0]:,} to {known[-1]:,}, or let it be found.",
            change="header_row",
        )
    places = tuple(map(known.index, wishes.header_rows))
    return Layout(places, places[-1] + 1)


def _frame(sheet: _Sheet, layout: Layout, words: list[list[str]], limits: Limits) -> tuple[pd.DataFrame, list[int]]:
    """Give the columns that have a name or a value, and their places in the sheet."""
    import pandas as pd

    width, body = len(words[0]), sheet.rows[layout.first :]
    if not body:
        raise ReadingError(
            "The Excel sheet holds a row of names and nothing below it. Choose a sheet with rows of data.",
            change="sheet",
        )
    names = joined_names([words[place] for place in layout.names]) if layout.names else []
    names = names or [f"X{i + 1}" for i in range(width)]
    filled = [i for i, column in enumerate(zip(*body, strict=True)) if names[i] or any(v is not None for v in column)]
    limits.check_shape(len(body), len(filled))
    columns = {i: pd.Series([row[i] for row in body], dtype=object) for i in filled}
    return pd.DataFrame(columns).set_axis([names[i] for i in filled], axis=1), filled


def _formula_notes(scan: _Scan, places: list[int], names: list[str]) -> list[str]:
    if len(places) != len(names):  # a column was left out by name; then it is told by number
        names = [f"column {place + 1}" for place in places]
    notes = []
    for place, name in zip(places, names, strict=True):
        if count := scan.uncalculated[place]:
            noun = "1 formula was" if count == 1 else f"{count:,} formulas were"
            notes.append(f"Column '{name}': {noun} never calculated, so the cells are empty. {_CALCULATE}")
    return notes
