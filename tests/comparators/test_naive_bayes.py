import numpy as np
import pytest
from scipy.special import logsumexp

from opnb.comparators import KDENaiveBayes
from opnb.comparators.columns import binary_columns
from opnb.comparators.kde import GAUSSIAN_EQUIVALENT, ProductDensity
from tests.comparators.samples import gaussian_classes, mixed_columns
from tests.reference import log_kernel


def direct_log_proba(X, y, X_new, factor, alpha, binary):
    """The definition, term by term."""
    joint = np.zeros((len(X_new), y.max() + 1))
    for k in range(y.max() + 1):
        group = X[y == k]
        joint[:, k] = np.log(len(group) / len(X))
        for j in range(X.shape[1]):
            if j in binary:
                same = X_new[:, j][:, None] == group[:, j]
                joint[:, k] += np.log(np.where(same, 1 - alpha, alpha).mean(axis=1))
                continue
            h = 0.5104 * factor * (4 / (3 * len(group))) ** 0.2 * group[:, j].std(ddof=1)
            terms = log_kernel((X_new[:, j][:, None] - group[:, j]) / h)
            joint[:, k] += logsumexp(terms, axis=1) - np.log(h * len(group))
    return joint - logsumexp(joint, axis=1, keepdims=True)


@pytest.mark.parametrize(("factor", "alpha"), [(1.0, 0.1), (1 / 3, 0.5), (3.0, 0.3)])
def test_equals_the_direct_sum(factor, alpha):
    X, y = mixed_columns()
    far = X[:5] + np.array([1e3, -1e4, 50.0, 0.0, 0.0])
    X_new = np.vstack([X, far])
    clf = KDENaiveBayes(factor=factor, alpha=alpha).fit(X, y)
    assert list(clf.binary_columns_) == [3, 4]
    expected = direct_log_proba(X, y, X_new, factor, alpha, binary={3, 4})
    # The factor 0.5104 of the reference has four digits.
    np.testing.assert_allclose(clf.predict_log_proba(X_new), expected, rtol=5e-4, atol=5e-4)


def test_bandwidth_ratio_minimises_the_error_for_normal_data():
    """The kernel's own normal reference rule, by numerical integration."""
    u = np.linspace(-60, 60, 2_000_001)
    K = np.exp(log_kernel(u))
    roughness, variance = np.trapezoid(K**2, u), np.trapezoid(u**2 * K, u)
    gaussian = 1 / (2 * np.sqrt(np.pi))
    assert pytest.approx((roughness / variance**2 / gaussian) ** 0.2, rel=1e-6) == GAUSSIAN_EQUIVALENT
    assert pytest.approx(0.5104, abs=1e-4) == GAUSSIAN_EQUIVALENT


def test_densities_integrate_to_one():
    rng = np.random.default_rng(0)
    density = ProductDensity(rng.gamma(2.0, size=(50, 1)), np.array([0.3]))
    grid = np.linspace(-20, 40, 60_001)
    areas = np.trapezoid(np.exp(density.log_density(grid[None, :], [0.5, 2.0])), grid)
    np.testing.assert_allclose(areas, 1.0, rtol=1e-6)


def test_scale_and_offset_do_not_matter():
    X, y = gaussian_classes()
    moved = X * 1e-3 + 100.0
    np.testing.assert_allclose(
        KDENaiveBayes().fit(X, y).predict_proba(X), KDENaiveBayes().fit(moved, y).predict_proba(moved), atol=1e-9
    )


def test_binary_columns_are_found_with_the_noise_of_the_experiments():
    rng = np.random.default_rng(0)
    n = 400
    two = (rng.random(n) < 0.1).astype(float)
    columns = {
        "two values": two,
        "two values and 1 % noise": two + 0.01 * two.std() * rng.standard_normal(n),
        "normal": rng.standard_normal(n),
        "one outlier": np.append(rng.standard_normal(n - 1), 1e4),
        "two normals": two * 20 + rng.standard_normal(n),
        "constant": np.zeros(n),
    }
    found = binary_columns(np.column_stack(list(columns.values())))
    assert dict(zip(columns, found.tolist(), strict=True)) == {
        "two values": True,
        "two values and 1 % noise": True,
        "normal": False,
        "one outlier": False,
        "two normals": False,
        "constant": False,
    }


def test_mask_decides_over_detection():
    X, y = mixed_columns()
    clf = KDENaiveBayes(is_binary=np.array([False, False, False, True, False])).fit(X, y)
    assert list(clf.binary_columns_) == [3]
