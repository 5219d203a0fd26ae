"""Tables out: text stays text, and never becomes a formula in a spreadsheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Write a table as CSV in which no cell of text starts a formula in a spreadsheet."""
    safe = frame.copy()
    for position, dtype in enumerate(safe.dtypes):
        if dtype.kind not in "biufM":
            safe.isetitem(position, [_without_formula(value) for value in safe.iloc[:, position]])
    safe.columns = [_without_formula(str(name)) for name in frame.columns]
    text: str = safe.to_csv(index=False)
    return text.encode("utf-8-sig")  # the mark makes Excel read it as UTF-8


def _without_formula(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
