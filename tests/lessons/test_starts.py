"""Where you start: the principal components stay with a slanted class, the best random start does not."""

import numpy as np
import pytest

from opnb.lessons.starts import LESSON, STARTS, draw, outcome, searched

SEEDS = (21, 22, 23)


@pytest.fixture(scope="module")
def stories():
    return {number: LESSON.story(seed=number) for number in SEEDS}


@pytest.fixture(params=SEEDS)
def story(request, stories):
    return stories[request.param]


@pytest.mark.slow
def test_the_principal_components_stay_with_a_slanted_class(story):
    # Over twenty seeds the strongest rank correlation within a class was 0.70 to 0.90, the error 0.20 to 0.25.
    first = story.frames[0].numbers
    assert first["slant"] > 0.6
    assert first["error"] > 0.15
    assert "slantwise" in story.frames[0].says


def test_the_best_of_many_starts_finds_the_clean_plane(story):
    # Over twenty seeds the gain was 0.18 at least in the error and 0.32 in the objective.
    best = story.frames[-1].numbers
    assert best["error"] < 0.06
    assert best["error"] < best["pca_error"] - 0.12
    assert best["objective"] > best["pca_objective"] + 0.2


def test_the_best_objective_errs_less_than_the_median_start(story):
    numbers = story.frames[0].numbers
    assert numbers["best_error"] < numbers["median_error"] - 0.03
    assert numbers["reached"] < STARTS / 2  # or one start would do


def test_the_better_the_objective_the_fewer_the_errors(stories):
    agreement = [story.frames[0].numbers["agreement"] for story in stories.values()]
    assert np.mean(agreement) > 0.6


def test_random_starts_play_from_the_worst_to_the_best(story):
    objectives = [frame.numbers["objective"] for frame in story.frames[1:]]
    assert objectives == sorted(objectives)
    assert [frame.name for frame in story.frames] == ["PCA", *(str(rank) for rank in range(STARTS, 0, -1))]


def test_the_frame_around_a_tile_moves_with_the_start(story):
    corners = {
        (float(np.mean(box.x[:4])), float(np.mean(box.y[:4])))
        for box in (frame.panels[2].layers[2] for frame in story.frames)
    }
    assert len(corners) == STARTS + 1
    best = story.frames[-1].panels[2].layers[2]
    assert (np.mean(best.x[:4]), np.mean(best.y[:4])) == pytest.approx((0, 0))


@pytest.mark.slow
def test_leaving_out_the_own_point_lets_more_starts_arrive():
    reached = {}
    for likelihood in ("resubstitution", "leave-one-out"):
        state = LESSON.state({"data": "several-optima", "likelihood": likelihood, "seed": SEEDS[0]})
        reached[likelihood] = outcome(*searched(draw(state), state))["reached"]
    assert reached["leave-one-out"] > reached["resubstitution"] + 3
