"""The numbers behind the pictures."""

import dataclasses
import itertools

import numpy as np
import pytest

from opnb import OPNBClassifier
from opnb.errors import DataError
from opnb.views import (
    ErrorCount,
    describe_projection,
    doubts,
    guessing,
    history_view,
    joint_ranges,
    loadings_view,
    margins_view,
    metrics,
    oriented,
    project,
    projection_view,
    scatter_matrix_view,
    strip_view,
)
from opnb.views.description import region_counts
from opnb.views.orienting import mirrored, turns_of
from opnb.views.pairs import confusable, pairs_view
from opnb.views.projected import thinned
from tests.figures.fits import blobs, blobs_fit, iris_fit, quick_fit


def gap_of_top_two(log_posterior):
    top = np.sort(np.exp(log_posterior), axis=1)
    return top[:, -1] - top[:, -2]


@pytest.fixture
def iris():
    return iris_fit()


@pytest.mark.parametrize("n_classes", [2, 3, 10, 26])
@pytest.mark.parametrize("extent", ["all", "central"])
def test_boundary_points_have_equal_top_two_posteriors(n_classes, extent):
    clf, X, y = blobs_fit(520, n_classes)
    view = projection_view(clf, X, y, extent=extent)
    points = np.concatenate(view.boundary)
    assert len(points) > 50
    assert gap_of_top_two(clf.predict_log_proba_on(points, (0, 1))).max() < 1e-8
    assert (points >= [view.x_range[0], view.y_range[0]]).all()
    assert (points <= [view.x_range[1], view.y_range[1]]).all()


def test_every_change_of_class_on_the_grid_has_a_boundary_between():
    X, y = blobs(300, 4)
    view = projection_view(quick_fit(X, y, n_components=2), X, y, resolution=60)
    points = np.concatenate(view.boundary)
    row, column = np.nonzero(view.class_map[:, :-1] != view.class_map[:, 1:])
    for j, i in zip(row, column, strict=True):
        level = np.isclose(points[:, 1], view.grid_y[j])
        assert ((points[level, 0] >= view.grid_x[i]) & (points[level, 0] <= view.grid_x[i + 1])).any()


def test_boundary_where_projections_span_thousands_of_bandwidths():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 1])
    y = np.repeat([0, 1], 40)
    clf = quick_fit(X, y, lam=1e-9, max_iter=2)
    clf = quick_fit(X, y, init=clf.components_.T * 3000, lam=1e-12, max_iter=1)
    view = projection_view(clf, X, y)
    gap = gap_of_top_two(clf.predict_log_proba_on(np.concatenate(view.boundary), (0, 1)))
    assert gap.max() < 1e-8
    assert np.isfinite(view.confidence).all()


@pytest.mark.parametrize("sharpness", [1.0, 0.3, 4.0])
def test_grid_agrees_with_the_model_point_by_point(iris, sharpness):
    _, X, y, *_ = iris
    clf = quick_fit(X, y, n_components=3, sharpness=sharpness)
    view = projection_view(clf, X, y, directions=(2, 0), resolution=31)
    x, up = np.meshgrid(view.grid_x, view.grid_y)
    log_posterior = clf.predict_log_proba_on(np.column_stack([x.ravel(), up.ravel()]), (2, 0))
    np.testing.assert_array_equal(view.class_map.ravel(), log_posterior.argmax(axis=1))
    np.testing.assert_allclose(view.confidence.ravel(), np.exp(log_posterior.max(axis=1)), rtol=1e-5)


def test_flags_and_errors_match_the_classifier(iris):
    clf, X, y, X_test, y_test = iris
    view = projection_view(clf, X, y, X_test, y_test, directions=(0, 1))
    points = view.points
    everything = np.concatenate([X, X_test])
    full = clf.predict(everything)
    shown = clf.predict_log_proba_on(clf.transform(everything)[:, :2], (0, 1)).argmax(axis=1)
    truth = np.concatenate([y, y_test])
    np.testing.assert_array_equal(points.wrong_full, full != truth)
    np.testing.assert_array_equal(points.wrong_shown, shown != truth)
    np.testing.assert_array_equal(points.disagree, full != clf.classes_[shown])
    np.testing.assert_array_equal(points.is_test, np.arange(len(truth)) >= len(y))
    assert view.test is not None
    assert view.test.error == pytest.approx(np.mean(shown[len(y) :] != y_test))
    assert view.train_other.error == pytest.approx(1 - clf.score(X, y))
    assert view.n_disagree == points.disagree.sum()


