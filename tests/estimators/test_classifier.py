import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from opnb import OPNBClassifier, OPNBClassifierCV
from opnb.core.objective import value_and_gradient
from opnb.core.optimise import maximise
from opnb.core.posterior import log_posterior
from opnb.errors import FitError
from tests import reference

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning"),
]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(iris):
    return OPNBClassifier(n_components=2).fit(*iris)


# The check of Array API input is scikit-learn's own skip: it runs only where SCIPY_ARRAY_API is set.
# Twice a row and its double weight differ in the last digit of a sum, which a search to a local optimum carries into
# directions that the penalty shrinks to nothing; `test_a_weight_of_two_is_the_row_twice...` looks at the others.
WEIGHTS = {"check_sample_weight_equivalence_on_dense_data": "a search carries rounding on into idle directions"}


@parametrize_with_checks(
    [OPNBClassifier(), OPNBClassifierCV(lams=[1e-3, 1e-2], cv=2, n_components=2)],
    expected_failed_checks=lambda estimator: WEIGHTS,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_fitted_attributes(iris, fitted):
    X, y = iris
    assert fitted.components_.shape == (2, 4)
    np.testing.assert_allclose(np.linalg.norm(fitted.components_, axis=1), 1.0)
    assert fitted.bandwidths_.shape == (2,)
    assert fitted.converged_
    assert not fitted.stopped_
    np.testing.assert_allclose(fitted.class_prior_, 1 / 3)
    np.testing.assert_allclose(fitted.scale_, X.std(axis=0, ddof=1))
    assert fitted.score(X, y) >= 0.97
    assert fitted.get_feature_names_out().tolist() == ["opnbclassifier0", "opnbclassifier1"]


def test_objective_is_the_formula_at_the_solution(iris, fitted):
    X, y = iris
    V = (fitted.components_ / fitted.bandwidths_[:, None]).T
    Xs = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    value, _ = reference.objective(V, Xs, y, lam=1e-3)
    assert fitted.objective_ == pytest.approx(value, rel=1e-10)
    assert fitted.log_likelihood_ == pytest.approx(value + 1e-3 * (V**2).sum(), rel=1e-10)


def test_history_holds_every_iteration_and_adds_up(fitted):
    assert len(fitted.history_) == fitted.n_iter_ + 1
    for record in fitted.history_:
        assert record.objective == pytest.approx(record.log_likelihood - 1e-3 * record.penalty)
        assert record.log_likelihood == pytest.approx(record.class_term - record.mixture_term)
    objectives = [record["objective"] for record in fitted.history_]
    assert objectives[-1] == max(objectives)
    assert pd.DataFrame(fitted.history_).columns.tolist() == [
        "objective",
        "log_likelihood",
        "penalty",
        "class_term",
        "mixture_term",
        "dependence",
        "gradient_norm",
        "seconds",
    ]


def test_posteriors_are_those_of_the_formula(iris, fitted):
    X, y = iris
    Z = fitted.transform(X)
    log_f = reference.log_densities(Z / fitted.bandwidths_, y, 3, leave_out=False).sum(axis=2)
    joint = log_f + np.log(fitted.class_prior_)
    expected = joint - reference.logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)


def test_log_posteriors_are_finite_and_right_ten_thousand_bandwidths_away(fitted):
    far = fitted.mean_ + fitted.scale_ * 1e4 * fitted.bandwidths_.max() * np.ones((3, 4)) * [[1], [-1], [3]]
    log_proba = fitted.predict_log_proba(far)
    assert np.isfinite(log_proba).all()
    y = load_iris().target
    Z = fitted.transform(far) / fitted.bandwidths_
    members = fitted.transform(load_iris().data) / fitted.bandwidths_
    joint = np.stack(
        [
            sum(reference.logsumexp(reference.log_kernel(Z[:, [d]] - members[y == k, d]), axis=1) for d in (0, 1))
            for k in range(3)
        ],
        axis=1,
    )
    expected = joint - reference.logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(log_proba, expected, rtol=1e-8, atol=1e-8)


def test_margins_integrate_to_one_and_make_the_restricted_model(iris, fitted):
    grid = np.linspace(-60, 60, 20_001)
    for direction in (0, 1):
        densities = fitted.marginal_densities(direction, grid)
        np.testing.assert_allclose(np.trapezoid(densities, grid, axis=1), 1.0, atol=1e-6)
    Z = fitted.transform(iris[0])
    np.testing.assert_allclose(
        fitted.predict_log_proba_on(Z, (0, 1)), fitted.predict_log_proba(iris[0]), rtol=1e-9, atol=1e-12
    )
    alone = fitted.marginal_densities(1, Z[:, 1]).T * fitted.class_prior_
    expected = alone / alone.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba_on(Z[:, [1]], [1])), expected, rtol=1e-9)


