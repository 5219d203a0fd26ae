import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.core import binned
from opnb.core.objective import make_problem, resolve_n_bins, value_and_gradient
from opnb.core.penalties import penalty_matrix
from tests import reference
from tests.core.problems import LIKELIHOODS, PENALTIES, assert_derivative, problem


def assert_equals_reference(V, X, y, likelihood="resubstitution", lam=0.0, penalty="frobenius"):
    C = penalty_matrix(X, y, y.max() + 1, penalty)
    value, gradient = value_and_gradient(V, X, y, lam=lam, penalty=penalty, likelihood=likelihood)
    expected, slope = reference.objective(V, X, y, lam=lam, C=C, leave_out=likelihood == "leave-one-out")
    assert value == pytest.approx(expected, rel=1e-10, abs=1e-300)
    assert np.linalg.norm(gradient - slope) <= 1e-10 * np.linalg.norm(slope) + 1e-300


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_exact_equals_reference_for_every_likelihood_and_penalty(likelihood, penalty):
    assert_equals_reference(*problem(), likelihood=likelihood, lam=0.05, penalty=penalty)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8, 9, 16, 17, 26])
def test_exact_equals_reference_for_any_number_of_classes(n_classes, likelihood):
    assert_equals_reference(*problem(n=120, n_classes=n_classes, seed=n_classes), likelihood=likelihood)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e2, 1e4, 1e6])
def test_exact_equals_reference_at_any_scale(scale, likelihood):
    V, X, y = problem()
    assert_equals_reference(scale * V, X, y, likelihood=likelihood)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_exact_equals_reference_with_ties_and_duplicates(likelihood):
    V, X, y = problem()
    tied = np.round(X)
    assert_equals_reference(np.round(V), np.vstack([tied, tied[:20]]), np.concatenate([y, y[:20]]), likelihood)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_exact_is_not_disturbed_by_an_offset(likelihood):
    rng = np.random.default_rng(5)
    # Multiples of 2^-20 survive an offset of 2^20 unrounded, so both sides see the same differences.
    X = np.round(rng.standard_normal((80, 2)) * 2**20) / 2**20
    y = rng.integers(0, 3, 80)
    V = np.diag([1.0, 2.0])
    value, gradient = value_and_gradient(V, X + 2.0**20, y, likelihood=likelihood)
    expected, slope = reference.objective(V, X, y, leave_out=likelihood == "leave-one-out")
    assert value == pytest.approx(expected, rel=1e-12)
    # X' dZ of shifted X equals that of X because the derivatives of a direction sum to zero.
    assert np.linalg.norm(gradient - slope) <= 1e-8 * np.linalg.norm(slope)


def test_a_class_of_one_row_counts_itself():
    V, X, y = problem()
    y[-1] = 3
    assert_equals_reference(V, X, y)
    with pytest.raises(ValueError, match="at least two rows"):
        value_and_gradient(V, X, y, likelihood="leave-one-out")


def high_precision_value(V, X, y, leave_out):
    with mpmath.workdps(60):
        Z = [[mpmath.fsum(mpmath.mpf(a) * mpmath.mpf(b) for a, b in zip(row, V[:, 0], strict=True))] for row in X]
        counts = np.bincount(y)
        result = mpmath.mpf(0)
        for i in range(len(y)):
            joint = []
            for k in range(len(counts)):
                others = [j for j in np.flatnonzero(y == k) if not (leave_out and j == i)]
                distances = [abs(Z[i][0] - Z[j][0]) for j in others]
                density = mpmath.fsum((1 + u) * mpmath.exp(-u) / 4 for u in distances) / len(others)
                joint.append(mpmath.mpf(int(counts[k])) / len(y) * density)
            result += mpmath.log(joint[y[i]] / mpmath.fsum(joint))
        return result / len(y)


