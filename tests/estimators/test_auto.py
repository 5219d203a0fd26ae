import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from opnb import OPNBAuto, OPNBClassifier, OPNBClassifierCV, load_model
from opnb.comparators import METHODS
from opnb.errors import FitError
from opnb.estimators.candidates import begin_race
from opnb.estimators.choice import Losses, honest_losses, mean_and_error, paired_lead
from opnb.estimators.race import Path
from opnb.estimators.selection import DEFAULT_LAMS, fit_path

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning"),
]


def halves(seed=0):
    """Two folds, once: enough for a choice that is clear."""
    return StratifiedKFold(2, shuffle=True, random_state=seed)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def found(iris):
    return OPNBAuto(cv=2, n_components=2).fit(*iris)


# As with the other estimators: rounding is carried on into idle directions. Besides, folds are drawn for rows, so that
# a row twice may be held out once.
WEIGHTS = {"check_sample_weight_equivalence_on_dense_data": "folds are drawn for rows, not for weights"}


@pytest.mark.slow
@parametrize_with_checks(
    [OPNBAuto(cv=halves(), max_seconds=0, n_components=2)], expected_failed_checks=lambda estimator: WEIGHTS
)
def test_scikit_learn_checks(estimator, check, monkeypatch):
    # What scikit-learn asks of an estimator does not depend on how many lambdas it tries.
    monkeypatch.setattr("opnb.estimators.candidates.DEFAULT_LAMS", DEFAULT_LAMS[::3])
    check(estimator)


def test_one_projection_comes_out(iris, found):
    X, y = iris
    best = found.best_estimator_
    assert type(best) is OPNBClassifier
    assert found.best_params_ == {name: getattr(best, name) for name in found.best_params_}
    raced = {"lam", "likelihood", "independence", "penalty", "bend"}
    assert set(found.best_params_) == raced | {"decision_priors", "sharpness"}
    np.testing.assert_array_equal(found.components_, best.components_)
    np.testing.assert_array_equal(found.transform(X), best.transform(X))
    np.testing.assert_array_equal(found.predict_proba(X), best.predict_proba(X))
    np.testing.assert_array_equal(found.predict(X), best.predict(X))
    assert found.components_.shape == (2, 4)
    assert found.score(X, y) > 0.95
    assert found.get_feature_names_out().tolist() == ["opnbauto0", "opnbauto1"]


def tried(found):
    """Give the settings but lam, in the order in which they were tried."""
    return list(dict.fromkeys((t.likelihood, t.independence, t.penalty, t.bend) for t in found.trials_))


def test_trials_tell_the_whole_race(found):
    assert tried(found) == [
        ("leave-one-out", 1.0, "frobenius", None),  # two directions are a picture, and kept apart
        ("leave-one-out", 0.1, "frobenius", None),
        ("leave-one-out", 0.1, "frobenius", 0.3),
        ("resubstitution", 0.0, "frobenius", None),
    ]
    assert len(found.trials_) >= 3 * len(DEFAULT_LAMS) + 1  # a single lam of the paper's
    for trial in found.trials_:
        assert trial.given_up == ""
        assert trial.errors.shape == trial.log_losses.shape == (2,)
        assert trial.error == pytest.approx(trial.errors.mean())
        assert trial.seconds > 0
    raced = {name: value for name, value in found.best_params_.items() if name not in ("decision_priors", "sharpness")}
    assert any(all(trial[name] == value for name, value in raced.items()) for trial in found.trials_)


def test_two_directions_are_kept_apart(iris):
    for seed in range(3):
        found = OPNBAuto(cv=3, n_components=2, random_state=seed).fit(*iris)
        assert found.best_params_["independence"] > 0
        within = found.transform(iris[0])
        within = within - np.array([within[iris[1] == k].mean(axis=0) for k in range(3)])[iris[1]]
        assert abs(np.corrcoef(within.T)[0, 1]) < 0.3
        assert found.gain_ > -0.05, "the paper's settings are compared with"


