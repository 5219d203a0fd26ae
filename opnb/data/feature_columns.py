"""The columns of a table as a model sees them: a category is one column, however many features it became."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from opnb.data.recipe import Recipe


@dataclass(frozen=True)
class FeatureColumn:
    """One column of the table.

    Parameters
    ----------
    name : str
    places : tuple of int
        Its features among all: one, or one for every level of a category but the first.
    levels : tuple of str
        Of a category; empty for a number.
    """

    name: str
    places: tuple[int, ...]
    levels: tuple[str, ...] = ()

    def value(self, row: NDArray[np.float64]) -> float:
        """Read the column off a prepared row: its number, or which of its levels."""
        if not self.levels:
            return float(row[self.places[0]])
        flags = row[list(self.places)]
        # The paper's policy adds a little noise to the flags; none is set for the first level.
        return float(flags.argmax() + 1) if flags.max() > 0.5 else 0.0

    def written(self, value: float) -> str:
        """Write a value of the column as the table has it."""
        return self.levels[int(value)] if self.levels else f"{value:.6g}"

    def changed(self, row: NDArray[np.float64], values: Sequence[float] | NDArray) -> NDArray[np.float64]:
        """Give copies of a prepared row with other values of this column, of shape (len(values), n_features)."""
        rows = np.tile(row, (len(values), 1))
        if not self.levels:
            rows[:, self.places[0]] = values
            return rows
        levels = np.arange(1, len(self.levels))
        rows[:, list(self.places)] = np.asarray(values)[:, None] == levels
        return rows


def feature_columns(feature_names: Sequence[str], recipe: Recipe | None = None) -> tuple[FeatureColumn, ...]:
    """Find the columns behind some features.

    Parameters
    ----------
    feature_names : sequence of str
    recipe : Recipe, optional
        How the features were made. Without one, or where principal components were taken, every feature is a column.

    Returns
    -------
    tuple of FeatureColumn
        Every feature belongs to one of them.

    Examples
    --------
    >>> from opnb.data import feature_columns
    >>> [column.name for column in feature_columns(["width", "height"])]
    ['width', 'height']
    """
    if recipe is None or recipe.rotation is not None:
        return tuple(FeatureColumn(str(name), (place,)) for place, name in enumerate(feature_names))
    columns, first = [], 0
    for item in recipe.ingredients:
        after = first + len(item.feature_names)
        columns.append(FeatureColumn(item.name, tuple(range(first, after)), item.levels))
        first = after
    return tuple(columns)
