"""The Compare page, state by state."""

import time
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest

from opnb.comparators import METHODS, USUAL_METHODS, tune
from opnb.errors import OPNBError
from opnb.studio.compare.comparison import comparison_of
from opnb.studio.compare.trials import Trial, run_trials

QUICK = ["LDA", "NB", "RDA"]


def here(job, work, request, heard):
    """Do the trials in the job's own thread: a process takes seconds to start."""
    for trial in run_trials(request["data"], request["pairs"]):
        if job.stopping:
            return
        heard(asdict(trial))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", here)


def compared(page, methods=QUICK, repeats=2):
    if "Compare" not in page.page:
        page.go("Compare")
    page.choose("pills", "Methods", methods)
    page.choose("number_input", "Repeats", repeats)
    label = next(button.label for button in page.at.button if button.key == "compare-run")
    page.press(label)
    return waited(page)


def comparison(page):
    return comparison_of(page.state)


def waited(page):
    deadline = time.monotonic() + 60
    while comparison(page).job is not None:
        assert comparison(page).job.wait(max(deadline - time.monotonic(), 0)), "the comparison did not end"
        page.run()
    return page


def run_button(page):
    return next(button for button in page.at.button if button.key == "compare-run")


def table(page):
    return page.at.dataframe[0].value


def test_the_first_view_says_what_would_happen_and_shows_three_planes(visit):
    page = visit().go("Compare")
    assert f"{len(USUAL_METHODS)} methods on 5 splits of the same rows: about" in page.words
    assert "wine, 178 rows (44 held out)" in page.words
    assert page.find("pills", "Methods").options == list(METHODS)
    assert not comparison(page).trials, "nothing runs unasked"
    headings = [note["text"] for note in page.figures()[0]["layout"]["annotations"]]
    assert [name for name in ("OPNB", "LDA", "OPGD") if any(f"<b>{name}</b>" in text for text in headings)] == [
        "OPNB",
        "LDA",
        "OPGD",
    ]


def test_a_method_that_joins_the_registry_is_offered(visit, monkeypatch):
    monkeypatch.setitem(METHODS, "NEW", replace(METHODS["NB"], name="NEW", description="something new"))
    page = visit().go("Compare")
    assert "NEW" in page.find("pills", "Methods").options
    assert "something new" in page.words


@pytest.mark.usefixtures("quick")
def test_a_run_fills_the_table_with_the_errors_of_the_trials(visit):
    page = compared(visit())
    shown = table(page)
    assert sorted(shown["Method"]) == QUICK
    assert shown["Error"].is_monotonic_increasing
    assert (shown["Repeats"] == 2).all()
    trials = comparison(page).trials
    data = page.state.dataset
    labels = np.unique(data.y, return_inverse=True)[1]
    tuned = tune(METHODS["RDA"], data.X_train, labels[data.train], 5, 0)
    error = np.mean(tuned.estimator.predict(data.X_test) != labels[data.test])
    assert trials["RDA", 0].error == error, "the first repeat is the split of the app"
    for _, row in shown.iterrows():
        errors = [100 * trials[row["Method"], repeat].error for repeat in (0, 1)]
        assert row["Error"] == pytest.approx(np.mean(errors))
        assert row["Spread"] == pytest.approx(np.std(errors, ddof=1))
    *dots, _ = page.figures()[0]["data"]
    assert [trace["name"] for trace in dots] == shown["Method"].tolist()
    assert run_button(page).disabled


@pytest.mark.usefixtures("quick")
def test_more_repeats_and_methods_run_only_what_is_missing(visit):
    page = compared(visit(), ["LDA"], 1)
    first = comparison(page).trials["LDA", 0]
    page.choose("number_input", "Repeats", 2)
    assert "1 trial of this choice is missing" in page.words
    assert run_button(page).label == "Continue"
    compared(page, ["LDA", "NB"], 2)
    assert comparison(page).asked == [("NB", 0), ("LDA", 1), ("NB", 1)]
    assert comparison(page).trials["LDA", 0] is first
    page.choose("pills", "Methods", ["NB"])
    assert table(page)["Method"].tolist() == ["NB"]


