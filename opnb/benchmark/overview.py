"""All summaries of results at once, and their form as text."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from opnb.benchmark.dissection import Dissection, characteristics, dissect
from opnb.benchmark.results import Results
from opnb.benchmark.summaries import (
    MEASURES,
    MeanErrors,
    Pairwise,
    Ranks,
    mean_errors,
    mean_ranks,
    method_table,
    pairwise,
)
from opnb.errors import DataError


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything that is said about results.

    Attributes
    ----------
    errors : MeanErrors
        Methods in the order of the next table.
    methods : pandas.DataFrame
        Of `method_table`.
    wins : Pairwise
    ranks : Ranks or None
    dissection : Dissection or None
        None where there are too few data sets; `notes` says so.
    notes : tuple of str
    """

    errors: MeanErrors
    methods: pd.DataFrame
    wins: Pairwise
    ranks: Ranks | None
    dissection: Dissection | None
    notes: tuple[str, ...]


def summarise(results: Results, methods: Sequence[str] | None = None) -> Summary:
    """Compute all summaries of results.

    Parameters
    ----------
    results : Results
    methods : sequence of str, optional
        Which methods to compare; all by default.

    Returns
    -------
    Summary
    """
    errors = mean_errors(results, methods)
    table = method_table(results, errors)
    errors = MeanErrors(errors.table[table.index.tolist()], errors.notes)
    notes = [*errors.notes]
    ranks = dissection = None
    try:
        ranks = mean_ranks(errors.complete)
        dissection = dissect(errors, characteristics(results))
    except DataError as reason:
        notes.append(str(reason))
    return Summary(errors, table, pairwise(errors.table), ranks, dissection, tuple(notes))


def extent(results: Results, said: Summary) -> str:
    """Say how much was compared."""
    frame = results.frame
    repeats = frame.groupby("dataset")["repeat"].nunique()
    each = f"{repeats.min()}" if repeats.min() == repeats.max() else f"{repeats.min()} to {repeats.max()}"
    complete = len(said.errors.complete)
    whole = "" if complete == len(said.errors.table) else f", {complete} of them with a result of every method"
    sets, methods = len(said.errors.table), len(said.errors.methods)
    size = (
        f"{sets} {'data set' if sets == 1 else 'data sets'}{whole}, {methods} {'method' if methods == 1 else 'methods'}"
    )
    return f"{size}, {each} {'repeat' if each == '1' else 'repeats'}: {len(frame):,} rows."


def tables(said: Summary) -> dict[str, pd.DataFrame]:
    """Give every table of a summary by a name that suits a file."""
    complete = said.errors.complete
    found = {
        "methods": said.methods,
        "errors": said.errors.table,
        "wins": said.wins.wins,
        "ties": said.wins.ties,
        **{name.split()[0]: measure(complete) for name, measure in MEASURES.items()},
    }
    if said.ranks is not None:
        names = pd.Index(said.ranks.methods, name="method")
        found["ranks"] = pd.DataFrame({"mean rank": said.ranks.mean_ranks}, index=names)
    if said.dissection is not None:
        found["coefficients"] = said.dissection.coefficients
        found["standard_errors"] = said.dissection.standard_errors
    return found


def wins_table(wins: Pairwise) -> pd.DataFrame:
    """Write every pair as 'wins : losses (ties)', of the row against the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import pairwise, wins_table
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> wins_table(pairwise(errors)).loc["OPNB", "NB"]
    '2 : 0 (0)'
    """
    won, ties, names = wins.wins.to_numpy(), wins.ties.to_numpy(), wins.wins.columns
    texts = [
        ["" if i == j else f"{won[i, j]} : {won[j, i]} ({ties[i, j]})" for j in range(len(names))]
        for i in range(len(names))
    ]
    return pd.DataFrame(texts, index=pd.Index(names, name="wins : losses (ties)"), columns=names)


def markdown(table: pd.DataFrame, decimals: int = 3) -> str:
    """Write a table in Markdown, aligned for the terminal; cells that are not known stay empty.

    Examples
    --------
    >>> import pandas as pd
    >>> from opnb.benchmark import markdown
    >>> errors = pd.DataFrame({"OPNB": [0.1, 0.2], "NB": [0.2, 0.4]}, index=["iris", "glass"])
    >>> print(markdown(errors.rename_axis("data set")))
    | data set |  OPNB |    NB |
    | -------- | ----: | ----: |
    | iris     | 0.100 | 0.200 |
    | glass    | 0.200 | 0.400 |
    """
    rows = zip(table.index, table.to_numpy(dtype=object), strict=True)
    texts = [[table.index.name or "", *table.columns], *([name, *row] for name, row in rows)]
    header, *body = ([_cell(value, decimals).replace("|", "\\|") for value in row] for row in texts)
    widths = [max(len(row[at]) for row in (header, *body)) for at in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(cells, widths) for cells in (header, rule, *body))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = cells
    padded = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
    return f"| {' | '.join(padded)} |"


def _cell(value: object, decimals: int) -> str:
    if not isinstance(value, float):
        return str(value)
    return "" if pd.isna(value) else f"{value:.0f}" if value.is_integer() and value >= 10 else f"{value:.{decimals}f}"
