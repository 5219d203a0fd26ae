import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.core.densities import ClassDensities, greedy_order
from opnb.core.initialisation import pca_start
from opnb.core.objective import make_problem, value_and_gradient
from opnb.core.penalties import penalty_matrix
from opnb.core.weights import left_by_each_row
from tests import reference
from tests.core.problems import LIKELIHOODS, PENALTIES, assert_derivative, problem


def some_weights(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "spread": rng.exponential(size=n),
        "ties": rng.integers(1, 4, n).astype(float),
        "huge ratios": 10.0 ** rng.uniform(-12, 12, n),
        "one heavy row": np.where(np.arange(n) == 3, 1e15, 1.0),
        "zeros": rng.integers(0, 3, n) + (np.arange(n) < 20).astype(float),
    }[kind]


KINDS = ("spread", "ties", "huge ratios", "one heavy row", "zeros")
PRIORS = {3: np.array([0.7, 0.1, 0.2])}


def expected_objective(V, X, y, weights, likelihood, priors=None, lam=0.0, penalty="frobenius", independence=0.0):
    there = weights > 0
    X, y, weights = X[there], y[there], weights[there]
    C = {"frobenius": None, "total": lambda: reference.covariance(X, None, weights)}.get(
        penalty, lambda: reference.covariance(X, y, weights)
    )
    return reference.objective(
        V, X, y, lam, C and C(), likelihood == "leave-one-out", independence, weights=weights, priors=priors
    )


def assert_close(got, expected, rel=1e-10):
    assert got[0] == pytest.approx(expected[0], rel=rel)
    assert np.linalg.norm(got[1] - expected[1]) <= 10 * rel * np.linalg.norm(expected[1])


@pytest.mark.parametrize("priors", [None, PRIORS[3]])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_exact_equals_reference(likelihood, kind, priors):
    V, X, y = problem()
    weights = some_weights(kind, len(y))
    got = value_and_gradient(V, X, y, likelihood=likelihood, sample_weight=weights, priors=priors)
    assert_close(got, expected_objective(V, X, y, weights, likelihood, priors))


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("n_classes", range(2, 10))
def test_exact_equals_reference_for_any_number_of_classes(n_classes, likelihood):
    V, X, y = problem(n=100, n_classes=n_classes)
    weights = some_weights("spread", len(y))
    got = value_and_gradient(V, X, y, likelihood=likelihood, sample_weight=weights)
    assert_close(got, expected_objective(V, X, y, weights, likelihood))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("scale", [1e-3, 1e2, 1e4])
