"""One long direction: the penalty on the weights fails, those on the variance mend it."""

import numpy as np
import pytest

from opnb import OPNBClassifier
from opnb.comparators import OptimalGaussianProjection, ReducedLinearDiscriminant
from opnb.lessons.long_direction import LESSON, PENALTIES, draw, fit
from opnb.lessons.planes import fitted_quietly

SEEDS = (11, 12, 13)


@pytest.fixture(scope="module")
def stories():
    return {number: LESSON.story(seed=number) for number in SEEDS}


@pytest.fixture(params=SEEDS)
def numbers(request, stories):
    return stories[request.param].frames[0].numbers


@pytest.mark.slow
def test_one_component_holds_nearly_all_the_variance(numbers):
    assert numbers["first_component"] > 0.99


def test_the_pooled_and_the_total_penalty_take_away_most_errors(numbers):
    # Over twenty seeds the pooled penalty took away 0.30 at least, and the penalty on the weights left 0.48 at least.
    assert numbers["frobenius"] > 0.4
    assert numbers["pooled"] < numbers["frobenius"] - 0.25
    assert numbers["total"] < numbers["frobenius"] - 0.2


def test_the_mended_fit_beats_both_methods_with_normal_curves(stories):
    found = [story.frames[0].numbers for story in stories.values()]
    pooled, lda, opgd = (np.mean([one[key] for one in found]) for key in ("pooled", "lda", "opgd"))
    assert pooled < lda - 0.05
    assert pooled < opgd - 0.03


def test_the_pictures_of_lda_and_opgd_are_those_methods():
    data = draw(LESSON.state({"seed": 11}))
    for key, method in (("lda", ReducedLinearDiscriminant()), ("opgd", OptimalGaussianProjection(n_components=2))):
        said = fitted_quietly(method, data.X_train, data.y_train).predict(data.X_test)
        assert np.mean(fit(key, data, 1e-3).model.predict(data.X_test) == said) > 0.99


def test_each_frame_marks_its_method_and_says_its_error(stories):
    frames = stories[SEEDS[0]].frames
    for number, (key, frame) in enumerate(zip((*PENALTIES, "lda", "opgd"), frames, strict=True)):
        (bars,) = frame.panels[2].layers
        assert bars.strong == (number,)
        assert bars.values[number] == pytest.approx(100 * frame.numbers[key])
        assert f"{100 * frame.numbers[key]:.0f} %" in frame.says


def test_the_weights_that_leave_the_long_direction_cancel(stories):
    frames = stories[SEEDS[0]].frames
    cancelled = [np.abs(curve.y.sum()) / np.abs(curve.y).sum() for curve in frames[2].panels[3].layers]
    staying = [np.abs(curve.y.sum()) / np.abs(curve.y).sum() for curve in frames[0].panels[3].layers]
    assert max(cancelled) < 0.5 < max(staying)


def test_the_size_of_the_weights_is_what_forbids_the_good_solution():
    data = draw(LESSON.state({"seed": 11}))
    good = fit("pooled", data, 1e-3).model
    V = good.components_.T / good.bandwidths_
    begun_there = OPNBClassifier(n_components=2, init=V).fit(data.X_train, data.y_train)
    assert np.mean(begun_there.predict(data.X_test) != data.y_test) > 0.4
    assert LESSON.story(seed=11).frames[2].numbers["charge"] == pytest.approx(1e-3 * np.sum(V**2))


def test_no_fit_can_win_what_the_good_weights_would_cost(numbers):
    assert numbers["most"] == pytest.approx(np.log(2), abs=0.01)
    assert numbers["charge"] > 5 * numbers["most"]


def test_a_weaker_penalty_on_the_size_does_not_help():
    assert fit("frobenius", draw(LESSON.state({"seed": 11})), 1e-4).error > 0.4
