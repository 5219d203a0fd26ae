"""The tour's numbers: on the model's own directions they are the model's own."""

from functools import cache

import numpy as np
import pytest

from opnb.core.kernel import kernel_value
from opnb.errors import DataError
from opnb.views import projection_view
from opnb.views.axes_paths import model_axes, steps_path, two_fits_path
from opnb.views.new_rows import new_rows
from opnb.views.tour import MOST_HANDLES, tour_frame, tour_view
from opnb.views.toured_rows import classes_on, toured_rows
from tests.figures.fits import blobs, iris_fit, quick_fit


@cache
def iris_tour():
    clf, X, y, X_test, y_test = iris_fit()
    return clf, tour_view(clf, X, y, X_test, y_test)


def test_a_frame_on_two_directions_is_the_picture_of_them():
    clf, view = iris_tour()
    picture = projection_view(clf, *iris_fit()[1:], directions=(0, 2))
    frame = tour_frame(view, model_axes(clf)[:, [0, 2]].T)
    np.testing.assert_array_equal(frame.predicted[frame.lead > 1e-3], picture.points.shown[frame.lead > 1e-3])
    assert frame.train.n == picture.train.n == 112
    assert abs(frame.train.wrong - picture.train.wrong) <= (frame.lead < 1e-3).sum()
    assert frame.test.n == 38
    np.testing.assert_allclose(frame.Z[:, 0] * clf.bandwidths_[0], picture.points.x, rtol=1e-4, atol=1e-5)


def test_margins_integrate_to_one_and_have_the_models_height():
    clf, view = iris_tour()
    axes = model_axes(clf)[:, :2].T
    ranges = [(z.min() - 15, z.max() + 15) for z in (view.points @ axes.T).T]
    frame = tour_frame(view, axes, ranges, curve=4000)
    for heights, positions in zip(frame.heights, frame.positions, strict=True):
        np.testing.assert_allclose(np.trapezoid(heights, positions), 1.0, atol=1e-3)
    in_units = clf.marginal_densities(0, frame.positions[0] * clf.bandwidths_[0]) * clf.bandwidths_[0]
    np.testing.assert_allclose(frame.heights[0], in_units, rtol=1e-3, atol=1e-6)


def test_a_frame_on_any_axes_follows_from_the_formulas():
    _, view = iris_tour()
    axes = np.random.default_rng(3).normal(size=(2, 4))
    frame = tour_frame(view, axes)
    Z = view.points.astype(float) @ axes.T
    train, joint = ~view.is_test, np.empty((len(Z), 3))
    for k in range(3):
        own = Z[train & (view.labels == k)]
        f = np.prod([kernel_value(Z[:, d][:, None] - own[:, d]).mean(axis=1) for d in (0, 1)], axis=0)
        joint[:, k] = view.class_prior[k] * f
    np.testing.assert_array_equal(frame.predicted, joint.argmax(axis=1))
    own = np.log(joint[np.arange(len(Z)), view.labels] / joint.sum(axis=1))
    assert frame.log_likelihood == pytest.approx(own[train].mean())
    assert frame.test_log_likelihood == pytest.approx(own[~train].mean())
    correlations = [np.corrcoef(Z[train & (view.labels == k)].T)[0, 1] for k in range(3)]
    assert frame.dependence == pytest.approx(np.abs(correlations).max())
    assert frame.dependent_class == np.abs(correlations).argmax()


def test_keyframes_are_exactly_the_models_columns():
    clf, view = iris_tour()
    pairs, from_pca = view.paths
    assert pairs.captions == ("Directions 1 and 2", "Directions 1 and 3", "Directions 2 and 3")
    np.testing.assert_array_equal(pairs.axes[1], model_axes(clf)[:, [0, 2]].T.astype(np.float32))
    np.testing.assert_array_equal(from_pca.axes[-1], pairs.axes[0])
    np.testing.assert_allclose(np.linalg.norm(from_pca.axes[0], axis=1), 1.0, rtol=1e-6)


