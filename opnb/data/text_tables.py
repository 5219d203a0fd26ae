"""Text tables: CSV, TSV, semicolon files, white space, pasted text.

Every cell is read as text (pyarrow's parser, with all columns declared strings) and only then converted, so
that what a number or a missing cell is stays our decision.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from opnb.data.arrow_input import arrow_input
from opnb.data.converting import convert_text, missing_notes, unique_names
from opnb.data.header_rows import (
    COMMENT,
    Layout,
    above_notes,
    find_layout,
    joined_names,
    leading_comments,
    usual_width,
)
from opnb.data.limits import Limits
from opnb.data.sniffing import (
    MISSING_MARKERS,
    SAMPLE_ROWS,
    find_decimal,
    find_delimiter,
    find_encoding,
    is_number,
    lines_of,
    numbered_rows,
    sample_of,
    tabs_for_spaces,
)
from opnb.data.table import ReadSettings
from opnb.data.wishes import SUPPORTED, Reading, Trial, Wishes
from opnb.errors import DataError, ReadingError

if TYPE_CHECKING:
    import pandas as pd

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def read_text(data: bytes, limits: Limits, wishes: Wishes, trial: Trial, *, compressed: bool = False) -> Reading:
    """Read the bytes of a text table; what is not given is found, and noted in the trial as soon as it is."""
    encoding = wishes.encoding or find_encoding(data)
    text = decoded(data, encoding)
    delimiter = wishes.delimiter or _find_delimiter(sample_of(text))
    trial.tried |= {"encoding": encoding, "delimiter": delimiter}
    if delimiter == " ":
        text = tabs_for_spaces(text)
    sheet = _Lines(text, "\t" if delimiter == " " else delimiter)
    width = usual_width(sheet.rows, limits.min_columns)
    limits.check_columns(width)
    decimal = wishes.decimal or find_decimal(sheet.rows, delimiter)
    layout = sheet.layout(width, decimal, wishes)
    trial.tried |= {"decimal": decimal, "header_row": sheet.numbers_of(layout.names)}
    wishes.check_stop()
    names, notes = sheet.names(layout, width)
    columns, left_out = sheet.parse(layout, width)
    frame, more, marked = typed_columns(columns, names, decimal, limits, wishes)
    settings = ReadSettings(
        "text",
        compressed,
        encoding,
        delimiter,
        decimal,
        bool(layout.names),
        header_rows=sheet.numbers_of(layout.names),
    )
    news = (*sheet.news(layout, width), *left_out, *marked)
    return Reading(frame, settings, notes + left_out + more, news)


class _Lines:
    """The text of a table: its first rows with their line numbers, and the whole of it to be parsed."""

    def __init__(self, text: str, separator: str) -> None:
        self.text, self.separator = text, separator
        numbered = _first_rows(text, separator, SAMPLE_ROWS + leading_comments(sample_of(text)))
        self.numbers = [number for number, _ in numbered]
        self.rows = [row for _, row in numbered]

    def layout(self, width: int, decimal: str, wishes: Wishes) -> Layout:
        """Find the names, or take the rows that the user named."""
        if not wishes.header_rows:
            return find_layout(self.rows, width, decimal, wishes.header)
        absent = [row for row in wishes.header_rows if row not in self.numbers]
        if absent:
            raise ReadingError(
                f"Line {absent[0]:,} holds no row that could name the columns: it is blank, inside a cell, or too far "
                f"down. Choose a line from {self.numbers[0]:,} to {self.numbers[-1]:,}, or let it be found.",
                change="header_row",
            )
        places = tuple(map(self.numbers.index, wishes.header_rows))
        return Layout(places, places[-1] + 1)

    def numbers_of(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """Give the lines of some of the rows."""
        return tuple(self.numbers[place] for place in places)

    def news(self, layout: Layout, width: int) -> tuple[str, ...]:
        """Say what version 0.1 did not know: names elsewhere than in the first row, or lines above the table."""
        if layout.start == 0 and len(layout.names) < 2 and not self._ends_in_delimiters(layout, width):
            return ()
        return (f"names in {self.numbers_of(layout.names)}, data from {layout.first}",)

    def _ends_in_delimiters(self, layout: Layout, width: int) -> bool:
        """Tell whether the rows of data end in a delimiter and the names do not."""
        short = any(len(self.rows[place]) == width - 1 for place in layout.names)
        return short and not any(row[-1] for row in self.rows[layout.first :] if len(row) == width)

    def names(self, layout: Layout, width: int) -> tuple[list[str] | None, list[str]]:
        """Give the names, one for each column, and what is to be said about where they stand."""
        rows = [self.rows[place] for place in layout.names]
        above = [self.rows[place] for place in range(layout.start)]
        notes = above_notes(above, self.numbers_of(layout.names))
        if not rows:
            return None, notes
        odd = [place for place in layout.names if len(self.rows[place]) != width]
        even_below = all(len(row) == width for row in self.rows[layout.first :])
        if odd and not (even_below and all(len(row) == width - 1 for row in rows)):
            raise _uneven(self.numbers[odd[0]], len(self.rows[odd[0]]), f"most rows have {width}")
        if self._ends_in_delimiters(layout, width):
            rows = [[*row, ""] for row in rows]
        elif odd:
            # R writes row names without naming their column
            notes.append("The first row names one column fewer than there are; the first column is now 'row'.")
            rows = [["row", *rows[0]], *([["", *row] for row in rows[1:]])]
        return joined_names(rows), notes

    def parse(self, layout: Layout, width: int) -> tuple[Any, list[str]]:
        """Parse all rows of data into a pyarrow table of strings."""
        if layout.first >= len(self.rows):
            raise ReadingError(
                "The file holds a row of names and nothing below it. Choose a file with rows of data.",
                change="header_row",
            )
        line = self.numbers[layout.first]
        offset = sum(map(len, lines_of(sample_of(self.text))[: line - 1]))
        named = "the first row" if layout.start == 0 else f"line {self.numbers[layout.start]}"
        return parse_columns(self.text[offset:], self.separator, width, line - 1, named)


def decoded(data: bytes, encoding: str) -> str:
    """Give the text of a file."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ReadingError(
            f"The text is not in the encoding {encoding}: byte {error.start + 1:,} does not fit. "
            "Choose another encoding, or let it be found.",
            change="encoding",
        ) from None
    except LookupError:
        raise ReadingError(
            f"There is no encoding '{encoding}'. Try utf-8, utf-16, cp1252 or latin-1.", change="encoding"
        ) from None
    if _CONTROL.search(sample_of(text)):
        raise ReadingError(f"The file is binary, not text, whatever its name says. Save the table as {SUPPORTED}.")
    if not text.strip("\ufeff \t\r\n"):
        raise ReadingError("The file is empty: it holds no text. Choose another file.")
    return text.removeprefix("\ufeff")


