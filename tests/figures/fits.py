"""Small fits that several tests look at."""

import warnings
from functools import cache

import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from opnb import OPNBClassifier


def quick_fit(X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return OPNBClassifier(**{"max_iter": 25, **settings}).fit(X, y)


def blobs(n, n_classes, p=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n, p)) + 2.0 * rng.normal(size=(n_classes, p))[y], y


@cache
def iris_fit():
    """Three directions; every fourth row held out."""
    X, y = load_iris(return_X_y=True)
    train = np.arange(len(y)) % 4 != 0
    return quick_fit(X[train], y[train], n_components=3), X[train], y[train], X[~train], y[~train]


@cache
def blobs_fit(n, n_classes, n_components=2):
    X, y = blobs(n, n_classes)
    return quick_fit(X, y, n_components=n_components), X, y
