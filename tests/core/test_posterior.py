import numpy as np
import pytest
from scipy.special import logsumexp

from opnb.core.densities import ClassDensities
from opnb.core.objective import make_problem
from opnb.core.posterior import log_posterior
from tests.core.problems import problem


def test_log_posterior_normalises():
    joint = np.random.default_rng(0).standard_normal((20, 4)) * 30
    np.testing.assert_allclose(log_posterior(joint), joint - logsumexp(joint, axis=1, keepdims=True), atol=1e-13)


@pytest.mark.parametrize("far", [1e8, 1e16, 1e100, 1e160, 1e306])
def test_posteriors_sum_to_one_however_far_the_points(far):
    V, X, y = problem(m=4, n_classes=4)
    model = ClassDensities.from_projection(V, make_problem(X, y, 4, lam=0.0))
    joint = model.joint_log_likelihood(far * (X @ model.components.T))
    assert np.isfinite(joint).all()
    np.testing.assert_allclose(np.exp(log_posterior(joint)).sum(axis=1), 1.0, rtol=1e-12)


def test_positions_that_overflow_are_taken_for_very_far_ones():
    V, X, y = problem(m=2)
    model = ClassDensities.from_projection(1e3 * V, make_problem(X, y, 3, lam=0.0))
    joint = model.joint_log_likelihood(np.array([[np.inf, 0.0], [-1e308, 1e308]]))
    assert np.isfinite(log_posterior(joint)).all()
