"""New rows for a model that is there: told from new tables, filled in by hand, and given back with predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opnb.data.converting import numbers_in, text_of
from opnb.data.preparing import cut_names
from opnb.data.recipe import AppliedRows, Recipe
from opnb.data.table import Table

if TYPE_CHECKING:
    import pandas as pd

_MOSTLY = 0.5  # share of a column's values that are classes, for it to be taken for the one of classes


def holds_new_rows(table: Table, recipe: Recipe, target: str | None) -> bool:
    """Tell whether a table has all columns that a recipe takes, and not the one that is to be predicted."""
    names = set(table.frame.columns)
    return all(item.name in names for item in recipe.ingredients) and target not in names


def usual_values(recipe: Recipe) -> dict[str, float | str]:
    """Give a value for each column of a recipe: the median of the training rows, or their most frequent category."""
    return {item.name: item.fill for item in recipe.ingredients}


def table_of_row(values: Mapping[str, float | str | None], name: str = "by hand") -> Table:
    """Make a table of one row from the values of its columns; None is a missing one."""
    import pandas as pd

    return Table.from_frame(pd.DataFrame({column: [value] for column, value in values.items()}), name)


class TrueClasses(NamedTuple):
    """The classes that new rows carry themselves.

    Attributes
    ----------
    column : str
        Where they stand.
    labels : ndarray of int of shape (n,)
        Index into the model's classes; -1 where there is none, or one that the model does not know.
    unknown : tuple of str
        Classes that the model does not know.
    """

    column: str
    labels: NDArray[np.intp]
    unknown: tuple[str, ...]


def true_classes(
    table: Table,
    recipe: Recipe,
    classes: Sequence[object],
    target: str | None,
    cut_at: NDArray[np.float64] | None = None,
) -> TrueClasses | None:
    """Find the classes of new rows.

    Parameters
    ----------
    table : Table
    recipe : Recipe
        Its columns are no candidates.
    classes : sequence
        The model's, in its order.
    target : str or None
        The column they stand in; where it is not known, the last column that mostly holds classes.
    cut_at : ndarray, optional
        Where a target of numbers was cut into classes.

    Returns
    -------
    TrueClasses or None
        None where no row has a class.
    """
    taken = {item.name for item in recipe.ingredients}
    others = [str(name) for name in table.frame.columns if name not in taken]
    for name in [target] if target is not None else reversed(others):
        found = _classes_in(table.frame[name], classes, cut_at) if name in others else None
        if found is not None and (target is not None or (found.labels >= 0).mean() > _MOSTLY):
            return found
    return None


def _classes_in(series: pd.Series, classes: Sequence[object], cut_at: NDArray[np.float64] | None) -> TrueClasses | None:
    import pandas as pd

    known = pd.Index([str(name) for name in classes])
    words = text_of(series) if cut_at is None else _cut(series, cut_at)
    labels = known.get_indexer(pd.Index(words)).astype(np.intp)
    labels[words.isna().to_numpy()] = -1
    if not words.notna().any():
        return None
    unknown = words[(labels < 0) & words.notna().to_numpy()].unique()
    return TrueClasses(str(series.name), labels, tuple(map(str, unknown)))


def _cut(series: pd.Series, cut_at: NDArray[np.float64]) -> pd.Series:
    """Name the group of every number as the training rows' were named."""
    import pandas as pd

    values = numbers_in(series)
    names = np.array(cut_names(cut_at), dtype=object)[np.searchsorted(cut_at, values).clip(max=cut_at.size)]
    return pd.Series(np.where(np.isfinite(values), names, None), index=series.index, dtype="str")


def with_predictions(
    table: Table,
    applied: AppliedRows,
    classes: Sequence[object],
    posterior: NDArray[np.float64],
    familiarity: NDArray[np.float64] | None = None,
) -> pd.DataFrame:
    """Add to every row of a table its class and the probability of each, or what is the matter with it.

    Parameters
    ----------
    table : Table
    applied : AppliedRows
    classes : sequence
        Names, in the order of the columns of `posterior`.
    posterior : ndarray of shape (m, n_classes)
        A row for each that can be used.
    familiarity : ndarray of shape (m,), optional
        Share of training rows with as low a density, for each row that can be used.

    Returns
    -------
    pandas.DataFrame
        The table's own columns come first, as they are.
    """
    import pandas as pd

    names = np.array(list(classes), dtype=object)
    predicted = np.full(len(table.frame), None, dtype=object)
    predicted[applied.usable] = names[posterior.argmax(axis=1)] if len(posterior) else ()
    added: dict[str, object] = {"predicted": predicted}
    for name, column in zip(names, posterior.T, strict=True):
        added[f"P({name})"] = _spread(column, applied.usable)
    if familiarity is not None:
        added["familiarity"] = _spread(familiarity, applied.usable)
    added["problem"] = list(applied.reasons)
    frame = table.frame.copy()
    free = {_free(name, frame.columns): column for name, column in added.items()}
    return pd.concat([frame, pd.DataFrame(free, index=frame.index)], axis=1)


def _spread(values: NDArray[np.float64], usable: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Put values into the rows they belong to, and nothing into the others."""
    spread = np.full(usable.size, np.nan)
    spread[usable] = values
    return spread


def _free(name: str, taken: Iterable[object]) -> str:
    """Give a name that no column has."""
    number, free, names = 2, name, set(taken)
    while free in names:
        free, number = f"{name} {number}", number + 1
    return free
