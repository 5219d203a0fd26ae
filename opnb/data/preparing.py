"""From a table to data for a classifier: every decision an option, every change a sentence."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from opnb.data.converting import numbers_in, text_of
from opnb.data.dataset import Dataset, split_rows, two_valued
from opnb.data.options import CUT, PrepareOptions
from opnb.data.options import Preset as Preset  # the app imports it from here
from opnb.data.policy import drop_constant, encoding_sentences, frequent_rows, policy_columns, policy_rows
from opnb.data.recipe import (
    FILL_IN,
    Ingredient,
    Recipe,
    check_finite,
    cleared_codes,
    learn_recipe,
    leave_out,
    missing_in,
    refuse_missing,
)
from opnb.data.roles import FEW_CLASSES, TARGET_NAMES, Column, Proposal, propose
from opnb.data.table import Table
from opnb.errors import DataError, Remedy

if TYPE_CHECKING:
    import pandas as pd

_OTHER_TARGET = Remedy("target", None, "Choose another target")
MAX_CELLS = 50_000_000  # of X after encoding: 400 MB


def prepare(table: Table, target: str | None = None, *, options: PrepareOptions | None = None) -> Dataset:
    """Make covariates and classes from a table.

    Parameters
    ----------
    table : Table
    target : str, optional
        The column to predict; by default the proposed one.
    options : PrepareOptions, optional

    Returns
    -------
    Dataset
        Fillings are learnt from the training rows, so that nothing of the
        held-out rows enters the fit; only the paper's policy looks at all rows, as the paper did.

    Raises
    ------
    DataError
        With a sentence that names the column, class or row and says what to do.

    Examples
    --------
    >>> from opnb.data import example_table, prepare
    >>> data = prepare(example_table("iris"))
    >>> data.class_names
    ('setosa', 'versicolor', 'virginica')
    """
    options = options or PrepareOptions()
    account, lost = list(table.notes), list[str]()
    table = _without_codes(table, options, account)
    proposal = propose(table)
    target = _find_target(table, proposal, target)
    labels = _classes_of(table.frame[target], options, account, lost)
    frame, categories = _covariates(table, target, proposal, options, account)
    frame = _complete_rows(frame.loc[labels.index], categories, options, lost)
    y = labels.loc[frame.index].to_numpy()
    y = y.astype(np.int64 if y.dtype.kind == "i" else np.str_)
    rng = np.random.default_rng(options.seed)
    rows = _class_rows(y, target, options, rng, lost)
    X, y, train, test, recipe = _assemble(frame.iloc[rows], y[rows], categories, options, rng, account)
    recipe = recipe.with_codes(options.codes)
    account += [*lost, _split_sentence(train, test)]
    return Dataset(
        name=table.name,
        X=X,
        y=y,
        feature_names=recipe.feature_names,
        class_names=tuple(str(label) for label in np.unique(y)),
        train=train,
        test=test,
        rows=frame.index.to_numpy(dtype=np.intp)[rows],
        is_binary=recipe.is_binary | two_valued(X),
        account=tuple(account),
        rows_left_out=tuple(lost),
        description=table.description,
        provenance=table.provenance or f"{table.name}: {table.settings.sentence()}",
        recipe=recipe,
    )


def _assemble(
    frame: pd.DataFrame,
    y: NDArray,
    categories: set[str],
    options: PrepareOptions,
    rng: np.random.Generator,
    account: list[str],
) -> tuple[NDArray[np.float64], NDArray, NDArray[np.intp], NDArray[np.intp], Recipe]:
    train, test = split_rows(y, options.test_size, np.random.default_rng(options.seed))
    if options.preset == "paper":
        X, recipe = policy_columns(drop_constant(frame, account), categories, rng, account)
        return X, y, train, test, Recipe(recipe.ingredients, options.missing, recipe.rotation)
    frame = drop_constant(frame, account)
    recipe = learn_recipe(frame, categories, options.missing, train)
    width = len(recipe.feature_names)
    if width * len(frame) > MAX_CELLS:
        raise DataError(
            f"The categories would give {width:,} columns for {len(frame):,} rows, which is too much. "
            "Leave out the categories with many values.",
            remedies=tuple(leave_out(item.name) for item in sorted(recipe.ingredients, key=_width)[-1:]),
        )
    applied = recipe.transform_frame(frame, "impute")
    account += [*applied.account, *encoding_sentences(recipe)]
    return applied.X, y, train, test, recipe


def _width(item: Ingredient) -> int:
    return len(item.feature_names)


def _without_codes(table: Table, options: PrepareOptions, account: list[str]) -> Table:
    """Take the declared codes for missing values."""
    frame = table.frame.copy(deep=False)
    for name, codes in options.codes.items():
        if name not in frame.columns:
            raise DataError(f"The table has no column '{name}', of which a code counts as missing. Take the code back.")
        series = frame[name]
        cleared = cleared_codes(series, codes)
        count = int(cleared.isna().sum() - series.isna().sum())
        shown = ", ".join(f"{code:g}" for code in codes)
        account.append(f"Column '{name}': {shown} counts as missing, as asked ({_rows(count)}).")
        frame[name] = cleared
    return replace(table, frame=frame)


def _text_columns(proposal: Proposal) -> str:
    texts = [column.name for column in proposal.columns if column.is_text]
    return f"Columns of text: {_listing(texts)}. " if texts else ""


def _find_target(table: Table, proposal: Proposal, target: str | None) -> str:
    names = list(table.frame.columns)
    if target is None and proposal.target is None:
        raise DataError(
            f"No column looks like a target: none is called {', '.join(TARGET_NAMES[:-1])} or {TARGET_NAMES[-1]}, and "
            f"none has few values. {_text_columns(proposal)}Choose one of: {_listing(names)}.",
            remedies=(_OTHER_TARGET,),
        )
    target = proposal.target if target is None else target
    if target not in names:
        raise DataError(
            f"The table has no column '{target}'. Choose the target from: {_listing(names)}.", remedies=(_OTHER_TARGET,)
        )
    return str(target)


def _classes_of(series: pd.Series, options: PrepareOptions, account: list[str], lost: list[str]) -> pd.Series:
    """Give the class of each row whose target is present: integers or text."""
    import pandas as pd

    present = series.dropna()
    if len(present) == 0:
        raise DataError(
            f"The target '{series.name}' has no value in any row. Choose another target.", remedies=(_OTHER_TARGET,)
        )
    if len(present) < len(series):
        lost.append(f"Left out {_rows(len(series) - len(present))} without a value of the target '{series.name}'.")
    numeric = pd.api.types.is_numeric_dtype(present)
    if options.target_bins is not None:
        return _binned(present, options.target_bins, numeric, account)
    whole = numeric and bool((present == present.round()).all())
    n_distinct = present.nunique()
    if n_distinct > options.max_classes or (numeric and not whole and n_distinct > FEW_CLASSES):
        _refuse_classes(present, n_distinct, numeric, options)
    if numeric:
        check_finite(present.to_numpy(dtype=np.float64), present)
    return present.astype(np.int64) if whole else text_of(present)


def _refuse_classes(present: pd.Series, n_distinct: int, numeric: bool, options: PrepareOptions) -> None:
    if numeric:
        raise DataError(
            f"The target '{present.name}' is a number with {n_distinct:,} different values, not a class. Cut it into "
            "groups of about equal size, or choose another target.",
            remedies=(CUT, _OTHER_TARGET),
        )
    raise DataError(
        f"The target '{present.name}' has {n_distinct:,} classes, more than the limit of "
        f"{options.max_classes}. Choose another target, or merge classes.",
        remedies=(_OTHER_TARGET,),
    )


def _binned(present: pd.Series, bins: int, numeric: bool, account: list[str]) -> pd.Series:
    """Cut a numeric target at its quantiles; the labels sort in the order of the values."""
    if not numeric:
        raise DataError(
            f"The target '{present.name}' is not a number and cannot be cut into groups. Leave it as it is.",
            remedies=(Remedy("target_bins", None, "Do not cut the target"),),
        )
    values = present.to_numpy(dtype=np.float64)
    check_finite(values, present)
    inner = cut_points(values, bins)
    if len(inner) == 0:
        raise DataError(
            f"The target '{present.name}' cannot be cut into groups: nearly all its values are equal. Choose another.",
            remedies=(_OTHER_TARGET,),
        )
    names = np.array(cut_names(inner))
    ends = ", ".join(f"{edge:.4g}" for edge in inner)
    account.append(f"Cut the target '{present.name}' into {len(names)} classes at its quantiles {ends}.")
    import pandas as pd

    return pd.Series(names[np.searchsorted(inner, values)], index=present.index, dtype="str")


def cut_points(values: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Find where numbers are cut into classes of about equal size, which may be fewer than asked for."""
    inner = np.unique(np.quantile(values, np.arange(1, bins) / bins))
    return inner[inner < values.max()]


