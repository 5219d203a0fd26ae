"""Where the names of the columns are: below comments, titles and blank rows, in one row or in two.

The first row that is filled like the table decides: it holds the names, or there are none. Only rows that are not
part of the table (another number of cells, a comment mark, hardly a cell filled) are passed over on the way to it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from opnb.data.sniffing import MISSING_MARKERS, find_header, header_votes, is_number, lines_of

COMMENT = re.compile(r"\s*(#|%|//|sep=.?$)")  # "sep=;" is what spreadsheets write above a table for each other
_UNIT = re.compile(
    r"[\[(].{1,20}[\])]|%|°[CF]?|[cmkµμnd]?m[²³23]?|[kmµμ]?g|[mcdµμ]?l|[mµμn]?s|min|h|days?|years?|[kM]?Hz|k?Pa|K|€|\$|EUR|USD"
)


@dataclass(frozen=True)
class Layout:
    """Which of the rows looked at hold the names, and which is the first of the data (positions from 0)."""

    names: tuple[int, ...]
    first: int

    @property
    def start(self) -> int:
        """Where the table begins, its names included."""
        return self.names[0] if self.names else self.first


def leading_comments(text: str) -> int:
    """Count the lines at the start of a text that are comments or blank; 0 where there is nothing else."""
    lines = lines_of(text)
    return next((i for i, line in enumerate(lines) if line.strip() and not COMMENT.match(line)), 0)


def usual_width(rows: list[list[str]], least: int) -> int:
    """Give the number of cells that most rows have; rows of fewer than `least` cells count only where all are such."""
    widths = Counter(len(row) for row in rows if len(row) >= least) or Counter(map(len, rows))
    return max(widths, key=lambda width: (widths[width], width))


def find_layout(rows: list[list[str]], width: int, decimal: str, header: bool | None) -> Layout:
    """Find the names among the first rows of a table.

    Parameters
    ----------
    rows : list of list of str
        The first rows that are not blank.
    width : int
        The number of cells of a row of the table.
    decimal : {".", ","}
    header : bool, optional
        Whether there are names at all; found where it is None.
    """
    start = _first_row(rows, width, decimal)
    if header is False:
        return Layout((), start)
    if _lacks_a_name(rows, start, width, decimal):
        return Layout((start - 1,), start)
    table = rows[start:]
    if _is_double(table, decimal):
        return Layout((start, start + 1), start + 2)
    if start and _continues(rows[start - 1], table[0], width):
        return Layout((start - 1, start), start + 1)
    if header or find_header(table, decimal):
        return Layout((start,), start + 1)
    return Layout((), start)


def joined_names(rows: list[list[str]]) -> list[str]:
    """Make names of one row, or of two: 'length / cm'; an empty upper cell continues the one before it."""
    if len(rows) == 1:
        return rows[0]
    upper, lower = rows
    names: list[str] = []
    group = ""
    for above, below in zip(upper, lower, strict=True):
        group = above or group
        parts = [group if below else above, below]
        names.append(" / ".join(dict.fromkeys(part for part in parts if part)))
    return names


def above_notes(above: list[list[str]], names: tuple[int, ...]) -> list[str]:
    """Say which rows were passed over, and where the names are where one would not look for them."""
    notes = []
    if above:
        first = next((cell for row in above for cell in row if cell), "")
        shown = first if len(first) <= 40 else first[:39] + "…"
        noun = "1 row" if len(above) == 1 else f"{len(above):,} rows"
        notes.append(f"Left out {noun} above the table ('{shown}').")
    if len(names) == 2:
        notes.append(f"The names are in rows {names[0]} and {names[1]}; they were joined.")
    elif names and above:
        notes.append(f"The names are in row {names[0]}.")
    return notes


def _first_row(rows: list[list[str]], width: int, decimal: str) -> int:
    """Find the first row of the table, names or data; 0 where passing over rows would lose names."""
    filled = sum(any(column) for column in _columns(rows, width))
    start = next((i for i, row in enumerate(rows) if not _is_above(row, width, filled)), 0)
    if start == 0 or (_is_header(rows[start:], decimal) and not _may_name(rows[start - 1], width)):
        return start
    start = next((i for i, row in enumerate(rows) if len(row) == width), 0)
    above = rows[: start - 1] if _lacks_a_name(rows, start, width, decimal) else rows[:start]
    return start if all(map(_is_remark, above)) else 0


def _is_above(row: list[str], width: int, filled: int) -> bool:
    present = sum(map(bool, row))
    return len(row) != width or _is_comment(row) or (width > 1 and (present <= 1 or 2 * present < filled))


def _may_name(row: list[str], width: int) -> bool:
    """Tell whether a row of another length than the table's may yet be meant to name its columns."""
    return len(row) != width and len(row) >= width - 1 and not _is_remark(row) and not row[0].endswith(":")


def _is_comment(row: list[str]) -> bool:
    return bool(COMMENT.match(row[0]))


def _is_remark(row: list[str]) -> bool:
    return _is_comment(row) or sum(map(bool, row)) <= 1


def _is_header(table: list[list[str]], decimal: str) -> bool:
    """Tell whether the first row surely holds names: text above numbers."""
    return len(table) > 1 and (any(vote > 0 for vote in header_votes(table, decimal)) or _is_double(table, decimal))


def _lacks_a_name(rows: list[list[str]], start: int, width: int, decimal: str) -> bool:
    """Tell whether the row above the table names all its columns but the first, as R writes row names."""
    if start == 0 or len(rows[start - 1]) != width - 1 or _is_comment(rows[start - 1]):
        return False
    names, below = rows[start - 1], rows[start:]
    named = all(names) and not any(is_number(cell, decimal) for cell in names)
    even = all(len(row) == width for row in below) and any(row[-1] for row in below)
    return named and even and not _is_header(below, decimal)


def _is_double(table: list[list[str]], decimal: str) -> bool:
    """Tell whether the first two rows hold names: words in both, and numbers below the second."""
    if len(table) < 3 or len(table[0]) != len(table[1]):
        return False
    upper, lower = ([cell for cell in row if cell not in MISSING_MARKERS] for row in table[:2])
    if len(upper) < 2 or any(is_number(cell, decimal) for cell in upper + lower):
        return False
    votes = header_votes(table[1:], decimal)
    if any(vote < 0 for vote in votes):
        return False
    above = sum(vote > 0 for vote in votes)
    return above >= 2 or (above == len(lower) == 1 and bool(_UNIT.fullmatch(lower[0])))


def _continues(above: list[str], names: list[str], width: int) -> bool:
    """Tell whether a sparse row above the names fills one of their gaps, so that it is a row of names too."""
    if len(above) != width or sum(map(bool, above)) < 2 or _is_comment(above):
        return False
    return any(upper and not lower for upper, lower in zip(above, names, strict=True))


def _columns(rows: list[list[str]], width: int) -> list[list[str]]:
    whole = [row for row in rows if len(row) == width]
    return [list(column) for column in zip(*whole, strict=True)]
