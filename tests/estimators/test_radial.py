import numpy as np
from scipy.spatial.distance import pdist
from sklearn.preprocessing import StandardScaler

from opnb.estimators.radial import RadialColumns


def rows(n=60, p=4):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) * [1.0, 5.0, 0.1, 30.0]


def test_distances_are_those_of_the_kernel():
    X = rows()
    columns = RadialColumns(0.7, True, 0).fit(X)
    a = 0.7 / 4  # four scaled columns have a total variance of four
    squared = pdist(StandardScaler().fit_transform(X), "sqeuclidean")
    np.testing.assert_allclose(pdist(columns.transform(X), "sqeuclidean"), -np.expm1(-a * squared) / a, rtol=1e-6)


def test_a_flat_kernel_gives_the_rows_themselves():
    X = rows()
    flat = RadialColumns(1e-4, True, 0).fit(X).transform(X)
    np.testing.assert_allclose(pdist(flat), pdist(StandardScaler().fit_transform(X)), rtol=1e-3)


def test_components_are_centred_and_their_variances_fall():
    columns = RadialColumns(1.0, True, 0).fit(rows()).transform(rows())
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-9)
    assert (np.diff(columns.var(axis=0)) <= 1e-9).all()


def test_without_scaling_the_unit_of_all_columns_does_not_matter():
    X = rows()
    plain, tenfold = (RadialColumns(1.0, False, 0).fit(Z).transform(Z) for Z in (X, 10 * X))
    np.testing.assert_allclose(pdist(tenfold), 10 * pdist(plain), rtol=1e-6)


def test_many_rows_are_spanned_by_few():
    X = rows(2_000)
    columns = RadialColumns(1.0, True, 0).fit(X)
    assert columns.transform(X[:7]).shape == (7, 100)
    squared = pdist(StandardScaler().fit(X).transform(X[:50]), "sqeuclidean")
    ratio = pdist(columns.transform(X[:50]), "sqeuclidean") / (-np.expm1(-squared / 4) * 4)
    assert np.median(np.abs(ratio - 1)) < 0.02


def test_rows_that_are_all_equal_do_no_harm():
    columns = RadialColumns(1.0, True, 0).fit(np.ones((10, 3)))
    assert np.isfinite(columns.transform(np.ones((2, 3)))).all()
