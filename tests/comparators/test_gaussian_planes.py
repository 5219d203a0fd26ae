"""The planes of LDA and OPGD predict what the methods predict."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from opnb.comparators import OptimalGaussianProjection, ReducedLinearDiscriminant
from opnb.comparators.gaussian_planes import DiscriminantPlane, GaussianProjectionPlane
from opnb.errors import DataError
from opnb.views import projection_view


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_with_three_classes_both_are_the_methods_themselves(load):
    X, y = load(return_X_y=True)
    for plane, method in (
        (DiscriminantPlane(), ReducedLinearDiscriminant(n_components=2)),
        (GaussianProjectionPlane(), OptimalGaussianProjection(n_components=2)),
    ):
        plane.fit(X, y)
        method.fit(X, y)
        np.testing.assert_allclose(plane.predict_log_proba(X), method.predict_log_proba(X), atol=1e-6)
        np.testing.assert_array_equal(plane.predict(X), method.predict(X))
        np.testing.assert_allclose(np.linalg.norm(plane.components_, axis=1), 1)


def test_with_two_classes_the_second_axis_of_lda_decides_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    plane = DiscriminantPlane().fit(X, y)
    method = ReducedLinearDiscriminant(n_components=1).fit(X, y)
    np.testing.assert_allclose(plane.predict_log_proba(X), method.predict_log_proba(X), atol=1e-6)
    densities = plane.marginal_densities(1, np.linspace(-3, 3, 7))
    np.testing.assert_allclose(densities[0], densities[1])
    view = projection_view(plane, X, y)
    for line in view.boundary:
        assert np.ptp(line[:, 0]) < 1e-6 * np.ptp(view.x_range), "the boundary stands upright"


def test_the_second_axis_is_the_leading_principal_component_of_the_rest():
    X, y = load_breast_cancer(return_X_y=True)
    plane = DiscriminantPlane().fit(X, y)
    first, second = plane.components_
    assert abs(first @ second) < 1e-8
    rows = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    rest = rows - np.outer(rows @ first, first)
    leading = np.linalg.svd(rest, full_matrices=False)[2][0]
    assert abs(second @ leading) == pytest.approx(1, abs=1e-6)


def test_densities_integrate_to_one():
    X, y = load_iris(return_X_y=True)
    plane = GaussianProjectionPlane().fit(X, y)
    grid = np.linspace(-20, 20, 20_001)
    np.testing.assert_allclose(np.trapezoid(plane.marginal_densities(0, grid), grid, axis=1), 1, atol=1e-6)


def test_one_column_makes_no_plane():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match="two columns"):
        DiscriminantPlane().fit(X[:, :1], y)
