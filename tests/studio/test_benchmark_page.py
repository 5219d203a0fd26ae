"""The Benchmark page, state by state."""

import time

import pandas as pd
import pytest

from opnb.benchmark import BENCHMARK_METHODS, Protocol, Results, Row, read_results, run_benchmark
from opnb.benchmark.rows import line_of
from opnb.comparators import METHODS, USUAL_METHODS
from opnb.errors import OPNBError
from opnb.studio.benchmark.desk import EXAMPLE, Desk, choices, desk_of, lay_out, ordered, rows_of
from opnb.studio.benchmark.page import _report
from opnb.studio.visit.sources import bundled_names
from tests.benchmark.samples import fill_cache, paper_results, results_of, row

IRIS, WINE = EXAMPLE + "iris", EXAMPLE + "wine"
NASTY = "</script><b>$x$ :red[no]"


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("OPNB_DATA_DIR", raising=False)


@pytest.fixture
def quick(monkeypatch):
    """Do the tasks in the job's own thread: a process takes seconds to start."""

    def here(job, work, request, heard):
        work(heard, **request)

    monkeypatch.setattr("opnb.studio.benchmark.desk.run_in_child", here)


def file_of(results):
    return line_of(None) + b"".join(line_of(row) for row in rows_of(results))


def chosen(page, datasets=(IRIS, WINE), methods=("LDA", "RDA"), repeats=1):
    if page.page != "Benchmark":
        page.go("Benchmark")
    page.choose("multiselect", "Data sets", list(datasets))
    page.choose("pills", "Methods", list(methods))
    return page.choose("number_input", "Repeats", repeats)


def waited(page):
    deadline = time.monotonic() + 60
    while desk_of(page.state).job is not None:
        assert desk_of(page.state).job.wait(max(deadline - time.monotonic(), 0)), "the benchmark did not end"
        page.run()
    return page


def small(n_datasets=4):
    """Results of eight methods on a few data sets."""
    return results_of(
        {name: [0.1 + 0.01 * ((3 * k + d) % 7) for d in range(n_datasets)] for k, name in enumerate(METHODS)}
    )


def loaded(page, results=None, name="paper.csv"):
    page.go("Benchmark").segment("Results", "Load a file")
    return page.upload(name, file_of(results or small()))


def downloads(page):
    return [button.proto.label for button in page.at.get("download_button")]


def test_the_first_view_says_what_would_happen(visit):
    page = visit().go("Benchmark")
    assert f"{3 * len(USUAL_METHODS) * 2} rows: every method on every data set, 2 splits each, about" in page.words
    assert "Press **Run**" in page.words
    assert page.find("pills", "Methods").options == list(dict.fromkeys([*METHODS, *BENCHMARK_METHODS])), (
        "the registry's, then the variants"
    )
    assert desk_of(page.state).job is None


def test_choices_are_examples_the_folder_and_pmlb(tmp_path, monkeypatch):
    assert {choice.place for choice in choices().values()} == {"example", "network"}
    monkeypatch.setenv("OPNB_DATA_DIR", str(fill_cache(tmp_path)))
    found = choices()
    assert [choice.name for choice in found.values() if choice.place == "example"] == [
        EXAMPLE + name for name in bundled_names()
    ]
    assert found["iris"].place == "folder"
    assert found["broken"].place == "folder", "a data set of the folder that PMLB does not have"
    words = [choice.words() for choice in found.values()]
    assert len(set(words)) == len(words)
    assert "iris: 150 × 4, example" in words


def test_the_folder_comes_at_one_click(visit, tmp_path, monkeypatch):
    monkeypatch.setenv("OPNB_DATA_DIR", str(fill_cache(tmp_path)))
    page = visit().go("Benchmark")
    page.press("All of the folder (3)")
    assert sorted(page.find("multiselect", "Data sets").value) == ["broken", "iris", "wine"]


def test_a_choice_without_data_or_methods_cannot_be_run(visit):
    page = chosen(visit(), datasets=())
    assert "Choose data sets and methods" in page.words
    assert page.find("button", "Run").disabled


def test_a_network_set_is_announced(visit):
    assert "1 data set will be fetched over the network" in chosen(visit(), datasets=["adult"]).words