def test_directions_come_in_greedy_order():
    X, y = load_wine(return_X_y=True)
    clf = OPNBClassifier(n_components=4).fit(X, y)
    Z = clf.transform(X)

    def likelihood(directions):
        return clf.predict_log_proba_on(Z[:, directions], directions)[np.arange(len(y)), y].mean()

    chosen = []
    for position in range(4):
        others = [likelihood([*chosen, d]) for d in range(position, 4)]
        assert others[0] == max(others)
        chosen.append(position)


@pytest.mark.parametrize("init", ["random", "array", "callable"])
def test_every_kind_of_start_is_accepted(iris, init):
    X, y = iris
    given = {"random": "random", "array": np.eye(4, 2), "callable": lambda X, y, m: np.eye(X.shape[1], m)}[init]
    clf = OPNBClassifier(n_components=2, init=given, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.95


def test_multi_start_keeps_every_start_and_does_not_depend_on_jobs(iris):
    X, y = iris
    settings = {"n_components": 2, "init": "random", "n_init": 4, "random_state": 3, "max_iter": 15}
    alone = OPNBClassifier(**settings, n_jobs=1).fit(X, y)
    together = OPNBClassifier(**settings, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(alone.components_, together.components_)
    assert [start.seed for start in alone.starts_] == [start.seed for start in together.starts_]
    assert len(alone.starts_) == 4
    assert len({start.objective for start in alone.starts_}) > 1
    best = max(start.objective for start in alone.starts_)
    assert alone.starts_[alone.best_start_].objective == best
    again = OPNBClassifier(n_components=2, init=alone.starts_[1].V, max_iter=1).fit(X, y)
    assert again.history_[0].objective == pytest.approx(alone.starts_[1].objective)


def test_averaged_posteriors_are_the_mean_over_the_starts(iris):
    X, y = iris
    settings = {"n_components": 2, "init": "random", "n_init": 3, "random_state": 1, "max_iter": 4}
    average = OPNBClassifier(**settings, combine="average").fit(X, y)
    singles = [OPNBClassifier(n_components=2, init=s.V, max_iter=1, tol=1e9).fit(X, y) for s in average.starts_]
    expected = np.mean([single.predict_proba(X) for single in singles], axis=0)
    np.testing.assert_allclose(average.predict_proba(X), expected, atol=1e-10)


def test_callback_sees_every_iteration_and_can_stop(iris):
    X, y = iris
    seen = []

    def watch(iteration):
        seen.append(iteration.number)
        return iteration.number == 3

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a stop on request is no failure to converge
        clf = OPNBClassifier(n_components=2, callback=watch).fit(X, y)
    assert seen == [0, 1, 2, 3]
    assert clf.stopped_
    assert not clf.converged_
    assert clf.n_iter_ == 3
    assert clf.objective_ > clf.history_[0].objective
    assert clf.predict(X).shape == y.shape


def test_a_stop_ends_all_starts(iris):
    seen = set()

    def watch(iteration):
        seen.add(iteration.start)
        return True

    clf = OPNBClassifier(n_components=2, init="random", n_init=5, random_state=0, callback=watch).fit(*iris)
    assert seen == {0}
    assert len(clf.starts_) == 1
    assert clf.stopped_


def test_giving_up_is_a_warning(iris):
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        OPNBClassifier(max_iter=2).fit(*iris)


def test_non_finite_values_never_escape(iris):
    X, y = iris
    with pytest.raises(FitError, match="Raise lam"):
        OPNBClassifier(n_components=2, init=np.full((4, 2), 1e200), scale=False).fit(X * 1e200, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lam": 0.0}, "lam must be positive with likelihood='resubstitution'.*without bound"),
        ({"lam": -1.0}, "lam must be a finite number"),
        ({"lam": np.nan}, "lam must be a finite number"),
        ({"penalty": "ridge"}, "penalty must be one of"),
        ({"likelihood": "loo"}, "likelihood must be one of"),
        ({"init": "lda"}, "init must be one of"),
        ({"init": np.eye(3)}, "init must have shape"),
        ({"init": np.full((4, 4), np.nan)}, "NaN or infinity"),
        ({"combine": "vote"}, "combine must be one of"),
        ({"n_components": 5}, "must be at most the number of features, 4"),
        ({"n_components": 0}, "n_components must be a whole number"),
        ({"n_init": 0}, "n_init must be"),
        ({"n_bins": 1}, "n_bins must be"),
        ({"tol": 0.0}, "tol must be positive"),
    ],
)
def test_wrong_settings_are_refused_with_the_reason(iris, settings, message):
    with pytest.raises(ValueError, match=message):
        OPNBClassifier(**settings).fit(*iris)


def test_wrong_data_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="NaN"):
        OPNBClassifier().fit(np.where(X > 7, np.nan, X), y)
    with pytest.raises(ValueError, match="only one class"):
        OPNBClassifier().fit(X, np.zeros(len(y)))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        OPNBClassifier().fit(scipy.sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="has one row"):
        OPNBClassifier(likelihood="leave-one-out").fit(X, np.where(np.arange(150) == 0, 7, y))
    with pytest.raises(NotFittedError):
        OPNBClassifier().transform(X)


