import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.neighbors import KernelDensity

from opnb.comparators import KernelDensityDiscriminant, kernel_discriminant
from tests.comparators.samples import gaussian_classes, mixed_columns


@pytest.mark.parametrize("factor", [1 / 3, 1.0, 3.0])
def test_equals_scikit_learns_kernel_density(factor):
    X, y = gaussian_classes()
    clf = KernelDensityDiscriminant(factor=factor).fit(X, y)
    joint = np.empty((len(X), 3))
    for k in range(3):
        group = X[y == k]
        n, p = group.shape
        h = factor * (4 / (n * (p + 2))) ** (1 / (p + 4)) * group.std(axis=0, ddof=1)
        # One leaf: its tree loses digits in the tails.
        kde = KernelDensity(kernel="gaussian", bandwidth=1.0, leaf_size=1000).fit(group / h)
        joint[:, k] = kde.score_samples(X / h) - np.log(h).sum() + np.log(n / len(X))
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_log_proba(X), expected, rtol=1e-8, atol=1e-8)
    densities = joint - np.log(clf.class_prior_) + np.log(clf.scale_).sum()
    np.testing.assert_allclose(clf.class_log_densities(X), densities, rtol=1e-8)


def test_binary_columns_multiply_the_kernels():
    X, y = mixed_columns()
    alpha = 0.2
    clf = KernelDensityDiscriminant(alpha=alpha).fit(X, y)
    joint = np.empty((len(X), 2))
    for k in range(2):
        group = X[y == k]
        n = len(group)
        h = (4 / (n * 5)) ** (1 / 7) * group[:, :3].std(axis=0, ddof=1)
        gaussian = -0.5 * (((X[:, None, :3] - group[None, :, :3]) / h) ** 2).sum(axis=2)
        same = (X[:, None, 3:] == group[None, :, 3:]).sum(axis=2)
        terms = gaussian + same * np.log(1 - alpha) + (2 - same) * np.log(alpha)
        joint[:, k] = logsumexp(terms, axis=1) - np.log(h).sum() + np.log(1 / len(X))
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_log_proba(X), expected, rtol=1e-8, atol=1e-10)


def test_blocks_do_not_matter(monkeypatch):
    X, y = mixed_columns()
    whole = KernelDensityDiscriminant().fit(X, y).predict_log_proba(X)
    monkeypatch.setattr(kernel_discriminant, "_BLOCK", 200)
    pieces = KernelDensityDiscriminant().fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(pieces, whole, rtol=1e-12, atol=1e-12)


def test_memory_is_far_below_one_number_a_pair_and_column():
    import tracemalloc

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1500, 40)), np.arange(1500) % 2
    clf = KernelDensityDiscriminant().fit(X, y)
    tracemalloc.start()
    clf.predict(X[:1000])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1500 * 1000 * 40 / 10
