import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.svm import SVC

from opnb import OPNBAuto, OPNBClassifier, OPNBClassifierCV
from opnb.comparators import METHODS, PAPER_METHODS, USUAL_METHODS, predict_one_by_one, tune
from opnb.comparators.lambda_path import predict_on_path
from opnb.comparators.tuning import as_folds, best_setting
from tests.comparators.samples import gaussian_classes, mixed_columns

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning"),
]
SHARING = ["OPGD", "RDA", "CCICA", "LDA", "NB", "KDDA"]


def test_the_methods():
    assert set(PAPER_METHODS) == {"OPNB", "SVM", "OPGD", "RDA", "CCICA", "LDA", "NB", "KDDA"}
    assert set(METHODS) >= {*PAPER_METHODS, *USUAL_METHODS, "RF", "HGB", "KNN", "LR"}
    for name, method in METHODS.items():
        assert method.name == name
        assert method.description
        assert set(method.grid(*mixed_columns())) <= set(method.estimator().get_params())


def test_grids_are_those_of_the_paper():
    X, y = gaussian_classes(p=25, n_classes=4)
    grids = {name: method.grid(X, y) for name, method in METHODS.items()}
    np.testing.assert_allclose(grids["OPNB"]["lam"], 1e-4 * 2.0 ** np.arange(10))
    np.testing.assert_allclose(grids["SVM"]["svc__gamma"], 2.0 ** np.arange(-15, 4, 2))
    np.testing.assert_allclose(grids["SVM"]["svc__C"], 2.0 ** np.arange(-5, 16, 2))
    np.testing.assert_allclose(grids["RDA"]["lam"], np.arange(1, 11) / 10)
    assert grids["OPGD"] == {"n_components": list(range(1, 21))}
    assert grids["LDA"] == {"n_components": [1, 2, 3]}
    assert grids["NB"] == grids["KDDA"] == {"factor": [1 / 3, 1 / 2, 1, 2, 3]}
    assert grids["CCICA"] == {"n_components": list(range(1, 21)), "factor": [1 / 3, 1 / 2, 1, 2, 3]}


def test_bandwidth_grids_depend_on_the_columns():
    X, y = mixed_columns()
    for name in ("NB", "KDDA"):
        assert METHODS[name].grid(X, y) == {
            "factor": [1 / 3, 1 / 2, 1, 2, 3],
            "alpha": [0.1, 0.2, 0.3, 0.4, 0.5],
        }
        assert METHODS[name].grid(X[:, 3:], y) == {"alpha": [0.1, 0.2, 0.3, 0.4, 0.5]}


@pytest.mark.parametrize("name", SHARING)
@pytest.mark.parametrize("sample", [gaussian_classes, mixed_columns], ids=lambda s: s.__name__)
def test_one_pass_equals_one_fit_a_setting(name, sample):
    X, y = sample(n=90)
    method = METHODS[name]
    grid = method.grid(X, y)
    settings = list(ParameterGrid(grid))
    train, test = np.arange(60), np.arange(60, 90)
    singly = predict_one_by_one(method.seeded(5), X[train], y[train], X[test], settings)
    errors = method.errors_on_grid(X[train], y[train], X[test], y[test], grid, seed=5)
    np.testing.assert_array_equal(errors, [np.mean(predicted != y[test]) for predicted in singly])
    shared = method.seeded(5).predict_on_grid(X[train], y[train], X[test], settings)
    np.testing.assert_array_equal(shared, singly)


def test_opnb_walks_the_path_of_its_own_cross_validation():
    X, y = gaussian_classes(n=80)
    folds = as_folds(3, y, 0)
    tuned = tune(METHODS["OPNB"], X, y, folds)
    reference = OPNBClassifierCV(cv=folds).fit(X, y)
    np.testing.assert_array_equal(tuned.cv_errors, reference.cv_errors_)
    assert tuned.params == {"lam": reference.lam_}
    np.testing.assert_allclose(tuned.estimator.predict_proba(X), reference.predict_proba(X), atol=1e-12)


def test_settings_that_differ_in_more_than_lam_make_one_path_each():
    X, y = gaussian_classes(n=60)
    settings = list(ParameterGrid({"lam": [1e-3, 1e-2], "penalty": ["frobenius", "pooled"]}))
    together = predict_on_path(OPNBClassifier(), X, y, X, settings[::-1])
    for penalty in ("frobenius", "pooled"):
        alone = [s for s in settings if s["penalty"] == penalty]
        expected = predict_on_path(OPNBClassifier(), X, y, X, alone)
        found = [together[settings[::-1].index(s)] for s in alone]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SVM", "RDA", "LDA", "NB", "KDDA", "HGB", "KNN", "LR"])
def test_errors_equal_scikit_learns_grid_search(name):
    X, y = gaussian_classes(n=100)
    # Every third value of a long grid: the same machinery for a fraction of the fits.
    grid = {key: values[:: 3 if len(values) > 5 else 1] for key, values in METHODS[name].grid(X, y).items()}
    method = replace(METHODS[name], grid=lambda X, y: grid)
    splitter = StratifiedKFold(3, shuffle=True, random_state=7)
    search = GridSearchCV(method.estimator(), method.grid(X, y), cv=splitter).fit(X, y)
    tuned = tune(method, X, y, 3, 7)
    np.testing.assert_allclose(1 - tuned.cv_errors.mean(axis=1), search.cv_results_["mean_test_score"])
    assert tuned.settings == search.cv_results_["params"]
    assert tuned.cv_errors.mean(axis=1).min() == pytest.approx(1 - search.best_score_)