def _find_delimiter(sample: str) -> str:
    hint = re.match(r"sep=(.)\r?\n", sample)
    if hint is not None:
        return hint.group(1)
    return find_delimiter("".join(lines_of(sample)[leading_comments(sample) :]))


def _first_rows(text: str, separator: str, limit: int) -> list[tuple[int, list[str]]]:
    if len(separator) != 1 or separator in '"\r\n':
        raise ReadingError(f"The delimiter must be one character, not {separator!r}.", change="delimiter")
    try:
        rows = numbered_rows(sample_of(text), separator, limit)
    except csv.Error as error:
        raise ReadingError(
            f"The text cannot be cut into columns ({error}). Check its quotation marks, or choose another delimiter.",
            change="delimiter",
        ) from None
    if not rows:
        raise ReadingError("The file is empty: it holds no rows. Choose another file.")
    return rows


def parse_columns(
    text: str, separator: str, width: int, above: int, named: str, *, quote: str = '"'
) -> tuple[Any, list[str]]:
    """Parse rows of data into a pyarrow table of strings; comments and lone words between them are left out.

    Parameters
    ----------
    text : str
    separator, quote : str
    width : int
        Cells of a row.
    above : int
        Lines of the file above the text, so that an error can name a line.
    named : str
        What has the width, for an error.

    Returns
    -------
    columns : pyarrow.Table
    notes : list of str
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(width)]
    left_out: list[str] = []

    def judge(row: Any) -> str:
        if not _is_aside(row.text, row.actual_columns, width):
            return "error"
        left_out.append(row.text.strip())
        return "skip"

    try:
        table = arrow_csv.read_csv(
            arrow_input(text.encode()),
            arrow_csv.ReadOptions(column_names=names, block_size=2**24, use_threads=False),
            arrow_csv.ParseOptions(
                delimiter=separator, quote_char=quote, newlines_in_values=True, invalid_row_handler=judge
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=list(MISSING_MARKERS),
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _ragged(text, separator, width, above, named) or ReadingError(
            f"The text cannot be cut into rows and columns ({str(error).splitlines()[0]}). Check its quotation marks.",
            change="delimiter",
        ) from None
    if text.count(quote) % 2 and _swallowed_lines(table):
        raise ReadingError(f"A quotation mark ({quote}) is opened but never closed. Close it, or take it out.")
    return table, [_aside_sentence(left_out)] if left_out else []


def _is_aside(text: str, cells: int, width: int) -> bool:
    """Tell whether a line is no row of the table: a comment, or words alone where the table has many columns."""
    return bool(COMMENT.match(text)) or (cells == 1 and width > 2 and not is_number(text.strip()))


def _aside_sentence(lines: list[str]) -> str:
    shown = lines[0] if len(lines[0]) <= 40 else lines[0][:39] + "…"
    noun = "1 line that is no row" if len(lines) == 1 else f"{len(lines):,} lines that are no rows"
    return f"Left out {noun} of the table{', the first' if len(lines) > 1 else ''}: '{shown}'."


def _ragged(text: str, separator: str, width: int, above: int, named: str) -> DataError | None:
    """Say which line is the first with another number of cells, or None where there is none."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            if row and len(row) != width and not _is_aside(separator.join(row), len(row), width):
                return _uneven(reader.line_num + above, len(row), f"{named} has {width}")
    except csv.Error:
        return None
    return None


