"""Simulated problems, clean and faulty, for the tests of the findings and for the figures of `make bench`.

Each takes a seed and gives (X, y, X_test, y_test, settings of the fit). Those that can be more or less at fault take
the strength of it as a further argument.
"""

import numpy as np
from scipy.stats import special_ortho_group

from opnb import OPNBClassifier, OPNBClassifierCV
from opnb.data import simulate


def unfitted(settings):
    """Give the classifier of a problem's settings: a search where they list several lams."""
    return (OPNBClassifierCV if "lams" in settings else OPNBClassifier)(**settings)


def found_as(code):
    """Give the severities that count as finding a fault."""
    # Idle directions are never more than a notice: they waste time and do no harm. And nothing but clearly better
    # than guessing is good.
    return {"idle-directions": ("notice",), "guessing": ("notice", "warning")}.get(code, ("warning",))


def _simulated(name, n, seed, settings, **parameters):
    data = simulate(name, n=n, seed=seed, test_size=0.3, **parameters)
    return data.X[data.train], data.y[data.train], data.X[data.test], data.y[data.test], settings


def _halves(X, y, settings, rng):
    half = rng.permutation(len(X)) % 2 == 0
    return X[half], y[half], X[~half], y[~half], settings


def three_gaussians(seed):
    return _simulated("gaussian", 400, seed, {"n_components": 2})


def three_gaussians_all_directions(seed):
    return _simulated("gaussian", 500, seed, {}, n_features=6)


def overlapping_pair(seed):
    """Two classes need one direction, and only independence keeps the second from repeating it."""
    settings = {"n_components": 2, "independence": 0.1}
    return _simulated("gaussian", 500, seed, settings, n_classes=2, separation=1.5, n_features=4)


def rotated(seed):
    return _simulated("rotated", 900, seed, {})


def five_groups(seed):
    """Five groups seen in two dimensions have local optima, so one start would not be clean."""
    settings = {"n_components": 2, "init": "random", "n_init": 10, "random_state": seed}
    return _simulated("gaussian", 800, seed, settings, n_classes=5, n_features=8, separation=4)


def skewed(seed):
    """Independent skewed features, shifted between three classes, turned at random."""
    rng = np.random.default_rng(seed)
    y = np.arange(800) % 3
    X = rng.gamma(2.0, size=(800, 5))
    X[:, 0] += 2.5 * (y == 1)
    X[:, 1] += 2.5 * (y == 2)
    turn = special_ortho_group(5, seed=seed).rvs()
    return _halves(X @ turn, y, {"n_components": 2}, rng)


def wide_grid(seed):
    """A search over lambdas from far too small to far too large."""
    lams = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    return _simulated("gaussian", 300, seed, {"n_components": 2, "lams": lams}, separation=2)


CLEAN = (three_gaussians, three_gaussians_all_directions, overlapping_pair, rotated, five_groups, skewed, wide_grid)


def hill_valley(seed):
    return _simulated("hill-valley", 1000, seed, {"n_components": 2})


def hill_valley_noise(seed):
    return _simulated("hill-valley-noise", 1000, seed, {"n_components": 2})


def tiny_lam(seed):
    return _simulated("gaussian", 400, seed, {"n_components": 2, "lam": 1e-7}, n_classes=2, separation=0.7)


def heavy_tails(seed):
    """Overlapping classes with the tails of a Cauchy distribution."""
    rng = np.random.default_rng(seed)
    y = np.arange(600) % 2
    X = rng.standard_t(1.2, size=(600, 3)) + 0.5 * y[:, None]
    return _halves(X, y, {"n_components": 2, "lam": 1e-5}, rng)


def long_cloud(seed):
    """Classes that differ a little across a cloud that is very long."""
    return _simulated("elongated", 500, seed, {"n_components": 2}, n_features=10, length=100)


def rings(seed):
    """A ring around a wide cloud: no two directions make the ring a product."""
    rng = np.random.default_rng(seed)
    y = np.arange(1000) % 2
    angle = rng.uniform(0, 2 * np.pi, 1000)
    radius = np.where(y == 0, 2 + 0.25 * rng.normal(size=1000), 0)
    cloud = np.where(y == 1, 1.0, 0.0)[:, None] * rng.normal(size=(1000, 2)) * 1.5
    return _halves(radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + cloud, y, {}, rng)


