"""Categories become continuous: a weighted sum knows what no column knows, and has nearly as many values as rows."""

import numpy as np
import pytest

from opnb.lessons.categories import LESSON, QUESTIONS, draw, fit

SEEDS = (31, 32, 33)


@pytest.fixture(scope="module", params=SEEDS)
def story(request):
    return LESSON.story(seed=request.param)


def test_no_column_tells_the_groups_apart_and_their_sum_does(story):
    # Over twelve seeds at eight questions: naive Bayes 0.47 to 0.59, OPNB 0.10 to 0.13.
    eight = story.frames[7].numbers
    assert eight["nb_error"] > 0.42
    assert eight["opnb_error"] < 0.17
    assert story.frames[-1].numbers["opnb_error"] < eight["opnb_error"]


def test_values_of_the_sum_multiply_with_every_question(story):
    distinct = [frame.numbers["distinct"] for frame in story.frames]
    levels = 3
    assert distinct[:2] == [levels, levels**2]
    assert 0.8 * levels**3 < distinct[2] <= levels**3  # some answers are rare
    assert distinct == sorted(distinct)
    assert distinct[-1] > 0.85 * story.frames[-1].numbers["rows"]


def test_one_question_is_worth_nothing(story):
    first = story.frames[0].numbers
    assert first["nb_error"] == pytest.approx(0.5, abs=0.05)
    assert first["opnb_error"] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("number", SEEDS)
def test_independent_columns_need_no_projection(number):
    state = LESSON.state({"answers": "lean", "seed": number})
    last = fit(draw(state), int(state["n_levels"]), QUESTIONS[-1])
    assert last.nb_error < 0.13
    assert last.opnb_error == pytest.approx(last.nb_error, abs=0.04)


def test_columns_alone_have_the_same_shares_in_both_groups():
    data = draw(LESSON.state({"n": 900, "seed": 31}))
    shares = [data.X_test[data.y_test == name].mean(axis=0) for name in data.class_names]
    assert np.abs(shares[0] - shares[1]).max() < 0.07


def test_the_points_of_a_frame_have_the_values_it_counts():
    frame = LESSON.story(seed=31, n=100).frames[1]
    points = frame.panels[0].layers[-1]
    assert len(np.unique(np.round(points.x, 6))) == frame.numbers["distinct"]
    assert f"{frame.numbers['distinct']} values" in frame.says


def test_a_search_that_finds_nothing_still_makes_a_picture():
    for number in range(2):
        frame = LESSON.story(n_levels=2, n=100, seed=number).frames[0]
        for layer in frame.panels[0].layers:
            assert np.isfinite(layer.x).all()
            assert np.isfinite(layer.y).all()
