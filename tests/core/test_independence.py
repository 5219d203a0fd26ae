import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from opnb.core.independence import dependence_and_gradient, with_ridge
from opnb.core.initialisation import pca_start
from opnb.core.objective import evaluate, make_problem, value_and_gradient
from opnb.core.optimise import maximise
from opnb.core.penalties import penalty_matrix, within_covariance
from tests import reference
from tests.core.problems import LIKELIHOODS, PENALTIES, assert_derivative, problem


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_dependence_equals_the_correlations_of_the_projections(m, weighted):
    V, X, y = problem(m=m)
    weights = np.random.default_rng(1).exponential(size=len(y)) if weighted else None
    value, slope = dependence_and_gradient(V, with_ridge(within_covariance(X, y, 3, weights)))
    expected, expected_slope = reference.dependence(V, X, y, weights)
    assert value == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(slope, expected_slope, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_the_objective_with_it_equals_reference(likelihood, penalty):
    V, X, y = problem()
    C = penalty_matrix(X, y, 3, penalty)
    value, gradient = value_and_gradient(V, X, y, lam=0.05, penalty=penalty, likelihood=likelihood, independence=0.7)
    expected, slope = reference.objective(V, X, y, 0.05, C, likelihood == "leave-one-out", independence=0.7)
    assert value == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n_bins", [None, 200])
@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_gradient_is_the_derivative_of_the_value(likelihood, penalty, scale, n_bins):
    V, X, y = problem(n=120, n_classes=4)
    V = V * np.array([1.0, scale, 1.0])
    lam = 0.01 / scale**2  # a large penalty would drown the differences in rounding
    settings = {"lam": lam, "penalty": penalty, "likelihood": likelihood, "n_bins": n_bins, "independence": 0.5}
    _, gradient = value_and_gradient(V, X, y, **settings)
    assert_derivative(lambda moved: value_and_gradient(moved, X, y, **settings)[0], V, gradient, rel=1e-4)


def test_the_parts_add_up_to_the_objective_in_every_iteration():
    V, X, y = problem()
    stated = make_problem(X, y, 3, lam=0.01, independence=0.3)
    history = maximise(stated, V, max_iter=10, tol=1e-6).history
    for step in history:
        assert step.objective == step.log_likelihood - 0.01 * step.penalty - 0.3 * step.dependence
    assert history[-1].dependence < history[0].dependence


def test_without_it_nothing_is_computed_and_nothing_changes():
    V, X, y = problem()
    stated = make_problem(X, y, 3, lam=0.01)
    assert evaluate(V, stated).dependence == 0.0
    assert "within" not in vars(stated)


def test_one_direction_has_none():
    V, X, y = problem(m=1)
    with_it, without = (value_and_gradient(V, X, y, independence=mu) for mu in (5.0, 0.0))
    assert with_it[0] == without[0]
    np.testing.assert_array_equal(with_it[1], without[1])


@settings(max_examples=40, deadline=None)
@given(exponents=st.lists(st.floats(-100, 100), min_size=3, max_size=3))
def test_no_direction_gains_by_its_length(exponents):
    V, X, y = problem()
    W = with_ridge(within_covariance(X, y, 3))
    lengths = 10.0 ** np.array(exponents)
    value, slope = dependence_and_gradient(V, W)
    scaled, scaled_slope = dependence_and_gradient(V * lengths, W)
    assert scaled == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(scaled_slope * lengths, slope, rtol=1e-8, atol=1e-12)
    # The derivative along a direction's own length is zero.
    assert np.abs((slope * V).sum(axis=0)).max() < 1e-12


def test_directions_without_length_or_spread_are_defined():
    V, X, y = problem()
    X[:, 0] = y  # no spread within classes
    W = with_ridge(within_covariance(X, y, 3))
    along = np.zeros_like(V)
    along[0] = 1.0
    for odd in (
        np.zeros_like(V),
        along,
        np.where([True, False, False], 0.0, V),
        np.where([True, True, False], along, V),
    ):
        value, slope = dependence_and_gradient(odd, W)
        assert np.isfinite(value)
        assert np.isfinite(slope).all()
    assert dependence_and_gradient(np.zeros_like(V), W)[0] == 0.0
    assert dependence_and_gradient(along, W)[0] == pytest.approx(1.5)  # three equal directions
    nothing = with_ridge(np.zeros((5, 5)))
    assert np.isfinite(dependence_and_gradient(V, nothing)[1]).all()


def test_the_directions_of_iris_part_and_none_vanishes():
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)

    def correlation(mu):
        trace = maximise(make_problem(X, y, 3, lam=1e-3, independence=mu), pca_start(X, 2), max_iter=200, tol=1e-5)
        assert trace.converged
        return np.sqrt(reference.dependence(trace.V, X, y)[0]), np.linalg.norm(trace.V, axis=0)

    together, _ = correlation(0.0)
    apart, lengths = correlation(0.1)
    assert together > 0.99
    assert apart < 0.3
    assert lengths.min() > 0.5 * lengths.max()