@pytest.mark.usefixtures("quick")
def test_a_run_puts_its_rows_on_the_desk(visit):
    page = chosen(visit()).press("Run")
    waited(page)
    assert "2 data sets, 2 methods, 1 repeat: 4 rows." in page.words
    entry = desk_of(page.state).entry
    assert set(zip(entry.results.frame["dataset"], entry.results.frame["method"], strict=True)) == {
        (data, method) for data in (IRIS, WINE) for method in ("LDA", "RDA")
    }
    pd.testing.assert_frame_equal(read_results(entry.raw).frame, entry.results.frame)
    assert downloads(page) == ["Results", "Report"]
    assert "Mean ranks" in _report(entry, entry.methods)
    cells = page.figures()[0]["data"][0]
    assert sorted(cells["y"]) == ["LDA", "RDA"]


@pytest.mark.usefixtures("quick")
def test_rows_that_are_there_are_not_made_again(visit):
    page = chosen(visit()).press("Run")
    waited(page)
    first = desk_of(page.state).entry.results.frame.set_index(["dataset", "method"])["seconds_tune"]
    waited(chosen(page, datasets=[WINE], methods=["LDA", "RDA", "NB"]).press("Run"))
    second = desk_of(page.state).entry.results.frame.set_index(["dataset", "method"])["seconds_tune"]
    assert len(second) == 3, "what was not asked for is left out"
    assert second[WINE, "LDA"] == first[WINE, "LDA"]
    assert desk_of(page.state).progress.before == 2
    page.choose("selectbox", "Results of this visit", desk_of(page.state).entries[0].id)
    assert "2 data sets, 2 methods" in page.words


def test_cancel_keeps_the_rows_and_they_can_be_seen_while_it_runs(visit, monkeypatch):
    def two_and_no_more(job, work, request, heard):
        work(heard, request["protocol"], request["tasks"][:2])
        while not job.stopping:
            time.sleep(0.01)

    monkeypatch.setattr("opnb.studio.benchmark.desk.run_in_child", two_and_no_more)
    page = chosen(visit(), repeats=2).press("Run")
    deadline = time.monotonic() + 60
    while desk_of(page.state).progress.done < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    page.run()
    assert page.at.get("progress")[0].proto.text.startswith("2 of 8, a few seconds left")
    live = page.figures()[0]["data"][0]
    assert list(live["y"]) == [IRIS]
    page.press("Cancel")
    waited(page)
    assert "stopped with 2 of 8 rows" in page.words
    assert len(read_results(desk_of(page.state).entry.raw).frame) == 2
    assert downloads(page) == ["Results", "Report"]
    loaded(page)
    assert "stopped with" not in page.words, "the notice belongs to the run"


def test_what_stops_a_run_is_said(visit, monkeypatch):
    def fails(job, work, request, heard):
        heard({"fetching": "adult"})
        raise OPNBError("The PMLB data set 'adult' cannot be fetched from the network.")

    monkeypatch.setattr("opnb.studio.benchmark.desk.run_in_child", fails)
    page = chosen(visit(), datasets=["adult"]).press("Run")
    waited(page)
    assert "cannot be fetched" in page.errors
    assert desk_of(page.state).entry is None


VIEWS = ["Overview", "Errors", "Wins", "Ranks", "Dissection", "Time", "Data sets"]


def test_a_file_is_loaded_and_every_summary_shows_it(visit):
    page = loaded(visit(), paper_results())
    assert "162 data sets, 8 methods, 1 repeat: 1,296 rows." in page.words
    drawn = {}
    for view in VIEWS:
        page.segment("Summary", view)
        (drawn[view],) = page.figures()
    cells = drawn["Wins"]["data"][0]
    at = {name: place for place, name in enumerate(cells["x"])}
    assert cells["text"][at["OPNB"]][at["SVM"]] == "75"
    assert sum(trace["type"] == "box" for trace in drawn["Errors"]["data"]) == 8
    assert "critical difference" in " ".join(note["text"] for note in drawn["Ranks"]["layout"]["annotations"])
    assert sum(name.startswith("xaxis") for name in drawn["Dissection"]["layout"]) == 6
    assert len(drawn["Time"]["data"][0]["text"]) == 8
    assert len(drawn["Data sets"]["data"][0]["y"]) == 162
    page.segment("Summary", "Rows")
    assert len(page.at.dataframe[0].value) == 1296


