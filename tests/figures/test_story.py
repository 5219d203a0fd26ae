"""Stories as figures: the numbers are read back out of them."""

import numpy as np
import pytest

from opnb.figures.palette import class_styles
from opnb.figures.story import draw_story
from opnb.views.story import Bars, Curve, Decision, Frame, Panel, Points, Rule, Scale, Story

UNIT = Scale("", (0.0, 1.0))


def frame(number, *, extra=()):
    moving = Curve([0.0, 1.0], [0.0, number / 10], name="error", marks=True)
    still = Points([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0, 1, 1], [False, False, True])
    regions = Decision((0.0, 1.0), (0.0, 1.0), np.full((4, 4), number % 2, dtype=np.int16), (np.eye(2),))
    return Frame(
        f"{number}",
        f"Step {number}: {number / 10} %.",
        (
            Panel(f"Plane {number}", (regions, still), UNIT, UNIT, equal=True),
            Panel("Curve", (moving, Rule(y=0.5, text="half"), *extra), Scale("scale", (1.0, 100.0), log=True), UNIT),
            Panel("Bars", (Bars(("one", "<b>two"), [1.0, 2.0 + number], strong=(1,)), Rule(x=1.5)), Scale("", (0, 9))),
        ),
    )


@pytest.fixture
def story():
    return Story(tuple(frame(number) for number in range(4)), "number", ("A", "<B>"), first=2, step=0.5)


def markers(trace):
    return trace.type == "scatter" and trace.mode == "markers"


def test_it_begins_where_it_should_and_every_frame_has_its_words(story):
    words = draw_story(story).layout.meta
    assert words["says"] == [f"Step {k}: 0.{k}\N{NO-BREAK SPACE}%." for k in range(4)]
    assert (words["first"], words["step"], words["along"]) == (2, 500, "number")
    assert words["names"] == ["0", "1", "2", "3"]
    assert words["titles"][1] == ["Plane 1", "Curve", "Bars"]


def test_the_browser_is_told_what_it_needs_to_lay_the_panels_out(story):
    plane, curve, bars = draw_story(story).layout.meta["panels"]
    assert (plane["plane"], plane["square"]) == (True, True)
    assert (curve["plane"], curve["across"], curve["numbered"]) == (False, "scale", [True, True])
    assert bars["bars"] == ["one", "<b>two"]


def test_only_what_moves_is_sent_again(story):
    figure = draw_story(story)
    base = next(one for one in figure.data if one.name == "error")
    assert list(base.y) == pytest.approx([0.0, 0.2])
    for number, one in enumerate(figure.frames):
        sent = [figure.data[index] for index in one.traces]
        assert not any(markers(trace) for trace in sent), "points that stay are not sent"
        place = next(index for index, trace in enumerate(sent) if trace.name == "error")
        assert list(one.data[place].y) == pytest.approx([0.0, number / 10])
        assert {trace.type for trace in one.data} == {"scatter", "bar"}


def test_regions_change_with_the_frame_and_axes_do_not(story):
    figure = draw_story(story)
    sources = [one.layout.images[0].source for one in figure.frames]
    assert sources[0] == sources[2] != sources[1]
    assert tuple(figure.layout.xaxis2.range) == (0.0, 2.0), "logarithmic"
    assert all(one.layout.xaxis.range is None for one in figure.frames)


def test_names_are_text_and_marks_tell_classes_without_colour(story):
    figure = draw_story(story)
    assert figure.layout.yaxis3.ticktext == ("one", "&lt;b&gt;two")
    symbols = {one.name: one.marker.symbol for one in figure.data if one.showlegend is None and one.x[0] is None}
    assert symbols == {"A": "circle", "&lt;B&gt;": "diamond"}
    held_out = [one for one in figure.data if markers(one) and str(one.marker.symbol).endswith("-open")]
    assert [list(one.x) for one in held_out] == [[pytest.approx(0.3)]]


def test_the_words_of_a_rule_are_in_the_legend_and_on_no_line(story):
    figure = draw_story(story)
    assert not any(one.text for one in figure.data if one.type == "scatter")
    assert [(one.name, one.line.dash) for one in figure.data if one.showlegend and one.mode == "lines"] == [
        ("half", "dash")
    ]


def test_rings_are_the_mark_of_no_class(story):
    other = frame(1, extra=(Curve([0.5], [0.5], name="other", marks=True, line=False, rings=True),))
    (rings,) = (one for one in draw_story(Story((other,), "number", ("A", "B"))).data if one.name == "other")
    assert rings.marker.symbol == "circle-open"
    assert rings.marker.color not in {style.colour for style in class_styles(np.ones(10, dtype=int))}


def test_curves_of_one_name_share_an_entry_of_the_legend():
    twice = Story((frame(1, extra=(Curve([0], [0], name="error"),)),), "number", ("A", "B"))
    figure = draw_story(twice)
    assert [one.showlegend for one in figure.data if one.name == "error"] == [True, False]
    assert len(figure.frames) == 1


def test_curves_that_are_no_classes_are_lighter_on_a_dark_ground(story):
    colours = {
        theme: next(one for one in draw_story(story, theme=theme).data if one.name == "error").line.color
        for theme in ("light", "dark")
    }
    assert colours["light"] != colours["dark"]
