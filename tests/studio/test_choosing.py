"""Good settings at one button: chosen on the training rows, fitted, and said."""

import threading

import numpy as np
import pytest

from opnb.studio.work import choosing
from opnb.studio.work.choosing import choose_work
from opnb.studio.work.jobs import Job
from tests.workspace import samples


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(choosing, "_MOST_SECONDS", 0.5)


def test_the_button_ends_in_a_picture_and_says_what_was_chosen(visit):
    page = visit(data="example:iris", directions="2")
    before = page.state.result
    page.press("Find good settings")
    result = page.state.result
    assert result is not before
    assert result.spec.n_components == 2
    assert page.state.spec == result.spec, "the form shows what was chosen"
    assert result.notes[0].startswith("Chosen by cross-validation: smoothness λ ")
    assert "with the classes balanced and the probabilities set right on rows left out" in result.notes[0]
    np.testing.assert_allclose(result.classifier.class_prior_, result.spec.decision_priors, atol=1e-8)
    assert result.classifier.sharpness_ == result.spec.sharpness != 1.0
    assert "were learnt on rows left out, for these settings" in page.words
    assert "The settings have changed" not in page.words
    assert "of rows left out" in page.words
    assert page.figures()
    again = result.spec.classifier().fit(result.dataset.X_train, result.dataset.y_train)
    np.testing.assert_allclose(again.objective_, result.classifier.objective_), "a fit like any other"
    page.choose("select_slider", "Smoothness (λ)", 0.05).press("Fit")
    assert page.state.result.spec.lam == 0.05
    spec = page.state.result.spec
    assert (spec.decision_priors, spec.sharpness) == (None, 1.0), "learnt for other settings"


def test_held_out_rows_take_no_part_in_the_choice(monkeypatch):
    fit, seen = samples.fit(), []

    class Watched(choosing.OPNBAuto):
        def fit(self, X, y):
            seen.append((X, y))
            return super().fit(X, y)

    monkeypatch.setattr(choosing, "OPNBAuto", Watched)
    job = Job(lambda job: choose_work(fit.spec, fit.table, fit.dataset, job))
    job.run()
    assert not job.error, job.error
    ((X, y),) = seen
    np.testing.assert_array_equal(X, fit.dataset.X_train)
    np.testing.assert_array_equal(y, fit.dataset.y_train)


def test_a_stop_ends_it_with_what_is_known():
    fit = samples.fit()
    job = Job(lambda job: choose_work(fit.spec, fit.table, fit.dataset, job))
    thread = threading.Thread(target=job.run)
    thread.start()
    job.cancel()
    thread.join(60)
    assert not job.error, job.error
    assert job.result.notes[0].startswith("The choice was stopped")
