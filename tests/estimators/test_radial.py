import numpy as np
import pytest
from scipy.spatial.distance import pdist

from opnb.estimators.radial import RadialColumns


def rows(n=60, p=4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_distances_are_those_of_the_kernel():
    X = rows()
    a = 0.7 / 4  # four scaled columns have a total variance of four
    squared = pdist(X, "sqeuclidean")
    columns = RadialColumns.of(X, 0.7)
    np.testing.assert_allclose(pdist(columns.apply(X), "sqeuclidean"), -np.expm1(-a * squared) / a, rtol=1e-6)


def test_a_flat_kernel_gives_the_rows_themselves():
    X = rows()
    np.testing.assert_allclose(pdist(RadialColumns.of(X, 1e-4).apply(X)), pdist(X), rtol=1e-3)


def test_components_are_centred_and_their_variances_fall():
    columns = RadialColumns.of(rows(), 1.0).apply(rows())
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-9)
    assert (np.diff(columns.var(axis=0)) <= 1e-9).all()


def test_the_unit_of_all_columns_does_not_matter():
    X = rows()
    plain, tenfold = (RadialColumns.of(Z, 1.0).apply(Z) for Z in (X, 10 * X))
    np.testing.assert_allclose(pdist(tenfold), 10 * pdist(plain), rtol=1e-6)


def test_many_rows_are_spanned_by_few():
    X = rows(12_000)
    columns = RadialColumns.of(X, 1.0)
    assert columns.apply(X[:7]).shape == (7, 100)
    squared = pdist(X[:50], "sqeuclidean")
    ratio = pdist(columns.apply(X[:50]), "sqeuclidean") / (-np.expm1(-squared / 4) * 4)
    assert np.median(np.abs(ratio - 1)) < 0.02
    np.testing.assert_allclose(columns.apply(X)[-7:], columns.apply(X[-7:]), atol=1e-9)  # in blocks


def test_rows_that_are_all_equal_do_no_harm():
    columns = RadialColumns.of(np.ones((10, 3)), 1.0)
    assert np.isfinite(columns.apply(np.ones((2, 3)))).all()
    assert not columns.slopes(np.ones((1, columns.centre.size))).any()


def test_a_weight_of_two_is_the_row_twice():
    X, weights = rows(), np.tile([1.0, 2.0], 30)
    weighted = RadialColumns.of(X, 1.0, weights).apply(X)
    doubled = RadialColumns.of(np.repeat(X, weights.astype(int), axis=0), 1.0).apply(X)
    np.testing.assert_allclose(pdist(weighted[:, :10]), pdist(doubled[:, :10]), rtol=1e-6)


@pytest.mark.parametrize("bend", [0.1, 1.0, 10.0])
def test_slopes_are_those_of_finite_differences(bend):
    X, step = rows(), 1e-5
    columns = RadialColumns.of(X, bend)
    directions = np.random.default_rng(1).normal(size=(3, columns.centre.size))
    ahead = np.stack([columns.apply(X + step * shift) @ directions.T for shift in np.eye(4)], axis=2)
    behind = np.stack([columns.apply(X - step * shift) @ directions.T for shift in np.eye(4)], axis=2)
    derivative = (ahead - behind) / (2 * step)
    expected = np.sqrt((derivative**2).mean(axis=0)) * np.sign(derivative.mean(axis=0))
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(columns.slopes(directions), expected, atol=1e-6)
