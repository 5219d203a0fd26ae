"""Tables on the command line: the flags that say how one is read and prepared, and those that would mend an error."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from opnb.errors import DataError, ReadingError, Remedy

if TYPE_CHECKING:
    from opnb.data import Limits, PrepareOptions, Table

_READING = ("sheet", "header_row", "delimiter", "decimal", "encoding")
_DELIMITERS = {"tab": "\t", "space": " "}  # awkward to write in a shell
_FLAGS = {"roles": "role", "missing_codes": "missing-code"}


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Describe the options that say how a file is read; what is not given is found."""
    group = parser.add_argument_group("how the file is read (what is not given is found)")
    group.add_argument("--sheet", help="name of an Excel file's sheet, or its number from 1")
    group.add_argument("--header-row", type=_rows, help="row of the names, from 1; 2-3 for two rows, 0 for none")
    group.add_argument("--delimiter", type=_delimiter, help='between columns: a character, "tab" or "space"')
    group.add_argument("--decimal", choices=(".", ","), help="decimal mark")
    group.add_argument("--encoding", help="of the text, for instance utf-8 or latin-1")


def add_preparing(parser: argparse.ArgumentParser) -> None:
    """Describe the options that say what is made of a table."""
    group = parser.add_argument_group("what is made of the table")
    group.add_argument("--target", help="column of the classes (default: proposed from the names and values)")
    group.add_argument("--role", action="append", default=[], type=_role, metavar="COLUMN=ROLE", help=_role_help())
    group.add_argument("--missing", choices=("drop", "impute", "error"), default="drop", help="missing values (drop)")
    group.add_argument(
        "--missing-code",
        action="append",
        default=[],
        type=_code,
        metavar="[COLUMN=]NUMBER",
        help="number that stands for a missing value, such as -999; without a column, wherever it occurs",
    )
    group.add_argument("--target-bins", type=int, help="cut a numeric target into so many classes")
    group.add_argument("--min-class-rows", type=int, default=1, help="leave out classes with fewer rows (1)")
    group.add_argument("--preset", choices=("as is", "paper"), default="as is", help='preprocessing ("as is")')
    group.add_argument("--test-size", type=float, default=0.25, help="share of held-out rows, 0 for none (0.25)")


def table_of(options: argparse.Namespace, limits: Limits | None = None) -> Table:
    """Read the table that the options name, as they say."""
    from opnb.data import read_table

    reading = {name: getattr(options, name) for name in _READING}
    return read_table(Path(options.table), limits=limits, **reading)


def preparation_of(options: argparse.Namespace, table: Table | None) -> PrepareOptions:
    """Give the preparation that the options ask for; without a table codes for missing values must name columns."""
    from opnb.data import PrepareOptions

    return PrepareOptions(
        preset=options.preset,
        missing=options.missing,
        roles=tuple(options.role),
        min_class_rows=options.min_class_rows,
        target_bins=options.target_bins,
        test_size=options.test_size or None,
        seed=options.seed,
        missing_codes=tuple(_codes_in(table, options.missing_code)),
    )


def _codes_in(table: Table | None, codes: Iterable[tuple[str | None, float]]) -> Iterable[tuple[str, float]]:
    from opnb.data.converting import numbers_in

    for column, code in codes:
        if column is not None:
            yield column, code
        elif table is None:
            raise DataError(f"Rows in pieces are not searched for {code:g}: write --missing-code COLUMN={code:g}.")
        else:
            yield from ((str(name), code) for name in table.frame if (numbers_in(table.frame[name]) == code).any())


def advice(error: Exception) -> str:
    """Say which flags would mend an error; empty where none would."""
    remedies = error.remedies if isinstance(error, DataError) else ()
    flags = [_flag_words(remedy) for remedy in remedies]
    if not flags and isinstance(error, ReadingError) and error.change:
        sheets = f" ({', '.join(error.sheets)})" if error.change == "sheet" and error.sheets else ""
        flags = [f"{_flag(error.change)}{sheets}"]
    return f" Try {', or '.join(flags)}." if flags else ""


def _flag_words(remedy: Remedy) -> str:
    words, flag = f"{remedy.words[0].lower()}{remedy.words[1:]}", _flag(remedy.option)
    if remedy.value is None:
        return f"{flag} ..." if remedy.option == "target" else f"without {flag}"
    pairs = remedy.value if remedy.option in _FLAGS else (remedy.value,)
    values = [f"{pair[0]}={pair[1]}" if isinstance(pair, tuple) else str(pair) for pair in pairs]
    return " ".join(f"{flag} {shlex.quote(value)}" for value in values) + f" ({words})"


def _flag(option: str) -> str:
    return "--" + _FLAGS.get(option, option.replace("_", "-"))


def _delimiter(text: str) -> str:
    return _DELIMITERS.get(text, text)


def _rows(text: str) -> int | tuple[int, ...]:
    parts = text.split("-")
    if not all(part.isascii() and part.isdigit() for part in parts) or len(parts) > 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no row: it is a number as 3, two as 2-3, or 0 for none")
    return int(text) if len(parts) == 1 else tuple(map(int, parts))


def _role(text: str) -> tuple[str, str]:
    column, sign, role = text.rpartition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r} names no role: write it as COLUMN=ROLE")
    return column, role


def _code(text: str) -> tuple[str | None, float]:
    column, sign, number = text.rpartition("=")
    try:
        return (column if sign else None), float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{number!r} is no number: write it as -999 or COLUMN=-999") from None


def _role_help() -> str:
    from opnb.data.roles import ROLES

    return f"what a column is used as: {', '.join(ROLES)}"
