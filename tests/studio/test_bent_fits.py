"""Fits whose directions bend: every page shows them, or says in words what it cannot show."""

import numpy as np
import pytest

from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from tests.workspace import samples

BENT = {"data": "example:iris", "directions": "2", "bend": "1"}


def test_the_moving_picture_of_a_search_has_its_points_where_the_fit_leaves_them():
    fit = samples.fit(bend=1.0)
    job = Job(lambda job: fit_work(fit.spec, fit.table, fit.dataset, job))
    job.run()
    assert not job.error, job.error
    model, shown = job.result.classifier, job.progress.points
    there = model.transform(fit.dataset.X_train)
    # Directions are put in order at the end, so that those of the picture are among them.
    likeness = np.abs(np.corrcoef(shown.T, there.T)[:2, 2:]).max(axis=1)
    np.testing.assert_allclose(likeness, 1.0, atol=1e-9)


@pytest.mark.parametrize("place", range(5))
def test_every_view_of_the_workbench_is_drawn(visit, place):
    page = visit(**BENT)
    assert page.state.result.spec.bend == 1.0
    assert page.segment("More about this fit", place).waited().figures()


@pytest.mark.parametrize("view", ["Smoothness", "Starts", "Directions", "Columns", "Playback"])
def test_tune_tries_other_settings(visit, view):
    page = visit(**BENT).go("Tune")
    if view != "Smoothness":
        page.segment("What to try", view)
    assert page.waited().figures()


def test_diagnose_looks_at_it(visit):
    page = visit(**BENT).go("Diagnose").waited()
    assert page.figures()
