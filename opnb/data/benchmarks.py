"""The data sets of the Penn Machine Learning Benchmarks (PMLB), by name.

They come through the `pmlb` package: from a local folder in its cache layout (``folder/NAME/NAME.tsv.gz``)
where the set is there, else from the network. Nothing of them is kept in this project.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from opnb.data.table import Table
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    import pandas as pd

    from opnb.data.dataset import Dataset
    from opnb.data.options import PrepareOptions

DATA_DIR_VARIABLE = "OPNB_DATA_DIR"
TARGET = "target"
_SECONDS = 10  # to wait for the network; pmlb itself would wait for ever
_SAFE_NAME = re.compile(r"\w[\w.+-]*")


@dataclass(frozen=True)
class PmlbEntry:
    """One data set of the catalogue: rows, covariates, classes, and whether it is in the local folder."""

    name: str
    n: int
    p: int
    K: int
    local: bool


@needs("data")
def pmlb_catalogue(search: str = "", data_dir: str | os.PathLike[str] | None = None) -> tuple[PmlbEntry, ...]:
    """List the classification data sets of PMLB.

    Parameters
    ----------
    search : str
        Words that must all occur in the name; case does not matter.
    data_dir : path, optional
        Local folder; by default the environment variable OPNB_DATA_DIR.

    Returns
    -------
    tuple of PmlbEntry
        In alphabetical order.
    """
    from pmlb.dataset_lists import df_summary

    folder = _folder(data_dir)
    words = search.lower().split()
    rows = df_summary.loc[df_summary["task"] == "classification"]
    found = [
        PmlbEntry(str(name), int(n), int(p), int(k), folder is not None and _path(folder, str(name)).is_file())
        for name, n, p, k in zip(
            rows["dataset"], rows["n_instances"], rows["n_features"], rows["n_classes"], strict=True
        )
        if all(word in str(name).lower() for word in words)
    ]
    return tuple(sorted(found, key=lambda entry: entry.name.lower()))


def pmlb_names(search: str = "", data_dir: str | os.PathLike[str] | None = None) -> tuple[str, ...]:
    """Give the names of PMLB's classification data sets; parameters as in `pmlb_catalogue`."""
    return tuple(entry.name for entry in pmlb_catalogue(search, data_dir))


@needs("data")
def pmlb_table(name: str, data_dir: str | os.PathLike[str] | None = None) -> Table:
    """Fetch a PMLB data set as a table; the classes are in the column 'target'."""
    folder = _folder(data_dir)
    if not _SAFE_NAME.fullmatch(name):
        raise DataError(f"'{name}' is no name of a PMLB data set. Look for it by a part of its name.")
    local = folder is not None and _path(folder, name).is_file()
    if not local:
        _check_remote(name)
    frame = _fetch(name, folder)
    if TARGET not in frame.columns or frame.shape[1] < 2 or len(frame) == 0:
        raise DataError(
            f"The stored copy of '{name}' has no rows, no covariates or no column '{TARGET}'. Fetch it again."
        )
    table = Table.from_frame(frame, name)
    shape = f"{len(frame):,} rows and {frame.shape[1] - 1:,} covariates"
    return replace(
        table,
        description=f"The data set '{name}' of the Penn Machine Learning Benchmarks: {shape}.",
        provenance=f"PMLB (Olson and others 2017; Romano and others 2021): {name} {table.content_hash[:12]}.",
    )


def load_pmlb(
    name: str, data_dir: str | os.PathLike[str] | None = None, *, options: PrepareOptions | None = None
) -> Dataset:
    """Load a PMLB data set.

    Parameters
    ----------
    name : str
        One of `pmlb_names()`, or of the local folder.
    data_dir : path, optional
        Local folder in pmlb's cache layout; by default the environment variable OPNB_DATA_DIR. A set that is
        not there is fetched from the network, and stored there.
    options : PrepareOptions, optional
        By default all covariates are kept as the numbers they are, and classes of one row are left out.

    Returns
    -------
    Dataset
    """
    from opnb.data.options import PrepareOptions
    from opnb.data.preparing import prepare

    table = pmlb_table(name, data_dir)
    options = options or PrepareOptions(min_class_rows=2)
    numbers = {column: "number" for column in table.frame.columns if column != TARGET}
    return prepare(table, TARGET, options=replace(options, roles={**numbers, **dict(options.roles)}))


def _folder(data_dir: str | os.PathLike[str] | None) -> Path | None:
    chosen = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    return Path(chosen) if chosen else None


def _path(folder: Path, name: str) -> Path:
    return folder / name / f"{name}.tsv.gz"


def _check_remote(name: str) -> None:
    """Refuse unknown names, and a network that does not answer, before pmlb waits on it."""
    import pmlb
    import requests

    if name in pmlb.regression_dataset_names:
        raise DataError(f"The PMLB data set '{name}' is for regression. Choose a classification data set.")
    if name not in pmlb.classification_dataset_names:
        raise DataError(f"PMLB has no data set '{name}'. Look for it by a part of its name.")
    url = f"{pmlb.pmlb.GITHUB_URL}/{name}/{name}{pmlb.pmlb.suffix}"
    try:
        requests.head(url, timeout=_SECONDS)
    except requests.RequestException:
        raise _unreachable(name) from None


def _fetch(name: str, folder: Path | None) -> pd.DataFrame:
    import pmlb

    try:
        return pmlb.fetch_data(name, local_cache_dir=None if folder is None else str(folder), dropna=False)
    except PermissionError as error:
        raise DataError(
            f"'{name}' cannot be stored: {error.filename} is not writable. Choose another folder."
        ) from None
    except (OSError, ValueError, EOFError) as error:
        if folder is not None and _path(folder, name).is_file():
            raise DataError(
                f"The stored copy of '{name}' in {folder} is damaged ({type(error).__name__}). Delete it and "
                "fetch it again."
            ) from None
        raise _unreachable(name) from None


def _unreachable(name: str) -> DataError:
    return DataError(
        f"The PMLB data set '{name}' is not in a local folder and cannot be fetched from the network. "
        f"Connect, or set {DATA_DIR_VARIABLE} to a folder that holds {name}/{name}.tsv.gz."
    )