def crossed(seed):
    """Three flat classes through one point at 0, 60 and 120 degrees: no two directions suit all of them."""
    rng = np.random.default_rng(seed)
    y = np.arange(1200) % 3
    X = rng.normal(size=(1200, 2)) * (2.0, 0.4)
    angle = np.pi / 3 * y + rng.uniform(0, np.pi)
    c, s = np.cos(angle), np.sin(angle)
    X = np.column_stack([c * X[:, 0] - s * X[:, 1], s * X[:, 0] + c * X[:, 1]])
    return _halves(X, y, {}, rng)


def several_optima(seed):
    return _simulated("several-optima", 500, seed, {"n_components": 2})


def few_iterations(seed):
    return _simulated(
        "gaussian", 600, seed, {"n_components": 5, "max_iter": 4}, n_features=20, n_classes=6, separation=4
    )


def tiny_class(seed):
    X, y, X_test, y_test, settings = three_gaussians(seed)
    keep = (y != "A") | (np.cumsum(y == "A") <= 6)
    return X[keep], y[keep], X_test, y_test, settings


def two_valued(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(600) % 2
    X = (rng.random((600, 3)) < 0.35 + 0.3 * y[:, None]).astype(float)
    return _halves(X, y, {"n_components": 2}, rng)


def spare_directions(seed, spare=7):
    """Two classes need one direction; independence keeps the spare ones from repeating it."""
    settings = {"n_components": 1 + spare, "independence": 0.1}
    return _simulated("gaussian", 800, seed, settings, n_classes=2, n_features=8, separation=2)


def many_groups(seed):
    return _simulated("gaussian", 900, seed, {}, n_classes=9, n_features=9, separation=4)


def crowded_plane(seed, n_classes=9):
    """Classes in as many dimensions as there are of them, seen on two directions."""
    settings = {"n_components": 2, "independence": 0.1}
    return _simulated("gaussian", 900, seed, settings, n_classes=n_classes, n_features=n_classes, separation=4)


def gross_errors(seed, distance=300.0):
    """One row in a hundred has slipped a decimal point, or three, in every column."""
    X, y, X_test, y_test, settings = _simulated("gaussian", 600, seed, {"n_components": 2}, n_features=5)
    rng = np.random.default_rng(seed)
    slipped = rng.permutation(len(X))[: len(X) // 100]
    X[slipped] = distance * rng.normal(size=(slipped.size, X.shape[1]))
    return X, y, X_test, y_test, settings


def short_grid(seed, short=100.0):
    """A search over lambdas that are all too large, by this factor and more."""
    lams = [1e-3 * short * factor for factor in (1, 10, 100, 1000)]
    return _simulated("gaussian", 900, seed, {"n_components": 2, "independence": 0.1, "lams": lams})


def one_direction_twice(seed, separation=4.0):
    """Two classes on two directions that nothing keeps apart."""
    return _simulated("gaussian", 400, seed, {"n_components": 2}, n_classes=2, separation=separation, n_features=4)


def spheres(seed, n_features=10):
    """A shell around a ball: every direction sees two clouds with one middle, all of them together two radii."""
    rng = np.random.default_rng(seed)
    y = np.arange(800) % 2
    X = rng.normal(size=(800, n_features)) * np.where(y == 1, 1.6, 1.0)[:, None]
    return _halves(X, y, {"n_components": 2, "independence": 0.1}, rng)


def faint_signal(seed, length=100.0):
    """Classes far apart across a cloud that is very long: linear discriminants see them, a short direction does not."""
    settings = {"n_components": 2, "independence": 0.1}
    return _simulated("elongated", 600, seed, settings, n_features=10, length=length, gap=3)


def noise_wide(seed):
    X, y, X_test, y_test, settings = _simulated("noise", 400, seed, {"n_components": 2})
    return X[:120], y[:120], X_test, y_test, settings


def noise_flat(seed):
    return _simulated("noise", 400, seed, {"n_components": 2}, n_features=6)


FAULTY = {
    "overfit-scale": (hill_valley, hill_valley_noise, tiny_lam, heavy_tails),
    "elongated-covariance": (hill_valley, hill_valley_noise, long_cloud),
    "dependent-classes": (rings, crossed),
    "poor-start": (several_optima,),
    "not-converged": (few_iterations,),
    "noise-separable": (noise_wide, noise_flat),
    "calibration": (noise_wide,),
    "shown-versus-full": (many_groups,),
    "idle-directions": (spare_directions,),
    "small-classes": (tiny_class,),
    "discrete-projections": (two_valued,),
    "guessing": (noise_flat,),
    "few-directions": (crowded_plane,),
    "outliers": (gross_errors,),
    "edge-of-grid": (short_grid,),
    "repeated-directions": (one_direction_twice,),
    "worse-than-simple": (spheres, faint_signal),
}