def cut_names(inner: NDArray[np.float64]) -> list[str]:
    """Name the classes between the points of a cut, so that they sort in the order of the values."""
    ends = [f"{edge:.4g}" for edge in inner]
    words = [f"up to {ends[0]}", *(f"{a} to {b}" for a, b in itertools.pairwise(ends)), f"above {ends[-1]}"]
    digits = len(str(len(words)))
    return [f"{i:0{digits}d}: {text}" for i, text in enumerate(words, start=1)]


def target_cut(table: Table, target: str, options: PrepareOptions) -> NDArray[np.float64] | None:
    """Give the points at which the target of a table that could be prepared was cut; None where it was not."""
    if options.target_bins is None:
        return None
    values = numbers_in(_without_codes(table, options, []).frame[target])
    return cut_points(values[np.isfinite(values)], options.target_bins)


def _covariates(
    table: Table, target: str, proposal: Proposal, options: PrepareOptions, account: list[str]
) -> tuple[pd.DataFrame, set[str]]:
    """Choose the columns in use: numbers as floats, categories as text."""
    import pandas as pd

    chosen = dict(options.roles)
    unknown = [name for name in chosen if name not in table.frame.columns]
    if unknown:
        raise DataError(f"The table has no column '{unknown[0]}', for which a role was given. Take the role back.")
    used: dict[str, Any] = {}
    categories: set[str] = set()
    left_out: dict[str, list[Column]] = {}
    for column in proposal.columns:
        role = chosen.get(column.name, column.role)
        if column.name == target:
            continue
        if role == "number":
            used[column.name] = _number_column(table.frame[column.name], column, account)
        elif role == "category":
            used[column.name] = text_of(table.frame[column.name])
            categories.add(column.name)
        else:
            left_out.setdefault(role, []).append(column)
    account += [_left_out_sentence(role, columns) for role, columns in left_out.items()]
    if not used:
        raise DataError(
            f"No column is left to tell '{target}' from: {' '.join(account[-3:])} Give a column the role of "
            "a number or a category."
        )
    return pd.DataFrame(used, index=table.frame.index), categories


