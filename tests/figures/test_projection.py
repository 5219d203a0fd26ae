"""The picture, by the numbers in it."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from opnb.figures import comparison_figure, draw_projection, projection_figure, strip_figure
from opnb.figures.palette import COLOURS, SYMBOLS, class_styles
from opnb.views import joint_ranges, project, projection_view
from tests.figures.fits import blobs, blobs_fit, iris_fit, quick_fit


def points_of(figure, *, held_out=None):
    """Traces with the points of classes: they have rows and a class's legend group."""
    traces = [t for t in figure.data if t.customdata is not None and str(t.legendgroup).startswith(("class", "others"))]
    return [t for t in traces if held_out is None or str(t.marker.symbol).endswith("-open") == held_out]


def named(figure, name):
    return next(t for t in figure.data if t.name == name)


def margins_of(figure):
    return [t for t in figure.data if t.fill in ("tozeroy", "tozerox")]


def test_margins_in_the_figure_integrate_to_one_with_the_models_bandwidths():
    clf, X, y, *_ = iris_fit()
    figure = projection_figure(clf, X, y, directions=(1, 2))
    traces = margins_of(figure)
    assert len(traces) == 6
    for number, trace in enumerate(traces):
        direction, k = (1, 2)[number // 3], number % 3
        z, height = (trace.x, trace.y) if trace.fill == "tozeroy" else (trace.y, trace.x)
        assert np.trapezoid(height.astype(float), z.astype(float)) == pytest.approx(1, abs=2e-3)
        exact = clf.marginal_densities(direction, z.astype(float))[k]
        np.testing.assert_allclose(height, exact, rtol=1e-3, atol=1e-6)


def test_boundary_in_the_figure_has_equal_top_two_posteriors():
    clf, X, y, *_ = iris_fit()
    trace = named(projection_figure(clf, X, y), "boundary")
    points = np.column_stack([trace.x, trace.y]).astype(float)
    points = points[np.isfinite(points).all(axis=1)]
    top = np.sort(np.exp(clf.predict_log_proba_on(points, (0, 1))), axis=1)
    assert len(points) > 50
    assert np.abs(top[:, -1] - top[:, -2]).max() < 1e-5
    assert trace.hoverinfo == "skip"
    assert trace.line.color == "#7a7a7a"


def test_points_rows_and_rings_match_the_data():
    clf, X, y, X_test, y_test = iris_fit()
    figure = projection_figure(clf, X, y, X_test, y_test)
    Z = clf.transform(np.concatenate([X, X_test]))
    truth = np.concatenate([y, y_test])
    for held_out in (False, True):
        for trace in points_of(figure, held_out=held_out):
            rows = trace.customdata
            np.testing.assert_allclose(trace.x, Z[rows, 0], rtol=1e-5)
            np.testing.assert_allclose(trace.y, Z[rows, 1], rtol=1e-5)
            assert set(truth[rows]) == {int(trace.name.removeprefix("class "))}
            assert ((rows >= len(y)) == held_out).all()
    assert sum(len(t.x) for t in points_of(figure)) == len(truth)
    predicted = clf.predict_log_proba_on(Z[:, :2], (0, 1)).argmax(axis=1)
    ringed = [t for t in figure.data if str(t.name).startswith("misclassified")]
    rows = np.concatenate([t.customdata for t in ringed])
    assert set(rows) == set(np.flatnonzero(predicted != truth))
    differ = np.flatnonzero(predicted != clf.predict(np.concatenate([X, X_test])))
    crosses = [t for t in figure.data if t.name == "full model differs"]
    assert set(np.concatenate([t.customdata for t in crosses] or [[]])) == set(differ)


def test_title_states_errors_with_counts():
    clf, X, y, X_test, y_test = iris_fit()
    view = projection_view(clf, X, y, X_test, y_test)
    text = draw_projection(view, title="a <b> & c").layout.title.text
    assert f"training {view.train}" in text
    assert f"held out {view.test}" in text
    assert "a &lt;b&gt; &amp; c" in text


def test_every_class_has_its_own_colour_and_symbol():
    clf, X, y = blobs_fit(400, 10)
    traces = points_of(projection_figure(clf, X, y))
    assert [t.marker.color for t in traces] == list(COLOURS)
    assert len({t.marker.symbol for t in traces}) == 10
    assert len(set(SYMBOLS)) == len(set(COLOURS)) == 10
    assert all(t.showlegend for t in traces)


def test_focus_greys_the_rest_and_keeps_colours():
    clf, X, y = blobs_fit(400, 10)
    figure = projection_figure(clf, X, y, focus=[2, 5])
    coloured = [t for t in points_of(figure) if t.legendgroup != "others"]
    assert [t.marker.color for t in coloured] == [COLOURS[2], COLOURS[5]]
    assert len(named(figure, "other classes").x) > 0
    assert len(margins_of(figure)) == 4


@pytest.mark.parametrize("n_classes", [11, 26, 100])
def test_many_classes_show_ten_and_a_grey_rest(n_classes):
    clf, X, y = blobs_fit(600, n_classes)
    figure = projection_figure(clf, X, y)
    coloured = [t for t in points_of(figure) if t.legendgroup != "others"]
    assert len({t.marker.color for t in coloured}) == len(coloured) == 10
    others = next(t for t in points_of(figure) if t.legendgroup == "others")
    assert len(others.x) + sum(len(t.x) for t in coloured) == 600
    assert set(others.text) == {f"class {k}" for k in np.unique(y[others.customdata])}


def test_styles_refuse_a_class_that_is_not_there():
    with pytest.raises(ValueError, match="from 0 to 2"):
        class_styles(np.array([1, 2, 3]), [3])


def test_one_direction_gives_the_strip():
    clf, X, y = blobs_fit(200, 3, 1)
    figure = projection_figure(clf, X, y, theme="dark", fade=False, extent="central")
    assert len(margins_of(figure)) == 3
    assert sum(len(t.x) for t in points_of(figure)) == 200
    edges = named(figure, "boundary").x
    edges = np.unique(edges[np.isfinite(edges)]).astype(float)
    top = np.sort(np.exp(clf.predict_log_proba_on(edges[:, None], (0,))), axis=1)
    assert np.abs(top[:, -1] - top[:, -2]).max() < 1e-5
    assert len(strip_figure(clf, X, y, weighting="density").data) == len(figure.data)


def test_empty_test_set_is_none():
    clf, X, y, X_test, y_test = iris_fit()
    figure = projection_figure(clf, X, y, X_test[:0], y_test[:0])
    assert not points_of(figure, held_out=True)
    assert "held out" not in figure.layout.title.text


def test_few_points_are_svg_and_many_are_thinned_webgl():
    X, y = blobs(50_000, 4)
    clf = quick_fit(X[:2000], y[:2000], n_components=2, max_iter=3)
    figure = projection_figure(clf, X, y)
    traces = points_of(figure)
    assert {t.type for t in traces} == {"scattergl"}
    assert sum(len(t.x) for t in traces) == pytest.approx(10_000, rel=0.01)
    assert all(t.x.dtype == np.float32 for t in traces)
    assert "of 50,000 points are drawn" in figure.layout.title.text
    assert len(figure.layout.images) == 2
    assert len(figure.to_json()) < 1_000_000
    clf, X, y, *_ = iris_fit()
    assert {t.type for t in points_of(projection_figure(clf, X, y))} == {"scatter"}


NASTY = ["<b>bold</b>", "%{customdata} & %{x}", "$x^2$\n<script>alert(1)</script>"]


def test_names_are_text_everywhere():
    clf, X, y, X_test, y_test = iris_fit()
    features = ["<i>a</i>", "%{y}", "</script>", "&lt;"]
    figure = projection_figure(clf, X, y, X_test, y_test, class_names=NASTY, feature_names=features)
    written = json.dumps(figure.to_plotly_json(), default=str)
    for forbidden in ("<b>bold", "<script", "</script", "%{customdata} &", "%{x} ", "<i>a", "$x^2$"):
        assert forbidden not in written, forbidden
    assert points_of(figure)[0].name == "&lt;b&gt;bold&lt;/b&gt;"
    assert any("&#37;{customdata} &amp; &#37;{x}" in str(t.hovertemplate) for t in figure.data)


def test_names_that_shorten_alike_stay_apart():
    clf, X, y, *_ = iris_fit()
    figure = projection_figure(clf, X, y, class_names=["long " * 20 + end for end in "abc"])
    names = [t.name for t in points_of(figure)]
    assert len(set(names)) == 3
    assert max(map(len, names)) < 40


def test_regions_are_faint_and_lie_on_the_grid():
    clf, X, y, *_ = iris_fit()
    view = projection_view(clf, X, y)
    image = draw_projection(view).layout.images[0]
    assert image.layer == "below"
    assert image.x == pytest.approx(view.x_range[0], abs=0.02)
    assert image.source.startswith("data:image/png;base64,")


@pytest.mark.parametrize("theme", ["neutral", "light", "dark"])
def test_figures_do_not_depend_on_the_default_template(theme):
    clf, X, y, *_ = iris_fit()
    figure = projection_figure(clf, X, y, theme=theme)
    layout = figure.layout.template.layout
    assert layout.paper_bgcolor == "rgba(0,0,0,0)"
    assert layout.font.color.startswith("#")
    assert not figure.layout.template.data.scatter
    with pytest.raises(ValueError, match="theme must be one of"):
        projection_figure(clf, X, y, theme="sepia")


def test_legend_is_below_the_picture():
    clf, X, y, *_ = iris_fit()
    legend = projection_figure(clf, X, y).layout.legend
    assert (legend.orientation, legend.yref, legend.yanchor) == ("h", "container", "bottom")


def test_the_same_view_gives_the_same_bytes():
    clf, X, y, *_ = iris_fit()
    data = project(clf, X, y)
    first, second = (projection_figure(clf, projected=data, selectable=True).to_json() for _ in range(2))
    assert first == second


def test_comparison_shares_axes_and_legend():
    clf, X, y, X_test, y_test = iris_fit()
    data = project(clf, X, y, X_test, y_test)
    views = [projection_view(clf, projected=data, directions=pair) for pair in ((0, 1), (0, 2))]
    for compact in (False, True):
        figure = comparison_figure(views, ["before <b>", "after"], compact=compact)
        assert isinstance(figure, go.Figure)
        assert figure.layout.xaxis.range == figure.layout.xaxis2.range == tuple(joint_ranges(views)[0])
        assert sum(bool(t.showlegend) and str(t.legendgroup).startswith("class") for t in figure.data) == 3
        assert "before &lt;b&gt;" in figure.layout.annotations[0].text
    with pytest.raises(ValueError, match="title for each"):
        comparison_figure(views, ["one"])


def test_a_point_tells_row_class_prediction_and_posterior_and_axes_their_columns():
    clf, X, y, X_test, y_test = iris_fit()
    figure = projection_figure(clf, X, y, X_test, y_test, feature_names=["a", "b", "c", "d"])
    posterior = clf.predict_proba(np.concatenate([X, X_test]))
    for trace in [*points_of(figure), *points_of(figure, held_out=True)]:
        for row, told in zip(trace.customdata, trace.hovertext, strict=True):
            assert told == f"predicted class {posterior[row].argmax()}, posterior {posterior[row].max():.2f}"
        assert trace.name in trace.hovertemplate
        assert "row %{customdata}<br>%{hovertext}" in trace.hovertemplate
    heaviest = "abcd"[np.abs(clf.components_[0]).argmax()]
    assert figure.layout.xaxis.title.text.startswith(f"Direction 1: {heaviest}, ")
    assert not any("hover" in note.text for note in figure.layout.annotations)
