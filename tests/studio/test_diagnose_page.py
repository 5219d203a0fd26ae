"""The Diagnose page, state by state."""

import json
import threading
import time

import pytest

from opnb.studio.diagnose.diagnosis import comparable_objectives, fate, number_of, remedied_spec, what_changed
from opnb.studio.visit.settings import default_spec
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import Stopped, Studies, report

HILLS = {"data": "simulator:hill-valley", "sim": json.dumps({"n": 400})}


def diagnosed(page):
    """Go to the page and wait for what it has to say."""
    page.go("Diagnose")
    return waited(page)


def waited(page):
    deadline = time.monotonic() + 60
    while page.state.studies.job is not None or page.state.job is not None:
        job = page.state.job or page.state.studies.job
        assert job.wait(max(deadline - time.monotonic(), 0)), "the diagnosis did not end"
        page.run()
    return page


def test_a_good_fit_is_told_so(visit):
    page = diagnosed(visit())
    assert "nothing above a notice" in " ".join(element.value for element in page.at.success)
    assert not page.at.warning
    assert "What is in order" in page.at.expander[0].label


def test_a_faulty_fit_shows_the_warnings_first_with_number_picture_and_remedy(visit):
    page = diagnosed(visit(**HILLS))
    badges = [text.value for text in page.at.markdown if "-badge[" in text.value]
    assert "Warning" in badges[0]
    assert "Densities pick out single rows" in page.words
    assert "Few directions carry nearly all variance" in page.words
    assert any("left out" in metric.label for metric in page.at.metric)
    assert any(figure["data"][0]["type"] == "bar" for figure in page.figures())
    assert [button for button in page.at.button if button.label == "Apply and fit again"]


def test_the_remedy_is_a_new_fit_shown_beside_the_old_one(visit):
    page = diagnosed(visit(**HILLS))
    before = page.state.result
    page.press("Apply and fit again")
    waited(page)
    after = page.state.result
    assert after is not before
    assert page.state.fits[-2:] == [before, after]
    assert after.test.error < before.test.error - 0.1
    assert "Before and after" in page.words
    assert "The held-out error fell from" in page.words
    assert "The points after lie close together" in page.words
    titles = [note["text"] for figure in page.figures() for note in figure["layout"].get("annotations", ())]
    assert any("Before" in title for title in titles)
    assert any("After" in title for title in titles)
    page.segment("Axes", "Each its own")
    assert [figure["layout"]["title"]["text"][:13] for figure in page.figures()[:2]] == [
        "<b>Before</b>",
        "<b>After</b><",
    ]
    page.press("Back to the fit before")
    assert page.state.result is before
    assert "Before and after" not in page.words


def test_one_direction_is_diagnosed_too(visit):
    page = diagnosed(visit(directions="1", lam="0.00000001"))
    assert page.at.success or page.at.warning
    assert not page.at.exception


def test_a_reload_finds_the_fit_again(visit):
    page = diagnosed(visit(**HILLS))
    assert page.at.query_params["data"] == "simulator:hill-valley"


def test_the_findings_are_looked_for_once_for_every_fit(visit):
    page = diagnosed(visit())
    found = page.state.studies.outcomes["diagnosis", page.state.result.id]
    page.go("Workbench")
    diagnosed(page)
    assert page.state.studies.outcomes["diagnosis", page.state.result.id] is found


def test_without_a_fit_the_page_says_where_to_make_one(visit):
    page = visit()
    page.state.result = None
    page.go("Diagnose")
    assert "no fit to look at yet" in page.words


def test_what_is_in_order_opens_with_its_pictures(visit):
    page = diagnosed(visit())
    before = len(page.figures())
    page.at.session_state[f"in-order-{page.state.result.id}"] = True
    page.run()
    assert len(page.figures()) > before


def test_a_long_diagnosis_can_be_stopped_and_started_again(visit, monkeypatch):
    go_on = threading.Event()

    def slow(result, job):
        while not go_on.wait(0.01):
            report(job, 0.5, "Counting grains")
        return ()

    monkeypatch.setattr("opnb.studio.diagnose.page.diagnose_work", slow)
    page = visit()
    page.go("Diagnose")
    page.find("button", "Cancel").click()
    page.run()
    assert "You stopped this" in page.words
    go_on.set()
    page.press("Start again")
    waited(page)
    assert "nothing above a notice" in page.words


def test_a_failure_is_explained(visit, monkeypatch):
    def failing(result, job):
        raise ValueError("There is <b>nothing</b> to see.")

    monkeypatch.setattr("opnb.studio.diagnose.page.diagnose_work", failing)
    page = visit()
    page.go("Diagnose")
    assert "There is <b>nothing</b> to see." in page.errors


def test_a_fit_that_is_asked_for_stops_the_study():
    studies = Studies()
    studies.ask("key", lambda job: [report(job, 0.0, "wait") for _ in iter(int, 1)])
    job = studies.job
    studies.drop()
    assert job.wait(10)
    assert studies.job is None
    studies.collect()
    assert not studies.failures


def test_a_study_runs_once_and_reports():
    studies, runs = Studies(), []
    for _ in range(2):
        studies.ask("key", lambda job: runs.append(1) or "outcome")
        assert studies.job is None or studies.job.wait(10)
        studies.collect()
    assert studies.outcomes == {"key": "outcome"}
    assert runs == [1]
    job = Job(lambda job: None)
    job.cancel()
    with pytest.raises(Stopped):
        report(job, 0.5, "words")


def test_remedies_stay_within_the_bounds_of_the_app():
    spec = default_spec()
    assert remedied_spec(spec, {"max_iter": 99_999}).max_iter == 2_000
    assert remedied_spec(spec, {"init": "random", "n_init": 20, "random_state": 7}).seed == 7
    assert remedied_spec(spec, {"penalty": spec.penalty}) is None
    assert not comparable_objectives(spec, remedied_spec(spec, {"lam": 0.5}))
    assert comparable_objectives(spec, remedied_spec(spec, {"n_init": 5}))


def test_the_words_about_a_change(visit):
    page = diagnosed(visit())
    result = page.state.result
    assert "stayed at" in what_changed(result, result)
    findings = page.state.studies.outcomes["diagnosis", result.id]
    good = next(finding for finding in findings if finding.severity == "good")
    assert "no longer holds" in fate("It", good.code, findings)
    for finding in findings:
        assert number_of(finding).value
