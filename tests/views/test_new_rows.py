"""New rows as numbers: places on the picture, intervals, shifts; models without their rows; columns without effect."""

import numpy as np
import pytest
from scipy.stats import binom

from opnb import OPNBClassifier
from opnb.data import Table, prepare
from opnb.errors import DataError
from opnb.estimators.novelty import learn_novelty
from opnb.figures import draw_projection, draw_strip
from opnb.figures.new_rows import SYMBOL, UNLIKE, add_new_rows
from opnb.views import margins_view, projection_view, strip_view
from opnb.views.bare import bare_projected
from opnb.views.new_rows import error_interval, error_of, new_rows, placed_rows, shifts
from opnb.views.silent import silent_columns


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 40)
    return rng.normal(size=(80, 3)) + 3 * (y == "b")[:, None] * [1, 0, 0], y


@pytest.fixture(scope="module")
def model(rows):
    return OPNBClassifier(n_components=2, independence=0.1, max_iter=30, tol=1e-2).fit(*rows)


@pytest.fixture(scope="module")
def seen(model, rows):
    X = np.vstack([rows[0][:10], [[50.0, 50.0, 50.0]]])
    return new_rows(model, X, novelty=learn_novelty(model, *rows))


def test_rows_are_predicted_as_by_the_model(model, seen):
    np.testing.assert_array_equal(seen.log_posterior, model.predict_log_proba(seen.X))
    assert seen.unlike.tolist() == [False] * 10 + [True]
    assert seen.rows.tolist() == list(range(1, 12))


def test_no_rows_are_fine_and_wrong_ones_are_refused(model, rows):
    nothing = new_rows(model, np.empty((0, 3)), novelty=learn_novelty(model, *rows))
    assert nothing.Z.shape == (0, 2)
    assert nothing.familiarity.size == 0
    assert shifts(model, nothing) == ()
    with pytest.raises(DataError, match="3 features"):
        new_rows(model, np.zeros((2, 4)))


def test_a_row_outside_the_part_shown_stands_at_its_edge(seen):
    placed = placed_rows(seen, [0, 1], [(-3.0, 6.0), (-4.0, 4.0)])
    assert placed.outside.tolist() == [False] * 10 + [True]
    assert placed.x.max() <= 6.0
    assert abs(placed.y).max() <= 4.0


def test_many_rows_are_thinned(model):
    many = new_rows(model, np.random.default_rng(1).normal(size=(5_000, 3)))
    placed = placed_rows(many, [0, 1], [(-9, 9), (-9, 9)], max_points=300)
    assert placed.n_rows == 5_000
    assert 250 <= placed.chosen.size <= 400


def test_the_picture_has_a_mark_of_their_own_and_numbers_below_zero(model, rows, seen):
    view = projection_view(model, *rows)
    figure = add_new_rows(draw_projection(view), view, seen, chosen=3)
    usual, unlike, ring = figure.data[-3:]
    assert (usual.marker.symbol, unlike.marker.symbol) == (SYMBOL, UNLIKE)
    assert usual.customdata.tolist() == [-row for row in range(1, 11)]
    assert "beyond the part shown" in unlike.text[0]
    np.testing.assert_allclose([ring.x[0], ring.y[0]], seen.Z[2], rtol=1e-6)
    classes = {trace.marker.symbol for trace in figure.data[:-3] if trace.marker.symbol}
    assert not classes & {SYMBOL, UNLIKE}


def test_one_direction_has_new_rows_in_the_lane_of_their_class(rows):
    model = OPNBClassifier(n_components=1, max_iter=5, tol=1e-1).fit(*rows)
    seen = new_rows(model, rows[0][::20])
    view = strip_view(model, *rows)
    figure = add_new_rows(draw_strip(view), view, seen)
    assert figure.data[-1].y.tolist() == seen.predicted.tolist()


@pytest.mark.parametrize(("wrong", "n"), [(0, 5), (3, 20), (20, 20), (1, 300)])
def test_the_interval_of_an_error_is_exact(wrong, n):
    found = error_interval(wrong, n)
    assert found.low <= wrong / n <= found.high
    if wrong:
        assert binom.sf(wrong - 1, n, found.low) == pytest.approx(0.025)
    if wrong < n:
        assert binom.cdf(wrong, n, found.high) == pytest.approx(0.025)


def test_rows_without_a_class_do_not_count(seen):
    labels = np.where(np.arange(11) < 4, seen.predicted, -1)
    assert error_of(seen, labels).errors.n == 4
    assert error_of(seen, np.full(11, -1)) is None


def test_shifts_see_what_moved_and_are_quiet_otherwise(model, rows):
    same = new_rows(model, rows[0][::2])
    assert not any(shift.differs for shift in shifts(model, same))
    first, second = model.components_
    along = first - (first @ second) * second  # the directions are not at right angles
    moved = new_rows(model, rows[0] + 9 * along * model.scale_)
    found = shifts(model, moved)
    assert found[0].differs
    assert not found[1].differs


def test_a_model_without_rows_has_the_same_curves_and_regions(model, rows):
    full, bare = projection_view(model, *rows), projection_view(model, projected=bare_projected(model))
    np.testing.assert_array_equal(bare.class_map, full.class_map)
    np.testing.assert_allclose(bare.margins[0].heights, full.margins[0].heights, rtol=1e-5)
    assert (bare.n_points, bare.train.n) == (0, 0)
    assert "not here" in draw_projection(bare).layout.title.text
    assert len(margins_view(model, bare_projected(model)).margins) == 2
    # without rows there is nothing to average the full model over
    assert projection_view(model, projected=bare_projected(model), boundary="full").notes == ()


def test_columns_without_effect_are_found():
    import pandas as pd

    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b"], 30)
    frame = pd.DataFrame(
        {"size": rng.normal(size=60) + 9 * (kind == "b"), "hue": rng.choice(["x", "y", "z"], 60), "kind": kind}
    )
    data = prepare(Table.from_frame(frame, "t"), "kind")
    start = np.array([[1.0], [0.0], [0.0]])
    model = OPNBClassifier(n_components=1, init=start, callback=lambda iteration: True).fit(data.X_train, data.y_train)
    assert silent_columns(model, data.X, data.recipe) == ("hue",)