def test_wrong_directions_are_refused(fitted):
    with pytest.raises(ValueError, match="direction 2 is out of range"):
        fitted.marginal_densities(2, [0.0])
    with pytest.raises(ValueError, match="one column for each"):
        fitted.predict_log_proba_on(np.zeros((3, 2)), [0])


def test_leave_one_out_allows_lam_zero(iris):
    clf = OPNBClassifier(n_components=2, lam=0.0, likelihood="leave-one-out").fit(*iris)
    assert clf.score(*iris) > 0.95


@pytest.mark.parametrize("likelihood", ["resubstitution", "leave-one-out"])
def test_constant_columns_and_duplicate_rows_do_no_harm(iris, likelihood):
    X, y = iris
    # The mean of 150 times 0.1 is not 0.1: the column must be known as constant all the same.
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    plain = OPNBClassifier(n_components=2, likelihood=likelihood).fit(X, y)
    clf = OPNBClassifier(n_components=2, likelihood=likelihood).fit(constant, y)
    assert clf.objective_ == pytest.approx(plain.objective_, abs=1e-6)
    np.testing.assert_allclose(clf.components_[:, 4], 0.0, atol=1e-12)
    doubled = OPNBClassifier(n_components=2, likelihood=likelihood).fit(np.vstack([X, X]), np.concatenate([y, y]))
    assert doubled.score(X, y) > 0.95


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    X = rng.standard_normal((20, 60)) + y[:, None]
    clf = OPNBClassifier(n_components=25, lam=0.05).fit(X, y)
    assert clf.components_.shape == (25, 60)
    assert np.isfinite(clf.objective_)
    assert clf.score(X, y) == 1.0


def test_one_direction_and_one_feature(iris):
    X, y = iris
    assert OPNBClassifier(n_components=1).fit(X, y).score(X, y) > 0.95
    assert OPNBClassifier().fit(X[:, [3]], y).components_.shape == (1, 1)


def test_a_crushing_penalty_gives_the_priors(iris):
    X, y = iris
    clf = OPNBClassifier(lam=1e4, max_iter=500).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X[:5]), 1 / 3, atol=1e-2)
    zero = OPNBClassifier(n_components=2, init=np.zeros((4, 2))).fit(X, y)
    np.testing.assert_allclose(zero.predict_proba(X[:5]), 1 / 3)
    assert np.isinf(zero.bandwidths_).all()


def test_frames_keep_names_and_string_labels(iris):
    X, y = iris
    names = ["sl", "sw", "pl", "pw"]
    species = np.array(["setosa", "versicolor", "virginica"])[y]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        clf = OPNBClassifier(n_components=2).fit(frame, species)
        assert clf.feature_names_in_.tolist() == names
        assert clf.predict(frame)[0] == "setosa"
        assert clf.classes_.tolist() == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("penalty", ["total", "pooled"])
def test_covariance_penalties_are_those_of_the_scaled_data(iris, penalty):
    X, y = iris
    clf = OPNBClassifier(n_components=2, penalty=penalty).fit(X, y)
    V = (clf.components_ / clf.bandwidths_[:, None]).T
    Xs = (X - clf.mean_) / clf.scale_
    value, _ = value_and_gradient(V, Xs, y, lam=1e-3, penalty=penalty)
    assert clf.objective_ == pytest.approx(value)


