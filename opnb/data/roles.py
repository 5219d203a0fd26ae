"""What each column is good for: a proposal the user can change.

A role is one of `ROLES`. Numbers and categories become covariates; identifiers, dates, free text and
constants are left out, each with a note that says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from opnb.data.converting import numbers_in
from opnb.data.table import Table

if TYPE_CHECKING:
    import pandas as pd

ROLES = ("number", "category", "identifier", "date", "free text", "constant", "leave out")
TARGET_NAMES = ("target", "class", "label", "species", "y")
MOSTLY = 0.9  # share of values that must be numbers for a column of mixed types to count as one of numbers
MAX_LEVELS = 50  # a text column with more values than this is no category
FEW_CLASSES = 20  # an unnamed target has no more values than this

_IDENTIFIER_NAME = re.compile(r"(^|[\s_.-])(id|ids|uuid|guid|index|key|row|no|nr|number)$|^unnamed|^column 1$", re.I)
_CAMEL_ID = re.compile(r"[a-z](ID|Id)$")
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})( .*)?|\d{4}/\d{1,2}/\d{1,2}( .*)?"
)


@dataclass(frozen=True)
class Column:
    """One column and the role proposed for it."""

    name: str
    role: str
    note: str
    n_missing: int
    n_distinct: int


@dataclass(frozen=True)
class Proposal:
    """The roles of all columns, and the target (None where nothing suggests one)."""

    target: str | None
    columns: tuple[Column, ...]

    def role(self, name: str) -> str:
        """Give the role proposed for a column."""
        return next(column.role for column in self.columns if column.name == name)


def propose(table: Table) -> Proposal:
    """Propose the target and a role for each column.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Proposal
        The target is a column called target, class, label, species or y (in this order, in any case), else
        the last column with few distinct values.
    """
    columns = tuple(describe_column(table.frame[name]) for name in table.frame.columns)
    return Proposal(_propose_target(columns, len(table.frame)), columns)


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
    return Column(str(series.name), role, note, int(series.isna().sum()), n_distinct)


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
    for wanted in TARGET_NAMES:
        for column in usable:
            if column.name.strip().lower() == wanted:
                return column.name
    for column in reversed(usable):
        if 2 <= column.n_distinct <= min(FEW_CLASSES, max(n_rows // 2, 2)) and column.role in (
            "number",
            "category",
        ):
            return column.name
    return None
