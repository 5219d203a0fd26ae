"""What every lesson is made of, and the parts it is made from."""

import re
from functools import cache

import numpy as np
import pytest

from opnb.errors import DataError
from opnb.lessons import LESSONS, Choice, Slider
from opnb.lessons.guide import guide_html, guide_markdown
from opnb.lessons.lesson import Curve, Frame, Panel, Points, Scale, Story, decision, numbers, seed, short

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.key for lesson in LESSONS])


@cache
def usual(key):
    return next(lesson for lesson in LESSONS if lesson.key == key).story()


def test_there_are_ten_lessons_with_names_of_their_own():
    assert [lesson.title for lesson in LESSONS] == [
        "Why rotate?",
        "Scale is bandwidth",
        "Perfect separation of noise",
        "One long direction",
        "Where you start",
        "Two forces",
        "Counting twice",
        "Categories become continuous",
        "From two to many directions",
        "Turn it yourself",
    ]
    assert len({lesson.key for lesson in LESSONS}) == len(LESSONS)


@every_lesson
def test_no_number_is_typed_into_a_text(lesson):
    looks = [text for one in lesson.tries for text in (one.label, one.look)]
    for text in (lesson.title, lesson.shows, lesson.why, lesson.question, lesson.answer, *looks):
        assert text
        assert not re.search(r"\d", text), text


@every_lesson
def test_named_states_and_links_exist(lesson):
    keys = [control.key for control in lesson.controls]
    assert len(set(keys)) == len(keys)
    assert "seed" in keys
    assert len(lesson.tries) >= 2
    for named in lesson.tries:
        state = lesson.state(named.changes)
        for control in lesson.controls:
            assert control.read(control.write(state[control.key])) == state[control.key]


@pytest.mark.slow
@every_lesson
def test_a_story_moves_and_says_what_was_computed(lesson):
    story = usual(lesson.key)
    assert len(story.frames) >= 3
    assert len({frame.name for frame in story.frames}) == len(story.frames)
    assert 0 <= story.first < len(story.frames)
    for frame in story.frames:
        assert re.search(r"\d", frame.says)
        assert all(np.isfinite(value) for value in frame.numbers.values())
    for named in lesson.tries:
        assert named.at is None or -len(story.frames) <= named.at < len(story.frames)


@pytest.mark.slow
@every_lesson
def test_the_same_state_tells_the_same_story_and_another_seed_another(lesson):
    first, again, other = usual(lesson.key), lesson.story(), lesson.story(seed=3)
    assert [frame.numbers for frame in first.frames] == [frame.numbers for frame in again.frames]
    assert [frame.numbers for frame in first.frames] != [frame.numbers for frame in other.frames]


@pytest.mark.parametrize("text", ["0.55", "1.65", "-1", "nan", "1e3", "inf", "", "one", "1" * 40, "٣"])
def test_a_slider_refuses_what_is_outside_its_limits(text):
    with pytest.raises(DataError, match=r"Overlap must be a number from 0\.6 to 1\.6"):
        Slider("overlap", "Overlap", 0.6, 1.6, 0.1, 1.0).read(text)


def test_a_slider_keeps_to_its_steps():
    overlap = Slider("overlap", "Overlap", 0.6, 1.6, 0.1, 1.0)
    assert overlap.read("0.74") == 0.7
    assert overlap.check(1.6) == 1.6
    assert overlap.write(0.7) == "0.7"
    assert seed().whole
    assert seed().read("17") == 17
    assert isinstance(seed().read("17"), int)
    with pytest.raises(DataError):
        seed().check(True)


def test_a_choice_knows_its_options_only():
    n = Choice("n", "Points", numbers(100, 1000), 1000)
    assert n.words(1000) == "1,000"
    assert n.read("100") == 100
    assert n.check(1000) == 1000
    for wrong in ("101", "1,000", "", "x" * 1000):
        with pytest.raises(DataError, match="must be one of: 100, 1000"):
            n.read(wrong)
    with pytest.raises(DataError, match="must be one of"):
        n.check(5)


def test_a_state_has_every_control_and_no_other():
    lesson = LESSONS[0]
    assert lesson.state({"n": 100}) == {**lesson.usual, "n": 100}
    with pytest.raises(DataError, match="has no control 'm'"):
        lesson.state({"m": 1})


def test_short_numbers_have_no_exponent():
    assert [short(value) for value in (0.000316, 0.3162, 31.6, 3162.3)] == ["0.00032", "0.32", "32", "3,200"]


def story_of(*panels):
    return Story(tuple(Frame(f"{k}", "says", (panel,)) for k, panel in enumerate(panels)), "step", ("A",))


def test_frames_between_which_nothing_can_move_are_refused():
    line, dots = Curve([0, 1], [0, 1]), Points([0], [0], [0])
    with pytest.raises(ValueError, match="the same panels"):
        story_of(Panel("", (line,)), Panel("", (dots,)))
    with pytest.raises(ValueError, match="the same panels"):
        story_of(Panel("", (line,)), Panel("", (line,), Scale("", (0.0, 1.0))))
    story = story_of(Panel("a", (line,)), Panel("b", (line,)), Panel("c", (line,)))
    assert [story.number(at) for at in (None, 1, -1, 99, -99)] == [0, 1, 2, 2, 0]


def test_a_decision_is_traced_where_the_scores_are_equal():
    found = decision(lambda X: np.column_stack([X[:, 0], X[:, 1]]), (-1.0, 1.0), (-1.0, 1.0), cells=21)
    for line in found.lines:
        np.testing.assert_allclose(line[:, 0], line[:, 1], atol=1e-9)
    assert found.classes[0, -1] == 0
    assert found.classes[-1, 0] == 1


def test_the_guide_tells_of_every_lesson():
    minutes = sum(lesson.minutes for lesson in LESSONS)
    for text in (guide_markdown(LESSONS), guide_html(LESSONS).replace("&#39;", "'")):
        assert f"{len(LESSONS)} lessons, {minutes} minutes" in text
        for lesson in LESSONS:
            for part in (lesson.title, f"{lesson.minutes} minutes", lesson.shows, lesson.question, lesson.answer):
                assert part in text
    linked = guide_html(LESSONS, lambda lesson: f"http://here/learn?lesson={lesson.key}")
    assert linked.count("http://here/learn?lesson=") == len(LESSONS)
    assert "[Why rotate?](there)" in guide_markdown(LESSONS, lambda lesson: "there")
