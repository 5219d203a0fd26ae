"""What is the matter with each row of a table that a recipe is applied to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from opnb.data.converting import numbers_in, text_of

if TYPE_CHECKING:
    import pandas as pd

    from opnb.data.ingredient import Ingredient

_MOST = 3  # troubles told in a row; a table has thousands of columns, and they may all be empty
_LONGEST = 40


class RowWords:
    """Words about each row, a few at most, and the count of all."""

    def __init__(self, n_rows: int) -> None:
        self.counts = np.zeros(n_rows, dtype=np.intp)
        self._words: list[list[str]] = [[] for _ in range(n_rows)]

    def add(self, rows: NDArray[np.bool_], words: str, values: NDArray | None = None) -> None:
        """Say something about some of the rows; '{}' stands for the row's own value."""
        for row in np.flatnonzero(rows & (self.counts < _MOST)):
            self._words[row].append(words.format("" if values is None else _short(values[row])))
        self.counts += rows

    def sentences(self) -> tuple[str, ...]:
        """Give the words of each row in one line; empty where there are none."""
        return tuple(
            "; ".join([*words, f"and {count - _MOST} more"] if count > _MOST else words)
            for words, count in zip(self._words, self.counts.tolist(), strict=True)
        )


def note_troubles(item: Ingredient, series: pd.Series, refused: RowWords, lacking: RowWords) -> None:
    """Note what of a column cannot be used (`refused`), and what is missing (`lacking`), row by row."""
    absent = series.isna().to_numpy()
    lacking.add(absent, f"no value in '{_braced(item.name)}'")
    if item.levels:
        labels = text_of(series)
        unknown = ~absent & ~labels.isin(item.levels).to_numpy()
        refused.add(unknown, f"'{{}}' is not known in '{_braced(item.name)}'", labels.to_numpy(dtype=object))
        return
    values = numbers_in(series)
    words = np.isnan(values) & ~absent
    lacking.add(words, f"'{{}}' in '{_braced(item.name)}' is no number", series.to_numpy(dtype=object))
    refused.add(np.isinf(values), f"an infinite value in '{_braced(item.name)}'")


def _braced(name: str) -> str:
    return name.replace("{", "{{").replace("}", "}}")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