def test_the_errors_can_be_measured_in_three_ways(visit):
    page = loaded(visit()).segment("Summary", "Errors")
    page.segment("Errors of different data sets made comparable", "studentised")
    assert page.figures()[0]["layout"]["yaxis"]["title"]["text"] == "studentised error"


def test_fewer_methods_can_be_compared(visit):
    page = loaded(visit()).segment("Summary", "Wins")
    page.choose("multiselect", "Methods compared", ["OPNB", "SVM"])
    assert sorted(page.figures()[0]["data"][0]["x"]) == ["OPNB", "SVM"]
    page.choose("multiselect", "Methods compared", ["OPNB"])
    assert len(page.figures()[0]["data"][0]["x"]) == len(METHODS), "one method alone is no comparison"


HOSTILE = {
    "is empty": b"",
    "is not": b"\x89PNG\r\n\x1a\n\x00",
    "is no results file": b"dataset,<script>alert(1)</script>\n1,2\n",
    "line 2: 4 cells": line_of(None) + b"iris,LDA,0,nan\n",
    "no finished row": file_of(Results.from_rows([row("iris", "LDA", status="failed")])),
}


def test_a_hostile_file_is_refused_and_nothing_is_lost(visit):
    page = loaded(visit())
    for words, data in HOSTILE.items():
        page.upload("bad.csv", data)
        assert words in page.errors
        assert "still the results of paper.csv" in page.words
        assert f"4 data sets, {len(METHODS)} methods" in page.words
        assert len(page.figures()) == 1
    page.upload("good.csv", file_of(small(5)))
    assert not page.errors
    assert "5 data sets" in page.words


def test_names_of_a_stranger_are_text(visit):
    results = results_of({NASTY: [0.1, 0.2], "b*ld*": [0.2, 0.1]})
    page = loaded(visit(), results, name="$evil$ [x](http://x).csv")
    for view in VIEWS:
        page.segment("Summary", view)
        assert "<b>$x$" not in str(page.figures())
    assert NASTY in desk_of(page.state).entry.methods
    assert all("[x](http" not in element.value for element in page.at.header)
    assert (
        "<script>" not in _report(desk_of(page.state).entry, desk_of(page.state).entry.methods).split("<h1>")[1][:400]
    )


def test_small_results_say_what_they_lack(visit):
    page = loaded(visit(), Results.from_rows([row("a", "LDA"), row("b", "NB")]))
    page.segment("Summary", "Overview")
    assert "No data set has a result of every method yet" in page.words
    page.segment("Summary", "Ranks")
    assert "need two data sets" in page.words
    page.segment("Summary", "Dissection")
    assert "Mean ranks need" in page.words or "dissection" in page.words


def test_examples_are_laid_out_as_pmlb_has_its_data(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("OPNB_DATA_DIR", str(fill_cache(cache)))
    folder = tmp_path / "here"
    folder.mkdir()
    lay_out(folder, [EXAMPLE + "penguins", "wine", "adult"])
    assert sorted(path.name for path in folder.iterdir()) == [EXAMPLE + "penguins", "wine"]
    results = run_benchmark(
        Protocol([EXAMPLE + "penguins", "wine"], ["LDA"], repeats=1, data_dir=str(folder)), tmp_path / "out.csv"
    )
    assert results.frame["status"].tolist() == ["ok", "ok"]
    assert results.frame["K"].tolist() == [3, 3]


def test_rows_come_back_from_results_as_they_were():
    rows = [row("a", "LDA", params='{"lam": 1}'), row("b", "NB", status="failed", message="no")]
    again = rows_of(Results.from_rows(rows))
    assert [line_of(one) for one in again] == [line_of(one) for one in rows]
    assert isinstance(again[0], Row)


def test_the_folder_of_a_visit_goes_with_it():
    desk = Desk()
    folder = desk.folder
    assert folder.is_dir()
    del desk
    import gc

    gc.collect()
    assert not folder.exists()


def test_quick_methods_come_first():
    assert ordered(["SVM", "OPNB-LOO", "LDA"]) == ("LDA", "OPNB-LOO", "SVM")
