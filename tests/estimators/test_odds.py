"""Class probabilities and a sharpness of the posteriors, learnt from rows left out."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.model_selection import StratifiedKFold

from opnb import OPNBAuto, OPNBClassifier, load_model
from opnb.estimators.odds import brier_losses, moved_priors, moves_and_sharpness, revised_by_others


def unbalanced_scores(n=4000, seed=0):
    """Give labels, and scores that say too much and favour class 0 by 1.5."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    truth = log_softmax(rng.standard_normal((n, 3)) + 2.0 * np.eye(3)[labels], axis=1)
    return 3.0 * truth + [1.5, 0.0, 0.0], labels


def test_they_are_the_maximum_of_what_is_said():
    scores, labels = unbalanced_scores(200)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, 200)

    def loss(x):
        own = log_softmax(np.exp(x[0]) * log_softmax(scores, axis=1) + x[1:], axis=1)[np.arange(200), labels]
        return -(weights @ own) + x @ x / 2

    x = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"maxiter": 5000, "xatol": 1e-9, "fatol": 1e-12}).x
    moves, sharpness = moves_and_sharpness(scores, labels, weights)
    np.testing.assert_allclose(moves, (x[1:] - x[1:].mean()) / np.exp(x[0]), atol=1e-4)
    assert sharpness == pytest.approx(np.exp(x[0]), abs=1e-4)


def test_a_lean_to_a_class_is_taken_back():
    scores, labels = unbalanced_scores()
    moves, _ = moves_and_sharpness(scores, labels, np.ones(labels.size))
    assert moves[0] - moves[1:].mean() == pytest.approx(-1.5, abs=0.3)
    before, after = (np.mean(s.argmax(axis=1) != labels) for s in (scores, scores + moves))
    assert after < before - 0.01


def test_what_is_said_too_surely_is_taken_back():
    scores, labels = unbalanced_scores()
    moves, sharpness = moves_and_sharpness(scores, labels, np.ones(labels.size))
    # Two normal scores of means 2 apart: what a class leads by should count twice, and counts three times.
    assert sharpness == pytest.approx(2 / 3, abs=0.05)
    before, after = (
        -log_softmax(s, axis=1)[np.arange(labels.size), labels].mean() for s in (scores, sharpness * (scores + moves))
    )
    assert after < before - 0.05


@pytest.mark.parametrize(("right", "bound"), [(True, 10.0), (False, 0.1)])
def test_no_rows_make_posteriors_certain_or_empty(right, bound):
    labels = np.tile([0, 1], 5000)
    scores = np.where(np.eye(2)[labels if right else 1 - labels], 0.0, -0.01 if right else -50.0)
    assert moves_and_sharpness(scores, labels, np.ones(labels.size))[1] == pytest.approx(bound)


def test_scores_that_tell_nearly_nothing_send_no_search_to_infinity():
    rng = np.random.default_rng(28)
    labels = rng.integers(0, 4, 100)
    scores = log_softmax(0.03 * rng.standard_normal((100, 4)) + 0.06 * np.eye(4)[labels], axis=1)
    moves, sharpness = moves_and_sharpness(scores, labels, np.ones(100))
    assert np.isfinite(moves).all()
    assert sharpness == pytest.approx(10.0)


def test_a_weight_of_two_is_the_row_twice():
    scores, labels = unbalanced_scores(60)
    twice, sharper = moves_and_sharpness(np.tile(scores, (2, 1)), np.tile(labels, 2), np.ones(120))
    moves, sharpness = moves_and_sharpness(scores, labels, np.full(60, 2.0))
    np.testing.assert_allclose(moves, twice, atol=1e-5)
    assert sharpness == pytest.approx(sharper, abs=1e-5)


def test_hopeless_rows_and_absent_classes_leave_finite_probabilities():
    scores = np.array([[0.0, -1e30, -np.inf], [-1e300, 0.0, -np.inf], [0.0, -5.0, -np.inf]])
    moves, sharpness = moves_and_sharpness(scores, np.array([1, 0, 2]), np.ones(3))
    priors = moved_priors(np.full(3, 1 / 3), moves)
    assert 0 < sharpness < np.inf
    assert (priors > 0).all()
    assert priors.sum() == pytest.approx(1.0)


