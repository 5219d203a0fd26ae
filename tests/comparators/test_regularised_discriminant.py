import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from opnb.comparators import ReducedLinearDiscriminant, RegularisedDiscriminant
from tests.comparators.samples import collinear, gaussian_classes, wide


@pytest.mark.parametrize("seed", range(3))
def test_ends_are_scikit_learns_linear_and_quadratic_analysis(seed):
    X, y = gaussian_classes(n=300, seed=seed)
    X /= X.std(axis=0)  # scikit-learn refuses small variances
    for lam, reference in ((0.0, LinearDiscriminantAnalysis()), (1.0, QuadraticDiscriminantAnalysis())):
        expected = reference.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(RegularisedDiscriminant(lam=lam).fit(X, y).predict_proba(X), expected, atol=1e-9)


def test_between_the_ends_it_is_a_gaussian_with_the_mixed_covariance():
    X, y = gaussian_classes()
    lam = 0.3
    covariances = [np.cov(X[y == k].T, bias=True) for k in range(3)]
    shares = np.bincount(y) / len(y)
    pooled = sum(share * S for share, S in zip(shares, covariances, strict=True))
    joint = np.column_stack(
        [
            np.log(shares[k]) + multivariate_normal(X[y == k].mean(axis=0), lam * S + (1 - lam) * pooled).logpdf(X)
            for k, S in enumerate(covariances)
        ]
    )
    clf = RegularisedDiscriminant(lam=lam).fit(X, y)
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_log_proba(X), expected, rtol=1e-7, atol=1e-9)
    densities = joint - np.log(shares) + np.log(clf.scale_).sum()
    np.testing.assert_allclose(clf.class_log_densities(X), densities, rtol=1e-8)


def test_collinear_columns_are_as_if_they_were_not_there():
    X, y = collinear()
    for lam in (0.0, 0.5, 1.0):
        expected = RegularisedDiscriminant(lam=lam).fit(X[:, :4], y).predict_proba(X[:, :4])
        np.testing.assert_allclose(
            RegularisedDiscriminant(lam=lam).fit(X[:, :5], y).predict_proba(X[:, :5]), expected, atol=1e-6
        )


def test_more_columns_than_rows_still_separates_new_rows():
    X, y = wide(seed=0)
    X_new, y_new = wide(seed=1)
    assert RegularisedDiscriminant(lam=0.1).fit(X, y).score(X_new, y_new) >= 0.8


def test_linear_analysis_on_all_directions_is_scikit_learns():
    X, y = gaussian_classes(n=200, p=6, n_classes=4)
    reference = LinearDiscriminantAnalysis().fit(X, y)
    clf = ReducedLinearDiscriminant().fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), reference.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(np.abs(clf.transform(X)), np.abs(reference.transform(X)), atol=1e-8)


def test_linear_analysis_on_fewer_directions_is_the_same_in_the_reduced_space():
    X, y = gaussian_classes(n=200, p=6, n_classes=4)
    for q in (1, 2):
        reduced = LinearDiscriminantAnalysis(n_components=q).fit_transform(X, y)
        expected = LinearDiscriminantAnalysis().fit(reduced, y).predict_proba(reduced)
        clf = ReducedLinearDiscriminant(n_components=q).fit(X, y)
        assert clf.transform(X).shape == (200, q)
        np.testing.assert_allclose(clf.predict_proba(X), expected, atol=1e-9)
