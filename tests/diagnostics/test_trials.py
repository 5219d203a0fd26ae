"""Advice is tried on training rows before it is given, and what is noise is called noise."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from opnb import OPNBClassifier
from opnb.diagnostics import Finding, Remedy, Verdict, advise, diagnose
from opnb.diagnostics.context import Context
from opnb.diagnostics.trials import compare, folds_of, try_remedy
from tests.bench.advice import follow
from tests.diagnostics import problems

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fitted(problem, **changes):
    X, y, X_test, y_test, settings = problem(0)
    return OPNBClassifier(**{**settings, **changes}).fit(X, y), X, y, X_test, y_test


def context_of(problem, **changes):
    clf, X, y, *_ = fitted(problem, **changes)
    return Context.of(clf, X, y, None, None, 0)


def asking_for(aim="better", **settings):
    return Finding("calibration", "warning", "Title", "Words.", {}, Remedy(settings, "Do it.", aim))


# --- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse", "kind", "words"),
    [
        (3, 5, "noise", "3 rows better, 5 worse: that is noise"),
        (1, 0, "noise", "1 row better, 0 worse: that is noise (chance alone does as much in 100 % of cases)"),
        (95, 20, "better", "that is clearly better (chance alone does as much in less than 0.1 % of cases)"),
        (2, 12, "worse", "that is clearly worse (chance alone does as much in 1.3 % of cases)"),
        (0, 0, "same", "No row became right or wrong."),
    ],
)
def test_a_verdict_tells_change_from_chance(better, worse, kind, words):
    verdict = Verdict(better, worse)
    assert verdict.kind == kind
    assert words in str(verdict)


def test_a_verdict_is_wrong_as_seldom_as_it_says():
    rng = np.random.default_rng(0)
    halves = rng.binomial(40, 0.5, size=2000)
    assert np.mean([Verdict(int(k), 40 - int(k)).kind != "noise" for k in halves]) <= 0.05


# --- trials -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tried():
    """What is said of a fit that the pooled penalty mends."""
    clf, X, y, *_ = fitted(problems.long_cloud, max_iter=40)
    return advise(clf, X, y, diagnose(clf, X, y, codes=("elongated-covariance", "not-converged", "guessing")))


def test_a_remedy_that_helps_is_advice_with_what_it_did(tried):
    (finding,) = [one for one in tried if one.code == "elongated-covariance"]
    assert finding.is_advice
    assert finding.trial.error_after < finding.trial.error_before - 0.05
    assert finding.trial.n_folds == 5
    assert f"{100 * finding.trial.error_after:.1f} ± " in finding.trial.sentence
    assert "clearly better" in finding.trial.sentence


def test_a_remedy_that_harms_is_given_up_and_is_no_advice():
    context = context_of(problems.three_gaussians)
    trial = try_remedy(context, Remedy({"lam": 10.0}, "Blur it."))
    assert not trial.helps
    assert trial.n_folds == 2


def test_a_remedy_that_cannot_be_fitted_is_no_advice():
    X, y, *_ = problems.three_gaussians(0)
    keep = (y != "A") | (np.cumsum(y == "A") <= 1)
    clf = OPNBClassifier(n_components=2).fit(X[keep], y[keep])
    tried = advise(clf, X[keep], y[keep], [asking_for(likelihood="leave-one-out")])
    (finding,) = [one for one in tried if one.code == "calibration"]
    assert finding.trial is None
    assert not finding.is_advice


def test_the_folds_judge_as_a_loop_over_them_does():
    context = context_of(problems.three_gaussians)
    folds, rival = folds_of(context), LinearDiscriminantAnalysis()
    trial = compare(context, "no worse", lambda number: folds.simple(number, rival))
    wrong = []
    for train, test in folds.folds[: trial.n_folds]:
        X, y = context.X, context.labels
        models = OPNBClassifier(n_components=2).fit(X[train], y[train]), rival.fit(X[train], y[train])
        wrong.append([model.predict(X[test]) != y[test] for model in models])
    own, other = np.concatenate(wrong, axis=1)
    assert (trial.error_before, trial.error_after) == (own.mean(), other.mean())
    assert trial.verdict == Verdict(int(np.sum(own & ~other)), int(np.sum(other & ~own)))


@pytest.mark.slow
def test_a_simpler_model_need_only_err_no_more():
    context = context_of(problems.spare_directions)
    assert try_remedy(context, Remedy({"n_components": 4}, "Fewer.", "no worse")).helps
    assert not try_remedy(context, Remedy({"n_components": 4}, "Fewer.", "better")).errs_less


def test_a_remedy_is_tried_once_for_all_who_ask(monkeypatch):
    tried = []
    monkeypatch.setattr("opnb.diagnostics.try_remedy", lambda context, remedy, watch: tried.append(remedy))
    clf, X, y, *_ = fitted(problems.rotated)
    advise(clf, X, y, [asking_for(penalty="pooled"), asking_for(penalty="pooled"), asking_for(penalty="total")])
    assert len(tried) == 2


def test_progress_is_told_from_within_a_search_and_may_give_up():
    clf, X, y, *_ = fitted(problems.three_gaussians)
    seen = []

    def give_up(code, share):
        seen.append((code, share))
        if len(seen) == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        advise(clf, X, y, [asking_for(lam=1e-2)], progress=give_up)
    assert seen[0][0] == "few-directions"
    assert len(seen) == 5


def test_good_advice_comes_first_among_equals(tried):
    warned = [finding for finding in tried if finding.severity == "warning"]
    advice = [finding.is_advice for finding in warned]
    assert advice == sorted(advice, reverse=True)
    gains = [one.trial.error_before - one.trial.error_after for one in warned if one.is_advice and one.trial.errs_less]
    assert gains == sorted(gains, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    [
        problems.crowded_plane,
        *(pytest.param(problem, marks=pytest.mark.slow) for problem in (problems.hill_valley, problems.faint_signal)),
    ],
    ids=lambda problem: problem.__name__,
)
def test_following_the_first_advice_again_and_again_does_no_harm(problem):
    clf, X, y, X_test, y_test = fitted(problem, max_iter=40)
    fits = [fit for fit, _ in follow(clf, X, y, X_test, y_test)]
    errors = np.array([1 - fit.score(X_test, y_test) for fit in fits])
    best = errors.min()
    assert errors[-1] <= best + np.sqrt(best * (1 - best) / len(y_test)) + 1e-12
    assert errors[-1] <= errors[0] - 0.05


def test_trials_of_a_bent_fit_bend_once():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    clf = OPNBClassifier(n_components=1, bend=1.0, max_iter=5).fit(X, y)
    folds = folds_of(Context.of(clf, X, y, None, None, 0))
    assert folds.X.shape == (60, clf.columns_.centre.size)
    tried = folds.fitted(0, {"lam": 0.1}, lambda: None)
    assert tried.columns_ is None
    assert tried.lam == 0.1