def test_full_model_regions_follow_its_predictions(iris):
    clf, X, y, *_ = iris
    view = projection_view(clf, X, y, boundary="full")
    assert view.model == "full"
    assert view.train.error == pytest.approx(1 - clf.score(X, y))
    column = np.abs(view.grid_x[:, None] - view.points.x).argmin(axis=0)
    row = np.abs(view.grid_y[:, None] - view.points.y).argmin(axis=0)
    assert np.mean(view.class_map[row, column] == view.points.full) > 0.9
    assert any("full model" in note for note in view.notes)


@pytest.mark.parametrize("weighting", ["density", "prior"])
def test_margins_are_those_of_the_model_and_integrate_to_one(iris, weighting):
    clf, X, y, *_ = iris
    view = margins_view(clf, project(clf, X, y), weighting=weighting)
    assert len(view.margins) == 3
    for d, margin in enumerate(view.margins):
        area = np.trapezoid(margin.heights.astype(float), margin.positions.astype(float), axis=1)
        expected = np.ones(3) if weighting == "density" else clf.class_prior_
        np.testing.assert_allclose(area, expected, rtol=2e-3)
        assert margin.axis.bandwidth == clf.bandwidths_[d]
        share = 1.0 if weighting == "density" else clf.class_prior_[:, None]
        np.testing.assert_allclose(
            margin.heights, share * clf.marginal_densities(d, margin.positions.astype(float)), rtol=1e-3, atol=1e-6
        )


def test_strip_intervals_agree_with_the_model():
    X, y = blobs(300, 4)
    clf = quick_fit(X, y, n_components=1)
    view = strip_view(clf, X, y)
    assert len(view.regions) == len(view.edges) + 1
    assert gap_of_top_two(clf.predict_log_proba_on(view.edges[:, None], (0,))).max() < 1e-8
    predicted = view.regions[np.searchsorted(view.edges, clf.transform(X)[:, 0])]
    np.testing.assert_array_equal(clf.classes_[predicted], clf.predict(X))


def test_a_direction_without_length_still_has_a_view(iris):
    _, X, y, *_ = iris
    clf = quick_fit(X, y, n_components=2, init=np.column_stack([np.eye(4)[2], np.zeros(4)]), max_iter=1, lam=1e-3)
    if np.isfinite(clf.bandwidths_).all():
        pytest.fail("the start was meant to have a direction of zero length")
    view = projection_view(clf, X, y)
    assert np.isfinite(view.class_map).all()


def test_thinning_keeps_small_classes_and_counts_everything():
    X, y = blobs(3000, 3)
    y[:20] = 3
    clf = quick_fit(X, y, n_components=2, max_iter=3)
    view = projection_view(clf, X, y, max_points=500)
    assert 500 <= len(view.points.x) < 600
    assert (view.points.labels == 3).sum() == 20
    assert view.train.n == view.n_points == 3000
    assert view.shading is not None
    assert view.shading.sum() == 3000
    assert "of 3,000 points are drawn" in " ".join(view.notes)
    np.testing.assert_array_equal(thinned(y, 500), thinned(y, 500))


def test_central_extent_leaves_outliers_out_and_says_so():
    X, y = blobs(300, 3)
    X[0] = 100
    view = projection_view(quick_fit(X, y, n_components=2), X, y, extent="central")
    assert any("outside the part shown" in note for note in view.notes)
    assert len(view.points.x) == 300


def test_ranges_can_be_shared(iris):
    clf, X, y, *_ = iris
    data = project(clf, X, y)
    views = [projection_view(clf, projected=data, directions=pair) for pair in ((0, 1), (1, 2))]
    joint = joint_ranges(views)
    again = projection_view(clf, projected=data, ranges=joint)
    assert [again.x_range, again.y_range] == list(joint)
    with pytest.raises(ValueError, match="low, high"):
        projection_view(clf, projected=data, ranges=[(1, 0), (0, 1)])


def test_metrics_count_and_agree_with_the_classifier(iris):
    clf, X, y, X_test, y_test = iris
    train, test = metrics(project(clf, X, y, X_test, y_test))
    assert test is not None
    assert test.error == pytest.approx(1 - clf.score(X_test, y_test))
    assert train.log_loss == pytest.approx(-clf.predict_log_proba(X)[np.arange(len(y)), y].mean())
    assert test.confusion.sum() == len(y_test)
    assert test.confusion.trace() == len(y_test) - test.errors.wrong