def test_wide_and_narrow_directions_equal_reference(likelihood, kind, scale):
    V, X, y = problem()
    V = V * np.array([1.0, scale, scale])
    weights = some_weights(kind, len(y))
    got = value_and_gradient(V, X, y, likelihood=likelihood, sample_weight=weights)
    assert_close(got, expected_objective(V, X, y, weights, likelihood), rel=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_penalties_independence_and_priors_equal_reference(likelihood, penalty):
    V, X, y = problem()
    weights = some_weights("ties", len(y))
    parts = {"lam": 0.05, "penalty": penalty, "independence": 0.4, "priors": PRIORS[3]}
    got = value_and_gradient(V, X, y, likelihood=likelihood, sample_weight=weights, **parts)
    assert_close(got, expected_objective(V, X, y, weights, likelihood, **parts), rel=1e-8)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("kind", KINDS)
def test_binned_comes_near_exact(kind, likelihood):
    V, X, y = problem(n=300)
    given = {"likelihood": likelihood, "sample_weight": some_weights(kind, len(y)), "priors": PRIORS[3]}
    binned, exact = (value_and_gradient(V, X, y, n_bins=n_bins, **given) for n_bins in (1600, None))
    # The error of a heavy row is not averaged out by those of the others.
    assert binned[0] == pytest.approx(exact[0], abs=2e-4)


@pytest.mark.parametrize("n_bins", [None, 200])
@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("n_classes", [2, 3, 5, 8])
@pytest.mark.parametrize("kind", ["ties", "zeros", "huge ratios"])
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_gradient_is_the_derivative_of_the_value(likelihood, kind, n_classes, scale, n_bins):
    V, X, y = problem(n=120, n_classes=n_classes)
    V = V * np.array([1.0, scale, 1.0])
    priors = np.arange(1.0, n_classes + 1)
    given = {"likelihood": likelihood, "n_bins": n_bins, "sample_weight": some_weights(kind, len(y))}
    given |= {"priors": priors / priors.sum(), "lam": 0.01 / scale**2, "penalty": "pooled", "independence": 0.1}
    _, gradient = value_and_gradient(V, X, y, **given)
    assert_derivative(lambda moved: value_and_gradient(moved, X, y, **given)[0], V, gradient, rel=1e-4)


def repeated(X, y, times):
    rows = np.repeat(np.arange(len(y)), times)
    return X[rows], y[rows]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    penalty=st.sampled_from(PENALTIES),
    n_bins=st.sampled_from([None, 150]),
    scale=st.sampled_from([1.0, 1e3]),
    n_classes=st.integers(2, 8),
)
def test_a_weight_of_two_is_the_row_twice(seed, penalty, n_bins, scale, n_classes):
    V, X, y = problem(n=60, n_classes=n_classes, seed=seed % 11)
    V = V * np.array([scale, 1.0, 1.0])
    rng = np.random.default_rng(seed)
    times = np.where(np.arange(len(y)) < 2 * n_classes, rng.integers(1, 4, len(y)), rng.integers(0, 4, len(y)))
    given = {"lam": 0.02, "penalty": penalty, "n_bins": n_bins, "independence": 0.2}
    got = value_and_gradient(V, X, y, sample_weight=times, **given)
    # The lattice is laid over the rows that are there, so it is the same one too.
    assert_close(got, value_and_gradient(V, *repeated(X, y, times), **given), rel=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    likelihood=st.sampled_from(LIKELIHOODS),
    n_bins=st.sampled_from([None, 150]),
    factor=st.sampled_from([1e-200, 1e-3, 2.0, 7.0, 1e200]),
)
def test_scale_and_order_of_the_weights_change_nothing(seed, likelihood, n_bins, factor):
    V, X, y = problem(n=60, seed=seed % 11)
    weights = np.random.default_rng(seed).exponential(size=60)
    given = {"lam": 0.02, "likelihood": likelihood, "n_bins": n_bins, "independence": 0.2}
    value, gradient = value_and_gradient(V, X, y, sample_weight=weights, **given)
    order = np.random.default_rng(seed).permutation(60)
    moved, slope = value_and_gradient(V, X[order], y[order], sample_weight=factor * weights[order], **given)
    assert moved == pytest.approx(value, rel=1e-11)
    np.testing.assert_allclose(slope, gradient, rtol=1e-8, atol=1e-11)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), likelihood=st.sampled_from(LIKELIHOODS), weighted=st.booleans())
def test_priors_go_with_their_classes(seed, likelihood, weighted):
    V, X, y = problem(n=60, seed=seed % 11)
    rng = np.random.default_rng(seed)
    priors = rng.dirichlet(np.ones(3)) * 0.9 + 0.1 / 3
    weights = rng.exponential(size=60) if weighted else None
    new_name = rng.permutation(3)
    renamed = np.empty(3)
    renamed[new_name] = priors
    value, gradient = value_and_gradient(V, X, y, likelihood=likelihood, priors=priors, sample_weight=weights)
    got = value_and_gradient(V, X, new_name[y], likelihood=likelihood, priors=renamed, sample_weight=weights)
    assert_close(got, (value, gradient), rel=1e-11)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_priors_are_weights_of_the_classes(likelihood):
    V, X, y = problem()
    counts = np.bincount(y)
    by_weight = value_and_gradient(V, X, y, likelihood=likelihood, sample_weight=(PRIORS[3] * len(y) / counts)[y])
    assert_close(value_and_gradient(V, X, y, likelihood=likelihood, priors=PRIORS[3]), by_weight, rel=1e-12)
    shares = counts / len(y)
    plain = value_and_gradient(V, X, y, likelihood=likelihood)
    assert_close(value_and_gradient(V, X, y, likelihood=likelihood, priors=shares), plain, rel=1e-12)
    uniform = value_and_gradient(V, X, y, likelihood=likelihood, priors="uniform")
    assert_close(value_and_gradient(V, X, y, likelihood=likelihood, priors=np.full(3, 1 / 3)), uniform)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_equal_weights_are_bit_for_bit_no_weights(likelihood):
    V, X, y = problem()
    plain = value_and_gradient(V, X, y, lam=0.1, likelihood=likelihood, n_bins=100)
    got = value_and_gradient(V, X, y, lam=0.1, likelihood=likelihood, n_bins=100, sample_weight=np.full(len(y), 2.0))
    assert got[0] == plain[0]
    np.testing.assert_array_equal(got[1], plain[1])


