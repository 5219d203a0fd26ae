"""Small problems that the tests of the core share."""

import numpy as np

LIKELIHOODS = ("resubstitution", "leave-one-out")
PENALTIES = ("frobenius", "total", "pooled")


def problem(n=90, p=5, m=3, n_classes=3, seed=0):
    """Give V, X and y with at least two rows of every class."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(n_classes), 2), rng.integers(0, n_classes, n - 2 * n_classes)])
    X = rng.standard_normal((n, p)) + 0.8 * rng.standard_normal((n_classes, p))[y]
    return rng.standard_normal((p, m)), X, y


def assert_derivative(function, V, gradient, rel=1e-5, step=1e-7):
    """Compare a gradient with central differences of `function` along random directions."""
    for D in np.random.default_rng(1).standard_normal((4, *V.shape)):
        slope = (function(V + step * D) - function(V - step * D)) / (2 * step)
        error = abs(np.vdot(gradient, D) - slope)
        assert error <= rel * max(abs(slope), 1e-2 * np.linalg.norm(gradient)), (np.vdot(gradient, D), slope)