@pytest.mark.parametrize("leave_out", [False, True])
@pytest.mark.parametrize("distance", [30.0, 1_000.0, 10_000.0])
def test_classes_thousands_of_bandwidths_apart_agree_with_high_precision(distance, leave_out):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 8)
    X = rng.standard_normal((16, 2)) + np.array([0.0, distance])[y][:, None]
    X[0] += distance  # one row on the wrong side, one half way
    X[9] -= distance / 2
    V = np.array([[1.0], [0.25]])
    likelihood = "leave-one-out" if leave_out else "resubstitution"
    value, gradient = value_and_gradient(V, X, y, likelihood=likelihood)
    assert value == pytest.approx(float(high_precision_value(V, X, y, leave_out)), rel=1e-12)
    step = 1e-12
    for row in range(2):
        moved = np.zeros((2, 1))
        moved[row] = step
        with mpmath.workdps(60):
            ahead = high_precision_value(V + moved, X, y, leave_out)
            behind = high_precision_value(V - moved, X, y, leave_out)
            width = mpmath.mpf(float((V + moved)[row, 0])) - mpmath.mpf(float((V - moved)[row, 0]))
            slope = float((ahead - behind) / width)
        assert gradient[row, 0] == pytest.approx(slope, rel=1e-6, abs=1e-30)


@pytest.mark.parametrize("n_bins", [None, 200, 1000])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_gradient_is_the_derivative_of_the_value(likelihood, penalty, n_bins):
    V, X, y = problem(n=150, n_classes=5)
    given = {"lam": 0.01, "penalty": penalty, "likelihood": likelihood, "n_bins": n_bins}
    _, gradient = value_and_gradient(V, X, y, **given)
    assert_derivative(lambda moved: value_and_gradient(moved, X, y, **given)[0], V, gradient)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_binned_value_and_gradient_converge(likelihood):
    _, X, y = problem(n=300)
    projections = np.random.default_rng(3).standard_normal((12, 5, 3))

    def errors(n_bins):
        pairs = [
            (value_and_gradient(V, X, y, likelihood=likelihood, n_bins=n), V)
            for V in projections
            for n in (n_bins, None)
        ]
        values = [a[0][0] - b[0][0] for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
        slopes = [np.linalg.norm(a[0][1] - b[0][1]) for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
        return np.sqrt(np.mean(np.square(values))), np.sqrt(np.mean(np.square(slopes)))

    (coarse, coarse_slope), (fine, fine_slope) = errors(200), errors(1600)
    # Eight times the points: orders two and one promise 64 and 8.
    assert coarse < 1e-5
    assert fine < coarse / 20
    assert fine_slope < coarse_slope / 4


def test_wide_directions_are_exact_even_when_bins_are_asked_for():
    V, X, y = problem()
    wide = V * np.array([1.0, 1e4, 1.0])
    mixed, _ = value_and_gradient(wide, X, y, n_bins=2000)
    exact, _ = value_and_gradient(wide, X, y)
    assert mixed == pytest.approx(exact, rel=1e-5)


def test_lattice_has_the_points_asked_for_and_a_fine_step():
    low, high = np.array([0.0, -5.0, 0.0]), np.array([1.0, 5.0, 500.0])
    step = binned.lattice_steps(low, high, 100)
    assert (step <= 0.1).all()
    assert ((high - low) / step + 1 >= 100).all()
    assert (binned.lattice_steps(np.zeros(1), np.zeros(1), 100) > 0).all()


def test_auto_bins_large_samples_only():
    assert resolve_n_bins("auto", 100, False) is None
    assert resolve_n_bins("auto", 100_000, False) is not None
    assert resolve_n_bins(37, 10, False) == 37
    assert resolve_n_bins(None, 100_000, False) is None


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), likelihood=st.sampled_from(LIKELIHOODS))
def test_row_order_label_names_shift_and_sign_change_nothing(seed, likelihood):
    V, X, y = problem(n=40, seed=seed % 7)
    rng = np.random.default_rng(seed)
    value, gradient = value_and_gradient(V, X, y, likelihood=likelihood)
    order = rng.permutation(len(y))
    names = np.array(["zebra", "ant", "mole"])
    sign = rng.choice([-1.0, 1.0], V.shape[1])
    moved, slope = value_and_gradient(V * sign, X[order] + 3.0, names[y[order]], likelihood=likelihood)
    assert moved == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(slope * sign, gradient, rtol=1e-8, atol=1e-12)


def test_wrong_names_and_shapes_are_refused():
    V, X, y = problem()
    for wrong in ((V.T, X, y), (V[:, 0], X, y), (V, X, y[:-1])):
        with pytest.raises(ValueError, match="V must be"):
            value_and_gradient(*wrong)
    with pytest.raises(ValueError, match="penalty must be one of"):
        value_and_gradient(V, X, y, penalty="ridge")
    with pytest.raises(ValueError, match="likelihood must be one of"):
        make_problem(X, y, 3, lam=0.0, likelihood="loo")