def _uneven(line: int, cells: int, expected: str) -> ReadingError:
    return ReadingError(
        f"Line {line:,} has {cells} {'cell' if cells == 1 else 'cells'} but {expected}. Give every row the same number "
        "of cells (text that contains the delimiter belongs in quotation marks), choose another delimiter, or say in "
        "which line the names are.",
        change="delimiter",
    )


def _swallowed_lines(table: Any) -> bool:
    last = table.slice(max(table.num_rows - 1, 0)).to_pylist()
    return bool(last) and any("\n" in (cell or "") for cell in last[0].values())


def typed_columns(
    columns: Any, header: list[str] | None, decimal: str, limits: Limits, wishes: Wishes
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Give the columns as numbers or text, the notes, and the columns whose numbers had marks."""
    import pandas as pd

    limits.check_shape(columns.num_rows, columns.num_columns)
    if columns.num_rows == 0:
        raise ReadingError(
            "The file holds a row of names and nothing below it. Choose a file with rows of data.", change="header_row"
        )
    names, notes = unique_names(header or [f"X{i + 1}" for i in range(columns.num_columns)])
    if header is None:
        notes.append(f"There is no row of names; the columns are called X1 to X{columns.num_columns}.")
    converted: dict[str, pd.Series] = {}
    marked: list[str] = []
    for name, given, column in zip(names, header or names, columns.columns, strict=True):
        wishes.check_stop()
        if not given and column.null_count == columns.num_rows:
            notes.append(f"Left out {name}, which has neither a name nor a value.")
            continue
        converted[name], note, new = convert_text(column, decimal)
        if note:
            notes.append(f"Column '{name}' {note}.")
        if new:
            marked.append(name)
    limits.check_columns(len(converted))
    frame = pd.DataFrame(converted)
    return frame, notes + missing_notes(frame), marked
