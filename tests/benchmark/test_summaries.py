"""Summaries against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

from opnb.benchmark import (
    Results,
    characteristics,
    dissect,
    mapped,
    markdown,
    mean_errors,
    mean_ranks,
    method_table,
    min_normalised,
    pairwise,
    studentised,
    summarise,
    tables,
    wins_table,
)
from opnb.benchmark.summaries import MeanErrors
from opnb.errors import DataError
from tests.benchmark.samples import PAPER, paper_results, results_of, row

TOY = {"A": [0.1, 0.2, 0.5], "B": [0.2, 0.2, 0.0], "C": [0.4, 0.5, 1.0]}


def frame(table):
    return pd.DataFrame(table, index=[f"set {d}" for d in range(len(next(iter(table.values()))))])


def test_normalised_errors_by_hand():
    errors = mean_errors(results_of(TOY)).complete
    np.testing.assert_allclose(min_normalised(errors), [[0, 1 / 9, 1 / 3], [0, 0, 3 / 8], [0.5, 0, 1]])
    np.testing.assert_allclose(mapped(errors), [[0, 1 / 3, 1], [0, 0, 1], [0.5, 0, 1]], atol=1e-12)
    first = np.array([0.1, 0.2, 0.4])
    sd = np.sqrt(((first - 0.7 / 3) ** 2).sum() / 2)
    np.testing.assert_allclose(studentised(errors).iloc[0], (first - 0.7 / 3) / sd)
    np.testing.assert_allclose(studentised(errors).iloc[2], [0, -1, 1], atol=1e-12)


def test_equal_methods_and_a_hopeless_data_set_stay_finite():
    errors = frame({"A": [0.3, 1.0], "B": [0.3, 1.0]})
    for measure in (min_normalised, studentised, mapped):
        np.testing.assert_array_equal(measure(errors), np.zeros((2, 2)))


def test_means_are_over_the_repeats_that_all_methods_have():
    rows = [row("x", "A", r, e) for r, e in enumerate([0.1, 0.3, 0.8])]
    rows += [row("x", "B", 0, 0.2), row("x", "B", 1, 0.4), row("x", "B", 2, status="timeout", message="slow")]
    errors = mean_errors(Results.from_rows(rows))
    np.testing.assert_allclose(errors.table.loc["x"], [0.2, 0.3])
    assert errors.notes == ("1 of 6 tasks were given up for their time: B on x.",)


def test_a_method_without_a_result_leaves_the_set_to_the_others():
    rows = [row("x", m, 0, e) for m, e in (("A", 0.1), ("B", 0.2), ("C", 0.3))]
    rows += [row("y", "A", 0, 0.1), row("y", "B", 0, 0.2), row("y", "C", status="failed", message="no")]
    errors = mean_errors(Results.from_rows(rows))
    assert errors.complete.index.tolist() == ["x"]
    assert pairwise(errors.table).wins.loc["A", "B"] == 2
    assert pairwise(errors.table).wins.loc["A", "C"] == 1
    assert "Not every method has a result on y" in errors.notes[1]
    assert "C on y" in errors.notes[0]


def test_equal_means_in_another_order_are_ties():
    values = [0.1, 0.2, 0.3, 0.7]
    rows = [row("x", "A", r, e) for r, e in enumerate(values)]
    rows += [row("x", "B", r, e) for r, e in enumerate(reversed(values))]
    assert pairwise(mean_errors(Results.from_rows(rows)).table).ties.loc["A", "B"] == 1


def test_pairwise_by_hand():
    counts = pairwise(mean_errors(results_of(TOY)).table)
    np.testing.assert_array_equal(counts.wins, [[0, 1, 3], [1, 0, 3], [0, 0, 0]])
    np.testing.assert_array_equal(counts.ties, [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert counts.share().loc["A", "B"] == 0.5
    assert counts.share().loc["A", "C"] == 1
    assert wins_table(counts).loc["A"].tolist() == ["", "1 : 1 (1)", "3 : 0 (0)"]


def test_the_paper_s_pairwise_table_comes_out():
    counts = pairwise(mean_errors(paper_results()).table)
    for method, (wins, losses) in PAPER.items():
        assert counts.wins.loc["OPNB", method] == wins
        assert counts.wins.loc[method, "OPNB"] == losses
        assert counts.ties.loc["OPNB", method] == 162 - wins - losses
    assert wins_table(counts).loc["OPNB", "SVM"] == "75 : 79 (8)"


def test_mean_ranks_by_hand():
    ranks = mean_ranks(mean_errors(results_of(TOY)).complete)
    assert ranks.methods == ("A", "B", "C")
    np.testing.assert_allclose(ranks.mean_ranks, [(1 + 1.5 + 2) / 3, (2 + 1.5 + 1) / 3, 3])
    # Demsar's table: q is 2.343 for three methods at 0.05.
    assert ranks.critical_difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 3)), abs=1e-3)
    assert ranks.groups == ((0, 2),)
    assert 0 < ranks.p_value < 1


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (5, 2.728), (8, 3.031), (10, 3.164)])
def test_critical_values_are_demsars(k, q):
    errors = pd.DataFrame(np.random.default_rng(0).random((6, k)))
    assert mean_ranks(errors).critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / 36), abs=2e-3)


def test_groups_are_the_largest_runs():
    rng = np.random.default_rng(1)
    errors = pd.DataFrame(np.arange(4) / 4 + rng.random((200, 4)) * [1, 1, 0.1, 0.1], columns=list("abcd"))
    ranks = mean_ranks(errors)
    for first, last in ranks.groups:
        assert ranks.mean_ranks[last] - ranks.mean_ranks[first] <= ranks.critical_difference
    assert all(a[1] < b[1] for a, b in zip(ranks.groups, ranks.groups[1:], strict=False))
    assert mean_ranks(frame({"a": [0.1] * 9, "b": [0.1] * 9, "c": [0.1] * 9})).groups == ((0, 2),)


def test_ranks_need_something_to_rank():
    with pytest.raises(DataError, match="two data sets and two methods"):
        mean_ranks(frame({"a": [0.1]}))
    two = mean_ranks(frame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}))
    assert np.isnan(two.p_value)
    assert wilcoxon([0.1, 0.2, 0.3], [0.2, 0.3, 0.5]).pvalue > 0.05
    assert two.groups == ((0, 1),)


def test_method_table_by_hand():
    results = results_of(TOY)
    table = method_table(results, mean_errors(results))
    assert table.index.tolist() == ["B", "A", "C"]
    np.testing.assert_allclose(table["error"], [0.4 / 3, 0.8 / 3, 1.9 / 3])
    np.testing.assert_allclose(table["min-normalised"], [1 / 27, 0.5 / 3, (1 / 3 + 3 / 8 + 1) / 3])
    assert table["best on"].tolist() == [2, 2, 0]
    assert set(table["seconds"]) == {1.5}
    assert set(table["log-loss"]) == {0.3}


def test_no_log_loss_without_posteriors():
    results = paper_results()
    table = method_table(results, mean_errors(results))
    assert np.isnan(table.loc["SVM", "log-loss"])
    assert table.loc["OPNB", "log-loss"] == 0.3


def test_methods_can_be_chosen():
    results = results_of(TOY)
    assert mean_errors(results, ["C", "A"]).methods == ("C", "A")
    with pytest.raises(DataError, match="They have A, B, C"):
        mean_errors(results, ["D"])


def test_nothing_finished_is_an_error():
    with pytest.raises(DataError, match="no finished row"):
        mean_errors(Results.from_rows([row("x", "A", status="failed", message="no")]))


def test_complexity_is_high_where_one_prototype_is_not_enough():
    rows = [
        row("curved", "A", error_centroid=0.5, error_1nn=0.1, share_binary=0.5, class_variance=0.0),
        row("plain", "A", error_centroid=0.1, error_1nn=0.3, share_binary=0.0, class_variance=0.1),
    ]
    table = characteristics(Results.from_rows(rows))
    # min-normalised: centroid (0.4 / 0.9, 0), neighbour (0, 0.2 / 0.9)
    values = np.array([4 / 9, 0, 0, 2 / 9])
    np.testing.assert_allclose(table["complexity"], ([4 / 9, 0] - values.mean()) / values.std(ddof=1))
    assert table.loc["curved", "covariates"] == 4
    assert table.loc["curved", "rows"] == 100


def test_characteristics_do_not_depend_on_how_many_methods_finished():
    known = {"share_binary": 0.0, "class_variance": 0.0, "error_1nn": 0.0}
    rows = [row("x", "A", 0, error_centroid=0.2, **known), row("x", "B", 0, error_centroid=0.2, **known)]
    rows += [row("x", "A", 1, error_centroid=0.4, **known)]
    rows += [row("y", "A", 0, error_centroid=0.0, **known)]
    table = characteristics(Results.from_rows(rows))
    values = np.array([0.3, 0, 0, 0])
    assert table.loc["x", "complexity"] == pytest.approx((0.3 - values.mean()) / values.std(ddof=1))


def test_dissection_is_ordinary_least_squares():
    """Against scipy's simple regression with one characteristic, and against known coefficients with six."""
    from scipy.stats import linregress

    rng = np.random.default_rng(3)
    names = [f"set {d}" for d in range(30)]
    one = pd.DataFrame({"rows": rng.random(30)}, index=names)
    errors = MeanErrors(pd.DataFrame(rng.random((30, 3)), index=names, columns=list("ABC")))
    found = dissect(errors, one)
    standard = (one["rows"] - one["rows"].mean()) / one["rows"].std()
    for method in "ABC":
        expected = linregress(standard, studentised(errors.table)[method])
        assert found.coefficients.loc[method, "rows"] == pytest.approx(expected.slope)
        assert found.standard_errors.loc[method, "rows"] == pytest.approx(expected.stderr)


