"""On what kind of data a method does well: its studentised error against six characteristics of the data sets.

For every method, ordinary least squares with an intercept over the data sets; the characteristics are standardised
(mean 0, standard deviation 1), so coefficients compare:

    covariates      p after encoding
    rows            n after sampling
    binary          share of the covariates that come from categories
    imbalance       variance of the class proportions
    classes         K
    complexity      how much worse the nearest centroid does than the nearest neighbour

Complexity: the errors of the two are min-normalised between them on each data set, and studentised over all of
these values; the score of a data set is the centroid's. It is high where one prototype a class is not enough.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from opnb.benchmark.results import Results
from opnb.benchmark.summaries import MeanErrors, min_normalised, studentised
from opnb.errors import DataError

CHARACTERISTICS = ("covariates", "rows", "binary", "imbalance", "classes", "complexity")
_SOURCES = {"p": "covariates", "n": "rows", "share_binary": "binary", "class_variance": "imbalance", "K": "classes"}
_REFERENCES = ["error_centroid", "error_1nn"]


@dataclass(frozen=True, eq=False)
class Dissection:
    """The regressions.

    Attributes
    ----------
    coefficients, standard_errors : pandas.DataFrame
        Methods by characteristics, the intercept apart.
    n_datasets : int
    left_out : tuple of str
        Characteristics that are the same for all data sets.
    """

    coefficients: pd.DataFrame
    standard_errors: pd.DataFrame
    n_datasets: int
    left_out: tuple[str, ...] = ()


def characteristics(results: Results) -> pd.DataFrame:
    """Give the six characteristics of every data set.

    Parameters
    ----------
    results : Results
        With the columns beyond those that a results file must have.

    Returns
    -------
    pandas.DataFrame
        Data sets by `CHARACTERISTICS`, not standardised but for the complexity. Data sets that lack one are
        left out.
    """
    columns = [*_SOURCES, *_REFERENCES]
    # The methods of a repeat say the same, so it must not count more where more of them have finished.
    by_repeat = results.frame.groupby(["dataset", "repeat"])[columns].first()
    means = by_repeat.groupby(level="dataset").mean().dropna()
    if means.empty:
        raise DataError(
            f"The results do not describe their data sets (columns {', '.join(columns[2:4] + columns[5:])}), so there "
            "is nothing to dissect. 'opnb benchmark' writes these columns."
        )
    table = means[list(_SOURCES)].rename(columns=_SOURCES)
    return table.assign(complexity=_complexity(means[_REFERENCES]))[list(CHARACTERISTICS)]


def _complexity(references: pd.DataFrame) -> pd.Series:
    normalised = min_normalised(references)
    values = normalised.to_numpy()
    spread = float(values.std(ddof=1))
    return (normalised["error_centroid"] - values.mean()) / (spread if spread > 0 else 1.0)


def dissect(errors: MeanErrors, about: pd.DataFrame) -> Dissection:
    """Regress the studentised error of every method on the characteristics.

    Parameters
    ----------
    errors : MeanErrors
        Its complete data sets count.
    about : pandas.DataFrame
        As `characteristics` gives it.

    Returns
    -------
    Dissection

    Raises
    ------
    DataError
        If there are too few data sets, or characteristics that determine each other.
    """
    outcome = studentised(errors.complete)
    shared = outcome.index.intersection(about.index)
    outcome, about = outcome.loc[shared], about.loc[shared]
    spread = about.std(ddof=1)
    varying = list(about.columns[spread > 1e-12 * about.abs().max().clip(lower=1e-300)])
    _check_enough(len(shared), len(varying))
    design = (about[varying] - about[varying].mean()) / spread[varying]
    coefficients, deviations = (
        pd.DataFrame(values, index=outcome.columns, columns=pd.Index(varying, name="characteristic"))
        for values in _least_squares(design.to_numpy(), outcome.to_numpy())
    )
    left_out = tuple(name for name in about.columns if name not in varying)
    return Dissection(coefficients, deviations, len(shared), left_out)


def _check_enough(n_datasets: int, n_characteristics: int) -> None:
    least = n_characteristics + 2
    if n_characteristics == 0 or n_datasets < least:
        raise DataError(
            f"The dissection needs at least {max(least, 3)} data sets that differ and on which every method has a "
            f"result; there {'is' if n_datasets == 1 else 'are'} {n_datasets}."
        )


def _least_squares(design: np.ndarray, outcome: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and their standard errors without the intercept, both of shape (n_outcomes, n_columns)."""
    n, width = design.shape
    full = np.column_stack([np.ones(n), design])
    if np.linalg.matrix_rank(full) < width + 1:
        raise DataError("The characteristics of these data sets determine each other. Dissect more data sets.")
    inverse = np.linalg.inv(full.T @ full)
    coefficients = np.linalg.lstsq(full, outcome, rcond=None)[0]
    variances = np.square(outcome - full @ coefficients).sum(axis=0) / (n - width - 1)
    deviations = np.sqrt(np.outer(variances, np.diag(inverse)))
    return coefficients[1:].T, deviations[:, 1:]