def test_rows_are_revised_by_what_the_other_parts_teach_alone():
    scores, labels = unbalanced_scores(300)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, 300)
    parts = [slice(0, 50), slice(50, 150), slice(150, 300)]
    rows = [np.arange(300)[part] for part in parts]
    revised = revised_by_others([scores[part] for part in parts], rows, labels, [weights[part] for part in parts])
    for part, own in zip(parts, revised, strict=True):
        others = np.ones(300, dtype=bool)
        others[part] = False
        moves, sharpness = moves_and_sharpness(scores[others], labels[others], weights[others])
        np.testing.assert_allclose(own, log_softmax(sharpness * (scores[part] + moves), axis=1))


def test_a_part_without_others_is_left_as_it_is():
    scores, labels = unbalanced_scores(30)
    (alone,) = revised_by_others([scores], [np.arange(30)], labels, [np.ones(30)])
    np.testing.assert_allclose(alone, log_softmax(scores, axis=1))


def test_a_row_does_not_revise_itself_where_it_is_left_out_again():
    scores, labels = unbalanced_scores(60)
    rows = [np.arange(0, 30), np.arange(30, 60), np.arange(15, 45), np.r_[0:15, 45:60]]
    weights = [np.full(30, 0.5)] * 4
    revised = revised_by_others([scores[part] for part in rows], rows, labels, weights)
    # Everything else is there twice, but for the own rows of the other halving.
    counts = np.r_[np.zeros(30), np.full(30, 1.0)]
    moves, sharpness = moves_and_sharpness(scores[counts > 0], labels[counts > 0], counts[counts > 0])
    np.testing.assert_allclose(revised[0], log_softmax(sharpness * (scores[:30] + moves), axis=1), atol=1e-4)


def test_a_row_of_a_class_that_was_not_learnt_teaches_nothing():
    scores, labels = unbalanced_scores(200)
    scores[:, 2] = np.where(np.arange(200) < 100, -np.inf, scores[:, 2])
    with_them = moves_and_sharpness(scores, labels, np.ones(200))
    known = ~((labels == 2) & (np.arange(200) < 100))
    without = moves_and_sharpness(scores[known], labels[known], np.ones(known.sum()))
    np.testing.assert_array_equal(with_them[0], without[0])
    assert with_them[1] == without[1]


def test_squared_distance_of_posteriors_from_the_truth():
    posteriors = np.array([[0.7, 0.2, 0.1], [0.0, 0.0, 1.0]])
    with np.errstate(divide="ignore"):
        losses = brier_losses(np.log(posteriors), np.array([0, 0]))
    np.testing.assert_allclose(losses, [0.3**2 + 0.2**2 + 0.1**2, 2.0])


