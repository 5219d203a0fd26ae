"""Small data sets that the tests of several comparators share."""

import numpy as np


def gaussian_classes(n=150, p=4, n_classes=3, seed=0):
    """Classes of different means, covariances and sizes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, size=n, p=np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum())
    X = rng.standard_normal((n, p))
    for k in range(n_classes):
        mixing = np.eye(p) + 0.4 * rng.standard_normal((p, p))
        X[y == k] = X[y == k] @ mixing + rng.standard_normal(p)
    return X * np.geomspace(0.1, 10, p) + 5.0, y


def mixed_columns(n=160, seed=0):
    """Three continuous and two binary columns, two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    continuous = rng.gamma(2.0, size=(n, 3)) + y[:, None]
    binary = rng.random((n, 2)) < 0.25 + 0.4 * y[:, None]
    return np.column_stack([continuous, np.where(binary, 7.0, 3.0)]), y


def collinear(seed=0):
    X, y = gaussian_classes(seed=seed)
    return np.column_stack([X, X[:, 0] + X[:, 1], 1e-9 * X[:, 2] + X[:, 3]]), y


def wide(seed=0):
    """More columns than rows."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 10)
    return rng.standard_normal((20, 40)) + 2.0 * y[:, None] * (np.arange(40) < 3), y


def constant_in_a_class(seed=0):
    """The last column is zero throughout class 0 and varies in the others; another is constant everywhere."""
    X, y = gaussian_classes(seed=seed)
    X[y == 0, -1] = 0.0
    return np.column_stack([X, np.full(len(X), 3.3)]), y


def one_row_class(seed=0):
    X, y = gaussian_classes(n_classes=2, seed=seed)
    return np.vstack([X, X.mean(axis=0) + 100.0]), np.append(y, 2)


def all_binary(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=80)
    return (rng.random((80, 6)) < 0.3 + 0.4 * y[:, None]).astype(float), y


def huge_offset(seed=0):
    X, y = gaussian_classes(seed=seed)
    return X + 1e8, y


def tiny_scale(seed=0):
    X, y = gaussian_classes(seed=seed)
    return X * 1e-12, y


HOSTILE = (collinear, wide, constant_in_a_class, one_row_class, all_binary, huge_offset, tiny_scale)