def test_dissection_of_the_paper_s_shape():
    results = paper_results()
    errors = mean_errors(results)
    found = dissect(errors, characteristics(results))
    assert found.coefficients.shape == found.standard_errors.shape == (8, 6)
    assert found.n_datasets == 162
    # Studentised errors sum to zero over the methods, and so do their regressions.
    np.testing.assert_allclose(found.coefficients.sum(), 0, atol=1e-12)
    assert (found.standard_errors > 0).all().all()


def test_dissection_says_what_it_lacks():
    few = paper_results(162)
    frame_of_few = few.frame.loc[few.frame["dataset"] <= "set 005"]
    small = Results(frame_of_few)
    with pytest.raises(DataError, match="at least 8 data sets"):
        dissect(mean_errors(small), characteristics(small))
    with pytest.raises(DataError, match="do not describe their data sets"):
        characteristics(results_of(TOY))
    constant = Results(few.frame.assign(K=2.0))
    assert dissect(mean_errors(constant), characteristics(constant)).left_out == ("classes",)
    double = Results(few.frame.assign(n=few.frame["p"] * 2))
    with pytest.raises(DataError, match="determine each other"):
        dissect(mean_errors(double), characteristics(double))


def test_everything_at_once():
    said = summarise(paper_results())
    assert said.ranks is not None
    assert said.dissection is not None
    assert said.notes == ()
    assert set(tables(said)) >= {"methods", "errors", "wins", "ties", "ranks", "coefficients", "studentised"}
    small = summarise(results_of({"A": [0.1], "B": [0.2]}))
    assert small.ranks is None
    assert any("two data sets" in note for note in small.notes)


def test_markdown_lines_up():
    text = markdown(pd.DataFrame({"a": [0.12345, np.nan], "b": ["12", "3"]}, index=pd.Index(["x|y", "z"], name="m")))
    lines = text.splitlines()
    assert lines[0] == "| m    |     a |  b |"
    assert lines[1] == "| ---- | ----: | -: |"
    assert lines[2] == "| x\\|y | 0.123 | 12 |"
    assert lines[3] == "| z    |       |  3 |"
