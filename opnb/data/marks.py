"""Marks around numbers: a percent sign, a currency, a unit ("12 kg"), the same in all cells of a column.

They are taken off, and it is said; the number stays as it is written, so that 5 % becomes 5.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from opnb.data.sniffing import is_number

_CURRENCY = (
    r"[€$£¥₹₽₩₺₪฿]|US\$|A\$|C\$|R\$|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|INR|BRL|ZAR|Fr\."
)
_SIGN = r"[+\-\x{2212}]?"
_NUMBER = r"\.?\d[\d.,' \x{a0}\x{202f}\x{2019}]*(?:[eE][+-]?\d+)?"
_UNIT = r"[gmslhdtTKVAWNJL°%‰Ω]|[A-Za-zµμ°Ωℓ][A-Za-zµμ°Ωℓ/·^*-]{0,9}[A-Za-z²³23]"


def _for_python(pattern: str) -> str:
    return re.sub(r"\\x\{(\w+)\}", lambda match: chr(int(match[1], 16)), pattern)


# The same patterns once for a sample of cells, by Python, and once for a whole column, by Arrow.
_BEFORE = rf"({_SIGN})\s*({_CURRENCY})\s*({_SIGN})\s*({_NUMBER})"
_AFTER = rf"({_SIGN})\s*({_NUMBER})\s*({_CURRENCY}|{_UNIT})"
_MARKED_BEFORE, _MARKED_AFTER = (re.compile(_for_python(pattern)) for pattern in (_BEFORE, _AFTER))
MOST = 0.5  # share of the present cells that must bear the mark
_SAMPLE, _LONGEST = 100, 60


def without_marks(text: Any) -> tuple[Any, str]:
    """Take one mark off a column of text.

    Parameters
    ----------
    text : pyarrow.Array or pyarrow.ChunkedArray
        Trimmed strings; missing cells are null.

    Returns
    -------
    text : pyarrow.Array
        The cells that bear the mark without it; the others as they were.
    mark : str
        What was taken off, as in "the currency sign '$'"; "" where no mark is common to most cells, and then the
        text is unchanged.
    """
    cells = text.drop_null().slice(0, _SAMPLE).to_pylist()
    marks = Counter(mark for cell in cells if (mark := _mark(cell)))
    if not marks:
        return text, ""
    mark, count = marks.most_common(1)[0]
    return (text, "") if count <= MOST * len(cells) else (_without(text, mark), _words(mark))


def _mark(cell: str) -> str:
    if len(cell) > _LONGEST or is_number(cell):
        return ""
    if (match := _MARKED_BEFORE.fullmatch(cell)) is not None:
        return match[2]
    return match[3] if (match := _MARKED_AFTER.fullmatch(cell)) is not None else ""


def _without(text: Any, mark: str) -> Any:
    """Take a mark off the cells that bear it, and write their signs and apostrophes in one way."""
    import pyarrow.compute as pc

    mark = re.escape(mark)
    before = rf"^({_SIGN})\s*(?:{mark})\s*({_SIGN})\s*({_NUMBER})$"
    after = rf"^({_SIGN})\s*({_NUMBER})\s*(?:{mark})$"
    marked = pc.or_(pc.match_substring_regex(text, before), pc.match_substring_regex(text, after))
    bare = pc.replace_substring_regex(text, before, r"\1\2\3")
    bare = pc.replace_substring_regex(bare, after, r"\1\2")
    for odd, plain in (("\u2212", "-"), ("\u2019", "'")):
        bare = pc.replace_substring(bare, odd, plain)
    return pc.if_else(marked, pc.utf8_trim_whitespace(bare), text)


def _words(mark: str) -> str:
    if mark == "%":
        return "a percent sign"
    return f"the currency '{mark}'" if re.fullmatch(_CURRENCY, mark) else f"the unit '{mark}'"