def test_svm_is_one_versus_one_on_scaled_columns():
    X, y = gaussian_classes(n=60)
    clf = METHODS["SVM"].estimator().set_params(svc__gamma=0.5, svc__C=2.0).fit(X, y)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    K = np.exp(-0.5 * ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2))
    np.testing.assert_array_equal(clf.predict(X), SVC(kernel="precomputed", C=2.0).fit(K, y).predict(K))


@pytest.mark.parametrize("sample", [gaussian_classes, mixed_columns], ids=lambda s: s.__name__)
def test_costs_share_a_kernel_and_predict_what_separate_machines_do(sample):
    X, y = sample(n=90)
    method = METHODS["SVM"]
    settings = list(ParameterGrid(method.grid(X, y)))[::-1]
    shared = method.predict_grid(method.seeded(0), X[:60], y[:60], X[60:], settings)
    singly = predict_one_by_one(method.seeded(0), X[:60], y[:60], X[60:], settings)
    # The two sum the same kernel in another order: a row on the boundary may fall to the other side.
    assert np.mean(np.array(shared) != np.array(singly)) < 1e-3


def test_grids_of_familiar_methods_suit_small_data():
    X, y = gaussian_classes(n=24, p=1)
    assert METHODS["KNN"].grid(X, y) == {"kneighborsclassifier__n_neighbors": [1, 3, 5]}
    assert METHODS["RF"].grid(X, y) == {"max_features": [1], "min_samples_leaf": [1, 5]}
    assert METHODS["RF"].grid(np.ones((5, 100)), y)["max_features"] == [10, 25, 50]


def test_a_method_that_judges_itself_does_so_on_the_same_folds():
    X, y = gaussian_classes(n=60)
    folds = as_folds(3, y, 7)
    chosen = tune(METHODS["OPNB-auto"], X, y, folds).estimator
    same = OPNBAuto(cv=folds).fit(X, y)
    assert chosen.best_params_ == same.best_params_
    for one, other in zip(chosen.trials_, same.trials_, strict=True):
        np.testing.assert_array_equal(one.errors, other.errors)


def test_forests_in_the_folds_have_a_third_of_the_trees():
    X, y = gaussian_classes(n=60)
    method, settings = METHODS["RF"], [{"max_features": 2, "min_samples_leaf": 1}]
    predicted = method.predict_grid(method.seeded(3), X[:40], y[:40], X[40:], settings)
    forest = method.seeded(3).set_params(**settings[0], n_estimators=100).fit(X[:40], y[:40])
    np.testing.assert_array_equal(predicted[0], forest.predict(X[40:]))
    assert len(method.finish(method.seeded(3), X, y, settings[0], settings).estimators_) == 300


def test_tuned_estimator_is_fitted_to_all_rows_with_the_chosen_setting():
    X, y = gaussian_classes(n=90)
    frame, names = pd.DataFrame(X, columns=list("abcd")), np.array(["x", "y", "z"])[y]
    seen = []
    tuned = tune(METHODS["RDA"], frame, names, 3, progress=lambda *at: seen.append(at))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert tuned.cv_errors.shape == (10, 3)
    assert list(tuned.estimator.feature_names_in_) == list("abcd")
    assert tuned.estimator.lam == tuned.params["lam"]
    assert set(tuned.estimator.predict(frame)) <= set(names)
    assert tuned.seconds_tune > 0
    assert tuned.seconds_fit > 0


def test_random_choices_come_from_the_seed():
    X, y = gaussian_classes(n=60)
    first, second = (tune(METHODS["CCICA"], X, y, 2, 4) for _ in range(2))
    np.testing.assert_array_equal(first.cv_errors, second.cv_errors)
    np.testing.assert_array_equal(first.estimator.predict_proba(X), second.estimator.predict_proba(X))


def test_scaling_is_fitted_inside_the_fold():
    """A held-out row that is far away must not change what the training rows give."""
    X, y = gaussian_classes(n=60)
    wild = X.copy()
    wild[-1] = 1e6
    train, test = np.arange(40), np.arange(40, 60)
    for name in ("CCICA", "RDA", "NB"):
        grid = METHODS[name].grid(X, y)
        settings = list(ParameterGrid(grid))
        calm = METHODS[name].predict_grid(METHODS[name].seeded(0), X[train], y[train], X[test], settings)
        stirred = METHODS[name].predict_grid(METHODS[name].seeded(0), wild[train], y[train], wild[test], settings)
        np.testing.assert_array_equal(np.array(calm)[:, :-1], np.array(stirred)[:, :-1])


def test_folds_take_three_forms():
    y = np.repeat([0, 1], 6)
    numbers = np.arange(12) % 3
    pairs = as_folds(numbers, y, 0)
    assert [test.tolist() for _, test in pairs] == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    assert all(np.intersect1d(train, test).size == 0 for train, test in as_folds(3, y, 0))
    assert [test.tolist() for _, test in as_folds(pairs, y, 0)] == [test.tolist() for _, test in pairs]
    with pytest.raises(ValueError, match="one fold number for each row"):
        as_folds(np.arange(5), y, 0)


def test_of_equally_good_settings_the_simplest_is_taken():
    settings = [{"n_components": d, "factor": f} for d in (3, 1, 2) for f in (0.5, 2.0)]
    errors = np.array([[0.1, 0.2], [0.2, 0.1], [0.3, 0.1], [0.3, 0.3], [0.15, 0.15], [0.2, 0.1]])
    assert best_setting(settings, errors, (("n_components", 1), ("factor", -1))) == 5


def test_methods_can_be_sent_to_other_processes():
    for method in METHODS.values():
        copy = pickle.loads(pickle.dumps(method))
        assert copy.name == method.name
        assert copy.grid(*mixed_columns()) == method.grid(*mixed_columns())
