"""One owner for the long work of a visit: nothing of it gets lost, and all of it ends with the visit."""

import threading
import time
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from opnb.studio.benchmark.desk import EXAMPLE, desk_of
from opnb.studio.compare.comparison import comparison_of
from opnb.studio.compare.trials import run_trials
from opnb.studio.work.errands import LongRun, Visitor
from opnb.studio.work.jobs import Job, Queue, long_queue
from opnb.studio.work.owner import KEPT_RUNS, LongWork
from opnb.workspace.settings import FOLDER
from tests.studio.test_compare_page import compared, here, table, waited
from tests.studio.test_workspaces import open_file, refit, zip_of

WAIT = 60.0  # a process may take long to start where others keep the machine busy


def until_stopped(job, *rest):
    """Work that says nothing and ends only when it is told to."""
    while not job.stopping:
        time.sleep(0.01)


def eventually(condition):
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.02)


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


@pytest.mark.slow
def test_starting_afresh_ends_all_long_work(busy):
    page, jobs = busy
    page.press("Forget this workspace").press("Forget everything")
    assert all(job.wait(WAIT) for job in jobs)


@pytest.mark.slow
def test_opening_a_workspace_file_ends_all_long_work_of_the_one_before(busy, visit):
    page, jobs = busy
    before = page.state
    open_file(page, zip_of(visit()))
    assert page.state is not before
    assert all(job.wait(WAIT) for job in jobs)


@pytest.mark.slow
def test_a_comparison_is_there_again_when_its_data_are(visit, monkeypatch):
    monkeypatch.setattr("opnb.studio.compare.comparison.run_in_child", here)
    page = compared(visit(), ["LDA"], 1)
    use(page, "iris").go("Compare")
    assert not page.at.dataframe
    use(page, "wine").go("Compare")
    assert table(page)["Method"].tolist() == ["LDA"]


@pytest.mark.slow
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


def test_a_visit_that_is_over_begins_nothing(visit):
    state = visit().state
    state.close()
    jobs = [state.fit(state.spec), state.studies.begin(lambda job: 1), desk_of(state).begin(lambda job: None)]
    assert [job.status for job in jobs] == ["cancelled"] * 3


def test_runs_are_kept_by_their_keys_and_the_oldest_are_ended():
    work = LongWork()
    first = work.run("kind", LongRun, 0)
    job = first.begin(until_stopped)
    assert work.run("kind", LongRun, 0) is first
    assert work.under_way("kind") == [first]
    assert work.run("other", LongRun, 0) is not first
    for key in range(1, KEPT_RUNS + 1):
        assert work.run("kind", LongRun, key) is not first
    assert job.wait(WAIT)


def test_what_saves_a_fit_knows_it_before_it_can_start(visit, monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    page = visit()
    seen = []

    def submit(queue, job):
        shelf = page.state.keeper.shelf
        seen.append(shelf is not None and shelf.job is job and page.state.job is job)
        job.drop()
        return job

    monkeypatch.setattr(Queue, "submit", submit)
    page.state.fit(page.state.spec)
    assert seen == [True]


@pytest.mark.slow
def test_a_comparison_out_of_time_keeps_what_was_done_and_says_so(visit, monkeypatch):
    monkeypatch.setattr("opnb.studio.compare.comparison.say_trials", say_one_and_wait)
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(Job, "worked", property(lambda job: clock.seconds))
    page = visit().go("Compare").press("Compare")
    eventually(lambda: comparison_of(page.state).trials)
    clock.seconds = 30_000.0
    waited(page)
    assert "took all the time that this server allows a run, 21,600 seconds" in page.errors
    assert table(page)["Method"].tolist() == ["LDA"]
    assert "trials of this choice are missing" in page.words


def say_one_and_wait(say, data, pairs):
    """Do one trial in the process of a comparison, and no more."""
    say(asdict(next(run_trials(data, [("LDA", 0)]))))
    threading.Event().wait()


def test_long_runs_take_turns_by_visitor():
    """The second run of a visitor waits for the first of another, even where that came later."""
    began, doors = [], {name: threading.Event() for name in ("mine", "theirs", "mine again", "yours")}

    def run(name, owner):
        def work(job):
            began.append(name)
            assert doors[name].wait(WAIT)

        errand = LongRun(Visitor(owner))
        return errand.begin(work)

    mine = run("mine", "me")
    doors["mine"].set()
    assert mine.wait(WAIT)
    jobs = [run("theirs", "them"), run("mine again", "me"), run("yours", "you")]
    eventually(lambda: "theirs" in began)
    assert [long_queue().place(job) for job in jobs] == [0, 2, 1]
    for door in doors.values():
        door.set()
    assert all(job.wait(WAIT) for job in jobs)
    assert began == ["mine", "theirs", "yours", "mine again"]
