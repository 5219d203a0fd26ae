"""Movies, paths and dimension curves, by the numbers in them."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from opnb import OPNBClassifierCV
from opnb.diagnostics import dimension_curve
from opnb.figures import dimension_figure, draw_movie, draw_still, path_figure
from opnb.views import path_errors, path_movie, playback_movie, project, still
from tests.figures.fits import blobs, blobs_fit, iris_fit

pytestmark = pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning")


@pytest.fixture(scope="module")
def path():
    """A path of four solutions, with its errors and its movie."""
    X, y = blobs(150, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        cv = OPNBClassifierCV(lams=[1e-4, 1e-3, 1e-2, 1e-1], n_components=2, max_iter=30, cv=3).fit(X[:120], y[:120])
    projected = project(cv, X[:120], y[:120], X[120:], y[120:])
    errors = path_errors(cv, X[:120], y[:120], X[120:], y[120:])
    return cv, projected, errors, path_movie(cv, projected, X, errors)


def test_the_path_shows_every_fold_the_mean_and_both_choices(path):
    cv, _, errors, _ = path
    folds, mean, best, simple = path_figure(errors, 1e-3).data
    np.testing.assert_allclose(folds.y, cv.cv_errors_.ravel(), rtol=1e-5)
    np.testing.assert_allclose(mean.y, cv.cv_errors_.mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(mean.error_y.array, errors.choice.standard_errors, rtol=1e-5)
    assert list(best.x) == [cv.lam_]
    assert list(simple.x) == [errors.choice.lam]


def test_the_movie_starts_at_the_chosen_solution_and_ends_with_the_largest_lam(path):
    _, projected, errors, movie = path
    figure = draw_movie(movie)
    assert len(figure.frames) == len(figure.layout.sliders[0].steps) == 4
    assert figure.layout.sliders[0].active == errors.choice.best_index == movie.first
    places = [int(np.flatnonzero(projected.rows == row)[0]) for row in movie.rows]
    np.testing.assert_allclose(movie.x[movie.first], projected.Z[places, 0], atol=1e-5)
    points = [place for place, trace in enumerate(figure.data) if trace.mode == "markers"]
    shown = np.concatenate([figure.data[place].x for place in points])
    np.testing.assert_allclose(np.sort(shown), np.sort(movie.x[movie.first]))
    last = np.concatenate([figure.frames[-1].data[place].x for place in points])
    np.testing.assert_allclose(np.sort(last), np.sort(movie.x[-1]))
    assert "λ = 0.1:" in figure.frames[-1].layout.title.text


def test_every_frame_of_a_movie_has_the_boundary_and_the_densities_of_its_own_model(path):
    cv, _, errors, movie = path
    figure = draw_movie(movie)
    for number, model in enumerate(cv.path_):
        scene = movie.scenes
        lines = np.concatenate(scene.boundaries[number])
        # The movie may have put the directions in another order, or turned them around.
        found = []
        for order in ((0, 1), (1, 0)):
            for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                Z = np.empty_like(lines)
                Z[:, list(order)] = lines * signs
                top = np.sort(np.exp(model.predict_log_proba_on(Z, (0, 1))), axis=1)
                found.append(np.abs(top[:, -1] - top[:, -2]).max())
        assert min(found) < 1e-6
        boundary = next(i for i, trace in enumerate(figure.data) if trace.name == "boundary")
        drawn = np.column_stack([figure.frames[number].data[boundary][axis] for axis in "xy"])
        np.testing.assert_allclose(drawn[np.isfinite(drawn).all(axis=1)], lines, rtol=1e-5, atol=1e-5)
    best = errors.choice.best_index
    heights = cv.path_[best].marginal_densities(0, movie.scenes.positions[0])
    np.testing.assert_allclose(movie.scenes.heights[0][best], heights / heights.max(), atol=1e-4)


def test_neighbours_on_the_path_are_close(path):
    *_, movie = path
    spread = movie.x.std()
    assert np.abs(np.diff(movie.x, axis=0)).mean() < spread


def test_playback_is_thinned_and_ends_at_the_fit():
    clf, X, y, X_test, y_test = iris_fit()
    projected = project(clf, X, y, X_test, y_test)
    rng = np.random.default_rng(0)
    V = clf.components_.T[:, [2, 0, 1]] * [1, -1, 1]
    snapshots = [(k, float(k), V + (199 - k) * 1e-3 * rng.normal(size=V.shape)) for k in range(200)]
    movie = playback_movie(clf, projected, np.concatenate([X, X_test]), snapshots)
    assert movie.x.shape[0] == len(movie.names) == 60
    assert movie.names[-1] == "199"
    places = [int(np.flatnonzero(projected.rows == row)[0]) for row in movie.rows]
    np.testing.assert_allclose(movie.y[-1], projected.Z[places, 1], atol=1e-5)


def test_a_still_is_small_and_shows_the_fit():
    clf, X, y = blobs_fit(600, 26)
    figure = draw_still(still(project(clf, X, y), "words"), theme="dark")
    assert figure.layout.height < 300
    assert not any(trace.showlegend for trace in figure.data)
    clf, X, y = blobs_fit(200, 3, 1)
    assert draw_still(still(project(clf, X, y), "words")).data


@pytest.mark.parametrize("compact", [False, True])
def test_the_dimension_curve_has_the_numbers_of_the_curve(compact):
    clf, *data = iris_fit()
    curve = dimension_curve(clf, *data)
    traces = dimension_figure(curve, compact=compact).data
    by = {(trace.name, trace.yaxis): trace.y for trace in traces}
    np.testing.assert_allclose(by["training", "y"], curve.error, rtol=1e-5)
    np.testing.assert_allclose(by["held out", "y2"], curve.test_log_likelihood, rtol=1e-5)
    np.testing.assert_allclose(by["training, left out", "y2"], curve.log_likelihood_left_out, rtol=1e-5)
    alone = dimension_figure(dimension_curve(clf, *data[:2])).data
    assert {trace.name for trace in alone} == {"training", "training, left out"}
