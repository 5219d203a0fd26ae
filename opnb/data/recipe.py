"""A recipe: how the columns of a table become covariates, learnt once and applied to any later table.

It is a small frozen object that turns into JSON and back, so a model file can carry it; reading one that was
altered runs nothing and fails with a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from opnb.data.converting import numbers_in, text_of
from opnb.data.ingredient import Ingredient
from opnb.data.row_words import RowWords, note_troubles
from opnb.data.table import Table
from opnb.errors import DataError, Remedy

if TYPE_CHECKING:
    import pandas as pd

Missing = Literal["drop", "impute", "error"]
VERSION = 1
FILL_IN = Remedy("missing", "impute", "Fill in what is missing")


@dataclass(frozen=True, eq=False)
class Rotation:
    """Principal components taken after encoding (only by the paper's policy, beyond 300 covariates)."""

    mean: NDArray[np.float64]
    components: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Applied:
    """What a recipe gives: covariates, the table's rows they belong to (from 0), and an account."""

    X: NDArray[np.float64] = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    account: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class AppliedRows:
    """What a recipe gives for each row of a table, none left out.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Covariates; NaN throughout in a row that cannot be used.
    usable : ndarray of shape (n,), bool
    reasons : tuple of str, length n
        Why a row cannot be used; "" where it can.
    filled : tuple of str, length n
        What was filled in to use a row; "" as a rule.
    """

    X: NDArray[np.float64] = field(repr=False)
    usable: NDArray[np.bool_] = field(repr=False)
    reasons: tuple[str, ...] = field(repr=False)
    filled: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Recipe:
    """The covariates of a model, from a table's columns.

    Parameters
    ----------
    ingredients : tuple of Ingredient
        In the order of the covariates.
    missing : {"drop", "impute", "error"}
        What happens to a row in which one of these columns has no value.
    rotation : Rotation, optional
        Principal components to take at the end.

    Notes
    -----
    A category that was not there when the recipe was learnt gets zeros in all its columns, as the reference
    level has; the account says so. The random noise of the paper's policy is no part of a recipe.
    """

    ingredients: tuple[Ingredient, ...]
    missing: Missing = "drop"
    rotation: Rotation | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the covariates, in order."""
        if self.rotation is not None:
            return tuple(f"PC{i + 1}" for i in range(len(self.rotation.components)))
        return tuple(name for item in self.ingredients for name in item.feature_names)

    @property
    def is_binary(self) -> NDArray[np.bool_]:
        """Tell which covariates come from categories."""
        if self.rotation is not None:
            return np.zeros(len(self.rotation.components), dtype=bool)
        flags = [bool(item.levels) for item in self.ingredients for _ in item.feature_names]
        return np.array(flags, dtype=bool)

    def apply(self, table: Table) -> NDArray[np.float64]:
        """Make the covariates of every row of a table.

        Parameters
        ----------
        table : Table
            With all columns of the recipe, in any order; others are ignored.

        Returns
        -------
        ndarray of shape (n_rows, n_features)

        Raises
        ------
        DataError
            For a column that is absent, a value that is no finite number, or a value that is missing and not
            imputed.
        """
        keep: Missing = "impute" if self.missing == "impute" else "error"
        return self.transform(table, missing=keep).X

    def transform(self, table: Table, *, missing: Missing | None = None) -> Applied:
        """Make covariates and account for it; with `missing="drop"`, rows that lack a value are left out."""
        self._check_columns(table.frame)
        return self.transform_frame(table.frame, missing or self.missing)

    def transform_frame(self, frame: pd.DataFrame, missing: Missing) -> Applied:
        """Do the work of `transform` on a frame that has every column."""
        account: list[str] = []
        frame = self._cleared(frame)
        absent = np.column_stack([missing_in(frame[item.name], bool(item.levels)) for item in self.ingredients])
        rows = np.arange(len(frame))
        if missing == "error":
            refuse_missing(absent, [item.name for item in self.ingredients], frame.index.to_numpy())
        elif missing == "drop":
            rows = np.flatnonzero(~absent.any(axis=1))
            account += _dropped_sentence(len(frame) - len(rows), len(frame))
        parts = [_encode(item, frame[item.name].iloc[rows], account) for item in self.ingredients]
        X = np.ascontiguousarray(np.column_stack(parts))
        if self.rotation is not None:
            X = np.ascontiguousarray((X - self.rotation.mean) @ self.rotation.components.T)
        return Applied(X, rows, tuple(account))

    def apply_rows(self, table: Table) -> AppliedRows:
        """Make covariates of every row that can be used, and say of every other why it cannot.

        A row cannot be used when it has an infinite value or a category that the recipe does not know, and, unless
        values are imputed, when it lacks a value or has text for a number. A row that lacks everything never can.
        """
        self._check_columns(table.frame)
        frame = self._cleared(table.frame)
        reasons, filled = RowWords(len(frame)), RowWords(len(frame))
        for item in self.ingredients:
            note_troubles(item, frame[item.name], reasons, filled if self.missing == "impute" else reasons)
        if self.missing == "impute":
            reasons.add(filled.counts == len(self.ingredients), "no value in any column")
        usable = reasons.counts == 0
        X = np.full((len(frame), len(self.feature_names)), np.nan)
        if usable.any():
            X[usable] = self.transform_frame(frame.iloc[np.flatnonzero(usable)], "impute").X
        return AppliedRows(X, usable, reasons.sentences(), filled.sentences())

    def with_codes(self, codes: Mapping[str, tuple[float, ...]]) -> Recipe:
        """Give the same recipe with numbers that count as missing, by column."""
        items = tuple(replace(item, codes=codes.get(item.name, ())) for item in self.ingredients)
        return replace(self, ingredients=items)

    def _cleared(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.copy(deep=False)
        for item in self.ingredients:
            if item.codes:
                frame[item.name] = cleared_codes(frame[item.name], item.codes)
        return frame

    def _check_columns(self, frame: pd.DataFrame) -> None:
        absent = [item.name for item in self.ingredients if item.name not in frame.columns]
        if absent:
            shown = ", ".join(f"'{name}'" for name in absent[:5]) + (" and others" if len(absent) > 5 else "")
            raise DataError(
                f"The table lacks {'the column' if len(absent) == 1 else f'{len(absent)} columns'} {shown}. "
                "Give it all columns the model was fitted with, under the same names."
            )

    def to_dict(self) -> dict[str, Any]:
        """Give the recipe as plain values for JSON."""
        rotation = self.rotation and {
            "mean": self.rotation.mean.tolist(),
            "components": self.rotation.components.tolist(),
        }
        items = [
            {"name": i.name, "fill": i.fill, "levels": list(i.levels)} | ({"codes": list(i.codes)} if i.codes else {})
            for i in self.ingredients
        ]
        return {"version": VERSION, "missing": self.missing, "ingredients": items, "rotation": rotation}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Recipe:
        """Rebuild a recipe, checking every part of it.

        Raises
        ------
        DataError
            When anything is absent, surplus or of the wrong kind.
        """
        _expect(isinstance(values, Mapping), "it is no mapping")
        _expect(
            set(values) == {"version", "missing", "ingredients", "rotation"},
            "its parts are not the expected ones",
        )
        _expect(values["version"] == VERSION, f"its version is not {VERSION}")
        _expect(values["missing"] in get_args(Missing), "its rule for missing values is unknown")
        _expect(isinstance(values["ingredients"], list) and bool(values["ingredients"]), "it has no columns")
        items = tuple(_ingredient_from(item) for item in values["ingredients"])
        _expect(len({item.name for item in items}) == len(items), "a column is named twice")
        width = sum(len(item.feature_names) for item in items)
        rotation = None if values["rotation"] is None else _rotation_from(values["rotation"], width)
        return cls(items, cast(Missing, values["missing"]), rotation)


def learn_recipe(
    frame: pd.DataFrame, categories: set[str], missing: Missing, train: NDArray[np.intp] | None = None
) -> Recipe:
    """Learn the levels and the fillings of each column.

    Parameters
    ----------
    frame : pandas.DataFrame
        The covariates; none is constant or empty.
    categories : set of str
        Which of the columns are categories; the others are numbers.
    missing : {"drop", "impute", "error"}
    train : ndarray of int, optional
        The rows that fillings are learnt from; levels come from all rows, so that the covariates do not
        change with the split.
    """
    rows = np.arange(len(frame)) if train is None else train
    items = tuple(_learn_column(frame[name], name in categories, rows) for name in frame.columns)
    return Recipe(items, missing)


def cleared_codes(series: pd.Series, codes: tuple[float, ...]) -> pd.Series:
    """Give a column in which the numbers that are codes are missing."""
    return series.mask(np.isin(numbers_in(series), codes))


def leave_out(name: str) -> Remedy:
    """Propose to leave a column out; the value is what to add to the roles."""
    return Remedy("roles", ((name, "leave out"),), f"Leave out '{name}'")


def missing_in(series: pd.Series, category: bool) -> NDArray[np.bool_]:
    """Tell which values a column lacks; in a column of numbers, text counts as lacking."""
    return series.isna().to_numpy() if category else np.isnan(numbers_in(series))


def refuse_missing(absent: NDArray[np.bool_], names: list[str], rows: NDArray[np.intp]) -> None:
    """Raise `DataError` at the first missing value; `rows` are the table's rows, from 0."""
    if absent.any():
        position, column = np.argwhere(absent)[0]
        row = int(rows[position])
        raise DataError(
            f"{int(absent.sum()):,} values are missing or no numbers, the first in row {row + 1:,}, column "
            f"'{names[column]}'. Leave out such rows, or fill in what is missing.",
            remedies=(Remedy("missing", "drop", "Leave out such rows"), FILL_IN),
        )


def check_finite(values: NDArray[np.float64], series: pd.Series) -> None:
    """Raise `DataError` at an infinite value."""
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        raise DataError(
            f"Column '{series.name}' holds an infinite value in row {series.index[bad[0]] + 1:,} ({len(bad)} "
            "in all). Correct it, empty the cell, or leave the column out.",
            remedies=(leave_out(str(series.name)),),
        )


def _learn_column(series: pd.Series, category: bool, rows: NDArray[np.intp]) -> Ingredient:
    known = series.iloc[rows]
    known = known if known.notna().any() else series
    if not category:
        return Ingredient(str(series.name), float(np.nanmedian(numbers_in(known))))
    levels = tuple(sorted(text_of(series).dropna().unique(), key=_natural_key))
    counts = text_of(known).value_counts()
    return Ingredient(str(series.name), max(levels, key=lambda level: counts.get(level, 0)), levels)


def _natural_key(label: str) -> tuple[int, float, str]:
    """Sort numbers by value, before text."""
    try:
        value = float(label)
    except ValueError:
        return (1, 0.0, label)
    return (0, value, label) if math.isfinite(value) else (1, 0.0, label)


def _encode(item: Ingredient, series: pd.Series, account: list[str]) -> NDArray[np.float64]:
    if not item.levels:
        values = numbers_in(series)
        check_finite(values, series)
        return _fill_numbers(item, values, account)
    import pandas as pd

    labels = text_of(series)
    absent = int(labels.isna().sum())
    if absent:
        account.append(_filled_sentence(item, absent, "most frequent value"))
        labels = labels.fillna(item.fill)
    codes = pd.Index(item.levels).get_indexer(pd.Index(labels))
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        account.append(
            f"Column '{item.name}': {len(unknown):,} values are not known from the data the recipe was "
            f"learnt from ('{labels.iloc[unknown[0]]}' in row {series.index[unknown[0]] + 1:,}); they count "
            f"as '{item.levels[0]}'."
        )
    coded = np.zeros((len(codes), len(item.levels) - 1))
    present = np.flatnonzero(codes > 0)
    coded[present, codes[present] - 1] = 1.0
    return coded


def _fill_numbers(item: Ingredient, values: NDArray[np.float64], account: list[str]) -> NDArray[np.float64]:
    absent = np.isnan(values)
    if absent.any():
        account.append(_filled_sentence(item, int(absent.sum()), "median"))
        values = np.where(absent, float(item.fill), values)
    return values


def _filled_sentence(item: Ingredient, count: int, how: str) -> str:
    fill = item.fill if isinstance(item.fill, str) else f"{item.fill:g}"
    noun = "missing value" if count == 1 else "missing values"
    return f"Column '{item.name}': put the {how} ({fill}) for {count:,} {noun}."


def _dropped_sentence(count: int, total: int) -> list[str]:
    if count == 0:
        return []
    rows = "1 row" if count == 1 else f"{count:,} rows"
    return [f"Left out {rows} with missing values ({100 * count / total:.2g} % of {total:,})."]


def _expect(condition: bool, why: str) -> None:
    if not condition:
        raise DataError(f"The preparation stored with the model cannot be used: {why}. Fit and save the model again.")


def _ingredient_from(values: Any) -> Ingredient:
    _expect(isinstance(values, Mapping), "a column is malformed")
    _expect(set(values) | {"codes"} == {"name", "fill", "levels", "codes"}, "a column is malformed")
    name, fill, levels, codes = values["name"], values["fill"], values["levels"], values.get("codes", [])
    _expect(isinstance(codes, list) and all(map(_is_finite_number, codes)), "a code is no number")
    _expect(isinstance(name, str) and isinstance(levels, list), "a column is malformed")
    _expect(all(isinstance(level, str) for level in levels), f"the levels of '{name}' are not text")
    if levels:
        _expect(len(set(levels)) == len(levels) >= 2, f"the levels of '{name}' are not distinct")
        _expect(fill in levels, f"the filling of '{name}' is not one of its levels")
        return Ingredient(name, fill, tuple(levels), tuple(map(float, codes)))
    _expect(_is_finite_number(fill), f"the filling of '{name}' is no number")
    return Ingredient(name, float(fill), (), tuple(map(float, codes)))


def _is_finite_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _rotation_from(values: Any, width: int) -> Rotation:
    _expect(isinstance(values, Mapping) and set(values) == {"mean", "components"}, "its components are malformed")
    try:
        mean = np.array(values["mean"], dtype=np.float64)
        components = np.array(values["components"], dtype=np.float64)
    except (TypeError, ValueError):
        _expect(False, "its components are no numbers")
    _expect(mean.shape == (width,), "its components do not fit its columns")
    _expect(components.ndim == 2 and components.shape[1] == width, "its components do not fit its columns")
    _expect(bool(np.isfinite(mean).all() and np.isfinite(components).all()), "its components are not finite")
    return Rotation(mean, components)
