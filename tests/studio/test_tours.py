"""Axes turned by hand: in links, as pictures, as fits, and the ways that a tour can be sent along."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from opnb.data import propose
from opnb.errors import OPNBError
from opnb.studio.visit.arrivals import read_rows
from opnb.studio.visit.drawing import compute, describe, report
from opnb.studio.visit.links import LONGEST, from_query, to_query
from opnb.studio.visit.new_rows import NewRowsDesk
from opnb.studio.visit.settings import PictureSpec, default_spec, in_words
from opnb.studio.visit.snippet import python_snippet
from opnb.studio.visit.sources import fetch_table, prepared, settled
from opnb.studio.visit.state import Studio
from opnb.studio.visit.tours import (
    as_matrix,
    axes_of,
    climb_path,
    comparable,
    fits_a_link,
    from_axes,
    on_plane,
    other_fit_path,
    plane_of,
    tour_of,
    with_new,
)
from opnb.studio.work.errands import Attended
from opnb.studio.work.fitting import check_size, fit_work
from opnb.studio.work.jobs import Job
from opnb.studio.work.ways import lams_work, steps_work
from opnb.views.axes_paths import model_axes
from opnb.views.tour import tour_frame

AXES = axes_of(np.array([[0.5, 1.0], [-1 / 3, 0.0], [2.0, 1e-7], [0.0, -1.25]]))


def fitted(spec):
    table = fetch_table(spec.data.source)
    data = settled(spec.data, propose(table))
    job = Job(partial(fit_work, replace(spec, data=data), table, prepared(table, data)))
    job.run()
    assert job.result is not None, job.error
    return job.result


@cache
def iris():
    return fitted(replace(default_spec("iris"), max_iter=8, n_components=3))


def test_axes_survive_a_link_to_the_digit():
    spec = from_axes(default_spec("iris"), AXES, search=True)
    picture = PictureSpec(mode="tour", plane=AXES)
    link = from_query(to_query(spec, picture))
    assert (link.spec, link.picture, link.problems) == (spec, picture, ())
    assert fits_a_link(AXES)
    assert not fits_a_link(((0.12345,) * LONGEST,) * 2)


@pytest.mark.parametrize("bad", ["", "1,2", "1,2;3", "1,2;3,x", "1,2;3,1e9", "1;2;3", "nan,1;1,1", ";"])
def test_axes_that_cannot_be_used_are_said_and_left_out(bad):
    link = from_query(to_query(default_spec("iris"), PictureSpec()) | {"plane": bad})
    assert link.picture.plane is None
    assert len(link.problems) == 1
    assert "'plane'" in link.problems[0]


def test_a_fit_of_given_axes_has_them_and_says_that_nothing_was_searched():
    result = fitted(from_axes(iris().spec, AXES, search=False))
    found = model_axes(result.classifier)
    np.testing.assert_allclose(found[:, np.argsort(found[0])], as_matrix(AXES)[:, np.argsort(as_matrix(AXES)[0])])
    assert result.notes == ("These axes were turned by hand; nothing was searched.",)
    assert result.spec.label().endswith("turned by hand")
    assert "max_iter=0" in python_snippet(result.spec)
    assert in_words("start", AXES) == "2 directions"


def test_a_climb_begins_at_the_axes_and_comes_no_lower():
    start = fitted(from_axes(iris().spec, AXES, search=False))
    top = fitted(from_axes(iris().spec, AXES, search=True))
    assert top.classifier.history_[0].objective == pytest.approx(start.classifier.objective_, abs=1e-6)
    assert top.classifier.objective_ > start.classifier.objective_
    (way,) = climb_path(top)
    np.testing.assert_array_equal(way.axes[0], as_matrix(AXES))
    assert climb_path(start) == climb_path(iris()) == []


def test_other_numbers_of_directions_begin_elsewhere():
    spec = replace(from_axes(default_spec("iris"), AXES, search=False), n_components=3)
    assert not spec.has_given_axes
    assert spec.settings()["init"] == "pca"
    assert spec.settings()["max_iter"] == 300


def test_axes_of_other_columns_are_refused_before_any_work():
    spec = from_axes(default_spec("wine"), AXES, search=True)
    table = fetch_table(spec.data.source)
    with pytest.raises(OPNBError, match="have 4 columns, but the data have 13"):
        check_size(spec, prepared(table, settled(spec.data, propose(table))))


def test_the_picture_of_turned_axes_has_the_tours_numbers():
    result, picture = iris(), PictureSpec(mode="tour", plane=AXES)
    view = compute(result, picture)
    toured = tour_of(result, picture).view
    frame = tour_frame(toured, as_matrix(AXES).T @ toured.basis)
    assert (view.train, view.test) == (frame.train, frame.test)
    lengths = np.linalg.norm(as_matrix(AXES), axis=0)
    np.testing.assert_allclose(view.points.x * lengths[0], frame.Z[:, 0], atol=1e-4)
    np.testing.assert_allclose(view.points.y * lengths[1], frame.Z[:, 1], atol=1e-4)
    assert "turned by hand" in view.notes[0]
    assert [axis.called for axis in view.axes] == ["Axis across", "Axis up"]
    found = model_axes(result.classifier)
    mixed = axes_of(np.column_stack([found[:, 2], found[:, 0] + found[:, 1]]))
    shown = compute(result, PictureSpec(mode="tour", plane=mixed))
    assert [axis.called for axis in shown.axes] == ["Direction 3", "Axis up"]
    assert "direction 3 (heaviest" in describe(shown)
    assert "Axes turned by hand" in report(result, "A fit", picture=picture)


def test_new_rows_stand_where_the_same_training_rows_do():
    result = iris()
    table = result.table.frame.to_csv(index=False).encode()
    desk = NewRowsDesk(rows=read_rows(Attended(), "same.csv", table), chosen=7)
    (new,) = desk.drawn(result)
    swapped = (AXES[1], AXES[0])
    for picture in (PictureSpec(mode="tour", plane=AXES), PictureSpec(mode="tour", plane=swapped), PictureSpec()):
        view = compute(result, picture)
        placed = on_plane(result, picture, view, new)
        for axis, places in zip(view.axes, (view.points.x, view.points.y), strict=True):
            np.testing.assert_allclose(placed.Z[view.points.rows - 1, axis.direction], places, atol=1e-4)
    toured = with_new(tour_of(result, PictureSpec()), result, desk)
    np.testing.assert_allclose(toured.new.points[toured.view.rows - 1], toured.view.points, atol=1e-5)
    assert toured.chosen == 7


def test_a_still_picture_and_one_of_other_columns_have_no_plane():
    assert plane_of(iris(), PictureSpec(plane=AXES)) is None
    assert plane_of(iris(), PictureSpec(mode="tour", plane=((1.0, 0.0), (0.0, 1.0)))) is None
    assert plane_of(iris(), PictureSpec(mode="tour", plane=AXES)) == AXES


def test_the_steps_of_a_search_end_at_the_fit():
    way = steps_work(iris(), Job(lambda job: None))
    np.testing.assert_allclose(way.axes[-1], model_axes(iris().classifier)[:, :2], rtol=1e-6)
    assert len(way.axes) == len(way.captions) == iris().classifier.n_iter_ + 1
    assert way.captions[0].startswith("Step 0: objective")


def test_the_way_along_lambda_becomes_sharper():
    way = lams_work(iris(), Job(lambda job: None))
    lengths = [np.linalg.norm(pair) for pair in way.axes]
    assert len(lengths) == 10
    assert lengths[-1] > lengths[0]


def test_fits_of_the_same_columns_can_be_toured_between():
    other = fitted(replace(default_spec("iris"), max_iter=2))
    elsewhere = fitted(replace(default_spec("wine"), max_iter=2))
    assert comparable(iris(), [iris(), other, elsewhere]) == [other]
    way = other_fit_path(iris(), other, ("this", "that"))
    assert way.captions == ("that", "this")
    np.testing.assert_array_equal(way.axes[1], model_axes(iris().classifier)[:, :2])


def test_another_fit_and_other_data_leave_the_plane():
    state = Studio()
    state.restore(iris())
    turned = PictureSpec(mode="tour", plane=AXES)
    state.picture = turned
    state.fit(state.spec)
    assert state.picture == turned  # as a link asks for both
    state.fit(replace(state.spec, lam=0.01))
    assert state.picture == PictureSpec(mode="tour")
    state.spec = from_axes(state.spec, AXES, search=True)
    source = default_spec("wine").data.source
    state.offer(source, fetch_table(source))
    assert (state.spec.init, state.spec.start) == ("pca", None)
    state.close()