@pytest.fixture(scope="module")
def leaning():
    """Rows whose densities of unequal spread lean to the narrow class."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [200, 60, 40])
    X = rng.standard_normal((300, 4)) * np.array([0.7, 1.5, 1.0])[y][:, None] + 0.8 * np.eye(3, 4)[y]
    return X, y


@pytest.fixture(scope="module")
def found(leaning):
    return OPNBAuto(cv=2, max_seconds=0, n_components=2).fit(*leaning)


def test_the_chosen_model_decides_by_them_alone(leaning, found):
    X, y = leaning
    balanced, best = np.array(found.best_params_["decision_priors"]), found.best_estimator_
    np.testing.assert_allclose(found.class_prior_, balanced, atol=1e-8)
    assert balanced.sum() == pytest.approx(1.0, abs=1e-7)
    assert np.abs(balanced - np.bincount(y) / len(y)).max() > 0.005
    assert found.sharpness_ == best.sharpness == found.best_params_["sharpness"] != 1.0
    # Only the probabilities are others: directions, densities and objective are those of the same fit without.
    given = {"init": best.starts_[0].V, "max_iter": 0}
    plain = OPNBClassifier(**{**best.get_params(), "decision_priors": None, "sharpness": 1.0, **given}).fit(X, y)
    np.testing.assert_allclose(best.components_, plain.components_, atol=1e-12)
    assert best.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    moved = plain.predict_log_proba(X) + np.log(balanced) - np.log(plain.class_prior_)
    np.testing.assert_allclose(best.predict_log_proba(X), log_softmax(best.sharpness_ * moved, axis=1), atol=1e-8)
    joint = best.log_density_contributions(X).sum(axis=1) + np.log(best.class_prior_)
    np.testing.assert_allclose(log_softmax(best.sharpness_ * joint, axis=1), best.predict_log_proba(X), atol=1e-9)


def test_they_are_learnt_from_rows_left_out(leaning, found):
    X, y = leaning
    same = OPNBAuto(cv=list(StratifiedKFold(2).split(X, y)), max_seconds=0, n_components=2).fit(X, y)
    assert same.best_params_["decision_priors"] != found.best_params_["decision_priors"]  # other rows left out
    assert 0 < found.error_ < 1
    assert np.isfinite(found.error_se_)


def test_classes_that_count_equally_go_on_counting_equally(leaning):
    X, y = leaning
    equal = OPNBAuto(cv=2, max_seconds=0, n_components=2, priors="uniform").fit(X, y)
    wrong = np.array([np.mean(equal.predict(X[y == k]) != k) for k in range(3)])
    by_share = OPNBAuto(cv=2, max_seconds=0, n_components=2).fit(X, y)
    assert wrong[2] <= np.mean(by_share.predict(X[y == 2]) != 2)
    assert equal.class_prior_[2] > by_share.class_prior_[2]


def test_the_file_has_them(tmp_path, leaning, found):
    found.save(tmp_path / "model.opnb")
    read = load_model(tmp_path / "model.opnb")
    np.testing.assert_array_equal(read.predict_proba(leaning[0]), found.predict_proba(leaning[0]))
    np.testing.assert_array_equal(read.decision_priors, found.best_params_["decision_priors"])
    assert read.sharpness_ == found.sharpness_


def test_they_are_checked_before_the_search(leaning):
    def never(iteration):
        raise AssertionError("the search has begun")

    clf = OPNBClassifier(n_components=2, callback=never)
    for wrong in ([0.5, 0.5], [0.5, 0.6, 0.1], "equal"):
        with pytest.raises(ValueError, match="decision_priors"):
            clf.set_params(decision_priors=wrong).fit(*leaning)


@pytest.mark.parametrize("wrong", [0, -1.0, np.nan, np.inf, "much", True, None])
def test_a_sharpness_that_is_no_power_is_refused(leaning, wrong):
    with pytest.raises(ValueError, match="sharpness must be a number from"):
        OPNBClassifier(n_components=2, sharpness=wrong).fit(*leaning)


def test_sharpness_changes_how_sure_a_model_is_and_nothing_else(leaning):
    X, y = leaning
    plain, blunt = (OPNBClassifier(n_components=2, sharpness=power).fit(X, y) for power in (1.0, 0.4))
    np.testing.assert_array_equal(plain.components_, blunt.components_)
    np.testing.assert_array_equal(plain.predict(X), blunt.predict(X))
    assert plain.log_likelihood_ == blunt.log_likelihood_
    np.testing.assert_allclose(
        blunt.predict_log_proba(X), log_softmax(0.4 * plain.predict_log_proba(X), axis=1), atol=1e-12
    )
    Z = plain.transform(X)[:, [1]]
    np.testing.assert_allclose(
        blunt.predict_log_proba_on(Z, (1,)), log_softmax(0.4 * plain.predict_log_proba_on(Z, (1,)), axis=1), atol=1e-12
    )


def test_a_stop_before_the_first_fold_leaves_the_shares(leaning):
    stopped = OPNBAuto(cv=2, n_components=2, callback=lambda iteration: True).fit(*leaning)
    assert stopped.best_params_["decision_priors"] is None
    assert stopped.best_params_["sharpness"] == 1.0
    np.testing.assert_allclose(stopped.class_prior_, np.bincount(leaning[1]) / 300)
