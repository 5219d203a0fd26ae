"""What each column is good for: a proposal the user can change.

A role is one of `ROLES`. Numbers and categories become covariates; identifiers, dates, free text and
constants are left out, each with a note that says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from opnb.data.converting import numbers_in
from opnb.data.table import Table

if TYPE_CHECKING:
    import pandas as pd

ROLES = ("number", "category", "identifier", "date", "free text", "constant", "leave out")
TARGET_NAMES = ("target", "class", "label", "species", "outcome", "y")
MOSTLY = 0.9  # share of values that must be numbers for a column of mixed types to count as one of numbers
MAX_LEVELS = 50  # a text column with more values than this is no category
MAX_CLASSES = 100  # more are refused, unless asked for
FEW_CLASSES = 20  # an unnamed target has no more values than this

_CODES = tuple(sign * (10**digits - 1) for digits in range(2, 8) for sign in (-1, 1))
_MOST_CODES = 3
_IDENTIFIER_NAME = re.compile(r"(^|[\s_.-])(id|ids|uuid|guid|index|key|row|no|nr|number)$|^unnamed|^column 1$", re.I)
_CAMEL_ID = re.compile(r"[a-z](ID|Id)$")
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})( .*)?|\d{4}/\d{1,2}/\d{1,2}( .*)?"
)


@dataclass(frozen=True)
class Column:
    """One column and the role proposed for it.

    `codes` are numbers that may stand for a missing value, such as -999; they are pointed out, not changed.
    `is_text` tells words from numbers whatever the role, `whole` whether all numbers are whole.
    """

    name: str
    role: str
    note: str
    n_missing: int
    n_distinct: int
    codes: tuple[float, ...] = ()
    is_text: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Proposal:
    """The roles of all columns, and the target (None where nothing suggests one)."""

    target: str | None
    columns: tuple[Column, ...]

    def role(self, name: str) -> str:
        """Give the role proposed for a column."""
        return next(column.role for column in self.columns if column.name == name)

    def by_role(self) -> dict[str, tuple[str, ...]]:
        """List the columns of each role, to choose by kind; roles that no column has are left out."""
        found = {role: tuple(column.name for column in self.columns if column.role == role) for role in ROLES}
        return {role: names for role, names in found.items() if names}


def propose(table: Table) -> Proposal:
    """Propose the target and a role for each column.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Proposal
        The target is a column called target, class, label, species, outcome or y (in this order, in any case) that
        can be one of classes; else the last column, where it has two values or is text with few; else the only column
        of text; else the last column with few distinct values, text and whole numbers first. A column with one of
        those names that holds many numbers comes last.

    Examples
    --------
    >>> from opnb.data import example_table, propose
    >>> propose(example_table("iris")).target
    'species'
    """
    known = _proposed.get(table)
    if known is None:
        columns = tuple(describe_column(table.frame[name]) for name in table.frame.columns)
        known = _proposed[table] = Proposal(_propose_target(columns, len(table.frame)), columns)
    return known


# For as long as the table is there: a page asks more than once, and many visitors have the same example.
_proposed: WeakKeyDictionary[Table, Proposal] = WeakKeyDictionary()


def describe_column(series: pd.Series) -> Column:
    """Propose a role for one column."""
    import pandas as pd

    present = series.dropna()
    n_distinct = int(present.nunique())
    if n_distinct <= 1:
        role, note = "constant", "is empty" if n_distinct == 0 else f"is always {present.iloc[0]}"
    elif pd.api.types.is_datetime64_any_dtype(series):
        role, note = "date", "holds dates"
    elif pd.api.types.is_numeric_dtype(series):
        role, note = _number_role(str(series.name), series, n_distinct)
    else:
        role, note = _text_role(str(series.name), present, n_distinct)
    numeric = pd.api.types.is_numeric_dtype(series)
    codes = suspected_codes(present.to_numpy(dtype=np.float64)) if numeric and role == "number" else ()
    return Column(
        str(series.name),
        role,
        note or _code_note(codes),
        int(series.isna().sum()),
        n_distinct,
        codes=codes,
        is_text=isinstance(series.dtype, pd.StringDtype) and role != "number",
        whole=numeric and bool((present % 1 == 0).all()),
    )


def suspected_codes(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Find numbers that may stand for a missing value: -999, 9999, or -1 among large positive numbers.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The numbers of a column.

    Returns
    -------
    tuple of float
        Made of nines, or -1; the least or the greatest value, and apart from the others by more than their range. For
        -1 it is enough that all others are at least 0 and reach 20.
    """
    found = []
    distinct = np.unique(values[np.isfinite(values)])
    for _ in range(_MOST_CODES):
        codes = [end for end in distinct[[0, -1]] if _is_code(end, distinct)] if len(distinct) > 2 else []
        if not codes:
            break
        found.append(float(codes[0]))
        distinct = distinct[distinct != codes[0]]
    return tuple(sorted(found))


