"""One self-contained HTML page about the results of a benchmark."""

import json
from collections.abc import Sequence

import plotly.graph_objects as go

from opnb.benchmark import BENCHMARK_METHODS, MEASURES, Results, Summary, extent, summarise
from opnb.figures.benchmark import (
    cost_figure,
    dissection_figure,
    error_boxes_figure,
    errors_figure,
    methods_figure,
    pairwise_figure,
)
from opnb.figures.ranks import ranks_figure
from opnb.reports.fit_report import html_report

Part = tuple[str, str, go.Figure]


def benchmark_report(
    results: Results, *, methods: Sequence[str] | None = None, title: str = "Benchmark", summary: Summary | None = None
) -> str:
    """Write the report of a benchmark.

    Parameters
    ----------
    results : Results
    methods : sequence of str, optional
        Which methods to compare; all by default.
    title : str
    summary : Summary, optional
        Of these results, if it is there already.

    Returns
    -------
    str
        The whole page.
    """
    said = summary or summarise(results, methods)
    return html_report(
        title,
        subtitle=extent(results, said),
        account=said.notes,
        figures=report_figures(said),
        settings={**_protocol(results), **_descriptions(said)},
    )


def report_figures(said: Summary) -> list[Part]:
    """Give heading, text and figure of every part of the report that the results allow."""
    complete = said.errors.complete
    parts: list[Part] = []
    if len(complete):
        best = said.methods.index[0]
        text = f"Means over {len(complete)} data sets, the best first: {best}. Blue is good, orange is bad."
        parts.append(("Methods", text, methods_figure(said.methods)))
        parts += [
            (f"Errors, {name}", "", error_boxes_figure(measure(complete), name)) for name, measure in MEASURES.items()
        ]
    parts.append(("Pairwise wins", _PAIRWISE, pairwise_figure(said.wins)))
    if said.ranks is not None:
        parts.append(("Mean ranks", _RANKS, ranks_figure(said.ranks)))
    if said.dissection is not None:
        parts.append(("Dissection", _DISSECTION, dissection_figure(said.dissection)))
    if len(complete):
        parts.append(("Error against time", "", cost_figure(said.methods)))
    parts.append(("Mean test errors", "", errors_figure(said.errors.table)))
    return parts


_DISSECTION = (
    "Coefficients of the regression of the studentised error on the standardised characteristics: covariates after "
    "encoding, rows, share of binary covariates, variance of the class proportions, classes, and how much worse the "
    "nearest centroid does than the nearest neighbour. Left of zero: less error where the characteristic is high. "
    "Filled dots are more than two standard errors from zero."
)
_PAIRWISE = "On how many data sets the row has the lower mean test error than the column; ties count for neither."
_RANKS = "Mean ranks over the data sets. Bars join methods that do not differ by Nemenyi's critical difference."


def _protocol(results: Results) -> dict[str, str]:
    """Give the settings that the rows name, where all name the same."""
    named = set(results.frame["protocol"])
    if len(named) != 1:
        return {"settings": f"{len(named)} different ones"}
    return {str(name): str(value) for name, value in json.loads(named.pop()).items()}


def _descriptions(said: Summary) -> dict[str, str]:
    return {name: BENCHMARK_METHODS[name].description for name in said.methods.index if name in BENCHMARK_METHODS}
