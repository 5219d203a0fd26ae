import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GroupKFold, StratifiedKFold

from opnb import OPNBClassifier, OPNBClassifierCV, load_model
from opnb.errors import EdgeOfGridWarning
from opnb.estimators.selection import DEFAULT_LAMS, fit_path

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning"),
]


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def chosen(wine):
    return OPNBClassifierCV(n_components=3).fit(*wine)


def test_default_grid_is_the_papers():
    np.testing.assert_allclose(DEFAULT_LAMS, 1e-4 * 2.0 ** np.arange(10))


def test_errors_path_and_choice(wine, chosen):
    assert chosen.cv_errors_.shape == (10, 5)
    assert ((chosen.cv_errors_ >= 0) & (chosen.cv_errors_ <= 1)).all()
    mean = chosen.cv_errors_.mean(axis=1)
    best = np.flatnonzero(mean == mean.min())[-1]
    assert chosen.lam_ == chosen.lams_[best]
    assert [model.lam for model in chosen.path_] == chosen.lams_.tolist()
    assert chosen.best_estimator_ is chosen.path_[best]
    np.testing.assert_array_equal(chosen.components_, chosen.best_estimator_.components_)
    np.testing.assert_array_equal(chosen.predict_proba(wine[0]), chosen.best_estimator_.predict_proba(wine[0]))
    assert chosen.score(*wine) > 0.95


def test_result_does_not_depend_on_jobs(wine, chosen):
    parallel = OPNBClassifierCV(n_components=3, n_jobs=2).fit(*wine)
    np.testing.assert_array_equal(parallel.cv_errors_, chosen.cv_errors_)
    np.testing.assert_array_equal(parallel.components_, chosen.components_)


def test_fold_errors_are_those_of_the_path_on_each_fold(wine):
    X, y = wine
    lams = [1e-3, 1e-2]
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    search = OPNBClassifierCV(lams=lams, cv=cv, n_components=2).fit(X, y)
    for column, (train, test) in enumerate(cv.split(X, y)):
        path = fit_path(OPNBClassifier(n_components=2), X[train], y[train], lams)
        errors = [1 - model.score(X[test], y[test]) for model in path]
        np.testing.assert_allclose(search.cv_errors_[:, column], errors)


def test_path_solutions_climb_their_own_objective(wine):
    X, y = wine
    lams = [1e-3, 4e-3, 1.6e-2]
    path = fit_path(OPNBClassifier(n_components=2), X, y, lams)
    for model in path:
        assert model.history_[-1].objective >= model.history_[0].objective
    # The largest lam starts cold, so it is the plain fit.
    cold = OPNBClassifier(n_components=2, lam=lams[-1]).fit(X, y)
    assert path[-1].objective_ == pytest.approx(cold.objective_, abs=1e-3)