def test_loadings_come_heaviest_first(iris):
    clf, *_ = iris
    view = loadings_view(clf, list("abcd"), directions=[1], most=2)
    order = np.argsort(-np.abs(clf.components_[1]))[:2]
    np.testing.assert_allclose(view.weights[:, 0], clf.components_[1][order])
    assert view.feature_names == tuple("abcd"[j] for j in order)
    assert view.n_features == 4


def test_history_from_a_classifier_and_from_its_records(iris):
    clf, *_ = iris
    np.testing.assert_array_equal(history_view(clf).objective, history_view(clf.history_).objective)
    assert history_view([]).objective.size == 0


def test_scatter_matrix_takes_the_leading_directions(iris):
    clf, X, y, *_ = iris
    view = scatter_matrix_view(clf, project(clf, X, y))
    np.testing.assert_allclose(view.Z, clf.transform(X), rtol=1e-5)


def test_description_tells_errors_classes_and_regions(iris):
    clf, X, y, X_test, y_test = iris
    view = projection_view(clf, X, y, X_test, y_test, class_names=["setosa", "versicolor", "virginica"])
    text = describe_projection(view)
    assert str(view.train) in text
    assert str(view.test) in text
    assert "setosa" in text
    assert f"{sum(region_counts(view).values())} regions" in text
    assert "differs from the model on these two directions" in text


def test_rows_and_names_are_the_callers(iris):
    clf, X, y, X_test, y_test = iris
    data = project(clf, X, y, X_test, y_test, rows=np.arange(len(y)) * 10, rows_test=np.arange(len(y_test)) + 7)
    assert data.rows[1] == 10
    assert data.rows[len(y)] == 7
    assert project(clf, X, y, X_test[:0], y_test[:0]).is_test.sum() == 0
    assert project(clf, X, y, X_test, y_test).rows[-1] == len(y) + len(y_test) - 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.full(112, 9)}, "was not fitted with"),
        ({"y": np.zeros(3)}, "one class for each"),
        ({"X_test": np.zeros((2, 4))}, "come together"),
        ({"class_names": ["a"]}, "3 entries"),
        ({"rows": [1, 2]}, "name each of the 112 points"),
    ],
)
def test_bad_data_are_refused_in_words(iris, change, message):
    clf, X, y, *_ = iris
    with pytest.raises(DataError, match=message):
        project(clf, **{"X": X, "y": y, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"directions": (0, 0)}, "two different"),
        ({"directions": (0, 3)}, "out of range"),
        ({"extent": "some"}, "extent must be one of"),
        ({"boundary": "none"}, "boundary must be one of"),
        ({"weighting": "none"}, "weighting must be one of"),
    ],
)
def test_bad_settings_are_refused_in_words(iris, change, message):
    clf, X, y, *_ = iris
    with pytest.raises(ValueError, match=message):
        projection_view(clf, X, y, **change)


def test_a_picture_without_data_is_refused_in_words(iris):
    with pytest.raises(DataError, match="give X and y"):
        projection_view(iris[0])


def test_full_model_of_two_directions_is_the_one_shown():
    clf, X, y = blobs_fit(520, 3)
    view = projection_view(clf, X, y, boundary="full")
    assert not view.has_more
    assert not view.notes
    assert view.train == view.train_other


def test_errors_stand_beside_guessing_with_their_interval():
    clf, X, y, X_test, y_test = iris_fit()
    train, test = metrics(project(clf, X, y, X_test, y_test))
    guess, name = guessing(train, test)
    assert guess.wrong == np.sum(y_test != int(name))
    assert guess.n == len(y_test)
    # Wilson (1927): 2 of 44, and nothing wrong in 10.
    assert ErrorCount(2, 44).interval == pytest.approx((0.01256, 0.15135), abs=1e-4)
    assert ErrorCount(0, 10).interval == pytest.approx((0.0, 0.2775), abs=1e-4)


def test_a_picture_says_what_it_hides():
    X, y = blobs(200, 3)
    clf = quick_fit(X, y, n_components=2)
    assert doubts(projection_view(clf, X, y)) == ()
    data = project(clf, X, y)
    line = dataclasses.replace(data, Z=data.Z[:, [0, 0]] + 1e-3 * data.Z)
    (found,) = doubts(projection_view(clf, projected=line))
    assert found.kind == "line"
    Z = data.Z.copy()
    Z[0] = 100 * np.abs(Z).max()
    view = projection_view(clf, projected=dataclasses.replace(data, Z=Z))
    (found,) = [doubt for doubt in doubts(view) if doubt.kind == "far-rows"]
    assert found.sentence.startswith("1 row lies far out")
    assert "far-rows" not in [
        doubt.kind for doubt in doubts(projection_view(clf, projected=dataclasses.replace(data, Z=Z), extent="central"))
    ]


