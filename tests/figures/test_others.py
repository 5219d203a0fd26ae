"""Margins, matrix, loadings, confusion, history and files, by the numbers in them."""

import base64

import numpy as np
import pytest

from opnb.figures import (
    NoBrowserError,
    confusion_figure,
    figure_html,
    figure_png,
    figure_svg,
    history_figure,
    loadings_figure,
    margins_figure,
    scatter_matrix_figure,
)
from opnb.figures import export as exporting
from opnb.figures.images import png
from opnb.views import metrics, project
from tests.figures.fits import blobs_fit, iris_fit


def test_margins_of_every_direction_integrate_to_one():
    clf, X, y, *_ = iris_fit()
    figure = margins_figure(clf, X, y)
    traces = [t for t in figure.data if t.fill == "tozeroy"]
    assert len(traces) == 9
    for trace in traces:
        assert np.trapezoid(trace.y.astype(float), trace.x.astype(float)) == pytest.approx(1, abs=2e-3)
    assert sum(bool(t.showlegend is not False) for t in figure.data) == 3


def test_margins_of_many_classes_and_one_direction():
    clf, X, y = blobs_fit(600, 26)
    assert len([t for t in margins_figure(clf, X, y, compact=True).data if t.fill == "tozeroy"]) == 20
    clf, X, y = blobs_fit(200, 3, 1)
    assert len([t for t in margins_figure(clf, X, y).data if t.fill == "tozeroy"]) == 3


def test_scatter_matrix_has_the_points_below_the_diagonal():
    clf, X, y, X_test, y_test = iris_fit()
    figure = scatter_matrix_figure(clf, X, y, X_test, y_test)
    points = [t for t in figure.data if t.customdata is not None]
    assert {(t.xaxis, t.yaxis) for t in points} == {("x", "y2"), ("x", "y3"), ("x2", "y3")}
    Z = clf.transform(np.concatenate([X, X_test]))
    for trace in points:
        column = 0 if trace.xaxis == "x" else 1
        np.testing.assert_allclose(trace.x, Z[trace.customdata, column], rtol=1e-5)


def test_scatter_matrix_of_one_direction_is_its_margin():
    clf, X, y = blobs_fit(200, 3, 1)
    assert not [t for t in scatter_matrix_figure(clf, X, y).data if t.customdata is not None]


def test_loadings_are_the_components():
    clf, *_ = iris_fit()
    figure = loadings_figure(clf, list("abcd"))
    assert [t.type for t in figure.data] == ["bar"] * 3
    for j, trace in enumerate(figure.data):
        values = dict(zip(trace.y, trace.x, strict=True))
        np.testing.assert_allclose([values[name] for name in "abcd"], clf.components_[j], rtol=1e-5)


def test_loadings_of_many_directions_are_cells():
    clf, *_ = blobs_fit(300, 6, 5)
    (cells,) = loadings_figure(clf, most=3).data
    assert cells.type == "heatmap"
    assert cells.z.shape == (3, 5)
    assert np.abs(cells.z).max() == pytest.approx(np.abs(clf.components_).max(), rel=1e-5)


@pytest.mark.parametrize("n_classes", [3, 26])
def test_confusion_counts_points(n_classes):
    clf, X, y = blobs_fit(520, n_classes)
    train, _ = metrics(project(clf, X, y))
    figure = confusion_figure(train)
    (cells,) = figure.data
    np.testing.assert_array_equal(cells.customdata, train.confusion)
    np.testing.assert_allclose(cells.z.sum(axis=1), 1, rtol=1e-5)
    assert (cells.text is not None) == (n_classes == 3)
    assert str(train.errors) in figure.layout.title.text


def test_history_is_the_classifiers():
    clf, *_ = iris_fit()
    figure = history_figure(clf, terms=True)
    drawn = {t.name: t.y for t in figure.data}
    np.testing.assert_allclose(drawn["objective"], [r.objective for r in clf.history_], rtol=1e-6)
    np.testing.assert_allclose(
        drawn["class densities"] - drawn["mixture"], [r.log_likelihood for r in clf.history_], atol=1e-4
    )
    assert "no iteration yet" in history_figure([]).layout.title.text


def test_png_data_decode_to_the_pixels():
    image = pytest.importorskip("PIL.Image")
    from io import BytesIO

    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    data = base64.b64decode(png(pixels).split(",")[1])
    np.testing.assert_array_equal(np.asarray(image.open(BytesIO(data))), pixels)


def test_html_needs_no_network():
    clf, *_ = iris_fit()
    page = figure_html(history_figure(clf), title="<fit>")
    assert "&lt;fit&gt;" in page
    assert 'src="http' not in page


def test_an_image_without_a_browser_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(exporting, "find_browser", lambda: None)
    clf, *_ = iris_fit()
    with pytest.raises(NoBrowserError, match="BROWSER_PATH"):
        figure_png(history_figure(clf))


@pytest.mark.browser
@pytest.mark.skipif(exporting.find_browser() is None, reason="needs Chrome or Chromium")
def test_images_are_drawn_by_the_browser():
    clf, *_ = iris_fit()
    figure = history_figure(clf, theme="light")
    assert figure_png(figure, width=300, height=200, scale=1).startswith(b"\x89PNG")
    assert b"<svg" in figure_svg(figure, width=300)[:300]
