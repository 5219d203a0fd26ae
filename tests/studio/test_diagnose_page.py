"""The Diagnose page, state by state."""

import json
import threading

import numpy as np
import pytest

from opnb.diagnostics import Finding, LamChoice
from opnb.studio.diagnose.diagnosis import (
    comparable_objectives,
    fate,
    in_order,
    number_of,
    remedied_spec,
    share_axes,
    what_changed,
    with_path,
)
from opnb.studio.visit.settings import default_spec
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import Stopped, Studies, report
from opnb.views import PathErrors

HILLS = {"data": "simulator:hill-valley", "sim": json.dumps({"n": 1200})}


def diagnosed(page):
    """Go to the page and wait for what it has to say."""
    page.go("Diagnose")
    return page.waited()


def test_a_good_fit_is_told_so(visit):
    page = diagnosed(visit())
    assert "nothing above a notice" in " ".join(element.value for element in page.at.success)
    assert not page.at.warning
    assert "What is in order" in page.at.expander[0].label
    result = page.state.result
    assert "stayed at" in what_changed(result, result).sentence
    assert "No row became" in what_changed(result, result).sentence
    findings = next(found for key, found in page.state.studies.outcomes.items() if key[0] == "advice")
    good = next(finding for finding in findings if finding.severity == "good")
    assert "no longer holds" in fate("It", good.code, findings)
    for finding in findings:
        assert number_of(finding).value


@pytest.mark.slow
def test_a_faulty_fit_is_told_with_number_picture_and_remedy_and_mended(visit):
    page = diagnosed(visit(**HILLS))
    assert page.at.query_params["data"] == "simulator:hill-valley"
    badges = [text.value for text in page.at.markdown if "-badge[" in text.value]
    assert "Warning" in badges[0]
    assert "Densities pick out single rows" in page.words
    assert "Few directions carry nearly all variance" in page.words
    assert any("left out" in metric.label for metric in page.at.metric)
    assert any(figure["data"][0]["type"] == "bar" for figure in page.figures())
    assert "owe most of their density to their own kernel: each makes a spike" in page.words
    assert "of rows left out wrong instead of" in page.words
    before = page.state.result
    page.press("Apply and fit again")
    assert_mended(page.waited(), before)
    page.press("Back to the fit before")
    assert page.state.result is before
    assert "Before and after" not in page.words


def assert_mended(page, before):
    after = page.state.result
    assert after is not before
    assert page.state.fits[-2:] == [before, after]
    assert after.test.error < before.test.error - 0.1
    assert "Before and after" in page.words
    said = " ".join(element.value.replace("\\", "") for element in page.at.success)
    assert "The held-out error fell from" in said
    assert "clearly better" in said
    assert "each has its own axes" in page.words
    assert "not compared: with other settings" in page.words
    assert [figure["layout"]["title"]["text"][:13] for figure in page.figures()[:2]] == [
        "<b>Before</b>",
        "<b>After</b><",
    ]


@pytest.fixture
def untried(monkeypatch):
    """Leave remedies as they are, for what has nothing to do with their trial."""
    monkeypatch.setattr("opnb.studio.diagnose.page.advise_work", lambda result, findings, job: findings)


def test_one_direction_is_diagnosed_too(visit, untried):
    page = diagnosed(visit(directions="1", lam="0.00000001"))
    assert page.at.success or page.at.warning
    assert not page.at.exception


def test_the_findings_are_looked_for_once_for_every_fit(visit, untried):
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


def test_what_is_in_order_opens_with_its_pictures(visit, untried):
    page = diagnosed(visit())
    before = len(page.figures())
    page.at.session_state[f"in-order-{page.state.result.id}"] = True
    page.run()
    assert len(page.figures()) > before


def test_a_long_diagnosis_can_be_stopped_and_started_again(visit, untried, monkeypatch):
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
    page.waited()
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


def test_good_news_needs_an_error_clearly_below_guessing():
    def said(code, severity):
        return Finding(code, severity, "Title", "Words.", {})

    assert in_order((said("calibration", "notice"), said("guessing", "good")))
    assert not in_order((said("guessing", "notice"),))
    assert not in_order((said("calibration", "warning"), said("guessing", "good")))


def test_the_end_of_a_path_of_lambdas_is_told(visit):
    result = visit().state.result
    assert share_axes(result, result)
    lams, errors = np.array([1e-3, 1e-2, 1e-1, 1.0]), np.linspace(0.1, 0.4, 4)[:, None] + [0.0, 0.01]
    path = PathErrors(LamChoice(1e-3, 0, 0, lams, errors.mean(axis=1), np.zeros(4)), errors, (), ())
    assert with_path((), None, 1e-3) == ()
    assert with_path((), path, 1e-2) == ()
    (edge,) = with_path((), path, 1e-3)
    assert edge.code == "edge-of-grid"
    assert edge.remedy.settings == {"lam": 1e-4}
