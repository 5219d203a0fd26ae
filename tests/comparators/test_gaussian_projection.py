import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB

from opnb.comparators import OptimalGaussianProjection, completed_directions
from opnb.comparators.gaussian_objective import GaussianProblem, value_and_gradient
from tests.comparators.samples import constant_in_a_class, gaussian_classes, wide


def standardised(X):
    return (X - X.mean(axis=0)) / np.where(np.ptp(X, axis=0) > 0, X.std(axis=0, ddof=1), 1.0)


def direct_value(V, X, y):
    """The class log-likelihood from the definition."""
    Z = X @ V
    joint = np.column_stack(
        [
            np.log(np.mean(y == k)) + norm(Z[y == k].mean(axis=0), Z[y == k].std(axis=0)).logpdf(Z).sum(axis=1)
            for k in range(y.max() + 1)
        ]
    )
    return (joint[np.arange(len(y)), y] - logsumexp(joint, axis=1)).mean()


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("sample", [gaussian_classes, wide, constant_in_a_class], ids=lambda s: s.__name__)
def test_gradient_is_the_derivative(d, sample):
    X, y = sample()
    X = standardised(X)
    problem = GaussianProblem.from_data(X, y)
    rng = np.random.default_rng(0)
    V = rng.standard_normal((X.shape[1], d))
    gradient = value_and_gradient(V, problem)[1]
    for _ in range(5):
        step = rng.standard_normal(V.shape)
        step *= 1e-6 / np.linalg.norm(step)
        change = value_and_gradient(V + step, problem)[0] - value_and_gradient(V - step, problem)[0]
        assert change / 2e-6 == pytest.approx((gradient * step).sum() / 1e-6, rel=1e-5, abs=1e-8)


def test_value_is_the_definition_and_ignores_the_length_of_directions():
    X, y = gaussian_classes()
    X = standardised(X)
    V = np.random.default_rng(1).standard_normal((4, 2))
    problem = GaussianProblem.from_data(X, y)
    assert value_and_gradient(V, problem)[0] == pytest.approx(direct_value(V, X, y), rel=1e-12)
    assert value_and_gradient(V * [3.0, 0.1], problem)[0] == pytest.approx(direct_value(V, X, y), rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_optimum_is_at_least_as_good_as_the_discriminant_directions(d):
    X, y = gaussian_classes(n=200, seed=2)
    clf = OptimalGaussianProjection(n_components=d).fit(X, y)
    Xs = standardised(X)
    lda = LinearDiscriminantAnalysis().fit(Xs, y).scalings_[:, : min(d, 2)]
    start = direct_value(lda, Xs, y) if d <= 2 else clf.start_log_likelihood_
    assert clf.start_log_likelihood_ == pytest.approx(start, rel=1e-9)
    assert clf.log_likelihood_ > clf.start_log_likelihood_
    assert clf.log_likelihood_ == pytest.approx(direct_value(clf.components_.T, Xs, y), rel=1e-9)
    assert clf.converged_


def test_start_is_completed_by_principal_directions_of_the_rest():
    X, y = gaussian_classes(n_classes=2)
    X = standardised(X)
    V = completed_directions(X, y, 3)
    lead = V[:, :1]
    np.testing.assert_allclose(V[:, 1:].T @ lead, 0.0, atol=1e-10)
    rest = X - X @ lead @ lead.T
    top = np.linalg.svd(rest - rest.mean(axis=0))[2][:2]
    np.testing.assert_allclose(np.abs(top @ V[:, 1:]), np.eye(2), atol=1e-8)


def test_posteriors_equal_gaussian_naive_bayes_on_the_projection():
    X, y = gaussian_classes()
    clf = OptimalGaussianProjection(n_components=2).fit(X, y)
    Z = clf.transform(X)
    expected = GaussianNB(var_smoothing=0.0).fit(Z, y).predict_log_proba(Z)
    np.testing.assert_allclose(clf.predict_log_proba(X), expected, rtol=1e-7, atol=1e-9)


def test_giving_up_is_said():
    X, y = gaussian_classes()
    with pytest.warns(ConvergenceWarning, match="gave up after 1 iterations"):
        OptimalGaussianProjection(max_iter=1).fit(X, y)
