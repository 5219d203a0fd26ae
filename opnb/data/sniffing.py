r"""Finding out how a text table is written: encoding, delimiter, decimal mark and header.

Each function looks at a sample from the start of the file, decides by counting, and never fails: where
nothing speaks for any answer it gives the usual one, and the user can correct it.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter

DELIMITERS = (",", ";", "\t", "|", " ")
SAMPLE_CHARACTERS = 2**20
SAMPLE_ROWS = 100

_EXCEL_ERRORS = ("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!")
# Written in these ways, upper or lower case, a cell is missing. "None" is not among them: it is too often a
# category.
MISSING_MARKERS = tuple(
    sorted(
        {
            form
            for marker in (
                "",
                "NA",
                "N/A",
                "NaN",
                "null",
                "?",
                "-",
                "--",
                ".",
                "#N/A",
                "#NA",
                "missing",
                *_EXCEL_ERRORS,
            )
            for form in (marker, marker.lower(), marker.upper(), marker.capitalize())
        }
    )
)

NUMBER = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?"
_POINT_NUMBER = re.compile(NUMBER + r"|[+-]?inf(inity)?", re.IGNORECASE)
_COMMA_NUMBER = re.compile(NUMBER.replace(r"\.", ","))
_COMMA_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_POINT_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def find_encoding(data: bytes) -> str:
    """Name the encoding: by its mark, else UTF-8 where it fits, else Western European."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    for name in ("utf-8", "cp1252"):
        try:
            data.decode(name)
        except UnicodeDecodeError:
            continue
        return name
    return "latin-1"  # decodes every byte, so it comes last


def rows_of_cells(text: str, delimiter: str, limit: int | None = None) -> list[list[str]]:
    """Split the first rows of a text into cells; blank lines do not count."""
    return [row for _, row in numbered_rows(text, delimiter, limit)]


def numbered_rows(text: str, delimiter: str, limit: int | None = None) -> list[tuple[int, list[str]]]:
    """Split the first rows of a text into cells, each with the line it begins on, from 1."""
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(lines_of(text), delimiter="\t" if delimiter == " " else delimiter)
    line = 1
    for row in reader:
        if row:
            rows.append((line, [cell.strip() for cell in row]))
        if limit is not None and len(rows) >= limit:
            break
        line = reader.line_num + 1
    return rows


def tabs_for_spaces(text: str) -> str:
    """Put one tab for each run of white space outside quotation marks, none at the ends of a line."""
    trimmed = re.sub(r"^[ \t]+|[ \t]+(?=\r?$)", "", text, flags=re.MULTILINE)
    return re.sub(r'("[^"\n]*")|[ \t]+', lambda match: match.group(1) or "\t", trimmed)


def sample_of(text: str) -> str:
    """Take the first whole lines of a text, enough to judge it by."""
    if len(text) <= SAMPLE_CHARACTERS:
        return text
    cut = text.rfind("\n", 0, SAMPLE_CHARACTERS)
    return text[: cut if cut > 0 else SAMPLE_CHARACTERS]


def find_delimiter(sample: str) -> str:
    """Choose the delimiter that cuts the sample into rows of one length and into clean cells.

    White space is the last resort, because most texts contain some.
    """
    for candidates in (DELIMITERS[:-1], DELIMITERS[-1:]):
        scored = {delimiter: _evenness(sample, delimiter) for delimiter in candidates}
        best = max(scored, key=lambda delimiter: scored[delimiter])
        if scored[best][0] >= 0.5:
            return best
    return ","


def find_decimal(rows: list[list[str]], delimiter: str) -> str:
    """Tell a decimal comma from a decimal point.

    '1,234' alone can be either; in a semicolon file it is read as a decimal, since that is why the semicolon
    is there.
    """
    cells = [cell for row in rows for cell in row]
    commas = sum(_has_decimal(cell, ",", _COMMA_NUMBER, _COMMA_THOUSANDS, _POINT_THOUSANDS) for cell in cells)
    points = sum(_has_decimal(cell, ".", _POINT_NUMBER, _POINT_THOUSANDS, _COMMA_THOUSANDS) for cell in cells)
    if commas == points == 0 and delimiter == ";":
        return "," if any("," in cell and _COMMA_NUMBER.fullmatch(cell) for cell in cells) else "."
    return "," if commas > points else "."


def find_header(rows: list[list[str]], decimal: str) -> bool:
    """Tell whether the first row holds names: text above numbers, or words that do not come back below."""
    if len(rows) < 2:
        return True
    votes = header_votes(rows, decimal)
    if any(vote != 0 for vote in votes):
        return any(vote > 0 for vote in votes)
    return len(set(rows[0])) == len(rows[0])


def header_votes(rows: list[list[str]], decimal: str) -> list[int]:
    """Ask each column whether the first row holds names: 1 for text above numbers, -1 for more of the same."""
    return [_header_vote(rows, column, decimal) for column in range(len(rows[0]))]


def is_number(cell: str, decimal: str = ".") -> bool:
    """Tell whether a cell is written as a number."""
    return bool(_POINT_NUMBER.fullmatch(cell.replace(",", ".") if decimal == "," else cell))


def lines_of(text: str) -> list[str]:
    """Cut a text into lines, each with its line break."""
    # not splitlines(): it also cuts at form feeds and other characters that may stand inside a cell
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    text = tabs_for_spaces(sample) if delimiter == " " else sample
    try:
        rows = rows_of_cells(text, delimiter, SAMPLE_ROWS)
    except csv.Error:
        return (0.0, 0)
    width, count = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
    if width < 2:
        return (0.0, width)
    cells = [cell for row in rows for cell in row]
    clean = sum(_is_clean(cell, delimiter) for cell in cells) / len(cells)
    return (round(count / len(rows) * clean, 3), width)


def _is_clean(cell: str, delimiter: str) -> bool:
    """Tell whether a cell looks whole: no other delimiter in it, unless as part of a number."""
    others = [other for other in DELIMITERS[:-1] if other != delimiter and other in cell]
    return not others or bool(_COMMA_NUMBER.fullmatch(cell) or _COMMA_THOUSANDS.fullmatch(cell))


def _has_decimal(
    cell: str,
    mark: str,
    number: re.Pattern[str],
    thousands: re.Pattern[str],
    other_thousands: re.Pattern[str],
) -> bool:
    """Tell whether a cell can only be read as a number with this decimal mark."""
    if mark not in cell:
        return False
    plain = number.fullmatch(cell) and not thousands.fullmatch(cell)
    return bool(plain or other_thousands.fullmatch(cell))


def _header_vote(rows: list[list[str]], column: int, decimal: str) -> int:
    first, *body = [row[column] for row in rows if column < len(row)]
    values = [cell for cell in body if cell not in MISSING_MARKERS]
    if not values or first in MISSING_MARKERS:
        return 0
    if all(is_number(cell, decimal) for cell in values):
        return -1 if is_number(first, decimal) else 1
    return -1 if first in values else 0
