"""The preprocessing policy of the paper's experiments, in its order.

1. more than 3000 rows: a stratified sample of 3000;
2. classes with fewer than 10 rows are left out;
3. constant covariates are left out;
4. covariates with at most 5 distinct values are categories: one-hot, G - 1 columns;
5. Gaussian noise with 1 % of each covariate's standard deviation (it parts tied values);
6. more than 300 covariates: the first 300 principal components instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.data.converting import tidy_frame
from opnb.data.dataset import stratified_rows
from opnb.data.recipe import Recipe, Rotation, learn_recipe
from opnb.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

POLICY_ROWS = 3000
MIN_CLASS_ROWS = 10
MAX_CATEGORY_VALUES = 5
NOISE_SHARE = 0.01
MAX_COVARIATES = 300


class PolicyResult(NamedTuple):
    """Data after the policy: covariates, classes, which covariates were categories, and what was done."""

    X: NDArray[np.float64]
    y: NDArray
    is_binary: NDArray[np.bool_]
    account: tuple[str, ...]


def paper_policy(X: pd.DataFrame | ArrayLike, y: ArrayLike, seed: int = 0) -> PolicyResult:
    """Apply the paper's policy to data without missing values.

    Parameters
    ----------
    X : DataFrame or array of shape (n, p)
        Text columns of a frame are categories.
    y : array of shape (n,)
    seed : int
        Decides the sample and the noise.

    Returns
    -------
    PolicyResult

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.data import paper_policy
    >>> rng = np.random.default_rng(0)
    >>> paper_policy(rng.normal(size=(60, 3)), np.arange(60) % 2).X.shape
    (60, 3)
    """
    import pandas as pd

    frame = tidy_frame(X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))).frame
    labels = np.asarray(y)
    if frame.isna().to_numpy().any():
        raise DataError("The data have missing values. Drop those rows or impute before the paper's policy.")
    rng = np.random.default_rng(seed)
    account: list[str] = []
    rows = policy_rows(labels, rng, account)
    values, recipe = policy_columns(drop_constant(frame.iloc[rows], account), set(), rng, account)
    return PolicyResult(values, labels[rows], recipe.is_binary, tuple(account))


def policy_rows(y: NDArray, rng: np.random.Generator, account: list[str]) -> NDArray[np.intp]:
    """Do steps 1 and 2: find the rows that remain."""
    rows = np.arange(len(y))
    if len(y) > POLICY_ROWS:
        rows = stratified_rows(y, POLICY_ROWS, rng)
        account.append(f"Drew a stratified sample of {POLICY_ROWS:,} of {len(y):,} rows.")
    return rows[frequent_rows(y[rows], MIN_CLASS_ROWS, account)]


def policy_columns(
    frame: pd.DataFrame, categories: set[str], rng: np.random.Generator, account: list[str]
) -> tuple[NDArray[np.float64], Recipe]:
    """Do steps 4 to 6 on covariates none of which is constant; impute where values are missing."""
    few = {name for name in frame.columns if frame[name].nunique() <= MAX_CATEGORY_VALUES}
    text = {name for name in frame.columns if frame[name].dtype.kind not in "if"}
    recipe = learn_recipe(frame, categories | text | few, "impute")
    applied = recipe.transform_frame(frame, "impute")
    account += [*applied.account, *encoding_sentences(recipe)]
    X = applied.X + rng.normal(size=applied.X.shape) * (NOISE_SHARE * applied.X.std(axis=0))
    account.append("Added Gaussian noise with 1 % of each covariate's standard deviation.")
    if X.shape[1] > MAX_COVARIATES:
        rotation = _principal(X)
        account.append(f"Replaced {X.shape[1]:,} covariates by their first {len(rotation.components)} components.")
        X = np.ascontiguousarray((X - rotation.mean) @ rotation.components.T)
        recipe = replace(recipe, rotation=rotation)
    return X, recipe


def frequent_rows(y: NDArray, minimum: int, account: list[str]) -> NDArray[np.intp]:
    """Find the rows of classes with at least `minimum` rows."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    rare = counts < minimum
    if rare.any():
        shown = ", ".join(f"'{label}' ({count})" for label, count in zip(classes[rare], counts[rare], strict=True))
        noun = "1 class" if rare.sum() == 1 else f"{rare.sum()} classes"
        account.append(f"Left out {noun} with fewer than {minimum} rows: {shown}.")
    return np.flatnonzero(~rare[codes])


def drop_constant(frame: pd.DataFrame, account: list[str]) -> pd.DataFrame:
    """Leave out columns that have one value only."""
    constant = frame.columns[frame.nunique() < 2].tolist()
    if len(constant) == frame.shape[1]:
        raise DataError("No covariate varies over the rows in use. Choose other columns or keep more rows.")
    if constant:
        noun = "the column" if len(constant) == 1 else f"{len(constant)} columns"
        shown = ", ".join(f"'{name}'" for name in constant[:5]) + (" and others" if len(constant) > 5 else "")
        account.append(f"Left out {noun} {shown}: no two values differ in the rows in use.")
    return frame.drop(columns=constant)


def encoding_sentences(recipe: Recipe) -> list[str]:
    """Say which columns were encoded as categories."""
    encoded = [item for item in recipe.ingredients if item.levels]
    if len(encoded) > 5:
        width = sum(len(item.feature_names) for item in encoded)
        return [f"Encoded {len(encoded)} categories as {width:,} columns of 0 and 1."]
    return [
        f"Column '{item.name}': a category with {len(item.levels)} values, encoded as "
        f"{len(item.levels) - 1} {'column' if len(item.levels) == 2 else 'columns'} of 0 and 1 "
        f"('{item.levels[0]}' is all zeros)."
        for item in encoded
    ]


def _principal(X: NDArray[np.float64]) -> Rotation:
    mean = X.mean(axis=0)
    _, _, directions = np.linalg.svd(X - mean, full_matrices=False)
    return Rotation(mean, directions[: min(MAX_COVARIATES, len(X) - 1)])
