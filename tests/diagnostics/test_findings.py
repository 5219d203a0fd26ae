"""Every finding on a problem that has its fault and on one that has not, and what its remedy does."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from opnb import DataError, OPNBClassifier, OPNBClassifierCV
from opnb.core.objective import value_and_gradient
from opnb.diagnostics import CHECKS, QUICK_CHECKS, Finding, Remedy, diagnose, quick_findings
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import SEVERITIES, listed
from opnb.diagnostics.probes import probe_problem
from tests.diagnostics import problems
from tests.diagnostics.problems import CLEAN, FAULTY, found_as, unfitted

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning"),
]


def fitted(problem, seed=0, **changes):
    X, y, X_test, y_test, settings = problem(seed)
    return unfitted({**settings, **changes}).fit(X, y), X, y, X_test, y_test


def finding_of(code, fit):
    return next((finding for finding in diagnose(*fit, codes=(code,))), None)


@pytest.mark.parametrize(
    ("code", "problem"),
    [(code, problem) for code in FAULTY for problem in FAULTY[code]],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_a_fault_is_found(code, problem):
    finding = finding_of(code, fitted(problem))
    assert finding.severity in found_as(code), finding.explanation
    assert finding.code == code


@pytest.mark.parametrize("problem", CLEAN, ids=lambda problem: problem.__name__)
def test_a_clean_fit_has_no_warning(problem):
    findings = diagnose(*fitted(problem, seed=1))
    assert {finding.code for finding in findings} <= set(CHECKS)
    assert [finding.code for finding in findings if finding.severity == "warning"] == []


@pytest.mark.parametrize("n_components", [2, None])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_nothing_is_wrong_with_iris_and_wine(load, n_components):
    X, y = load(return_X_y=True)
    test = np.arange(len(y)) % 4 == 0
    clf = OPNBClassifier(n_components=n_components, independence=0.1).fit(X[~test], y[~test])
    findings = diagnose(clf, X[~test], y[~test], X[test], y[test])
    assert [finding.code for finding in findings if finding.severity == "warning"] == []


def test_findings_come_by_severity_and_say_something():
    findings = diagnose(*fitted(problems.hill_valley))
    ranks = [SEVERITIES.index(finding.severity) for finding in findings]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0
    for finding in findings:
        assert isinstance(finding, Finding)
        assert finding.title
        assert finding.explanation.endswith(".")
        assert finding.evidence
        for value in finding.evidence.values():
            assert not isinstance(value, np.ndarray) or value.size < 5_000
            assert not isinstance(value, float) or np.isfinite(value)


def test_a_finding_is_frozen_and_can_be_stored():
    finding = finding_of("small-classes", fitted(problems.rotated))
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.severity = "good"
    assert pickle.loads(pickle.dumps(finding)).explanation == finding.explanation


def test_the_same_seed_gives_the_same_findings():
    fit = fitted(problems.three_gaussians)
    first, second = diagnose(*fit, random_state=3), diagnose(*fit, random_state=3)
    assert [finding.explanation for finding in first] == [finding.explanation for finding in second]


# --- remedies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "problem", "least"),
    [
        ("overfit-scale", problems.hill_valley, 0.1),
        ("elongated-covariance", problems.hill_valley, 0.1),
        ("elongated-covariance", problems.long_cloud, 0.05),
    ],
)
def test_the_pooled_penalty_lowers_the_held_out_error(code, problem, least):
    fit = fitted(problem)
    clf, X, y, X_test, y_test = fit
    mended = finding_of(code, fit).remedy.applied_to(clf).fit(X, y)
    assert mended.penalty == "pooled"
    assert mended.score(X_test, y_test) >= clf.score(X_test, y_test) + least


@pytest.mark.parametrize("problem", [problems.tiny_lam, problems.heavy_tails], ids=lambda problem: problem.__name__)
def test_the_remedy_for_scale_raises_the_held_out_likelihood(problem):
    fit = fitted(problem)
    clf, X, y, X_test, y_test = fit
    mended = finding_of("overfit-scale", fit).remedy.applied_to(clf).fit(X, y)
    assert _log_likelihood(mended, X_test, y_test) > _log_likelihood(clf, X_test, y_test) + 0.05


def _log_likelihood(clf, X, y):
    return clf.predict_log_proba(X)[np.arange(len(y)), np.searchsorted(clf.classes_, y)].mean()


def test_more_starts_reach_a_better_objective():
    fit = fitted(problems.several_optima)
    finding = finding_of("poor-start", fit)
    mended = finding.remedy.applied_to(fit[0]).fit(fit[1], fit[2])
    assert mended.objective_ >= fit[0].objective_ + 0.9 * finding.evidence["gain"]
    assert diagnose(mended, fit[1], fit[2], codes=("poor-start",))[0].severity != "warning"


def test_more_directions_are_the_remedy_for_classes_that_two_cannot_factorise():
    X, y, X_test, y_test, _ = problems.crossed(0)
    rng = np.random.default_rng(0)
    X, X_test = (np.column_stack([part, 0.3 * rng.normal(size=part.shape)]) for part in (X, X_test))
    clf = OPNBClassifier(n_components=2, scale=False).fit(X, y)
    finding = finding_of("dependent-classes", (clf, X, y))
    assert finding.severity == "warning"
    mended = finding.remedy.applied_to(clf).fit(X, y)
    assert mended.objective_ > clf.objective_ + 0.01
    assert mended.score(X_test, y_test) > clf.score(X_test, y_test)


def test_no_remedy_is_offered_where_all_directions_are_used():
    assert finding_of("dependent-classes", fitted(problems.crossed)).remedy is None


def test_more_iterations_finish_the_search():
    fit = fitted(problems.few_iterations)
    finding = finding_of("not-converged", fit)
    mended = finding.remedy.applied_to(fit[0]).fit(fit[1], fit[2])
    assert mended.objective_ >= fit[0].objective_ + finding.evidence["gain"] - 1e-6
    assert diagnose(mended, fit[1], fit[2], codes=("not-converged",))[0].severity == "good"


def test_the_remedy_for_posteriors_lowers_their_error():
    fit = fitted(problems.noise_wide)
    finding = finding_of("calibration", fit)
    mended = finding.remedy.applied_to(fit[0]).fit(fit[1], fit[2])
    assert finding_of("calibration", (mended, *fit[1:])).evidence["ece"] < finding.evidence["ece"]
    blunt = clone(fit[0]).set_params(sharpness=0.2).fit(*fit[1:3])
    assert finding_of("calibration", (blunt, *fit[1:])).evidence["overconfidence"] < finding.evidence["overconfidence"]


def test_two_directions_show_themselves():
    fit = fitted(problems.many_groups)
    mended = finding_of("shown-versus-full", fit).remedy.applied_to(fit[0]).fit(fit[1], fit[2])
    assert mended.components_.shape[0] == 2
    assert finding_of("shown-versus-full", (mended, *fit[1:])) is None


def test_every_remedy_is_a_valid_setting():
    for problem in (problems.hill_valley, problems.several_optima, problems.many_groups, problems.few_iterations):
        clf, *data = fitted(problem)
        for finding in diagnose(clf, *data):
            if finding.remedy is not None:
                assert set(finding.remedy.settings) <= set(clf.get_params())
                assert finding.remedy.sentence.endswith(".")
                short = finding.remedy.applied_to(clf).set_params(max_iter=1)
                assert short.fit(*data[:2]).components_.shape[1] == data[0].shape[1]


# --- the numbers behind them ------------------------------------------------------------------------------------------


def test_the_context_agrees_with_the_objective():
    clf, X, y, X_test, y_test = fitted(problems.three_gaussians)
    context = Context.of(clf, X, y, X_test, y_test, 0)
    for likelihood, ours in (
        ("resubstitution", context.curves.resubstituted),
        ("leave-one-out", context.curves.left_out),
    ):
        value, _ = value_and_gradient(context.V, context.X, context.labels, likelihood=likelihood)
        assert ours[-1].mean() == pytest.approx(value, abs=1e-10)
        first, _ = value_and_gradient(context.V[:, :1], context.X, context.labels, likelihood=likelihood)
        assert ours[0].mean() == pytest.approx(first, abs=1e-10)
    assert context.test_log_posterior == pytest.approx(clf.predict_log_proba(X_test), abs=1e-10)


def test_own_share_is_the_kernel_over_the_sum():
    clf, X, y, *_ = fitted(problems.three_gaussians)
    context = Context.of(clf, X, y, None, None, 0)
    z = (context.Z[:, 1] / clf.bandwidths_[1])[context.labels == 0]
    distance = np.abs(z[:, None] - z)
    sums = ((1 + distance) * np.exp(-distance)).sum(axis=1)
    assert context.own_share[1, context.labels == 0] == pytest.approx(1 / sums, rel=1e-10)


def test_a_wide_direction_has_many_peaks_and_lonely_rows():
    finding = finding_of("overfit-scale", fitted(problems.hill_valley))
    assert finding.evidence["modes"].max() > 10
    assert finding.evidence["optimism"] > 1
    clean = finding_of("overfit-scale", fitted(problems.rotated)).evidence
    assert clean["modes"].max() <= 4
    assert clean["share_alone"].max() < 0.02


def test_a_class_of_one_row_is_told_and_does_no_harm():
    X, y, X_test, y_test, settings = problems.three_gaussians(0)
    keep = (y != "A") | (np.cumsum(y == "A") <= 1)
    clf = OPNBClassifier(**settings).fit(X[keep], y[keep])
    findings = diagnose(clf, X[keep], y[keep], X_test, y_test)
    assert {finding.code for finding in findings if finding.severity == "warning"} >= {"small-classes"}


def test_a_direction_of_zero_length_is_idle():
    X, y, *_ = problems.three_gaussians(0)
    clf = OPNBClassifier(n_components=3, lam=50.0).fit(X, y)
    finding = finding_of("idle-directions", (clf, X, y))
    assert finding.evidence["n_idle"] == 2
    assert finding.remedy.settings["n_components"] == 1
    assert diagnose(clf, X, y)


def test_one_feature_and_one_direction_are_enough():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 1)) + 3 * y[:, None]
    codes = {finding.code for finding in diagnose(OPNBClassifier().fit(X, y), X, y)}
    assert "poor-start" not in codes
    assert "calibration" not in codes
    assert "small-classes" in codes


def test_a_search_over_lam_and_averaged_starts_can_be_diagnosed():
    X, y, X_test, y_test, _ = problems.three_gaussians(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        cv = OPNBClassifierCV(lams=[1e-3, 1e-2], cv=3, n_components=2).fit(X, y)
        several = OPNBClassifier(n_components=2, init="random", n_init=3, combine="average", random_state=0).fit(X, y)
    for clf in (cv, several):
        assert {finding.code for finding in diagnose(clf, X, y, X_test, y_test)} >= {"poor-start", "calibration"}
    remedy = Remedy({"lam": 0.5}, "")
    assert remedy.applied_to(cv).lam == 0.5


def test_a_stopped_search_is_told():
    X, y, *_ = problems.few_iterations(0)
    clf = OPNBClassifier(n_components=3, callback=lambda iteration: True).fit(X, y)
    finding = finding_of("not-converged", (clf, X, y))
    assert finding.severity == "warning"
    assert "was stopped after 0 iterations" in finding.explanation


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:-1], y[:-1], None, None), "not the rows of this fit"),
        (lambda X, y: (X, y[:-1], None, None), "one class a row"),
        (lambda X, y: (X, np.where(y == "A", "new", y), None, None), "does not know the class 'new'"),
        (lambda X, y: (X, y, X, None), "both X_test and y_test"),
    ],
)
def test_data_that_do_not_belong_to_the_fit_are_refused(change, message):
    clf, X, y, *_ = fitted(problems.three_gaussians)
    with pytest.raises(DataError, match=message):
        diagnose(clf, *change(X, y))


def test_an_unknown_check_is_refused():
    with pytest.raises(ValueError, match="no check 'nothing'"):
        diagnose(*fitted(problems.three_gaussians), codes=("nothing",))


def test_words_are_listed():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"


def test_progress_names_every_check_before_it_begins_and_may_give_up():
    fit = fitted(problems.hill_valley)
    codes, seen = ("small-classes", "idle-directions"), []
    diagnose(*fit, codes=codes, progress=lambda code, share: seen.append((code, share)))
    assert seen == [("small-classes", 0.0), ("idle-directions", 0.5)]

    def give_up(code, share):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        diagnose(*fit, codes=codes, progress=give_up)


@pytest.mark.parametrize("init", ["pca", "random"])
def test_a_constant_column_can_be_diagnosed(init):
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(len(y))])
    clf = OPNBClassifier(init=init, random_state=0).fit(X, y)
    assert {finding.code for finding in diagnose(clf, X, y)} <= set(CHECKS)


def test_quick_findings_fit_nothing_and_say_what_the_diagnosis_says(monkeypatch):
    X, y, X_test, y_test, settings = problems.tiny_lam(0)
    clf = OPNBClassifier(**settings).fit(X, y)
    whole = diagnose(clf, X, y, X_test, y_test, codes=QUICK_CHECKS)

    def refuse(*args, **kwargs):
        raise AssertionError("a quick look searched or shuffled")

    for place in ("probes.search", "permutations.permuted_labels", "dependence.permutation_null"):
        monkeypatch.setattr(f"opnb.diagnostics.{place}", refuse)
    quick = quick_findings(clf, X, y, X_test, y_test)
    assert [(finding.code, finding.severity) for finding in quick] == [(f.code, f.severity) for f in whole]
    assert quick[0].code == "overfit-scale"
    assert set(QUICK_CHECKS) < set(CHECKS)


def test_probabilities_of_the_decisions_are_not_those_of_the_search_or_of_the_rows():
    X, y = load_iris(return_X_y=True)
    settings = {"n_components": 2, "priors": "uniform", "n_bins": None, "lam": 0.01}
    plain = OPNBClassifier(**settings).fit(X, y)
    decided = OPNBClassifier(**settings, decision_priors=(0.8, 0.1, 0.1)).fit(X, y)
    context = Context.of(decided, X, y, None, None, 0)
    problem = probe_problem(context, np.arange(150))
    assert problem.at(context.V).value == pytest.approx(decided.objective_, abs=1e-9)
    assert context.guessing == pytest.approx(np.log([0.8, 0.1, 0.1]).mean())
    assert Context.of(plain, X, y, None, None, 0).guessing == pytest.approx(np.log(1 / 3))
