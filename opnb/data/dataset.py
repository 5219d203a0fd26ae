"""The data as a classifier takes them, with an account of how they came to be."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from opnb.data.feature_columns import FeatureColumn, feature_columns
from opnb.data.recipe import Recipe
from opnb.errors import DataError


@dataclass(frozen=True, eq=False)
class Dataset:
    """Covariates, classes, names, and where every row came from.

    Parameters
    ----------
    name : str
    X : ndarray of shape (n, p), float64, C-contiguous
    y : ndarray of shape (n,)
        Class labels: text, or the table's own integers.
    feature_names : tuple of str, length p
    class_names : tuple of str
        In the order of ``np.unique(y)``.
    train, test : ndarray of int
        Rows of X; `test` is empty when no split was asked for.
    rows : ndarray of shape (n,)
        For each row of X, the table's row (from 0).
    is_binary : ndarray of shape (p,), bool
        Which covariates have two values only, or come from categories.
    account : tuple of str
        Every change made on the way, in plain sentences.
    rows_left_out : tuple of str
        Those of the sentences that say which of the table's rows are not here, and why.
    description, provenance : str
    recipe : Recipe or None
        Makes the same covariates from another table; None for data that never were a table.
    """

    name: str
    X: NDArray[np.float64] = field(repr=False)
    y: NDArray = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    class_names: tuple[str, ...]
    train: NDArray[np.intp] = field(repr=False)
    test: NDArray[np.intp] = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    is_binary: NDArray[np.bool_] = field(repr=False)
    account: tuple[str, ...] = ()
    rows_left_out: tuple[str, ...] = ()
    description: str = field(default="", repr=False)
    provenance: str = field(default="", repr=False)
    recipe: Recipe | None = field(default=None, repr=False)

    @property
    def X_train(self) -> NDArray[np.float64]:
        """Covariates of the training rows."""
        return self.X[self.train]

    @property
    def y_train(self) -> NDArray:
        """Classes of the training rows."""
        return self.y[self.train]

    @property
    def X_test(self) -> NDArray[np.float64]:
        """Covariates of the held-out rows."""
        return self.X[self.test]

    @property
    def y_test(self) -> NDArray:
        """Classes of the held-out rows."""
        return self.y[self.test]

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of each class."""
        _, counts = np.unique(self.y, return_counts=True)
        return dict(zip(self.class_names, counts.tolist(), strict=True))

    @property
    def columns(self) -> tuple[FeatureColumn, ...]:
        """The columns of the table behind the covariates; a category is one."""
        return feature_columns(self.feature_names, self.recipe)

    def split(self, test_size: float | None, seed: int = 0) -> Dataset:
        """Give the same data with another stratified split into training and held-out rows."""
        train, test = split_rows(self.y, test_size, np.random.default_rng(seed))
        return replace(self, train=train, test=test)


def two_valued(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which columns hold no value but their least and their greatest."""
    low, high = X.min(axis=0), X.max(axis=0)
    return np.all((low == X) | (high == X), axis=0)


def stratified_rows(y: NDArray, size: int, rng: np.random.Generator, *, spare: int = 0) -> NDArray[np.intp]:
    """Draw rows at random, each class in its proportion.

    Parameters
    ----------
    y : ndarray of shape (n,)
    size : int
        How many rows; fewer come back only when `spare` forbids more.
    rng : numpy.random.Generator
    spare : int
        How many rows of each class must stay behind.

    Returns
    -------
    ndarray of int
        Sorted row numbers.
    """
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    quota = np.minimum(size * counts / len(y), np.maximum(counts - spare, 0))
    take = np.floor(quota).astype(int)
    # largest remainders first; the random part decides between equal ones, or small classes would always lose
    order = np.lexsort((rng.random(len(counts)), -(quota - take).round(12)))
    open_places = [k for k in order if quota[k] > take[k]][: max(size - int(take.sum()), 0)]
    take[open_places] += 1
    drawn = [rng.choice(np.flatnonzero(codes == k), take[k], replace=False) for k in range(len(counts))]
    return np.sort(np.concatenate(drawn))


def split_rows(
    y: NDArray, test_size: float | None, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split rows into training and held-out ones, stratified; every class keeps a training row."""
    everything = np.arange(len(y))
    if test_size is None:
        return everything, everything[:0]
    if not 0 < test_size < 1:
        raise DataError(f"The share of held-out rows must lie between 0 and 1, not {test_size}.")
    test = stratified_rows(y, max(round(test_size * len(y)), 1), rng, spare=1)
    return np.setdiff1d(everything, test), test