@pytest.mark.usefixtures("quick")
def test_differences_are_to_the_first_method_of_the_registry(visit, monkeypatch):
    monkeypatch.setitem(METHODS, "OPNB", replace(METHODS["LDA"], name="OPNB"))
    page = compared(visit(), ["OPNB", "NB", "RDA"], 3)
    shown = table(page).set_index("Method")
    trials = comparison(page).trials
    apart = [100 * (trials["NB", repeat].error - trials["OPNB", repeat].error) for repeat in range(3)]
    assert shown.loc["OPNB", "Against OPNB"] == ""
    mean = float(shown.loc["NB", "Against OPNB"].split(" ± ")[0].replace("−", "-"))
    assert mean == pytest.approx(np.mean(apart), abs=0.051)
    better, worse = (sum(np.sign(apart) == sign) for sign in (-1, 1))
    assert shown.loc["NB", "Better : worse"] == f"{better} : {worse}"
    page.segment("Drawn", "Difference")
    dots = {trace["name"]: trace["x"] for trace in page.figures()[0]["data"]}
    np.testing.assert_allclose(values(dots["NB"]), apart, atol=1e-9)
    page.segment("Drawn", "Seconds")
    assert page.figures()[0]["layout"]["xaxis"]["type"] == "log"


def values(sent):
    """Numbers of a figure as Plotly sends them: a list, or bytes in base 64."""
    import base64

    if isinstance(sent, dict):
        return np.frombuffer(base64.b64decode(sent["bdata"]), dtype=sent["dtype"])
    return sent


def test_methods_without_probabilities_have_no_log_loss(visit, monkeypatch):
    def certain(job, work, request, heard):
        for method, repeat in request["pairs"]:
            heard(asdict(Trial(method, repeat, 0.0, float("nan"), 1.0, 1.0, "{}", [[1, 0], [0, 1]])))

    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", certain)
    page = compared(visit(), ["SVM"], 2)
    assert "Difference" not in page.find("segmented_control", "Drawn").options
    page.segment("Drawn", "Log-loss")
    assert "None of the finished methods has this number" in page.words


@pytest.mark.usefixtures("quick")
def test_confusions_count_every_held_out_row_of_every_repeat(visit):
    page = compared(visit(), QUICK, 2)
    page.segment("View", "Confusion")
    figures = page.figures()
    assert len(figures) == len(QUICK)
    for figure in figures:
        assert "of 88" in figure["layout"]["title"]["text"], "44 rows in each of two repeats"


def test_rows_appear_while_others_are_awaited_and_cancel_keeps_them(visit, monkeypatch):
    def one_and_no_more(job, work, request, heard):
        heard(asdict(next(run_trials(request["data"], request["pairs"]))))
        while not job.stopping:
            time.sleep(0.01)

    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", one_and_no_more)
    page = visit().go("Compare")
    page.choose("pills", "Methods", QUICK)
    page.press("Compare")
    deadline = time.monotonic() + 60
    while not comparison(page).trials and time.monotonic() < deadline:
        time.sleep(0.02)
    page.run()
    assert len(table(page)) == 1
    assert page.at.get("progress")[0].proto.text.startswith("1 of 15, a")
    assert page.find("pills", "Methods").disabled
    page.press("Cancel")
    waited(page)
    assert len(table(page)) == 1
    assert run_button(page).label == "Continue"
    assert "14 trials of this choice are missing" in page.words


def test_a_method_without_a_result_says_why(visit, monkeypatch):
    def fails(job, work, request, heard):
        for method, repeat in request["pairs"]:
            problem = "no *luck* today" if method == "NB" else ""
            heard(asdict(Trial(method, repeat, 0.25, 0.5, 1.0, 1.0, "{}", [[1, 0], [0, 1]], problem)))

    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", fails)
    page = compared(visit())
    assert "NB has no result in 2 repeats: no *luck* today" in page.words
    assert "NB" not in table(page)["Method"].tolist()
    compared(page, ["NB"], 3)
    assert "NB has no result in 3 repeats" in page.words