def test_binned_fit_is_as_good_as_the_exact_one():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2000)
    X = rng.standard_normal((2000, 6)) + 1.2 * rng.standard_normal((3, 6))[y]
    exact = OPNBClassifier(n_components=2, n_bins=None).fit(X, y)
    auto = OPNBClassifier(n_components=2).fit(X, y)
    assert auto.objective_ == pytest.approx(exact.objective_, abs=1e-3)


def test_works_in_a_pipeline_and_transforms(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), OPNBClassifier(n_components=2)).fit(X, y)
    assert pipeline.score(X, y) > 0.95
    assert pipeline.transform(X).shape == (150, 2)
    frame = OPNBClassifier(n_components=2).set_output(transform="pandas").fit_transform(pd.DataFrame(X), y)
    assert frame.shape == (150, 2)


def test_verbose_prints_the_objective(iris, capsys):
    OPNBClassifier(n_components=2, max_iter=4, verbose=2).fit(*iris)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "objective" in lines[0]


def test_optimiser_needs_no_estimator(iris):
    from opnb.core.objective import make_problem

    X, y = iris
    trace = maximise(make_problem(X, y, 3, lam=0.01), np.eye(4, 2), max_iter=50, tol=1e-4)
    assert trace.last.objective > trace.history[0].objective
    assert trace.converged


def test_far_rows_have_posteriors_that_sum_to_one_and_a_word(iris):
    X, y = iris
    clf = OPNBClassifier(n_components=2).fit(X, y)
    for factor in (1e16, 1e160, 1e300):
        with pytest.warns(UserWarning, match="what is predicted for them means nothing"):
            posterior = clf.predict_proba(X[:20] * factor)
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)


def attributes(estimator):
    return {name: id(value) for name, value in vars(estimator).items()}


@pytest.mark.parametrize(
    "estimator", [OPNBClassifier(n_components=2), OPNBClassifierCV(lams=[1e-3, 1e-2], cv=2, n_components=2)]
)
def test_a_fit_that_fails_or_is_interrupted_changes_nothing(iris, estimator):
    X, y = iris
    clf = clone(estimator).fit(X, y)
    before = clf.predict_log_proba(X), attributes(clf)
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.where(X > 7, np.nan, X), y)

    def interrupt(iteration):
        if iteration.number == 2:
            raise KeyboardInterrupt

    clf.callback = interrupt
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X * 1e3, (y > 0).astype(int))
    clf.callback = None
    assert attributes(clf) == before[1]
    np.testing.assert_array_equal(clf.predict_log_proba(X), before[0])


def test_after_a_first_fit_that_failed_there_is_no_fit(iris):
    X, y = iris
    clf = OPNBClassifier(n_components=9)
    with pytest.raises(ValueError, match="n_components=9"):
        clf.fit(X, y)
    with pytest.raises(NotFittedError):
        clf.predict(X)


def test_a_column_that_is_constant_up_to_rounding_has_no_weight(iris):
    X, y = iris
    shares = X / X.sum(axis=1, keepdims=True)
    total = shares.sum(axis=1, keepdims=True)
    assert np.ptp(total) > 0, "or the test shows nothing"
    for init in ("pca", "random"):
        clf = OPNBClassifier(n_components=2, init=init, penalty="pooled", random_state=0)
        clf.fit(np.hstack([X, total]), y)
        assert clf.scale_[-1] == 1.0
        np.testing.assert_array_equal(clf.components_[:, -1], 0.0)
        other = clf.predict_proba(np.hstack([X, total + 100]))
        np.testing.assert_array_equal(other, clf.predict_proba(np.hstack([X, total])))


def test_whole_numbers_too_large_for_a_double_are_no_classes(iris):
    X, y = iris
    with pytest.raises(ValueError, match="Give the classes as text"):
        OPNBClassifier(n_components=2).fit(X, [2**63 + int(k) if k else -1 for k in y])


def test_gross_outliers_do_not_move_the_robust_scale(iris):
    X, y = iris
    wild = X.copy()
    wild[[3, 77]] *= 1000
    clf = OPNBClassifier(n_components=2, scale="robust", lam=1e-2).fit(wild, y)
    calm = OPNBClassifier(n_components=2, scale="robust").fit(X, y)
    np.testing.assert_allclose(clf.scale_, calm.scale_, rtol=0.25)
    rest = np.delete(np.arange(len(y)), [3, 77])
    assert clf.score(wild[rest], y[rest]) > 0.9
    with pytest.raises(ValueError, match="scale must be True, False or 'robust'"):
        OPNBClassifier(scale="wide").fit(X, y)


