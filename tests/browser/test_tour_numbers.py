"""The tour's frames in a browser against the exact ones of `opnb.views.tour`, on the same planes."""

from functools import cache

import numpy as np
import pytest

from opnb.figures import tour
from opnb.views.tour import tour_frame
from opnb.views.toured_rows import classes_on
from tests.figures.fits import blobs, iris_fit, quick_fit

pytestmark = pytest.mark.browser

TIED = 0.01  # in the log posterior: there the binned and the exact sums may differ
COMPUTE = """([axes, ranges]) => {
  const { plane } = document.getElementById("tour").tour;
  plane.move(axes.map((axis) => Float64Array.from(axis)));
  plane.densities(ranges).judge();
  return {
    ranges: plane.ranges,
    classes: [...plane.grid(120, ranges).classes],
    confidence: [...plane.grid(120, ranges).confidence],
    margins: [0, 1].map((d) => [...plane.margin(d, 300, ranges)]),
    predicted: [...plane.predicted],
    errors: plane.errors,
    logLikelihood: plane.logLikelihood,
    dependence: plane.dependence(),
    newRows: {
      z: plane.newRows.z.map((z) => [...z]),
      predicted: [...plane.newRows.predicted],
      agreeing: plane.newRows.agreeing,
    },
  };
}"""


@cache
def made(name):
    if name == "iris":
        clf, *data = iris_fit()
        return tour(clf, *data, X_new=newcomers(data[0]))
    n_classes, n = {"letters": (26, 1300), "pair": (2, 400), "blunt": (2, 400)}[name]
    X, y = blobs(n, n_classes, p=6, seed=1)
    test = np.arange(n) % 5 == 0
    clf = quick_fit(X[~test], y[~test], n_components=2, max_iter=3, sharpness=0.4 if name == "blunt" else 1.0)
    return tour(clf, X[~test], y[~test], X[test], y[test], X_new=newcomers(X))


def newcomers(X):
    """Make rows like the others, and some that lie beyond all of them, by a little and by much."""
    far = X.mean(axis=0) + X.std(axis=0) * np.array([3.0, -3.0, 8.0, -20.0, 100.0])[:, None]
    return np.vstack([X[::7] + 0.1, far])


def planes(name):
    """Some pairs of axes: found, random, sharp, smooth, and with classes thousands of bandwidths apart."""
    view = made(name).view
    rng = np.random.default_rng(5)
    random = rng.normal(size=(3, 2, view.points.shape[1]))
    yield from (view.paths[0].axes[0], random[0], random[1] * 0.01, random[2] * [[30.0], [1.0]], random[0] * 300)


@pytest.fixture(scope="module")
def page(chromium, tmp_path_factory):
    context = chromium.new_context(offline=True)
    page = context.new_page()
    folder = tmp_path_factory.mktemp("tours")
    opened = []

    def show(name):
        if opened != [name]:
            path = folder / f"{name}.html"
            made(name).save(path)
            page.goto(path.as_uri())
            opened[:] = [name]
        return page

    yield show
    context.close()


@pytest.mark.parametrize("number", range(5), ids=["found", "random", "smooth", "sharp", "thousands"])
@pytest.mark.parametrize("name", ["iris", "letters", "pair", "blunt"])
def test_a_frame_has_the_exact_numbers(page, name, number):
    axes, view = list(planes(name))[number], made(name).view
    exact = tour_frame(view, axes)
    told = page(name).evaluate(COMPUTE, [np.asarray(axes, dtype=float).tolist(), exact.ranges])
    np.testing.assert_allclose(told["ranges"], exact.ranges, rtol=1e-6)
    clear = exact.map_lead > TIED
    np.testing.assert_array_equal(np.reshape(told["classes"], clear.shape)[clear], exact.class_map[clear])
    if len(view.class_names) == 2:
        # On average: where classes are thousands of bandwidths apart it steps from one to the other between two cells.
        assert np.abs(told["confidence"] - 1 / (1 + np.exp(-exact.map_lead.ravel()))).mean() < 1e-3
    for heights, expected in zip(told["margins"], exact.heights, strict=True):
        assert np.abs(np.reshape(heights, expected.shape) - expected).max() <= 1e-3 * expected.max()
    clear = exact.lead > TIED
    np.testing.assert_array_equal(np.array(told["predicted"])[clear], exact.predicted[clear])
    for error, expected, part in zip(
        told["errors"], (exact.train, exact.test), (~view.is_test, view.is_test), strict=True
    ):
        assert error["n"] == expected.n
        assert abs(error["wrong"] - expected.wrong) <= (part & ~clear).sum()
    assert told["logLikelihood"] == pytest.approx([exact.log_likelihood, exact.test_log_likelihood], abs=2e-3, rel=1e-3)
    assert told["dependence"]["value"] == pytest.approx(exact.dependence, abs=1e-6)
    toured = made(name).new
    np.testing.assert_allclose(np.transpose(told["newRows"]["z"]), toured.points @ np.asarray(axes, dtype=float).T)
    predicted, lead = classes_on(view, axes, toured)
    clear = lead > TIED
    np.testing.assert_array_equal(np.array(told["newRows"]["predicted"])[clear], predicted[clear])
    assert abs(told["newRows"]["agreeing"] - (predicted == toured.predicted).sum()) <= (~clear).sum()


ON_A_WAY = """([axes, ends]) => {
  const { plane } = document.getElementById("tour").tour;
  const vectors = (pair) => pair.map((axis) => Float64Array.from(axis));
  const positions = (given) => plane.move(vectors(axes), "all", given).z.map((z) => [...z]);
  return { alone: positions(null), onTheWay: positions(ends.map(vectors)), limits: plane.limits };
}"""


def ways(name):
    """Pairs between two others, those two with an axis in common, at opposite ends, and a pair that is not between."""
    first, second, *_ = planes(name)
    half = 0.6 * np.asarray(first) + 0.5 * np.asarray(second)
    yield half, (first, second)
    yield half, (half, second)
    yield half, (first, [second[0], first[1]])
    yield half, (first, -np.asarray(first))


@pytest.mark.parametrize("number", range(4), ids=["between", "from itself", "one axis beside", "opposite"])
def test_on_a_way_the_positions_are_those_of_the_axes(page, number):
    axes, ends = list(ways("letters"))[number]
    told = page("letters").evaluate(ON_A_WAY, [np.asarray(axes).tolist(), np.asarray(ends).tolist()])
    np.testing.assert_allclose(told["onTheWay"], told["alone"], rtol=0, atol=1e-11 * np.abs(told["alone"]).max())
    for limits, z in zip(told["limits"], told["onTheWay"], strict=True):
        assert limits == [min(z), max(z)]