def test_a_run_that_breaks_down_says_so_and_keeps_its_rows(visit, monkeypatch):
    def breaks(job, work, request, heard):
        heard(asdict(Trial("LDA", 0, 0.25, 0.5, 1.0, 1.0, "{}", [[1, 0], [0, 1]])))
        raise OPNBError("The process that did the work ended with status 9.")

    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", breaks)
    page = compared(visit())
    assert "ended with status 9" in page.errors
    assert table(page)["Method"].tolist() == ["LDA"]
    assert run_button(page).label == "Continue"


@pytest.mark.usefixtures("quick")
def test_every_data_set_has_its_own_comparison(visit):
    page = compared(visit(), ["LDA"], 1)
    wine, compared_on_wine = page.state.dataset, comparison(page)
    page.go("Workbench").choose("selectbox", "Data", page.find("selectbox", "Data").options[0])
    page.go("Compare")
    assert page.state.dataset is not wine
    assert not comparison(page).trials
    assert comparison(page) is not compared_on_wine
    assert len(compared_on_wine.trials) == 1


def test_a_large_table_is_compared_on_a_sample(visit):
    page = visit(data="simulator:gaussian", sim='{"n": 4000}').go("Compare")
    assert "a sample of 3,000 rows" in page.words
    assert len(comparison(page).X) == 3000
    assert not len(comparison(page).test)


def test_two_classes_are_told_of_the_second_axis(visit):
    page = visit(data="example:breast_cancer").go("Compare").segment("View", "Projections")
    page.waited()
    assert "With two classes LDA has one direction" in page.words
    assert len(page.figures()[0]["layout"]["annotations"]) == 3


def test_states_without_something_to_show(visit):
    page = visit().go("Compare")
    page.choose("pills", "Methods", [])
    assert "Choose at least one method" in page.words
    assert run_button(page).disabled
    page.segment("View", "Confusion")
    assert "no finished trial yet" in page.words
    page.state.result = None
    page.segment("View", "Projections")
    assert "The pictures begin with a fit" in page.words
    page.state.dataset = None
    page.run()
    assert "no data to compare methods on yet" in page.words


def test_time_left_goes_by_what_was_seen_and_else_by_a_guess(visit, monkeypatch):
    page = visit().go("Compare")
    found = comparison(page)
    clock = iter([1_000.0, 1_200.0, 1_200.0])
    monkeypatch.setattr("opnb.studio.compare.comparison.time", SimpleNamespace(monotonic=lambda: next(clock)))
    guess = found.seconds_for([("LDA", 0), ("SVM", 0)])
    assert found.seconds_for([("SVM", 0)]) > found.seconds_for([("LDA", 0)]) > 0
    found.add(asdict(Trial("SVM", 0, 0.1, 0.1, 1.0, 100.0)))
    found.add(asdict(Trial("SVM", 1, 0.1, 0.1, 1.0, 200.0)))
    assert found.seconds_for([("SVM", 2), ("SVM", 3)]) == 300
    assert found.seconds_for([("LDA", 0), ("SVM", 2)]) == pytest.approx(150 + found.seconds_for([("LDA", 0)]))
    assert guess < 150
    found.add(asdict(Trial("SVM", 2, 0.1, 0.1, 1.0, 300.0)))
    assert found.seconds_for([("SVM", 3)]) == 100, "a cluster did two at a time"


def test_one_column_has_no_planes(visit, table):
    page = visit()
    rows = [line.rsplit(",", 2)[0] + "," + line.rsplit(",", 1)[1] for line in table.decode().splitlines()]
    page.upload("narrow.csv", "\n".join(rows).encode())
    page.go("Compare").segment("View", "Projections")
    assert "needs two columns at least" in page.words