def test_a_given_start_says_how_many_directions_there_are(iris):
    X, y = iris
    clf = OPNBClassifier(init=np.eye(4, 3)).fit(X, y)
    assert clf.components_.shape == (3, 4)
    with pytest.raises(ValueError, match="n_init=5 needs init='random'"):
        OPNBClassifier(n_init=5).fit(X, y)


def test_a_weight_of_two_is_the_row_twice_and_a_weight_of_zero_is_no_row(iris):
    X, y = iris
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weights[:2] = 0, 2
    rows = np.repeat(np.arange(len(y)), weights)
    for settings in ({}, {"penalty": "pooled", "independence": 0.1, "scale": "robust"}, {"priors": "uniform"}):
        clf = OPNBClassifier(n_components=2, max_iter=5, **settings)
        weighted = clone(clf).fit(X, y, sample_weight=weights)
        repeated = clone(clf).fit(X[rows], y[rows])
        np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-12)
        np.testing.assert_allclose(weighted.class_prior_, repeated.class_prior_, rtol=1e-12)
        assert weighted.objective_ == pytest.approx(repeated.objective_, abs=1e-8)
        np.testing.assert_allclose(weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-4, atol=1e-6)


def test_priors_shift_the_posteriors(iris):
    X, y = iris
    rare = np.concatenate([np.flatnonzero(y != 2), np.flatnonzero(y == 2)[:10]])
    clf = OPNBClassifier(n_components=2, priors="uniform").fit(X[rare], y[rare])
    np.testing.assert_allclose(clf.class_prior_, 1 / 3)
    given = OPNBClassifier(n_components=2, priors=[0.2, 0.3, 0.5]).fit(X[rare], y[rare])
    np.testing.assert_allclose(given.class_prior_, [0.2, 0.3, 0.5])
    shares = OPNBClassifier(n_components=2).fit(X[rare], y[rare])
    assert clf.predict_proba(X)[:, 2].mean() > shares.predict_proba(X)[:, 2].mean()
    with pytest.raises(ValueError, match="one entry for each of the 3 classes"):
        OPNBClassifier(priors=[0.5, 0.5]).fit(X, y)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_independent_directions_do_not_lie_on_one_another(load):
    X, y = load(return_X_y=True)
    largest = {}
    for independence in (0.0, 0.1):
        clf = OPNBClassifier(n_components=2, independence=independence).fit(X, y)
        Z = clf.transform(X)
        within = Z - np.array([Z[y == k].mean(axis=0) for k in range(3)])[y]
        largest[independence] = abs(np.corrcoef(within.T)[0, 1])
        last = clf.history_[-1]
        assert last.objective == pytest.approx(
            last.log_likelihood - clf.lam * last.penalty - independence * last.dependence
        )
    assert largest[0.1] < 0.3
    assert largest[0.1] <= largest[0.0] + 0.05


def test_contributions_of_the_directions_add_up_to_the_posteriors(iris):
    X, y = iris
    clf = OPNBClassifier(n_components=3, priors=[0.2, 0.3, 0.5]).fit(X, y)
    parts = clf.log_density_contributions(X)
    assert parts.shape == (len(X), 3, 3)
    joint = parts.sum(axis=1) + np.log(clf.class_prior_)
    np.testing.assert_allclose(log_posterior(joint), clf.predict_log_proba(X), atol=1e-9)
    for d in range(3):
        np.testing.assert_allclose(parts[:, d].T, clf.log_marginal_densities(d, clf.transform(X)[:, d]), atol=1e-12)


def test_no_iterations_make_a_model_of_given_directions(iris):
    X, y = iris
    V = np.array([[0.5, -1.0], [0.0, 2.0], [3.0, 0.0], [1.0, 1.0]])
    clf = OPNBClassifier(init=V, max_iter=0).fit(X, y)
    assert (clf.n_iter_, clf.converged_, clf.stopped_) == (0, False, False)
    found = clf.components_.T / clf.bandwidths_
    np.testing.assert_allclose(np.sort(found, axis=1), np.sort(V, axis=1), atol=1e-12)
    assert clf.objective_ == pytest.approx(value_and_gradient(V, clf.scaled(X), y, lam=1e-3)[0])
    starts = OPNBClassifier(n_components=2, init="random", n_init=3, random_state=0, max_iter=0).fit(X, y).starts_
    assert [start.n_iter for start in starts] == [0, 0, 0]
