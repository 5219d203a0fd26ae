"""Tables that no memory holds: read in pieces by Dask, and prepared by a recipe that the first rows tell.

The roles of the columns, their categories and what is filled in for missing values are found in the first rows, by the
same rules as for a table in memory. Every partition then goes through the same recipe, where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from opnb.data.converting import text_of, tidy_frame
from opnb.data.preparing import prepare
from opnb.data.recipe import Recipe
from opnb.data.table import ReadSettings, Table
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    import pandas as pd

    from opnb.data.options import PrepareOptions

_FIRST_ROWS = 20_000
_PARQUET, _TEXT = (".parquet", ".pq"), (".csv", ".tsv", ".txt")


@dataclass(frozen=True, eq=False)
class ScatteredDataset:
    """Covariates and classes in pieces.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        One column for each of `feature_names`, and the target.
    target : str
    feature_names : tuple of str
    account : tuple of str
        What the first rows told, in plain sentences.
    recipe : Recipe
    """

    frame: Any
    target: str
    feature_names: tuple[str, ...]
    account: tuple[str, ...]
    recipe: Recipe

    @property
    def X(self) -> Any:
        """The covariates."""
        return self.frame[list(self.feature_names)]

    @property
    def y(self) -> Any:
        """The classes."""
        return self.frame[self.target]

    def split(self, test_size: float | None, seed: int) -> tuple[ScatteredDataset, ScatteredDataset | None]:
        """Hold out a share of the rows at random; None of no share."""
        if not test_size:
            return self, None
        parts = self.frame.random_split([1.0 - test_size, test_size], random_state=seed)
        train, test = (replace(self, frame=part) for part in parts)
        return train, test


@needs("cluster")
def read_in_pieces(pattern: str, delimiter: str | None = None, decimal: str | None = None) -> Any:
    """Give Parquet or text files as a Dask frame, without reading more than their beginnings.

    Parameters
    ----------
    pattern : str
        A file, a folder of Parquet files, or a pattern such as "rows/*.parquet".
    delimiter, decimal : str, optional
        Of text; a comma and a point by default.
    """
    import dask.dataframe as dd

    kind = Path(pattern).suffix.lower()
    try:
        if kind in _PARQUET or Path(pattern).is_dir():
            return dd.read_parquet(pattern)
        if kind in _TEXT:
            between = delimiter or ("\t" if kind == ".tsv" else ",")
            return dd.read_csv(pattern, sep=between, decimal=decimal or ".")
    except (OSError, ValueError) as fault:
        raise DataError(f"{pattern} cannot be read in pieces: {fault}") from None
    raise DataError(f"Only Parquet and CSV files can be read in pieces, and {pattern} is neither by its name.")


def prepare_in_pieces(frame: Any, target: str | None, options: PrepareOptions) -> ScatteredDataset:
    """Prepare a Dask frame as `opnb.data.prepare` prepares a table.

    Rows that the recipe cannot use, and rows without a class, are left out.
    """
    if target is None:
        raise DataError("Rows in pieces are not searched for a target: name its column.")
    if options.preset != "as is" or options.target_bins is not None or options.min_class_rows > 1:
        raise DataError("Rows in pieces are taken as they are: no preset, no cut target, no least size of a class.")
    first = frame.head(_FIRST_ROWS, npartitions=-1)
    data = prepare(_table(first), target, options=replace(options, test_size=None))
    assert data.recipe is not None
    whole = data.y.dtype.kind == "i"
    meta = in_recipe(first.iloc[:50], data.recipe, target, whole).iloc[:0]
    prepared = frame.map_partitions(in_recipe, data.recipe, target, whole, meta=meta)
    account = (f"The first {len(first):,} rows told what the columns are.", *data.account[:-1])
    return ScatteredDataset(prepared, target, data.feature_names, account, data.recipe)


def in_recipe(frame: pd.DataFrame, recipe: Recipe, target: str, whole: bool) -> pd.DataFrame:
    """Make covariates and classes (whole numbers or text) of the rows of a partition that can be used."""
    import pandas as pd

    table = _table(frame)
    applied = recipe.apply_rows(table)
    usable = applied.usable & table.frame[target].notna().to_numpy()
    classes = table.frame[target][usable]
    # What came in single precision fits into it again, and takes half the memory.
    single = all(frame[item.name].dtype == np.float32 for item in recipe.ingredients)
    X = applied.X[usable].astype(np.float32 if single else np.float64)
    made = pd.DataFrame(X, columns=list(recipe.feature_names))
    made[target] = (classes.astype(np.int64) if whole else text_of(classes).astype(object)).to_numpy()
    return made


def _table(frame: pd.DataFrame) -> Table:
    tidied = tidy_frame(frame.reset_index(drop=True))
    return Table(tidied.frame, "rows", "", ReadSettings("memory"), tidied.notes)
