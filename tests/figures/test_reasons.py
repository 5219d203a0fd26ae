"""The figures of reasons, columns and scores by class show the numbers of their views."""

import numpy as np
import pytest

from opnb.data import FeatureColumn
from opnb.figures import (
    calibration_figure,
    column_path_figure,
    importance_figure,
    log_odds_figure,
    parts_figure,
    place_ring,
    posterior_figure,
    projection_figure,
    roc_figure,
    row_density_figure,
)
from opnb.views import ColumnImportance, ColumnPath, ErrorCount, class_scores, margins_view, project, reasons
from tests.figures.fits import blobs_fit, iris_fit

LOOK = {"theme": "dark", "compact": True}


@pytest.fixture(scope="module")
def iris():
    clf, X, y, X_test, y_test = iris_fit()
    projected = project(clf, X, y, X_test, y_test)
    return clf, projected, reasons(clf, X_test[20])


def bars(figure):
    (bar,) = figure.data
    return dict(zip(bar.y, bar.x, strict=True))


def test_the_bars_of_the_log_odds_add_up_to_the_last(iris):
    values = bars(log_odds_figure(iris[2], **LOOK))
    assert list(values) == ["class probabilities", "Direction 1", "Direction 2", "Direction 3", "sum"]
    total = values.pop("sum")
    assert sum(values.values()) == pytest.approx(total, abs=1e-9)
    assert total == pytest.approx(iris[2].log_odds, abs=1e-9)


def test_the_bars_of_a_position_add_up_to_it(iris):
    values = bars(parts_figure(iris[2], 1, **LOOK))
    position = values.pop("position")
    assert len(values) == 4
    assert sum(values.values()) == pytest.approx(position, abs=1e-9)
    assert position == iris[2].positions[1]


def test_many_columns_and_directions_are_summed_up():
    rng = np.random.default_rng(0)
    clf, X, _ = blobs_fit(120, 3)
    found = reasons(clf, X[0])
    parts = rng.normal(size=(2, 40))
    columns = tuple(FeatureColumn("same <name>", (0,)) for _ in range(40))
    wide = type(found)(**vars(found) | {"parts": parts, "positions": parts.sum(axis=1), "columns": columns})
    values = bars(parts_figure(wide, 0))
    assert len(values) == 15, "thirteen columns, the rest, and the position"
    assert "27 other columns" in values
    assert "<" not in "".join(values).replace("&lt;", "")
    assert sum(list(values.values())[:-1]) == pytest.approx(values["position"], abs=1e-9)


def test_probabilities_have_the_colours_of_the_classes(iris):
    _, projected, found = iris
    figure = posterior_figure(found, projected.train_counts)
    assert sum(figure.data[0].x) == pytest.approx(1)
    assert figure.data[0].x[0] == pytest.approx(found.posterior.max())
    assert len(set(figure.data[0].marker.color)) == 3


def test_of_many_classes_the_most_probable_are_shown():
    clf, X, y = blobs_fit(520, 26)
    figure = posterior_figure(reasons(clf, X[0]), np.bincount(y), **LOOK)
    assert len(figure.data[0].x) == 10
    assert "10 most probable of 26" in figure.layout.title.text


def test_the_row_is_marked_among_the_densities_even_far_outside(iris):
    clf, projected, found = iris
    margin = margins_view(clf, projected, [0]).margins[0]
    far = type(found)(**vars(found) | {"positions": found.positions + 100})
    figure = row_density_figure(margin, far, projected.train_counts, **LOOK)
    assert figure.layout.shapes[0].x0 == far.positions[0]
    assert figure.layout.xaxis.range[1] > far.positions[0]


def test_importance_shows_rise_and_spread():
    rng = np.random.default_rng(0)
    columns = tuple(FeatureColumn(f"column {j}", (j,)) for j in range(25))
    errors = rng.random((25, 6))
    view = ColumnImportance(columns, 0.1, 0.3, errors, errors, 100)
    figure = importance_figure(view, **LOOK)
    np.testing.assert_allclose(figure.data[0].x, 100 * view.rise[:20])
    np.testing.assert_allclose(figure.data[0].error_x.array, 100 * view.spread[:20])
    assert "20 that cost most of 25" in figure.layout.title.text.replace("<br>", " ")


def test_a_path_shows_folds_mean_held_out_rows_and_choices():
    errors = np.array([[0.1, 0.2], [0.1, 0.1], [0.4, 0.5]])
    path = ColumnPath((3, 2, 1), (("a", "b", "c"), ("a", "b"), ("a",)), errors, (ErrorCount(1, 10),) * 3)
    figure = column_path_figure(path, **LOOK)
    folds, mean, held_out, best, fewest = figure.data
    assert len(folds.x) == 6
    np.testing.assert_allclose(mean.y, 100 * errors.mean(axis=1))
    assert list(held_out.y) == [10, 10, 10]
    assert best.x == fewest.x == (2,)
    assert len(column_path_figure(ColumnPath(path.counts, path.columns, errors, ())).data) == 4


def test_curves_of_classes_are_those_of_the_scores(iris):
    scores = class_scores(iris[1])
    roc, calibration = roc_figure(scores, **LOOK), calibration_figure(scores, **LOOK)
    for k in range(3):
        np.testing.assert_allclose(roc.data[k + 1].y, scores.roc[k].true_positive)
        np.testing.assert_allclose(calibration.data[k + 1].x, scores.calibration[k].stated)
        assert f"({scores.roc[k].area:.3f})" in roc.data[k + 1].name


def test_a_ring_comes_moves_and_goes(iris):
    figure = projection_figure(iris[0], projected=iris[1])
    count = len(figure.data)
    place_ring(figure, (1.0, 2.0), theme="dark")
    place_ring(figure, (3.0, 4.0))
    assert len(figure.data) == count + 1
    assert (figure.data[-1].x, figure.data[-1].y) == ((3.0,), (4.0,))
    assert figure.data[-1].customdata is None, "it cannot be selected"
    place_ring(figure, None)
    assert figure.data[-1].x == ()
