"""The claim of lesson ten: a climb beats a patient hand on new points, though only the hand looks at held-out ones."""

import numpy as np
import pytest

from opnb.lessons import turning
from opnb.views.tour import tour_frame


def ends(**changes):
    """Errors at the end of the hand's turns and at the top of the climb."""
    _, found = turning.stands(turning.LESSON.state(changes))
    return [stand for stand in found if stand.by == "hand"][-1], found[-1]


@pytest.mark.slow
def test_the_climb_errs_less_on_new_points_than_the_hand():
    pairs = [ends(seed=seed) for seed in range(6)]
    gains = np.array([hand.new - top.new for hand, top in pairs])
    assert gains.mean() > 0.02
    assert (gains > 0).mean() >= 5 / 6


def test_what_the_hand_has_seen_is_better_than_what_it_has():
    pairs = [ends(seed=seed) for seed in range(6)]
    seen_less = np.mean([hand.new - hand.held_out for hand, _ in pairs])
    climbed = np.mean([top.new - top.held_out for _, top in pairs])
    assert seen_less > 0.02
    assert abs(climbed) < seen_less


def test_the_hand_never_keeps_what_errs_more():
    _, found = turning.stands(turning.LESSON.state({"seed": 1}))
    seen = [stand.held_out for stand in found if stand.by == "hand"]
    assert (np.diff(seen) <= 0).all()
    assert seen[-1] < seen[0]


def test_a_students_climb_ends_higher():
    state = turning.LESSON.state({})
    _, view = turning.draw(state)
    axes = np.eye(6)[:, [2, 4]]
    way = turning.climbed(state, axes)
    np.testing.assert_array_equal(way.axes[0], axes)
    assert tour_frame(view, way.axes[1].T).log_likelihood > tour_frame(view, axes.T).log_likelihood


@pytest.mark.parametrize("p", [4, 10])
def test_every_number_of_columns_can_be_turned(p):
    hand, top = ends(p=p, turns=20)
    assert top.new <= hand.new + 0.02