def _code_note(codes: tuple[float, ...]) -> str:
    shown = " and ".join(f"{code:g}" for code in codes)
    return f"holds {shown}, which may stand for a missing value" if codes else ""


def _is_code(end: float, distinct: NDArray[np.float64]) -> bool:
    others = distinct[distinct != end]
    if end == -1:
        return bool(others[0] >= 0 and others[-1] >= 20)
    gap = np.abs(others - end).min()
    return bool(end in _CODES and gap > others[-1] - others[0])


def _number_role(name: str, series: pd.Series, n_distinct: int) -> tuple[str, str]:
    n = len(series)
    if n_distinct < n or n < 10 or not np.issubdtype(series.to_numpy().dtype, np.integer):
        return "number", ""
    if (series.diff().iloc[1:] == 1).all():
        return "identifier", "counts the rows"
    if _named_identifier(name):
        return "identifier", "has another value in each row and the name of an identifier"
    return "number", ""


def _text_role(name: str, present: pd.Series, n_distinct: int) -> tuple[str, str]:
    numeric = ~np.isnan(numbers_in(present))
    if numeric.mean() >= MOSTLY:
        odd = present[~numeric]
        if odd.empty:
            return "number", "is of mixed types: numbers, but not all written in the same way"
        what = f"'{odd.iloc[0]}' in row {odd.index[0] + 1}"
        return (
            "number",
            f"is of mixed types: numbers, but {len(odd)} of {len(present)} values are not ({what})",
        )
    if present.head(1000).map(lambda value: bool(_DATE.fullmatch(value))).mean() >= MOSTLY:
        return "date", "holds dates"
    if n_distinct == len(present) and (n_distinct >= 10 or _named_identifier(name)):
        return _wordy_role(present, "has another value in each row")
    if n_distinct > MAX_LEVELS:
        return _wordy_role(present, f"has {n_distinct:,} different values, too many for a category")
    return "category", "mixes numbers and text" if numeric.any() else ""


def _wordy_role(present: pd.Series, why: str) -> tuple[str, str]:
    words = present.head(1000).str.count(r"\s+").mean() + 1
    return ("free text", f"{why}, of {words:.0f} words on average") if words >= 3 else ("identifier", why)


def _named_identifier(name: str) -> bool:
    return bool(_IDENTIFIER_NAME.search(name) or _CAMEL_ID.search(name))


def _propose_target(columns: tuple[Column, ...], n_rows: int) -> str | None:
    usable = [column for column in columns if column.role != "constant"]
    named = [column for wanted in TARGET_NAMES for column in usable if column.name.strip().lower() == wanted]
    few = [column for column in reversed(usable) if _has_few_values(column, n_rows)]
    texts = [column for column in usable if column.is_text and column.role == "category"]
    last = [column for column in usable[-1:] if column in few and (column.is_text or column.n_distinct == 2)]
    candidates = (
        *(column for column in named if column.is_text or column in few or _may_be_classes(column)),
        *last,
        *(texts if len(texts) == 1 else ()),
        *(column for column in few if column.is_text or column.whole),
        *few,
        *named,
    )
    return next((column.name for column in candidates), None)


def _may_be_classes(column: Column) -> bool:
    return column.whole and column.n_distinct <= MAX_CLASSES


def _has_few_values(column: Column, n_rows: int) -> bool:
    most = min(FEW_CLASSES, max(n_rows // 2, 2))
    return column.role in ("number", "category") and 2 <= column.n_distinct <= most
