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
    shown = np.concatenate([trace.x for trace in figure.data])
    np.testing.assert_allclose(np.sort(shown), np.sort(movie.x[movie.first]))
    last = np.concatenate([trace.x for trace in figure.frames[-1].data])
    np.testing.assert_allclose(np.sort(last), np.sort(movie.x[-1]))
    assert "λ = 0.1:" in figure.frames[-1].layout.title.text


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
