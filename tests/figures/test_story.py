"""Stories as figures: the numbers are read back out of them."""

import numpy as np
import pytest

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


def sentence(layout):
    return layout["annotations"][0]["text"]


def test_it_begins_where_it_should_and_every_frame_has_its_words(story):
    figure = draw_story(story).to_dict()
    assert sentence(figure["layout"]) == "Step 2: 0.2 %."
    assert [sentence(one["layout"]) for one in figure["frames"]] == [f"Step {k}: 0.{k} %." for k in range(4)]
    assert figure["layout"]["sliders"][0]["active"] == 2
    assert sentence(draw_story(story, at=-1).to_dict()["layout"]) == "Step 3: 0.3 %."
    titles = [note["text"] for note in figure["frames"][1]["layout"]["annotations"][1:]]
    assert titles == ["<b>Plane 1</b>", "<b>Curve</b>", "<b>Bars</b>"]


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


def test_letters_grow_for_the_wall(story):
    usual, large = (draw_story(story, letters=letters).layout for letters in (1.0, 1.5))
    for pick in (
        lambda layout: layout.annotations[0].font.size,
        lambda layout: layout.xaxis2.tickfont.size,
        lambda layout: layout.legend.font.size,
        lambda layout: layout.sliders[0].font.size,
    ):
        assert pick(large) == pytest.approx(1.5 * pick(usual), abs=0.6)
    assert usual.annotations[0].font.size >= 16


def test_a_phone_has_one_panel_below_the_other(story):
    layout = draw_story(story, compact=True).layout
    domains = [layout[f"yaxis{tag}"].domain for tag in ("", "2", "3")]
    assert domains[0][0] > domains[1][1] > domains[1][0] > domains[2][1]


def test_a_panel_alone_in_the_last_row_takes_all_of_it(story):
    layout = draw_story(story).layout
    assert layout.xaxis3.domain[1] == 1.0
    assert layout.xaxis3.domain[0] < layout.xaxis2.domain[0]


def test_curves_of_one_name_share_an_entry_of_the_legend():
    twice = Story((frame(1, extra=(Curve([0], [0], name="error"),)),), "number", ("A", "B"))
    figure = draw_story(twice)
    assert [one.showlegend for one in figure.data if one.name == "error"] == [True, False]
    assert not figure.frames
    assert not figure.layout.sliders
    assert not figure.layout.updatemenus


def test_curves_that_are_no_classes_are_lighter_on_a_dark_ground(story):
    colours = {
        theme: next(one for one in draw_story(story, theme=theme).data if one.name == "error").line.color
        for theme in ("light", "dark")
    }
    assert colours["light"] != colours["dark"]