def test_only_the_leader_of_the_first_folds_sees_them_all(iris):
    found = OPNBAuto(cv=4, n_components=3).fit(*iris)
    seen = {}
    for trial in found.trials_:
        seen.setdefault((trial.independence, trial.penalty, trial.bend, trial.likelihood), set()).add(trial.errors.size)
    whole = [setting for setting, sizes in seen.items() if sizes == {4}]
    assert next(iter(seen)) == (0.0, "frobenius", None, "leave-one-out")
    assert next(iter(seen)) in whole
    assert len(whole) <= 2
    assert {trial.given_up for trial in found.trials_ if trial.errors.size == 2} == {"behind"}


def test_bends_where_that_is_clearly_better_and_not_where_it_is_not(iris):
    X, y = make_circles(200, noise=0.1, factor=0.5, random_state=0)
    found = OPNBAuto(cv=halves(), n_components=1).fit(X, y)
    assert found.best_params_["bend"] == 0.3
    assert found.score(X, y) > 0.95
    assert OPNBAuto(cv=halves(), n_components=2).fit(*iris).best_params_["bend"] is None


def test_more_directions_than_rows_leave_no_room_to_bend():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(16, 20)), np.arange(16) % 2
    found = OPNBAuto(cv=halves(), max_seconds=0, n_components=8).fit(X, y)
    assert {bend for *_, bend in tried(found)} == {None}


def test_errors_of_a_trial_are_those_of_its_path_on_each_fold(iris):
    X, y = iris
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    found = OPNBAuto(cv=cv, max_seconds=0, n_components=2).fit(X, y)
    template = OPNBClassifier(n_components=2, likelihood="leave-one-out", independence=1.0)
    for number, (train, test) in enumerate(cv.split(X, y)):
        path = fit_path(template, X[train], y[train], DEFAULT_LAMS)
        errors = [1 - model.score(X[test], y[test]) for model in path]
        np.testing.assert_allclose([trial.errors[number] for trial in found.trials_[: len(path)]], errors)


def test_the_chosen_solution_is_the_end_of_a_walk_on_all_rows(iris, found):
    X, y = iris
    chosen = found.best_params_["lam"]
    lams = sorted(
        trial.lam
        for trial in found.trials_
        if all(trial[name] == value for name, value in found.best_params_.items() if name in trial and name != "lam")
    )
    others = {name: value for name, value in found.best_params_.items() if name != "lam"}
    template = OPNBClassifier(n_components=2, **others)
    walked = fit_path(template, X, y, [lam for lam in lams if lam >= chosen])[0]
    assert found.objective_ >= walked.objective_ - 1e-6


def test_result_does_not_depend_on_jobs(iris, found):
    parallel = OPNBAuto(cv=2, n_components=2, n_jobs=2).fit(*iris)
    assert parallel.best_params_ == found.best_params_
    assert (parallel.error_, parallel.error_se_, parallel.gain_) == (found.error_, found.error_se_, found.gain_)
    np.testing.assert_array_equal(parallel.components_, found.components_)


