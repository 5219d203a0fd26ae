import numpy as np
import pytest

from opnb.comparators import ClassConditionalICA, KDENaiveBayes
from tests.comparators.samples import constant_in_a_class, gaussian_classes, wide


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def rotated_classes(n, seed):
    """Two classes of independent, far from normal coordinates, each turned by an angle of its own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    S = np.where(y[:, None] == 0, rng.uniform(-1.7, 1.7, (n, 2)), rng.laplace(0, 0.7, (n, 2)))
    mixing = np.where(y[:, None, None] == 0, rotation(0.5), rotation(-0.3) @ np.diag([1.0, 2.0]))
    return np.einsum("nij,nj->ni", mixing, S), y


def true_posteriors(X):
    uniform = (np.abs(X @ rotation(0.5)) < 1.7).all(axis=1) / 3.4**2
    sources = X @ rotation(-0.3) / [1.0, 2.0]
    laplace = np.exp(-np.abs(sources).sum(axis=1) / 0.7) / 1.4**2 / 2.0
    return laplace / (uniform + laplace)


def test_independent_rotated_classes_are_recovered():
    X, y = rotated_classes(3000, 0)
    clf = ClassConditionalICA(random_state=0).fit(X, y)
    assert clf.converged_.all()
    # Unmixing, back in the units of X, undoes each class's rotation up to order, sign and scale.
    for k, mixing in enumerate((rotation(0.5), rotation(-0.3) @ np.diag([1.0, 2.0]))):
        whole = mixing.T / clf.scale_ @ clf.components_.T @ clf.unmixing_[k]
        whole = np.abs(whole) / np.abs(whole).max(axis=0)
        assert np.sort(whole, axis=0)[0].max() < 0.1
    X_new, y_new = rotated_classes(1000, 1)
    truth = true_posteriors(X_new)
    assert np.abs(clf.predict_proba(X_new)[:, 1] - truth).mean() < 0.07
    bayes = np.mean((truth > 0.5) != y_new)
    error = np.mean(clf.predict(X_new) != y_new)
    plain = np.mean(KDENaiveBayes().fit(X, y).predict(X_new) != y_new)
    assert error < bayes + 0.02 < plain


@pytest.mark.parametrize("sample", [gaussian_classes, constant_in_a_class], ids=lambda s: s.__name__)
def test_densities_integrate_to_one_in_the_shared_plane(sample):
    X, y = sample()
    clf = ClassConditionalICA(n_components=2, random_state=0).fit(X, y)
    axis = np.arange(-15, 15, 0.06)
    plane = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    points = plane @ clf.components_ * clf.scale_ + clf.mean_
    total = np.exp(clf.class_log_densities(points)).sum(axis=0) * 0.06**2
    np.testing.assert_allclose(total, 1.0, rtol=2e-3)


def test_classes_share_one_subspace():
    X, y = gaussian_classes(p=5)
    clf = ClassConditionalICA(n_components=2, random_state=0).fit(X, y)
    outside = np.linalg.svd(clf.components_)[2][2:]
    moved = X + 3.0 * outside[0] * clf.scale_
    np.testing.assert_allclose(clf.predict_proba(moved), clf.predict_proba(X), atol=1e-10)


def test_dimension_is_at_most_the_rank():
    X, y = wide()
    clf = ClassConditionalICA(random_state=0).fit(X, y)
    assert clf.components_.shape == (19, 40)
    assert clf.score(X, y) == 1.0


def test_a_search_that_does_not_converge_is_recorded_without_a_warning():
    X, y = gaussian_classes()
    clf = ClassConditionalICA(max_iter=1, random_state=0).fit(X, y)
    assert not clf.converged_.any()
    assert np.isfinite(clf.predict_log_proba(X)).all()


def test_seed_decides():
    X, y = gaussian_classes()
    first, second = (ClassConditionalICA(random_state=3).fit(X, y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
