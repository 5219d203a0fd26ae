"""Densities on a lattice against exact ones."""

import numpy as np
import pytest

from opnb.core.densities import ClassDensities
from opnb.core.lattice_densities import STEP
from opnb.core.objective import make_problem
from opnb.core.pieces import Piece, Whole
from opnb.core.runners import Here
from opnb.core.scattered import densities_of_pieces
from tests.core.problems import problem


def both(V, X, y, weights=None, n_pieces=3):
    p = X.shape[1]
    stated = make_problem(X, y, y.max() + 1, lam=0.0, sample_weight=weights)
    sums = None if weights is None else np.bincount(y, weights)
    whole = Whole.of(np.zeros(p), np.ones(p), np.bincount(y), sums)
    cut = np.array_split(np.arange(y.size), n_pieces)
    pieces = [Piece(X[rows], y[rows], None if weights is None else weights[rows], (rows.size,)) for rows in cut]
    return ClassDensities.from_projection(V, stated), densities_of_pieces(V, pieces, whole, stated.priors, Here())


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 3000.0])
def test_log_densities_are_off_by_no_more_than_is_told(scale, weighted):
    V, X, y = problem(n=60, n_classes=4)
    weights = np.random.default_rng(0).uniform(0.1, 2.0, y.size) if weighted else None
    exact, lattice = both(scale * V, X, y, weights)
    assert lattice.errors.max() <= 1.6 * STEP**3 / 48
    far = np.random.default_rng(1).standard_normal((20, 5)) * 1e4
    Z = np.concatenate([3.0 * X, X, X + 0.01, far]) @ exact.components.T
    np.testing.assert_allclose(lattice.log_prior, exact.log_prior)
    for d, z in enumerate(Z.T):
        off = np.abs(lattice.log_densities(d, z) - exact.log_densities(d, z))
        # Rounding of huge log densities far away comes on top.
        assert (off <= lattice.errors[d] + 1e-12 * np.abs(exact.log_densities(d, z)) + 1e-12).all()


def test_a_direction_of_zero_length_tells_no_classes_apart():
    V, X, y = problem(n=60)
    V[:, 1] = 0.0
    exact, lattice = both(V, X, y)
    z = np.linspace(-3.0, 3.0, 7)
    np.testing.assert_allclose(lattice.log_densities(1, z), exact.log_densities(1, z), atol=1e-12)


def test_the_size_depends_on_the_ranges_alone():
    V, X, y = problem(n=200)
    once, twice = both(V, X, y)[1], both(V, np.vstack([X, X]), np.concatenate([y, y]))[1]
    assert once.levels.shape == twice.levels.shape
    np.testing.assert_allclose(once.levels, twice.levels)