def differ_in_spread(n, seed):
    """Two classes of which one is wider along every column: each direction adds a little, if it is another one."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 6)) * np.where(y == 1, 2.0, 1.0)[:, None], y


def test_finds_that_leave_one_out_wins():
    # Many columns of noise for few rows: with its own kernel every point explains itself.
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 12))
    X[:, 0] += 2 * y
    found = OPNBAuto(scoring="log-loss", cv=halves()).fit(X, y)
    assert found.best_params_["likelihood"] == "leave-one-out"
    assert found.gain_ > 0.1


def test_finds_that_independence_matters():
    X, y = differ_in_spread(200, 0)
    fresh, truth = differ_in_spread(2000, 1)
    found = OPNBAuto(cv=halves()).fit(X, y)
    assert found.best_params_["independence"] > 0
    without = OPNBClassifierCV(likelihood="leave-one-out", lams=DEFAULT_LAMS, cv=halves()).fit(X, y)
    assert found.score(fresh, truth) > without.score(fresh, truth) + 0.03


@pytest.mark.slow
def test_the_error_is_honest_where_the_least_one_flatters():
    # Classes without any relation to the columns: every setting errs on half of all fresh rows.
    estimates, least = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 2)), rng.permutation(np.arange(100) % 2)
        found = OPNBAuto(cv=halves(seed)).fit(X, y)
        estimates.append(found.error_)
        least.append(min(trial.error for trial in found.trials_ if not trial.given_up))
        assert found.error_se_ == pytest.approx(0.05, abs=0.01)  # of a hundred tosses of a coin
    assert np.mean(estimates) == pytest.approx(0.5, abs=0.05)
    assert np.mean(least) < 0.45


@pytest.mark.slow
def test_the_error_is_near_that_on_fresh_rows():
    estimated, true = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 2300)
        X = rng.normal(size=(2300, 2)) + np.outer(y, [1.5, 0])
        found = OPNBAuto(cv=StratifiedKFold(3)).fit(X[:300], y[:300])
        estimated.append(found.error_)
        true.append(1 - found.score(X[300:], y[300:]))
    assert np.mean(estimated) == pytest.approx(np.mean(true), abs=0.04)


def test_half_of_the_rows_judges_what_the_other_half_chose():
    # Settings that toss a coin for every row.
    random = np.random.RandomState(0)
    least, judged = [], []
    for _ in range(20):
        main = (random.uniform(size=(40, 50)) < 0.5).astype(float)
        losses = Losses(main, main, (10,) * 4, np.ones(50), np.arange(50))
        least.append(main.mean(axis=1).min())
        judged.append(mean_and_error(*honest_losses(losses, random), losses.weights))
    means, errors = np.transpose(judged)
    assert np.mean(least) < 0.4
    assert means.mean() == pytest.approx(0.5, abs=0.03)
    assert errors.mean() == pytest.approx(0.5 / np.sqrt(50), abs=0.005)


def test_where_rows_cannot_tell_the_preferred_path_is_taken():
    rng = np.random.default_rng(0)
    preferred = (rng.uniform(size=400) < 0.3).astype(float)
    nearly = preferred.copy()
    nearly[[np.flatnonzero(preferred == 1)[0]]] = 0.0
    nearly[np.flatnonzero(preferred == 0)[:1]] = 0.0
    better = preferred * (np.arange(400) < 200)
    rows = np.arange(400)
    equal = Losses(np.array([preferred, preferred]), np.array([preferred, nearly]), (1, 1), np.ones(400), rows)
    assert equal.choose() == 0
    clear = Losses(np.array([preferred, better]), np.array([preferred, better]), (1, 1), np.ones(400), rows)
    assert clear.choose() == 1
    behind, margin = paired_lead(clear, [0, 1])
    assert behind[1] == margin[1] == 0
    assert behind[0] == pytest.approx(preferred.mean() - better.mean())
    assert margin[0] == pytest.approx(np.std(preferred - better) / 20)


def test_a_single_lucky_lambda_does_not_win():
    wrong = np.zeros((5, 40))
    wrong[:, :10] = 1.0  # 25 % everywhere
    wrong[3:, 5:10] = 0.0  # half as many for two neighbours
    wrong[0, 4:10] = 0.0  # still fewer, alone
    losses = Losses(wrong, wrong, (5,), np.ones(40), np.arange(40))
    assert losses.chooses.mean(axis=1).argmin() == 0
    assert losses.choose() == 4


def test_a_spent_budget_still_judges_the_first_path(iris):
    found = OPNBAuto(max_seconds=0, cv=2, n_components=2).fit(*iris)
    judged = [trial for trial in found.trials_ if trial.errors.size]
    assert len(judged) == len(DEFAULT_LAMS)
    assert all(trial.given_up == "" for trial in judged)
    rest = [trial for trial in found.trials_ if not trial.errors.size]
    assert {trial.given_up for trial in rest} == {"time"}
    assert np.isnan([trial.error for trial in rest]).all()
    assert np.isnan(found.gain_)
    assert found.widened_ == ""
    assert found.score(*iris) > 0.95


def test_a_stop_ends_the_work_with_what_is_known(iris):
    X, y = iris
    known = OPNBAuto(cv=2, max_seconds=0, n_components=2).fit(X, y)
    calls = []

    def watch(iteration):
        calls.append(iteration)
        return len(calls) > 900

    found = OPNBAuto(cv=2, n_components=2, callback=watch).fit(X, y)
    assert len(calls) == 901  # not shown another
    assert found.stopped_
    assert {trial.given_up for trial in found.trials_} >= {"", "stop"}
    assert np.isfinite(found.error_)
    assert found.score(X, y) >= known.score(X, y) - 0.05
    assert found.best_estimator_.callback is watch


def test_a_stop_at_once_gives_a_model(iris):
    found = OPNBAuto(callback=lambda iteration: True).fit(*iris)
    assert found.stopped_
    assert np.isnan(found.error_)
    assert found.predict(iris[0]).shape == (150,)


def test_the_grid_is_widened_at_its_edge_and_says_so():
    # Narrow stripes of both classes in turn, without an overlap: the sharper the densities the better.
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = (2 * rng.integers(0, 3, 200) + y + 0.02 * rng.normal(size=200))[:, None]
    found = OPNBAuto(scoring="log-loss", cv=halves()).fit(X, y)
    assert found.best_params_["lam"] < DEFAULT_LAMS[0]
    assert found.widened_ == (
        "The best lam was the smallest that was tried, so more were: "
        "for these settings the grid reaches from 1.6e-06 to 0.051."
    )
    assert min(trial.lam for trial in found.trials_) == pytest.approx(1e-4 / 2**6)
    # One direction has nothing to be independent of.
    assert {trial.independence for trial in found.trials_} == {0.0}


def test_settings_that_fail_leave_the_others_in_the_race(iris, monkeypatch):
    def without_the_paper(template, *data, **settings):
        if template.likelihood == "resubstitution":
            raise FitError("The objective left the finite numbers.")
        return fit_path(template, *data, **settings)

    monkeypatch.setattr("opnb.estimators.race.fit_path", without_the_paper)
    found = OPNBAuto(cv=halves(), n_components=2).fit(*iris)
    assert {t.given_up for t in found.trials_ if t.likelihood == "resubstitution"} == {"failed"}
    assert found.best_params_["likelihood"] == "leave-one-out"
    assert np.isnan(found.gain_)


def test_a_choice_goes_by_distances_and_is_judged_by_errors(iris):
    auto = OPNBAuto(cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), n_components=2)
    race, _ = begin_race(auto, *iris, None, None, "error")
    path = Path({"likelihood": "leave-one-out"}, (0.001, 0.01))
    race.see([path], range(4))
    losses = race.losses([path], range(4))
    assert losses.chooses.shape == losses.judges.shape == (2, 150)
    assert set(np.unique(losses.judges)) <= {0.0, 0.5, 1.0}, "every row is left out twice"
    assert ((losses.chooses >= 0) & (losses.chooses <= 2)).all()
    rows, plain = race.plain_losses(path)
    np.testing.assert_array_equal(rows, losses.rows)
    np.testing.assert_allclose(
        plain.mean(axis=1), np.mean([path.parts[n].wrong.mean(axis=1) for n in range(4)], axis=0)
    )
    by_log_loss = replace(race, scoring="log-loss")
    path.revised.clear()
    losses = by_log_loss.losses([path], range(4))
    np.testing.assert_array_equal(losses.chooses, losses.judges)


def test_groups_stay_together(iris):
    X, y = iris
    with pytest.raises(ValueError, match="groups"):
        OPNBAuto(cv=GroupKFold(3), max_seconds=0).fit(X, y)
    groups = np.arange(150) % 10
    found = OPNBAuto(cv=GroupKFold(3), max_seconds=0, n_components=2).fit(X, y, groups=groups)
    assert found.trials_[0].errors.shape == (3,)
    assert found.score(X, y) > 0.9


def test_weights_count_in_the_fit_and_in_the_judgement(iris):
    X, y = iris
    cv = list(StratifiedKFold(3).split(X, y))
    weights = np.where(np.arange(150) % 10 == 0, 0.0, 1.0)
    there = weights > 0
    kept = np.cumsum(there) - 1
    folds = [(kept[train[there[train]]], kept[test[there[test]]]) for train, test in cv]
    weighted = OPNBAuto(cv=cv, max_seconds=0, n_components=2).fit(X, y, sample_weight=weights)
    dropped = OPNBAuto(cv=folds, max_seconds=0, n_components=2).fit(X[there], y[there])
    for name, value in dropped.best_params_.items():
        nearly = name in ("decision_priors", "sharpness")
        assert weighted.best_params_[name] == (pytest.approx(value, abs=1e-3) if nearly else value)
    assert weighted.error_ == pytest.approx(dropped.error_, abs=0.02)
    np.testing.assert_allclose([t.error for t in weighted.trials_], [t.error for t in dropped.trials_], atol=0.02)
    np.testing.assert_allclose(weighted.predict_proba(X), dropped.predict_proba(X), atol=1e-3)


def test_a_class_without_weight_is_not_there(iris):
    X, y = iris
    found = OPNBAuto(n_components=2, cv=3, max_seconds=0).fit(X, y, sample_weight=(y != 2).astype(float))
    assert found.classes_.tolist() == [0, 1]
    assert len(found.best_params_["decision_priors"]) == 2


def test_a_single_row_of_a_class_does_not_decide_for_the_others(iris):
    rows = np.r_[50:150, 0]
    with pytest.warns(UserWarning, match="least populated"):
        found = OPNBAuto(n_components=2, cv=3, max_seconds=0).fit(iris[0][rows], iris[1][rows])
    assert found.best_params_["decision_priors"][0] < 0.05
    assert found.sharpness_ > 0.5


def test_folds_come_as_lists_or_truth_values(iris):
    X, y = iris
    folds = list(halves().split(X, y))
    expected = OPNBAuto(cv=folds, max_seconds=0, n_components=2).fit(X, y)
    as_lists = [(train.tolist(), test.tolist()) for train, test in folds]
    as_masks = [(np.isin(np.arange(150), train), np.isin(np.arange(150), test)) for train, test in folds]
    for cv in (as_lists, as_masks):
        found = OPNBAuto(cv=cv, max_seconds=0, n_components=2).fit(X, y)
        assert found.best_params_ == expected.best_params_
    with pytest.raises(ValueError, match="one for each of the 150 rows"):
        OPNBAuto(cv=[(np.ones(3, dtype=bool), np.zeros(3, dtype=bool))]).fit(X, y)


def test_a_fold_with_one_class_is_named(iris):
    rows = np.r_[0, 50:100]
    with (
        pytest.warns(UserWarning, match="least populated"),
        pytest.raises(ValueError, match="Class 0 has 1 row, and a fold"),
    ):
        OPNBAuto(n_components=2).fit(iris[0][rows], iris[1][rows])


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95, 1.0])
def test_a_stop_while_directions_bend_gives_a_model(share):
    X, y = make_circles(60, noise=0.1, factor=0.5, random_state=0)
    seen = []
    assert OPNBAuto(cv=3, n_components=1, callback=lambda i: seen.append(i)).fit(X, y).best_params_["bend"] == 0.3
    last = int(share * len(seen)) - 1
    calls = iter(range(len(seen)))
    found = OPNBAuto(cv=3, n_components=1, callback=lambda i: next(calls) >= last).fit(X, y)
    assert found.stopped_
    assert found.best_params_["bend"] is None
    assert found.predict(X).shape == (60,)


def test_given_priors_are_those_of_the_classes_that_a_fold_has(iris):
    X, y = iris
    groups = np.where(y == 0, 0, 1 + np.arange(150) % 2)
    found = OPNBAuto(cv=GroupKFold(3), n_components=2, priors=[0.2, 0.3, 0.5], max_seconds=0).fit(X, y, groups=groups)
    assert found.classes_.tolist() == [0, 1, 2]


def test_a_class_too_small_for_leave_one_out_is_no_obstacle(iris):
    X, y = iris
    rare = np.where(np.arange(150) == 0, 7, y)
    with pytest.warns(UserWarning, match="least populated"):
        found = OPNBAuto(cv=2, max_seconds=0, n_components=2).fit(X, rare)
    assert {trial.likelihood for trial in found.trials_} == {"resubstitution"}
    assert found.classes_.tolist() == [0, 1, 2, 7]


def test_saves_the_chosen_model(tmp_path, iris, found):
    found.save(tmp_path / "auto.opnb")
    found.best_estimator_.save(tmp_path / "best.opnb")
    for name in ("auto.opnb", "best.opnb"):
        loaded = load_model(tmp_path / name)
        assert loaded.independence == found.best_params_["independence"]
        np.testing.assert_array_equal(loaded.predict_proba(iris[0]), found.predict_proba(iris[0]))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).predict(iris[0]), found.predict(iris[0]))


def test_parameters_are_kept_and_cloned():
    settings = {"scoring": "log-loss", "cv": 3, "max_seconds": 5.0, "random_state": 7, "priors": "uniform"}
    copy = clone(OPNBAuto(**settings))
    assert settings.items() <= copy.get_params().items()
    assert "lam" not in copy.get_params()
    with pytest.raises(NotFittedError):
        copy.predict([[0.0]])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"scoring": "accuracy"}, "scoring must be one of"),
        ({"max_seconds": -1}, "max_seconds must be None or a number that is not negative, got -1"),
        ({"max_seconds": "1"}, "max_seconds"),
        ({"n_components": 0}, "n_components"),
        ({"scale": "wide"}, "scale must be"),
        ({"n_components": 9}, "n_components=9 must be at most the number of features, 4"),
    ],
)
def test_wrong_settings_are_refused_and_change_nothing(iris, found, settings, words):
    before = {**vars(found)}
    auto = clone(found)
    auto.__dict__.update(before)
    with pytest.raises(ValueError, match=words):
        auto.set_params(**settings).fit(*iris)
    assert auto.best_params_ == found.best_params_
    np.testing.assert_array_equal(auto.predict(iris[0]), found.predict(iris[0]))


def test_a_refit_that_is_interrupted_changes_nothing(iris, found):
    auto = clone(found).set_params(callback=_interrupt)
    auto.__dict__.update({name: value for name, value in vars(found).items() if name.endswith("_")})
    with pytest.raises(KeyboardInterrupt):
        auto.fit(iris[0][:, :2], iris[1])
    np.testing.assert_array_equal(auto.predict(iris[0]), found.predict(iris[0]))


def _interrupt(iteration):
    raise KeyboardInterrupt


def test_knows_the_names_of_the_columns(iris):
    frame = pd.DataFrame(iris[0], columns=list("abcd"))
    found = OPNBAuto(cv=2, max_seconds=0).fit(frame, iris[1])
    assert found.feature_names_in_.tolist() == found.best_estimator_.feature_names_in_.tolist() == list("abcd")


def test_scoring_by_log_loss(iris):
    found = OPNBAuto(scoring="log-loss", cv=2, max_seconds=0, n_components=2).fit(*iris)
    scores = np.array([trial.log_loss for trial in found.trials_[: len(DEFAULT_LAMS)]])
    assert scores.min() * 0.8 < found.error_ < scores.max()


def test_is_in_the_registry():
    X, y = load_wine(return_X_y=True)
    method = METHODS["OPNB-auto"]
    assert method.grid(X, y) == {}
    assert isinstance(method.seeded(3), OPNBAuto)
    assert method.seeded(3).random_state == 3