def test_beside_one_heavy_row_the_others_are_not_lost():
    masses = np.array([1e20, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(left_by_each_row(np.zeros(4, dtype=int), masses)[0], 6.0)


@pytest.mark.parametrize("penalty", ["total", "pooled"])
def test_covariances_of_weights_that_sum_to_one_are_those_of_shares(penalty):
    _, X, y = problem()
    C = penalty_matrix(X, y, 3, penalty, np.full(len(y), 1 / len(y)))
    expected = reference.covariance(X, y if penalty == "pooled" else None)
    factor = (len(y) - (3 if penalty == "pooled" else 1)) / len(y)
    np.testing.assert_allclose(C, factor * expected, rtol=1e-10)


def test_principal_directions_of_repeated_rows():
    _, X, y = problem()
    times = some_weights("zeros", len(y)).astype(int)
    X = X - np.average(X, axis=0, weights=times)
    np.testing.assert_allclose(pca_start(X, 3, times), pca_start(repeated(X, y, times)[0], 3), atol=1e-10)


def fitted(V, X, y, **given):
    n_classes = y.max() + 1
    stated = make_problem(X, y, n_classes, lam=0.0, **given)
    return ClassDensities.from_projection(V, stated), greedy_order(V, stated)


@pytest.mark.parametrize("wide", [1.0, 1e4])
def test_densities_posteriors_and_order_of_repeated_rows(wide):
    V, X, y = problem()
    V = V * np.array([1.0, wide, 0.5])
    times = some_weights("ties", len(y)).astype(int)
    ours, (order, likelihood) = fitted(V, X, y, sample_weight=times.astype(float))
    twice, (expected_order, expected_likelihood) = fitted(V, *repeated(X, y, times))
    Z = np.vstack([X, 30 * X[:10]]) @ ours.components.T
    np.testing.assert_allclose(ours.joint_log_likelihood(Z), twice.joint_log_likelihood(Z), rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(order, expected_order)
    assert likelihood == pytest.approx(expected_likelihood, rel=1e-11)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_densities_and_likelihood_with_weights_and_priors_equal_reference(likelihood):
    V, X, y = problem()
    weights = some_weights("huge ratios", len(y))
    ours, (_, value) = fitted(V, X, y, sample_weight=weights, priors=PRIORS[3], likelihood=likelihood)
    assert value == pytest.approx(expected_objective(V, X, y, weights, likelihood, PRIORS[3])[0], rel=1e-10)
    log_f = reference.log_densities(X @ V, y, 3, False, weights).sum(axis=2)
    expected = log_f + np.log(np.linalg.norm(V, axis=0)).sum() + np.log(PRIORS[3])
    np.testing.assert_allclose(ours.joint_log_likelihood(X @ ours.components.T), expected, rtol=1e-10)


def test_priors_alone_leave_the_densities_as_they_are():
    V, X, y = problem()
    ours, _ = fitted(V, X, y, priors=PRIORS[3])
    plain, _ = fitted(V, X, y)
    assert ours.masses is None
    np.testing.assert_array_equal(ours.log_densities(0, X @ V[:, 0]), plain.log_densities(0, X @ V[:, 0]))
    np.testing.assert_allclose(np.exp(ours.log_prior), PRIORS[3])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sample_weight": np.ones(5)}, "one entry for each of the 90 rows"),
        ({"sample_weight": np.where(np.arange(90) == 7, -1.0, 1.0)}, "row 7 has -1.0"),
        ({"sample_weight": np.where(np.arange(90) == 8, np.nan, 1.0)}, "row 8 has nan"),
        ({"sample_weight": np.zeros(90)}, "not be zero for every row"),
        ({"priors": [0.5, 0.5]}, "one entry for each of the 3 classes"),
        ({"priors": [0.5, 0.5, 0.0]}, "positive and sum to one"),
        ({"priors": [0.5, 0.5, 0.5]}, "which sum to 1.5"),
        ({"priors": "flat"}, '"uniform"'),
    ],
)
def test_wrong_weights_and_priors_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        value_and_gradient(*problem(), **given)


def test_leave_one_out_counts_rows_of_positive_weight():
    V, X, y = problem()
    weights = np.where((y == 1) & (np.arange(len(y)) != np.flatnonzero(y == 1)[0]), 0.0, 1.0)
    with pytest.raises(ValueError, match="of positive weight"):
        value_and_gradient(V, X, y, likelihood="leave-one-out", sample_weight=weights)
