"""What results say, as tables: errors made comparable, pairwise wins, mean ranks, and the cost in time.

For a data set with mean test errors e over the methods,

    min-normalised  (e - min e) / (1 - min e)
    studentised     (e - mean e) / sd e                  (divisor n - 1; zero where all methods are equal)
    mapped          (e - min e) / (max e - min e)        (the same)

The mean of a method on a data set is over the repeats that every method with a result there has. Data sets on
which some method has no result at all count in the pairwise table alone, for those that have one.

Mean ranks are compared by Friedman's test; two of them differ at level alpha if they are further apart than
Nemenyi's critical difference q sqrt(k (k + 1) / (6 N)), with k methods, N data sets and q the quantile of the
studentised range divided by sqrt 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from opnb.benchmark.results import Results
from opnb.errors import DataError

# Means of the same errors in another order may differ in the last digits, and would not be ties.
_DIGITS = 12
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class MeanErrors:
    """Mean test errors.

    Attributes
    ----------
    table : pandas.DataFrame
        Data sets by methods; NaN where a method has no result.
    notes : tuple of str
        What was left out, and why.
    """

    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> pd.DataFrame:
        """The data sets on which every method has a result."""
        return self.table.dropna()

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(self.table.columns)


def mean_errors(results: Results, methods: Sequence[str] | None = None) -> MeanErrors:
    """Average the test errors over the repeats.

    Parameters
    ----------
    results : Results
    methods : sequence of str, optional
        In the order wanted; all by default.

    Returns
    -------
    MeanErrors
    """
    chosen = _chosen_methods(results, methods)
    every = results.frame.loc[results.frame["method"].isin(chosen)]
    fine = every.loc[every["status"] == "ok"]
    errors = fine.pivot_table(index=["dataset", "repeat"], columns="method", values="error").reindex(
        columns=list(chosen)
    )
    means = {dataset: _mean_of_common(part) for dataset, part in errors.groupby(level="dataset")}
    table = pd.DataFrame.from_dict(means, orient="index", columns=list(chosen), dtype=float).round(_DIGITS)
    table = table.dropna(how="all").rename_axis(index="dataset", columns="method")
    if table.empty:
        raise DataError("There is no finished row to summarise. Let the benchmark run longer, or look at its messages.")
    return MeanErrors(table, (*results.notes, *_left_out(every, table)))


def _chosen_methods(results: Results, methods: Sequence[str] | None) -> tuple[str, ...]:
    there = tuple(dict.fromkeys(results.frame["method"]))
    if methods is None:
        return there
    unknown = [name for name in methods if name not in there]
    if unknown or not methods:
        raise DataError(f"methods: the results have no {unknown[:1] or 'empty list'}. They have {', '.join(there)}.")
    return tuple(dict.fromkeys(methods))


def _mean_of_common(errors: pd.DataFrame) -> pd.Series:
    """Average over the repeats that all methods with any result have."""
    present = errors.columns[errors.notna().any()]
    means = errors[present].dropna().mean()
    return means.reindex(errors.columns)


def _left_out(every: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    bad = every.loc[every["status"] != "ok"]
    notes = []
    for status, words in (("failed", "failed"), ("timeout", "were given up for their time")):
        if (count := int((bad["status"] == status).sum())) > 0:
            notes.append(f"{count:,} of {len(every):,} tasks {words}: {_names(bad.loc[bad['status'] == status])}.")
    partial = table.index[table.isna().any(axis=1)].tolist()
    if partial:
        shown = ", ".join(partial[:8]) + (" and others" if len(partial) > 8 else "")
        notes.append(f"Not every method has a result on {shown}; these count in the pairwise table alone.")
    return notes


def _names(rows: pd.DataFrame) -> str:
    pairs = list(dict.fromkeys(zip(rows["method"], rows["dataset"], strict=True)))
    return ", ".join(f"{method} on {dataset}" for method, dataset in pairs[:8]) + (" and others" * (len(pairs) > 8))


def min_normalised(errors: pd.DataFrame) -> pd.DataFrame:
    """Measure errors from the best method of each data set, in units of what it gets right.

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import min_normalised
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> min_normalised(errors).round(3).loc["glass"].tolist()
    [0.0, 0.25]
    """
    least = errors.min(axis=1)
    return errors.sub(least, axis=0).div((1 - least).where(least < 1, 1.0), axis=0)


def studentised(errors: pd.DataFrame) -> pd.DataFrame:
    """Measure errors from the mean of each data set, in standard deviations.

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import studentised
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> studentised(errors).round(3).loc["glass"].tolist()
    [-0.707, 0.707]
    """
    spread = errors.std(axis=1, ddof=1)
    return errors.sub(errors.mean(axis=1), axis=0).div(spread.where(spread > 10.0**-_DIGITS, 1.0), axis=0)


def mapped(errors: pd.DataFrame) -> pd.DataFrame:
    """Map the errors of each data set onto [0, 1], the best to 0 and the worst to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import mapped
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> mapped(errors).round(3).loc["glass"].tolist()
    [0.0, 1.0]
    """
    least, reach = errors.min(axis=1), np.ptp(errors, axis=1)
    return errors.sub(least, axis=0).div(np.where(reach > 0, reach, 1.0), axis=0)


MEASURES = {"min-normalised": min_normalised, "studentised": studentised, "mapped to [0, 1]": mapped}


@dataclass(frozen=True, eq=False)
class Pairwise:
    """How often one method beats another.

    Attributes
    ----------
    wins, ties : pandas.DataFrame
        Methods by methods: data sets on which the row has the lower, and the same, mean error as the column.
    """

    wins: pd.DataFrame
    ties: pd.DataFrame

    def share(self) -> pd.DataFrame:
        """Give the share of wins among the data sets that are no tie; NaN where there are none."""
        decided = self.wins + self.wins.T
        return self.wins / decided.where(decided > 0)


def pairwise(errors: pd.DataFrame) -> Pairwise:
    """Count wins and ties over the data sets that both methods have.

    Parameters
    ----------
    errors : pandas.DataFrame
        Data sets by methods, as `MeanErrors.table`.

    Returns
    -------
    Pairwise

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import pairwise
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> int(pairwise(errors).wins.loc["OPNB", "NB"])
    2
    """
    values = errors.to_numpy()
    row, column = values[:, :, None], values[:, None, :]
    wins, ties = (row < column).sum(axis=0), (row == column).sum(axis=0)
    np.fill_diagonal(ties, 0)
    names = errors.columns
    return Pairwise(*(pd.DataFrame(counts, index=names, columns=names) for counts in (wins, ties)))


@dataclass(frozen=True)
class Ranks:
    """Mean ranks and what differs.

    Attributes
    ----------
    methods : tuple of str
        From the best mean rank on.
    mean_ranks : tuple of float
    n_datasets : int
    critical_difference : float
        Nemenyi's, at level alpha.
    statistic, p_value : float
        Of Friedman's test; NaN for two methods.
    groups : tuple of (int, int)
        First and last place of the methods that do not differ, the largest such runs.
    alpha : float
    """

    methods: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_datasets: int
    critical_difference: float
    statistic: float
    p_value: float
    groups: tuple[tuple[int, int], ...]
    alpha: float = ALPHA


def mean_ranks(errors: pd.DataFrame, alpha: float = ALPHA) -> Ranks:
    """Rank the methods on every data set and compare the mean ranks.

    Parameters
    ----------
    errors : pandas.DataFrame
        Data sets by methods, without gaps: `MeanErrors.complete`.
    alpha : float, default=0.05

    Returns
    -------
    Ranks

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import mean_ranks
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> mean_ranks(errors).mean_ranks
    (1.0, 2.0)
    """
    n, k = errors.shape
    if n < 2 or k < 2:
        raise DataError(f"Mean ranks need two data sets and two methods at least; there are {n} and {k}.")
    ranks = rankdata(errors.to_numpy(), axis=1).mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    quantile = float(studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
    difference = quantile * float(np.sqrt(k * (k + 1) / (6 * n)))
    statistic, p_value = _friedman(errors.to_numpy())
    means = tuple(ranks[order].tolist())
    names = tuple(errors.columns[order])
    return Ranks(names, means, n, difference, statistic, p_value, _groups(means, difference), alpha)


def _friedman(errors: np.ndarray) -> tuple[float, float]:
    if errors.shape[1] < 3 or (errors == errors[:, :1]).all():
        return float("nan"), float("nan")
    statistic, p_value = friedmanchisquare(*errors.T)
    return float(statistic), float(p_value)


def _groups(ranks: Sequence[float], difference: float) -> tuple[tuple[int, int], ...]:
    """Find the largest runs of sorted ranks that are no wider than the critical difference."""
    groups: list[tuple[int, int]] = []
    for first, low in enumerate(ranks):
        last = max(place for place, rank in enumerate(ranks) if rank - low <= difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return tuple(groups)


def method_table(results: Results, errors: MeanErrors) -> pd.DataFrame:
    """Put the figures of every method side by side, the best first.

    Parameters
    ----------
    results : Results
    errors : MeanErrors
        Of the same results.

    Returns
    -------
    pandas.DataFrame
        By method: mean error, mean min-normalised error, mean rank, data sets on which it is the best (alone or
        with others), and median log-loss, all over the complete data sets; and over all data sets the quartiles of
        the seconds that tuning and the final fit take together.
    """
    complete = errors.complete
    best = complete.le(complete.min(axis=1), axis=0)
    ranks = complete.rank(axis=1)
    seconds = _by_method(seconds_by_dataset(results), errors.methods)
    table = pd.DataFrame(
        {
            "error": complete.mean(),
            "min-normalised": min_normalised(complete).mean(),
            "rank": ranks.mean(),
            "best on": best.sum(),
            "log-loss": _log_loss(results, complete),
            "seconds": seconds.median(),
            "seconds, lower quartile": seconds.quantile(0.25),
            "seconds, upper quartile": seconds.quantile(0.75),
        },
        index=pd.Index(errors.methods, name="method"),
    )
    return table.sort_values("min-normalised", kind="stable")


def seconds_by_dataset(results: Results) -> pd.DataFrame:
    """Average the seconds of tuning and final fit over the repeats; data sets by methods."""
    fine = results.frame.loc[results.frame["status"] == "ok"]
    total = fine.assign(seconds=fine["seconds_tune"] + fine["seconds_fit"])
    return total.pivot_table(index="dataset", columns="method", values="seconds", aggfunc="mean")


def _log_loss(results: Results, complete: pd.DataFrame) -> pd.Series:
    """Take the median over the complete data sets of the mean over repeats; NaN without posteriors."""
    fine = results.frame.loc[(results.frame["status"] == "ok") & results.frame["dataset"].isin(complete.index)]
    means = fine.pivot_table(index="dataset", columns="method", values="log_loss", aggfunc="mean")
    return _by_method(means, tuple(complete.columns)).median(skipna=False)


def _by_method(table: pd.DataFrame, methods: tuple[str, ...]) -> pd.DataFrame:
    return table.reindex(columns=pd.Index(methods, name="method"))