def _number_column(series: pd.Series, column: Column, account: list[str]) -> NDArray[np.float64]:
    values = numbers_in(series)
    lost = np.flatnonzero(np.isnan(values) & series.notna().to_numpy())
    if np.isnan(values).all():
        raise DataError(
            f"Column '{series.name}' holds no numbers. Give it another role.",
            remedies=(Remedy("roles", ((column.name, "category"),), "Use it as a category"), leave_out(column.name)),
        )
    for code in column.codes:
        account.append(
            f"Column '{series.name}' holds {code:g} in {_rows(int((values == code).sum()))}: if that stands for a "
            "missing value, say so; it was taken as a number."
        )
    if len(lost):
        verb = "1 value is no number and counts" if len(lost) == 1 else f"{len(lost):,} values are no numbers and count"
        account.append(
            f"Column '{series.name}': {verb} as missing (the first is '{series.iloc[lost[0]]}' in row {lost[0] + 1:,})."
        )
    check_finite(values, series)
    return values


def _left_out_sentence(role: str, columns: list[Column]) -> str:
    first = columns[0]
    if len(columns) > 1:
        return f"Left out {len(columns):,} columns ({role}): {_listing([column.name for column in columns])}."
    why = f"it {first.note}" if role == first.role and first.note else "as asked"
    return f"Left out the column '{first.name}' ({role}): {why}."


def _complete_rows(frame: pd.DataFrame, categories: set[str], options: PrepareOptions, lost: list[str]) -> pd.DataFrame:
    """Treat missing values row by row; with "impute", only rows that lack everything go."""
    absent = np.column_stack([missing_in(frame[name], name in categories) for name in frame.columns])
    if options.missing == "error":
        refuse_missing(absent, list(frame.columns), frame.index.to_numpy())
    lacking = absent.all(axis=1) if options.missing == "impute" else absent.any(axis=1)
    if lacking.all():
        worst = int(absent.sum(axis=0).argmax())
        raise DataError(
            f"Every row lacks a value (the column '{frame.columns[worst]}' in "
            f"{_rows(int(absent[:, worst].sum()))}). Leave out that column, or fill in what is missing.",
            remedies=(leave_out(frame.columns[worst]), FILL_IN),
        )
    if lacking.any():
        share = f"{100 * lacking.mean():.2g} % of {len(frame):,}"
        what = "no value at all" if options.missing == "impute" else "missing values"
        lost.append(f"Left out {_rows(int(lacking.sum()))} with {what} ({share}).")
    return frame.iloc[np.flatnonzero(~lacking)]


def _class_rows(
    y: NDArray, target: str, options: PrepareOptions, rng: np.random.Generator, lost: list[str]
) -> NDArray[np.intp]:
    """Choose rows by the policy and by the size of their classes, and check that classes can be learnt."""
    rows = policy_rows(y, rng, lost) if options.preset == "paper" else np.arange(len(y))
    rows = rows[frequent_rows(y[rows], options.min_class_rows, lost)]
    classes, counts = np.unique(y[rows], return_counts=True)
    if len(classes) < 2:
        left = f"only the class '{classes[0]}'" if len(classes) else "no class"
        raise DataError(
            f"The target '{target}' has {left} in the {len(rows):,} rows in use; two classes are needed. "
            "Choose another target, or keep more rows.",
            remedies=(_OTHER_TARGET,),
        )
    if counts.min() < 2:
        single = [str(label) for label in classes[counts < 2]]
        raise DataError(
            f"{'The class' if len(single) == 1 else 'The classes'} {_listing(single)} of the target "
            f"'{target}' {'has' if len(single) == 1 else 'have'} one row only. Leave out such classes, or merge them "
            "with others.",
            remedies=(Remedy("min_class_rows", 2, f"Leave {_these(len(single))} out"),),
        )
    return rows


def _these(count: int) -> str:
    return "this class" if count == 1 else "these classes"


def _split_sentence(train: NDArray[np.intp], test: NDArray[np.intp]) -> str:
    if len(test) == 0:
        return f"All {len(train):,} rows are for training."
    return f"{len(train):,} rows are for training, {len(test):,} held out, each class in its proportion."


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _listing(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (" and others" if len(names) > 10 else "")