def test_random_starts_are_the_same_for_any_order(wine):
    X, y = wine
    settings = {
        "init": "random",
        "n_init": 2,
        "lams": [1e-3, 1e-2],
        "cv": 3,
        "n_components": 2,
        "max_iter": 20,
    }
    first = OPNBClassifierCV(**settings, random_state=np.random.RandomState(5)).fit(X, y)
    second = OPNBClassifierCV(**settings, random_state=np.random.RandomState(5), n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(first.cv_errors_, second.cv_errors_)
    assert len(first.starts_) == 2


def test_a_stop_ends_the_search_at_once(wine):
    calls = []

    def watch(iteration):
        calls.append(iteration.number)
        return True

    search = OPNBClassifierCV(lams=[1e-3, 1e-2], cv=3, n_components=2, callback=watch).fit(*wine)
    assert search.stopped_
    assert set(calls) == {0}


def test_wrong_lams_are_refused(wine):
    with pytest.raises(ValueError, match="lams is empty"):
        OPNBClassifierCV(lams=[]).fit(*wine)
    with pytest.raises(ValueError, match="lam must be positive"):
        OPNBClassifierCV(lams=[0.0, 1.0]).fit(*wine)


def test_saves_the_chosen_model(tmp_path, chosen, wine):
    chosen.save(tmp_path / "model.opnb")
    loaded = load_model(tmp_path / "model.opnb")
    assert loaded.lam == chosen.lam_
    np.testing.assert_array_equal(loaded.predict(wine[0]), chosen.predict(wine[0]))


def test_leave_one_out_path():
    X, y = load_iris(return_X_y=True)
    search = OPNBClassifierCV(lams=[0.0, 1e-3], cv=3, n_components=2, likelihood="leave-one-out").fit(X, y)
    assert search.score(X, y) > 0.95


def test_the_path_leaves_a_projection_that_a_strong_penalty_shrank_to_nothing():
    from opnb.data import simulate

    data = simulate("rotated", n=600, seed=0)
    search = OPNBClassifierCV(lams=[1e-3, 1e-2, 1e-1], cv=3).fit(data.X_train, data.y_train)
    assert np.isinf(search.path_[-1].bandwidths_).all() or search.path_[-1].bandwidths_.min() > 5
    cold = OPNBClassifier(lam=1e-3).fit(data.X_train, data.y_train)
    assert search.path_[0].objective_ == pytest.approx(cold.objective_, abs=0.01)
    assert search.score(data.X_test, data.y_test) > 0.6


def test_folds_of_a_number_are_drawn_at_random(wine):
    X, y = wine
    shown = []

    def first_rows(X, y, n_components):
        shown.append(X[0])
        return np.eye(X.shape[1], n_components)

    for seed in (0, None, 1):
        OPNBClassifierCV(lams=[1e-2], cv=3, n_components=2, init=first_rows, max_iter=1, random_state=seed).fit(X, y)
    drawn = np.array(shown).reshape(3, 4, -1)  # three folds and all rows
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_a_class_too_small_for_the_folds_is_named(wine):
    X, y = wine
    rare = np.where(np.arange(len(y)) < 2, 7, y)
    with pytest.raises(ValueError, match=r"Class 7 has 2 rows, and a fold of the cross-validation leaves one"):
        OPNBClassifierCV(cv=2, likelihood="leave-one-out").fit(X, rare)


def test_the_choice_can_go_by_log_loss(wine):
    X, y = wine
    cv = OPNBClassifierCV(lams=[1e-4, 1e-3, 1e-2], cv=3, n_components=2, scoring="log-loss", max_iter=20).fit(X, y)
    assert cv.cv_log_losses_.shape == cv.cv_errors_.shape == (3, 3)
    assert cv.lam_ == cv.lams_[cv.cv_log_losses_.mean(axis=1).argmin()]
    with pytest.raises(ValueError, match="scoring must be one of 'error', 'log-loss'"):
        OPNBClassifierCV(scoring="auc").fit(X, y)


def test_groups_stay_together(wine):
    X, y = wine
    groups = np.arange(len(y)) % 6
    seen = []

    class Watching(GroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append((set(groups[train]), set(groups[test])))
                yield train, test

    OPNBClassifierCV(lams=[1e-3], cv=Watching(3), n_components=2, max_iter=5).fit(X, y, groups)
    assert len(seen) == 3
    assert all(not train & test for train, test in seen)


def test_the_edge_of_the_grid_is_told():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 3)) + 0.6 * y[:, None]
    with pytest.warns(EdgeOfGridWarning, match="lam=0.01 is the smallest value tried and the best: give smaller ones"):
        OPNBClassifierCV(lams=[1e-2, 10.0], n_components=1).fit(X, y)


def test_weights_count_in_the_folds(wine):
    X, y = wine
    weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0)
    cv = OPNBClassifierCV(lams=[1e-3, 1e-2], cv=3, n_components=2, max_iter=5)
    cv.fit(X, y, sample_weight=weights)
    assert sum(cv.densities_[0].counts) == np.sum(weights > 0)