def test_a_boundary_that_is_not_the_models_is_doubted():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 4))
    X[:, 3] += 6 * y
    clf = quick_fit(X, y, n_components=4)
    worst = min(itertools.combinations(range(4), 2), key=lambda pair: np.abs(clf.components_[list(pair), 3]).max())
    view = projection_view(clf, X, y, directions=worst)
    kinds = [doubt.kind for doubt in doubts(view)]
    assert ("other-model" in kinds) == (view.n_disagree >= 0.2 * view.n_points)
    assert "other-model" not in [doubt.kind for doubt in doubts(projection_view(clf, X, y, boundary="full"))]


def test_pairs_are_ranked_by_the_error_of_the_model_on_them(iris):
    clf, X, y, X_test, y_test = iris
    clf = quick_fit(X, y, n_components=4)
    data = project(clf, X, y, X_test, y_test)
    view = pairs_view(clf, data)
    assert len(view.pairs) == 6
    wrong = [pair.errors.wrong for pair in view.pairs]
    assert wrong == sorted(wrong)
    for pair in view.pairs:
        Z = clf.transform(X_test)[:, list(pair.directions)]
        predicted = clf.classes_[clf.predict_log_proba_on(Z, pair.directions).argmax(axis=1)]
        assert pair.errors.wrong == np.sum(predicted != y_test)
    assert view.held_out
    assert ((view.Z >= 0) & (view.Z <= 1)).all()


def test_a_direction_names_the_classes_it_tells_apart():
    log_density = np.log([[0.9, 0.8, 0.1, 0.1, 0.4, 0.5], [0.1, 0.1, 0.9, 0.8, 0.5, 0.4], [0.01] * 4 + [0.6, 0.6]])
    shares = confusable(log_density, np.array([0, 0, 1, 1, 2, 2]))
    assert shares.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    clf, X, y = blobs_fit(300, 3)
    told = [one.separates for one in pairs_view(clf, project(clf, X, y)).directions]
    assert all("class " in words or words in ("all classes", "nothing clearly") for words in told)


def test_a_mirrored_view_is_the_view_of_mirrored_directions(iris):
    clf, X, y, *_ = iris
    view = projection_view(clf, X, y, resolution=40)
    turned = mirrored(view, (True, True))
    assert turns_of(turned, view) == (True, True)
    (_, back) = oriented([view, turned])
    for name in ("grid_x", "grid_y", "class_map", "confidence"):
        np.testing.assert_array_equal(getattr(back, name), getattr(view, name))
    np.testing.assert_array_equal(back.points.x, view.points.x)
    np.testing.assert_array_equal(back.margins[1].heights, view.margins[1].heights)
    points = -np.concatenate(turned.boundary)
    assert gap_of_top_two(clf.predict_log_proba_on(points, (0, 1))).max() < 1e-8


def test_a_logarithmic_margin_shows_four_decades(iris):
    clf, X, y, *_ = iris
    data = project(clf, X, y)
    (log,), (plain,) = (margins_view(clf, data, [0], weighting=name).margins for name in ("log", "density"))
    assert log.heights.max() == pytest.approx(4.0)
    assert log.heights.min() == 0.0
    high = plain.heights > 1e-3 * plain.heights.max()
    expected = np.log10(plain.heights[high] / plain.heights.max()) + 4
    np.testing.assert_allclose(log.heights[high], expected, atol=1e-4)


def test_a_direction_that_tells_nothing_has_low_margins_and_another_has_room_for_all(iris):
    clf, X, y, *_ = iris
    flat = OPNBClassifier(init=np.diag([1.0, 1e-3]), max_iter=0).fit(X[:, :2], y)
    flat_z = int(flat.bandwidths_.argmax())
    for direction, margin in enumerate(margins_view(flat, project(flat, X[:, :2], y)).margins):
        highest = margin.heights.max() / margin.top
        assert highest < 0.02 if direction == flat_z else highest == pytest.approx(1 / 1.05)
    for margin in margins_view(clf, project(clf, X, y), weighting="log").margins:
        assert margin.top == pytest.approx(1.05 * 4)
