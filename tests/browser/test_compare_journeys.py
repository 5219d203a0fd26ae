"""Compare and Benchmark in a real Chromium."""

import csv

import pytest

from opnb.benchmark import read_results
from opnb.benchmark.rows import line_of
from opnb.comparators import USUAL_METHODS
from opnb.studio.benchmark.desk import rows_of
from tests.benchmark.samples import paper_results
from tests.browser import harness

pytestmark = pytest.mark.browser

QUICK = ("LDA", "NB", "RDA")


def page_of(tab, name):
    """Begin at the workbench and go to another page as a visitor does."""
    tab.open().picture()
    tab.page.get_by_role("link", name=name, exact=True).first.click()
    return tab


def pill(tab, name):
    tab.page.get_by_test_id("stButtonGroup").first.get_by_role("button", name=name, exact=True).click()
    return tab.still()


def only(tab, kept):
    """Take the other methods out of the choice."""
    for name in USUAL_METHODS:
        if name not in kept:
            pill(tab, name)
    return tab


def repeats(tab, count):
    box = tab.page.get_by_role("spinbutton", name="Repeats")
    box.fill(str(count))
    box.press("Enter")
    return tab.still()


def press(tab, name):
    tab.page.get_by_role("button", name=name, exact=True).click()
    return tab


def results_file():
    data = line_of(None) + b"".join(line_of(row) for row in rows_of(paper_results()))
    return {"name": "paper.csv", "mimeType": "text/csv", "buffer": data}


def download(tab, name, path):
    with tab.page.expect_download() as waiting:
        press(tab, name)
    waiting.value.save_as(path)
    return path


def fits_the_screen(tab):
    width = tab.page.evaluate("document.documentElement.scrollWidth")
    assert width <= tab.page.viewport_size["width"], "the page must not scroll sideways"


def test_a_comparison_to_the_table_and_cancel(tab, tmp_path):
    page_of(tab, "Compare").sees("methods on 5 splits").picture().shot("compare-first")
    repeats(only(tab, QUICK), 2)
    press(tab, "Compare").sees("Difference to").sees("Download the table").picture().shot("compare-table")
    with download(tab, "Download the table", tmp_path / "methods.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["Method"] for row in rows) == sorted(QUICK)
    assert {row["Repeats"] for row in rows} == {"2"}
    repeats(tab, 50)
    pill(tab, "SVM")
    press(tab, "Continue").sees("of 194")
    press(tab, "Cancel").sees("of this choice are missing").still()
    tab.page.get_by_role("button", name="Continue").wait_for()
    tab.segment("Confusion").sees("Held-out rows of all repeats").picture().shot("compare-confusion")


def test_a_benchmark_runs_is_stopped_and_taken_away(tab, tmp_path):
    page_of(tab, "Benchmark").sees("Press Run").still().shot("benchmark-first")
    total = 3 * len(USUAL_METHODS) * 2
    press(tab, "Run").sees(f"of {total}")
    # A process has to start and to compile before there is a row to be drawn.
    tab.page.locator(".js-plotly-plot").first.wait_for(state="attached", timeout=4 * harness.PATIENCE)
    tab.picture().shot("benchmark-running")
    press(tab, "Cancel").sees("This run was stopped with").picture().shot("benchmark-stopped")
    found = read_results(download(tab, "Results", tmp_path / "results.csv"))
    assert 1 <= len(found.frame) < total
    assert set(found.frame["method"]) <= set(USUAL_METHODS)
    report = download(tab, "Report", tmp_path / "report.html").read_text(encoding="utf8")
    assert "Mean test errors" in report


@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_results_are_loaded_in_the_dark_and_a_hostile_file_loses_nothing(new_tab, phone):
    tab = new_tab(dark=True, phone=phone).open("benchmark").sees("Press Run")
    tab.segment("Load a file")
    tab.page.locator("input[type=file]").first.set_input_files(results_file())
    tab.sees("162 data sets").picture()
    look = "phone" if phone else "wide"
    for view in ("Errors", "Ranks", "Dissection"):
        tab.segment(view).picture().shot(f"benchmark-{view.lower()}-{look}-dark")
        assert tab.figure("plot.layout.template.layout.font.color") == "#fafafa"
    hostile = {
        "name": "</script>.csv",
        "mimeType": "text/csv",
        "buffer": b"dataset,<img src=x onerror=alert(1)>\n1,2\n",
    }
    tab.page.locator("input[type=file]").first.set_input_files(hostile)
    tab.sees("is no results file").sees("Below are still the results of paper.csv").picture()
    tab.shot(f"benchmark-hostile-{look}-dark")
    fits_the_screen(tab)
    tab.open("compare").sees("Methods").picture().shot(f"compare-{look}-dark")
    fits_the_screen(tab)
