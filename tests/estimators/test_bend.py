"""Directions that bend: straight ones in the components of a radial kernel."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles
from sklearn.utils.estimator_checks import parametrize_with_checks

from opnb import OPNBClassifier, OPNBClassifierCV, load_model
from opnb.errors import ModelFileError
from opnb.estimators import model_files
from opnb.figures import loadings_figure
from opnb.views import loadings_view
from tests.estimators.test_classifier import WEIGHTS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
BENT = OPNBClassifier(n_components=1, bend=1.0, lam=1e-2, likelihood="leave-one-out")


@parametrize_with_checks(
    [OPNBClassifier(n_components=1, bend=1.0, max_iter=3)], expected_failed_checks=lambda estimator: WEIGHTS
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def circles():
    """Give two rings, and three columns that say nothing."""
    X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    return np.column_stack([X, np.random.default_rng(0).normal(size=(300, 3))]), y


@pytest.fixture(scope="module")
def fitted(circles):
    X, y = circles
    return clone(BENT).fit(X[:200], y[:200])


def test_one_bent_direction_tells_rings_apart_that_no_straight_one_can(circles, fitted):
    X, y = circles
    straight = clone(BENT).set_params(bend=None).fit(X[:200], y[:200])
    assert fitted.score(X[200:], y[200:]) > 0.85 > 0.75 > straight.score(X[200:], y[200:])


def test_slopes_name_the_columns_that_matter(fitted):
    assert np.abs(fitted.slopes_[0, :2]).min() > np.abs(fitted.slopes_[0, 2:]).max()
    np.testing.assert_allclose(np.linalg.norm(fitted.slopes_, axis=1), 1)


def test_a_straight_direction_has_its_weights_as_slopes(circles):
    straight = clone(BENT).set_params(bend=None).fit(*circles)
    assert straight.slopes_ is straight.components_
    assert straight.columns_ is None


def test_what_the_model_knows_of_a_row_goes_through_its_columns(circles, fitted):
    X, _ = circles
    Z = fitted.transform(X)
    np.testing.assert_array_equal(Z, fitted.scaled(X) @ fitted.components_.T)
    np.testing.assert_allclose(fitted.predict_log_proba(X), fitted.predict_log_proba_on(Z, [0]), atol=1e-12)
    contributions = fitted.log_density_contributions(X).sum(axis=1) + np.log(fitted.class_prior_)
    np.testing.assert_allclose(
        contributions[:, 1] - contributions[:, 0], np.subtract(*fitted.predict_log_proba(X).T[::-1]), atol=1e-9
    )


def test_the_file_of_a_bent_model_predicts_the_same(circles, fitted, tmp_path):
    fitted.save(tmp_path / "bent.opnb")
    loaded = load_model(tmp_path / "bent.opnb")
    np.testing.assert_array_equal(loaded.predict_log_proba(circles[0]), fitted.predict_log_proba(circles[0]))
    np.testing.assert_array_equal(loaded.slopes_, fitted.slopes_)
    assert loaded.bend == 1.0


@pytest.mark.parametrize("name", ["landmarks", "weights", "centre"])
def test_a_file_whose_columns_do_not_fit_is_refused(fitted, tmp_path, monkeypatch, name):
    given = model_files._arrays
    monkeypatch.setattr(model_files, "_arrays", lambda clf: given(clf) | {f"columns/{name}": np.ones((3, 3))})
    fitted.save(tmp_path / "bent.opnb")
    with pytest.raises(ModelFileError, match="bent columns"):
        load_model(tmp_path / "bent.opnb")


def test_a_bend_without_columns_is_refused(circles, tmp_path):
    straight = clone(BENT).set_params(bend=None).fit(*circles)
    straight.set_params(bend=2.0).save(tmp_path / "odd.opnb")
    with pytest.raises(ModelFileError, match="bend"):
        load_model(tmp_path / "odd.opnb")


@pytest.mark.parametrize("bend", [0, -1.0, np.inf, np.nan, "much", True])
def test_a_bend_that_is_none_is_refused(circles, bend):
    with pytest.raises(ValueError, match="bend must be None"):
        OPNBClassifier(bend=bend).fit(*circles)


@pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning")
def test_a_path_of_lambdas_bends_too(circles):
    X, y = circles
    cv = OPNBClassifierCV(lams=[1e-3, 1e-2, 1e-1], n_components=1, bend=1.0, cv=2, likelihood="leave-one-out")
    assert cv.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.8


def test_the_picture_of_what_directions_are_made_of_says_that_they_bend(fitted):
    view = loadings_view(fitted, feature_names=["a", "b", "c", "d", "e"])
    assert view.bent
    assert set(view.feature_names[:2]) == {"a", "b"}
    assert "bend" in str(loadings_figure(fitted, feature_names=["a", "b", "c", "d", "e"]).layout.title.text)