def test_a_way_through_solutions_ends_as_they_are_and_never_turns_back():
    clf, *_ = iris_fit()
    last = model_axes(clf)
    way = steps_path("Steps", [-last, last * [1, -1, 1], last], "abc")
    for pair in way.axes:
        np.testing.assert_array_equal(pair, last[:, :2])
    np.testing.assert_array_equal(two_fits_path(clf, clf, "Two fits", ("a", "b")).axes[0], last[:, :2])


def test_many_columns_are_toured_in_a_subspace_that_loses_nothing_of_the_axes():
    X, y = blobs(90, 3, p=130)
    clf = quick_fit(X, y, n_components=3, max_iter=3)
    view = tour_view(clf, X, y)
    assert view.points.shape[1] < 130
    assert len(view.handles) <= MOST_HANDLES
    assert [handle.kind for handle in view.handles[-3:]] == ["direction"] * 3
    np.testing.assert_allclose(view.basis.T @ view.basis, np.eye(view.basis.shape[1]), atol=1e-9)
    Z = view.points @ view.paths[0].axes[0].T
    np.testing.assert_allclose(Z * clf.bandwidths_[:2], clf.transform(X)[:, :2], atol=1e-4)
    column = view.handles[0]
    j = view.feature_names.index(column.name)
    np.testing.assert_allclose(view.points @ column.vector, clf.scaled(X)[:, j], atol=1e-5)


def test_one_direction_gets_an_axis_at_a_right_angle():
    X, y = blobs(60, 2, p=3)
    clf = quick_fit(X, y, n_components=1)
    (axes,) = tour_view(clf, X, y).paths[0].axes
    assert axes[0] @ axes[1] == pytest.approx(0, abs=1e-5)
    assert np.linalg.norm(axes[1]) == pytest.approx(1)


def test_thinned_rows_are_said(monkeypatch):
    monkeypatch.setattr("opnb.views.tour.MOST_POINTS", 100)
    X, y = blobs(400, 2)
    view = tour_view(quick_fit(X, y, n_components=2, max_iter=2), X, y)
    assert len(view.points) == view.class_counts.sum() == 100
    assert view.notes == (
        "100 of 400 rows are toured, chosen at random; densities and errors are those of these rows.",
    )


def test_what_cannot_be_toured_is_refused_with_the_reason():
    X, y = blobs(40, 2, p=1)
    with pytest.raises(DataError, match="at least two columns"):
        tour_view(quick_fit(X, y, n_components=1), X, y)


def test_bent_directions_are_toured_among_the_columns_in_which_they_are_straight():
    X, y = blobs(90, 3, p=3)
    clf = quick_fit(X, y, n_components=2, bend=1.0, max_iter=3)
    view = tour_view(clf, X, y)
    assert view.feature_names[0] == "bent column 1"
    Z = view.points @ view.paths[0].axes[0].T
    np.testing.assert_allclose(Z * clf.bandwidths_, clf.transform(X), atol=1e-4)


def test_new_rows_lie_and_are_classed_as_the_same_rows_of_the_table():
    clf, view = iris_tour()
    X, X_test = iris_fit()[1], iris_fit()[3]
    toured = toured_rows(clf, view, [new_rows(clf, X), new_rows(clf, X_test, rows=np.arange(200, 238))])
    np.testing.assert_array_equal(toured.points, view.points)
    np.testing.assert_array_equal(toured.predicted, np.searchsorted(clf.classes_, clf.predict(np.vstack([X, X_test]))))
    assert toured.rows[[0, 111, 112, 149]].tolist() == [1, 112, 200, 237]
    axes = np.random.default_rng(4).normal(size=(2, 4))
    frame = tour_frame(view, axes)
    for told, expected in zip(classes_on(view, axes, toured), (frame.predicted, frame.lead), strict=True):
        np.testing.assert_allclose(told, expected, rtol=1e-9)


def test_very_many_new_rows_are_thinned_and_very_far_ones_are_held():
    clf, view = iris_tour()
    X = np.tile(iris_fit()[1], (3, 1))
    X[0] = 1e300
    toured = toured_rows(clf, view, [new_rows(clf, X)], max_points=200)
    assert len(toured.points) < toured.n_rows == len(X)
    assert np.isfinite(toured.points).all()
    assert toured_rows(clf, view, []) is None
    assert toured_rows(clf, view, [new_rows(clf, np.empty((0, 4)))]) is None
