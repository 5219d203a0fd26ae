"""The numbers in the figures are those of the tables, and strangers' names are plain text."""

import re

import numpy as np
import pytest

from opnb.benchmark import Results, mapped, mean_errors, mean_ranks, method_table, min_normalised, pairwise, summarise
from opnb.figures.benchmark import cost_figure, error_boxes_figure, errors_figure, methods_figure, pairwise_figure
from opnb.figures.ranks import ranks_figure
from opnb.reports.benchmark_report import benchmark_report, report_figures
from tests.benchmark.samples import paper_results, results_of, row

NASTY = "</script><script>alert(1)</script>%{x}<b>"


@pytest.fixture(scope="module")
def results():
    return paper_results()


@pytest.fixture(scope="module")
def said(results):
    return summarise(results)


def test_boxes_are_ordered_by_their_means_which_are_red_dots(said):
    values = min_normalised(said.errors.complete)
    figure = error_boxes_figure(values, "min-normalised")
    *boxes, dots = figure.data
    assert [box.x[0] for box in boxes] == list(dots.x)
    assert list(dots.y) == sorted(values.mean())
    assert dots.marker.color == "#bd1f01"
    for box in boxes:
        np.testing.assert_allclose(box.y, values[box.x[0]])


def test_pairwise_cells(said):
    cells = pairwise_figure(said.wins).data[0]
    at = {name: place for place, name in enumerate(cells.x)}
    assert cells.text[at["OPNB"]][at["SVM"]] == "75"
    assert cells.text[at["SVM"]][at["OPNB"]] == "79"
    assert cells.text[at["SVM"]][at["SVM"]] == ""
    assert cells.z[at["OPNB"]][at["NB"]] == pytest.approx(120 / 161)
    assert list(cells.customdata[at["OPNB"]][at["SVM"]]) == [79, 8]


def test_critical_difference_diagram(said):
    figure = ranks_figure(said.ranks)
    stems = [line for line in figure.data if line.name]
    assert [stem.x[0] for stem in stems] == list(said.ranks.mean_ranks)
    bars = [line for line in figure.data if line.line.width == 5]
    assert len(bars) == len(said.ranks.groups)
    assert any(
        f"critical difference {said.ranks.critical_difference:.2f}" in note.text for note in figure.layout.annotations
    )


def test_dissection_panels(said):
    (figure,) = (figure for heading, _, figure in report_figures(said) if heading == "Dissection")
    assert len(figure.data) == 6
    for points, name in zip(figure.data, said.dissection.coefficients.columns, strict=True):
        np.testing.assert_allclose(points.x, said.dissection.coefficients[name])
        np.testing.assert_allclose(points.error_x.array, 2 * said.dissection.standard_errors[name])


def test_cost_points(said):
    points = cost_figure(said.methods).data[0]
    np.testing.assert_allclose(points.x, said.methods["seconds"])
    np.testing.assert_allclose(points.y, said.methods["min-normalised"])


def test_error_cells_and_gaps():
    rows = [row("x", "A", 0, 0.25), row("x", "B", 0, 0.5), row("y", "A", 0, 0.1)]
    cells = errors_figure(mean_errors(Results.from_rows(rows)).table).data[0]
    assert [list(line) for line in cells.text] == [["0.250", "0.500"], ["0.100", ""]]
    assert list(cells.z[0]) == [0, 1]


@pytest.mark.parametrize("theme", ["neutral", "light", "dark"])
@pytest.mark.parametrize("compact", [False, True])
def test_every_look(said, theme, compact):
    for draw, table in (
        (methods_figure, said.methods),
        (pairwise_figure, said.wins),
        (ranks_figure, said.ranks),
        (errors_figure, said.errors.table),
        (cost_figure, said.methods),
    ):
        figure = draw(table, theme=theme, compact=compact, title="<i>title")
        assert "&lt;i&gt;title" in figure.layout.title.text
        assert figure.layout.height > 100


def test_all_methods_equal_can_be_drawn():
    results = results_of({"A": [0.1, 0.1], "B": [0.1, 0.1]})
    errors = mean_errors(results)
    for figure in (
        error_boxes_figure(mapped(errors.complete), "mapped"),
        pairwise_figure(pairwise(errors.table)),
        ranks_figure(mean_ranks(errors.complete)),
        methods_figure(method_table(results, errors)),
    ):
        assert figure.data


def test_report_is_one_page_with_every_part(results, said):
    page = benchmark_report(results, title="Paper", summary=said)
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings == [
        "Methods",
        "Errors, min-normalised",
        "Errors, studentised",
        "Errors, mapped to [0, 1]",
        "Pairwise wins",
        "Mean ranks",
        "Dissection",
        "Error against time",
        "Mean test errors",
        "Settings",
        "Made with",
    ]
    assert page.count('class="plotly-graph-div"') == 9
    assert "162 data sets, 8 methods, 1 repeat: 1,296 rows." in page
    assert not re.search(r"<script[^>]+src=", page)


def test_report_of_a_stranger_s_names_runs_nothing():
    rows = [row(f"{NASTY}{d}", f"{NASTY}{m}", 0, 0.1 * m + 0.05 * d) for d in range(3) for m in range(3)]
    rows.append(row("z", "A", status="failed", message=NASTY))
    page = benchmark_report(Results.from_rows(rows))
    assert "<script>alert" not in page
    assert "Not every method has a result" in page
