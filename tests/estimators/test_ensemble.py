import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from opnb import OPNBClassifier, OPNBEnsemble
from opnb.comparators import METHODS, tune
from opnb.estimators.ensemble import Candidate, _fold_of_rows, _near_the_best

SMALL = OPNBEnsemble(lams=[1e-3, 1e-2], n_folds=3, max_iter=10, random_state=0)


@parametrize_with_checks([OPNBEnsemble(lams=[1e-2], n_folds=2, max_iter=3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(wine):
    return clone(SMALL).fit(*wine)


def test_posteriors_are_the_mean_over_all_members_kept(fitted, wine):
    members = [member for candidate in fitted.kept_ for member in candidate.members]
    assert any(member.bend is not None for member in members)
    mean = np.mean([np.exp(member.predict_log_proba(wine[0])) for member in members], axis=0)
    np.testing.assert_allclose(fitted.predict_proba(wine[0]), mean, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(wine[0]), mean.argmax(axis=1))
    np.testing.assert_allclose(logsumexp(fitted.predict_log_proba(wine[0]), axis=1), 0, atol=1e-12)


def test_a_member_is_a_fit_without_the_rows_of_its_fold(fitted, wine):
    X, y = wine
    random = np.random.RandomState(0)
    folds = _fold_of_rows(y, 3, random)
    seeds = random.randint(2**31 - 1, size=(3, len(fitted.candidates_)))
    best = next(candidate for candidate in fitted.kept_ if candidate.bend is None)
    number = fitted.candidates_.index(best)
    wrong = 0
    for fold, member in enumerate(best.members):
        single = OPNBClassifier(
            init="random",
            lam=best.lam,
            penalty=best.penalty,
            likelihood=best.likelihood,
            n_bins=100 if best.likelihood == "resubstitution" else None,
            max_iter=10,
            random_state=int(seeds[fold, number]),
        )
        with pytest.warns(match="gave up"):
            single.fit(X[folds != fold], y[folds != fold])
        np.testing.assert_allclose(member.predict_log_proba(X), single.predict_log_proba(X), rtol=1e-6, atol=1e-6)
        wrong += np.sum(single.predict(X[folds == fold]) != y[folds == fold])
    assert (best.wrong, best.judged) == (wrong, len(y))


def test_the_kept_are_near_the_best_and_the_others_forget_their_searches(fitted):
    best = min(candidate.error for candidate in fitted.candidates_ if candidate.judged == 178)
    assert fitted.kept_[0].error == best
    assert all(len(candidate.members) == 3 for candidate in fitted.kept_)
    assert all(candidate.members == [] for candidate in fitted.candidates_ if candidate not in fitted.kept_)


def test_n_kept_bounds_the_vote(wine):
    assert len(clone(SMALL).set_params(n_kept=1).fit(*wine).kept_) == 1


def test_the_result_does_not_depend_on_the_number_of_threads(fitted, wine):
    other = clone(SMALL).set_params(n_jobs=2).fit(*wine)
    np.testing.assert_array_equal(other.predict_proba(wine[0]), fitted.predict_proba(wine[0]))


def test_it_classifies_well():
    X, y = load_iris(return_X_y=True)
    ensemble = OPNBEnsemble(lams=[1e-3, 1e-2], n_folds=5, random_state=0).fit(X[::2], y[::2])
    assert ensemble.score(X[1::2], y[1::2]) >= 0.93


def test_bent_directions_are_found_where_straight_ones_do_worse():
    rng = np.random.default_rng(0)
    island = rng.integers(30, size=600)
    X = rng.uniform(0, 4, size=(30, 3))[island] + rng.normal(scale=0.3, size=(600, 3))
    y = island % 2  # every class is fifteen islands among those of the other
    settings = {"lams": [1e-4, 1e-3], "n_folds": 2, "max_iter": 30, "random_state": 0}
    straight = OPNBEnsemble(bends=[], **settings).fit(X[:400], y[:400])
    both = OPNBEnsemble(**settings).fit(X[:400], y[:400])
    assert {candidate.bend for candidate in straight.candidates_} == {None}
    assert {candidate.bend for candidate in both.kept_} == {1.0}
    assert both.score(X[400:], y[400:]) > straight.score(X[400:], y[400:])


def test_a_race_gives_up_who_falls_behind():
    racers = [Candidate("resubstitution", "pooled", 1e-3, wrong=w, judged=100) for w in (10, 12, 15, 40)]
    share = 10.5 / 101
    assert _near_the_best(racers, 1.0) == [
        r for r in racers if r.wrong <= 10 + 100 * np.sqrt(share * (1 - share) / 100)
    ]
    assert _near_the_best(racers, 2.0) == racers[:3]
    perfect = [Candidate("resubstitution", "pooled", 1e-3, wrong=w, judged=50) for w in (0, 1, 30)]
    assert _near_the_best(perfect, 2.0) == perfect[:2]


def test_rows_of_rare_classes_are_never_held_out():
    y = np.repeat([0, 1, 2], [20, 4, 3])
    folds = _fold_of_rows(y, 5, np.random.RandomState(0))
    assert (folds[y == 2] == -1).all()
    assert np.bincount(folds[y < 2]).tolist() == [5, 5, 5, 5, 4]
    X = np.random.default_rng(0).normal(size=(27, 2)) + y[:, None]
    ensemble = OPNBEnsemble(lams=[1e-2], n_folds=5, max_iter=5, random_state=0).fit(X, y)
    assert ensemble.kept_[0].judged == 24


def test_a_class_of_one_row_rules_out_leaving_one_out():
    y = np.repeat([0, 1], [20, 1])
    X = np.random.default_rng(0).normal(size=(21, 2)) + y[:, None]
    ensemble = OPNBEnsemble(lams=[1e-2], n_folds=2, max_iter=5, random_state=0).fit(X, y)
    assert {candidate.likelihood for candidate in ensemble.candidates_} == {"resubstitution"}


def test_wrong_settings_are_refused(wine):
    for settings, words in [
        ({"lams": []}, "lams is empty"),
        ({"lams": [0.0]}, "lam must"),
        ({"n_folds": 1}, "n_folds"),
        ({"bends": [0.0]}, "bends must be positive"),
        ({"n_components": 14}, "n_components=14 must be at most the number of features"),
    ]:
        with pytest.raises(ValueError, match=words):
            clone(SMALL).set_params(**settings).fit(*wine)


def test_a_method_without_a_choice_is_not_cross_validated(wine, monkeypatch):
    method = METHODS["OPNB+"]
    assert method.grid(*wine) == {}
    monkeypatch.setattr(type(method), "seeded", lambda self, seed: clone(SMALL).set_params(random_state=seed))
    tuned = tune(method, *wine, seed=3)
    assert tuned.cv_errors.shape == (1, 0)
    assert tuned.params == {}
    np.testing.assert_array_equal(
        tuned.estimator.predict(wine[0]), clone(SMALL).set_params(random_state=3).fit(*wine).predict(wine[0])
    )
