"""One owner for the long work of a visit: nothing of it gets lost, and all of it ends with the visit."""

import time

import pytest

from opnb.studio.benchmark.desk import EXAMPLE, desk_of
from opnb.studio.compare.comparison import comparison_of
from opnb.workspace.settings import FOLDER
from tests.studio.test_compare_page import compared, here, table
from tests.studio.test_workspaces import open_file, refit, zip_of

WAIT = 30.0


def until_stopped(job, *rest):
    """Work that says nothing and ends only when it is told to."""
    while not job.stopping:
        time.sleep(0.01)


def use(page, name):
    """Turn to another of the examples."""
    box = page.go("Workbench").find("selectbox", "Data")
    return page.choose("selectbox", "Data", next(option for option in box.options if name in str(option).lower()))


@pytest.fixture
def busy(visit, monkeypatch, tmp_path):
    """A visit with a benchmark, a comparison and a study under way, and its jobs."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", until_stopped)
    monkeypatch.setattr("opnb.studio.benchmark.desk.run_in_child", until_stopped)
    monkeypatch.setattr("opnb.studio.tune.page.path_work", lambda result, job: until_stopped(job))
    page = refit(visit(), 0.01).go("Compare").press("Compare")
    page.go("Benchmark").choose("multiselect", "Data sets", [EXAMPLE + "iris"]).press("Run")
    page.go("Tune").go("Workbench")
    state = page.state
    jobs = [comparison_of(state).job, desk_of(state).job, state.studies.job]
    assert not any(job.finished for job in jobs)
    yield page, jobs
    for job in jobs:
        job.cancel()
        assert job.wait(WAIT)


def test_starting_afresh_ends_all_long_work(busy):
    page, jobs = busy
    page.press("Forget this workspace").press("Forget everything")
    assert all(job.wait(WAIT) for job in jobs)


def test_opening_a_workspace_file_ends_all_long_work_of_the_one_before(busy, visit):
    page, jobs = busy
    before = page.state
    open_file(page, zip_of(visit()))
    assert page.state is not before
    assert all(job.wait(WAIT) for job in jobs)


def test_a_comparison_is_there_again_when_its_data_are(visit, monkeypatch):
    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", here)
    page = compared(visit(), ["LDA"], 1)
    use(page, "iris").go("Compare")
    assert not page.at.dataframe
    use(page, "wine").go("Compare")
    assert table(page)["Method"].tolist() == ["LDA"]


def test_a_comparison_under_way_on_other_data_is_seen_and_can_be_stopped(visit, monkeypatch):
    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", until_stopped)
    page = visit().go("Compare").press("Compare")
    job = comparison_of(page.state).job
    use(page, "iris").go("Compare")
    try:
        assert "Comparing on wine" in page.words
        page.press("Cancel")
        assert job.wait(WAIT)
        assert "Comparing on wine" not in page.run().words
    finally:
        job.cancel()
