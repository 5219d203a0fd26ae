"""Which columns matter, on the Tune page: what each is worth, the way to fewer, and the way back."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from opnb.data import Table
from opnb.studio.tune.column_studies import column_path_work, fits_of_path, importance_work
from opnb.studio.visit.intake import bring_file, keep_columns
from opnb.studio.visit.links import from_query, to_query
from opnb.studio.visit.settings import PictureSpec
from opnb.studio.visit.sources import Source
from opnb.studio.visit.state import Studio
from opnb.studio.work.jobs import Job
from opnb.views import ColumnPath


@pytest.fixture
def fitted():
    """A visit with a fit of two numbers, a category of three levels, and a column that lacks a value."""
    rng = np.random.default_rng(0)
    kind = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "length": rng.normal(size=90) + 3 * (kind == 1),
            "noise": rng.normal(size=90),
            "colour": np.array(["blue", "green", "red"])[np.where(rng.random(90) < 0.9, kind, rng.integers(0, 3, 90))],
            "gaps": np.where(np.arange(90) == 5, np.nan, rng.normal(size=90)),
            "kind": np.array(["a", "b", "c"])[kind],
        }
    )
    state = Studio()
    assert state.offer(Source("upload", "mine.csv", content="abc"), Table.from_frame(frame, "mine.csv"))
    yield collected(state, state.fit(replace(state.spec, max_iter=5)))
    state.close()


def collected(state, job):
    assert job.wait(60)
    assert state.collect()
    assert not state.fit_error
    return state


def names(result):
    return [column.name for column in result.dataset.columns]


def test_columns_are_left_out_and_come_back(fitted):
    state, before = fitted, fitted.result
    assert keep_columns(state, before, {"length", "colour"})
    collected(state, state.job)
    assert names(state.result) == ["length", "colour"]
    assert state.result.dataset.X.shape == (90, 3), "the row without a value in a column left out is back"
    assert state.spec.lam == before.spec.lam
    assert before in state.fits
    assert state.before_columns is before
    again = from_query(to_query(state.result.spec, PictureSpec())).spec
    assert dict(again.data.options.roles) == {"gaps": "leave out", "noise": "leave out"}
    state.restore(before)
    assert names(state.result) == ["length", "noise", "colour", "gaps"]
    assert dict(state.data_spec.options.roles) == {}


def test_a_table_that_waits_goes_on_waiting(fitted):
    bring_file(fitted, "other.csv", b"a,b\n1,2.5\n2,3.5\n3,4.25\n4,5.125\n")
    waiting = fitted.draft
    assert waiting is not None
    assert keep_columns(fitted, fitted.result, {"length"})
    collected(fitted, fitted.job)
    assert fitted.draft is waiting
    assert names(fitted.result) == ["length"]


def test_columns_that_cannot_do_without_the_others_are_said(fitted):
    before = fitted.result
    assert not keep_columns(fitted, before, set())
    assert "No column is left" in fitted.fit_error
    assert fitted.draft is None
    assert fitted.result is before


def test_the_work_says_how_far_it_is_and_names_the_columns(fitted):
    job = Job(lambda job: importance_work(fitted.result, job))
    job.run()
    assert {column.name for column in job.result.columns[:2]} == {"length", "colour"}
    said = []

    def work(job):
        watched = type("Watched", (), {"stopping": False, "progress": property(None, lambda self, p: said.append(p))})()
        return column_path_work(fitted.result, watched)

    path = work(None)
    assert path.counts == (4, 3, 2, 1)
    assert set(path.columns[2]) == {"length", "colour"}
    assert fits_of_path(fitted.result) == 24
    assert said[-1].words == "Fit 24 of about 24"


def test_a_path_stops_within_a_search(fitted):
    job = Job(lambda job: column_path_work(fitted.result, job))
    job.cancel()
    job.run()
    assert job.result is None


def test_the_page_shows_both_and_fits_again_with_fewer(visit):
    page = visit(data="example:iris")
    all_names = names(page.state.result)
    steps = tuple(tuple(all_names[:count]) for count in (4, 3, 2, 1))
    path = ColumnPath((4, 3, 2, 1), steps, np.full((4, 5), 0.1), ())
    page.state.studies.outcomes["column path", page.state.result.spec] = path
    page.go("Tune").segment("What to try", "Columns")
    page.waited()
    assert set(page.figures()[0]["data"][0]["y"]) == set(all_names)
    page.choose("toggle", "Leave them out one after the other (about 24 fits)", True)
    assert page.figures()[1]["layout"]["xaxis"]["title"]["text"] == "columns"
    assert page.find("selectbox", "Columns to keep").value == 3, "the fewest of equally good ones"
    page.choose("selectbox", "Columns to keep", 2)
    page.press("Fit again with these 2 columns")
    page.waited()
    assert names(page.state.result) == all_names[:2]
    page.press("Back to the fit with 4 columns")
    assert names(page.state.result) == all_names
