"""The Learn page: every lesson, its links, the wall and the guide."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from opnb.lessons import LESSONS
from opnb.studio.learn.links import RESERVED, Place, from_query, link, place_of, to_query
from opnb.studio.learn.page import Visit
from opnb.studio.learn.player import KEYS as KEYS_OF_THE_PAGE
from tests.studio.conftest import ROOT, TIMEOUT, figures

KEYS = [lesson.key for lesson in LESSONS]
ROTATE = LESSONS[0]


class Class:
    """A visitor of the Learn page."""

    def __init__(self, **query):
        self.at = AppTest.from_file(str(ROOT / "pages" / "learn.py"), default_timeout=TIMEOUT)
        self.at.session_state["entered"] = True  # the app's own script has run; the journeys come through it
        for name, value in query.items():
            self.at.query_params[name] = value
        self.run()

    def run(self):
        self.at.run()
        assert not self.at.exception, self.at.exception
        return self

    def press(self, label):
        next(button for button in self.at.button if button.label == label).click()
        return self.run()

    def labels(self):
        return [button.label for button in self.at.button]

    def keyed(self):
        """Keys of what the page has, by which the browser finds a button."""
        named = [one.proto.id for one in self.at.main if getattr(one.proto, "id", "")]
        return {name.split("-", 2)[2] for name in named}

    @property
    def query(self):
        read = self.at.query_params
        return {name: value if isinstance(value, str) else value[0] for name, value in read.items()}

    @property
    def words(self):
        kinds = ("markdown", "caption", "warning", "title", "error")
        return " ".join(one.value.replace("\\", "") for kind in kinds for one in getattr(self.at, kind))

    def figure(self):
        return figures(self.at)[0]

    @property
    def shown(self):
        """How the story is shown."""
        (story,) = (one.proto for one in self.at.get("bidi_component") if one.proto.component_name == "opnb_story")
        return json.loads(story.bytes.split(b"\n", 1)[0])

    def says(self):
        return self.figure()["layout"]["meta"]["says"][self.shown["at"]].replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=KEYS)
def test_every_lesson_is_on_one_page_with_its_texts(lesson):
    page = Class(lesson=lesson.key)
    for text in (lesson.title, lesson.shows, lesson.why, lesson.question, lesson.answer):
        assert text in page.words
    assert set(page.labels()) >= {named.label for named in lesson.tries}
    assert len(page.figure()["frames"]) >= 3
    assert not page.at.warning
    assert page.query == {"lesson": lesson.key}


@pytest.mark.slow
def test_a_thing_to_try_sets_its_state_and_says_what_to_look_at():
    page = Class(lesson="rotate", n="100", seed="5").press("Few points")
    assert page.query == {"lesson": "rotate", "n": "100"}
    assert "With few points OPNB has to guess" in page.words
    page.press("Furthest turn")
    assert page.query == {"lesson": "rotate", "at": "7"}
    assert page.says().startswith("Turned by 45°")


def test_a_control_changes_the_story_and_keeps_the_step():
    page = Class(lesson="bandwidth", at="2")
    before = page.says()
    page.at.number_input[0].set_value(4)
    page.run()
    assert page.query == {"lesson": "bandwidth", "seed": "4", "at": "2"}
    assert page.says() != before
    page.at.selectbox(key="control-bandwidth-criterion").set_value("penalty")
    assert page.run().query["criterion"] == "penalty"


def test_a_link_brings_the_same_picture_back():
    page = Class(lesson="noise").press("True labels")
    again = Class(**page.query)
    assert again.says() == page.says()
    assert again.query == page.query


def test_lessons_follow_each_other():
    page = Class().press("Next")
    assert page.query == {"lesson": KEYS[1]}
    page.at.selectbox(key="lesson-choice").set_value(KEYS[-1])
    assert page.run().query == {"lesson": KEYS[-1]}
    assert next(button for button in page.at.button if button.label == "Next").disabled


def test_the_wall_has_the_lesson_alone_and_large():
    wall = Class(lesson="rotate", view="wall", at="5")
    assert wall.shown["wall"]
    assert not Class(lesson="rotate").shown["wall"]
    assert sorted(wall.labels()) == ["Leave", "Next", "Previous"]
    assert not wall.at.slider
    assert not wall.at.select_slider
    assert ROTATE.question in wall.words
    assert ROTATE.answer in wall.words
    assert wall.press("Next").query == {"lesson": KEYS[1], "view": "wall"}
    assert wall.press("Previous").press("Leave").query == {"lesson": "rotate"}


@pytest.mark.parametrize(
    ("view", "elsewhere"), [("lesson", {"go-Leave", "lesson-question"}), ("wall", {"go-Wall"})], ids=["lesson", "wall"]
)
def test_every_key_is_listed_and_presses_a_button_that_is_there(view, elsewhere):
    page = Class(lesson=KEYS[1], view=view)
    for key, does, button in KEYS_OF_THE_PAGE:
        assert f"**{key}**: {does}" in page.words
        assert not button or button in elsewhere or button in page.keyed()
    told = page.shown["keys"]
    assert (told["n"], told["a"], told["Escape"]) == ("go-Next", "lesson-answer", "go-Leave")
    assert sorted(told.values()) == sorted(button for _, _, button in KEYS_OF_THE_PAGE if button)


def test_a_link_that_plays_begins_at_the_first_step():
    page = Class(lesson="rotate", play="1")
    assert page.says().startswith("Not turned")
    assert page.shown["play"]
    assert page.query["play"] == "1"
    assert "play" not in page.press("Few points").query


def test_the_guide_has_every_lesson_and_opens_it():
    page = Class(view="guide", lesson="noise")
    for lesson in LESSONS:
        assert lesson.title in page.words
        assert lesson.question in page.words
    assert [button.label for button in page.at.get("download_button")] == ["To print (HTML)", "Markdown"]
    page.at.button(key=f"open-{KEYS[1]}").click()
    assert page.run().query == {"lesson": KEYS[1]}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"lesson": "<script>alert(1)</script>"}, "There is no lesson"),
        ({"lesson": "rotate", "n": "7"}, "The link's 'n' was not used: Points must be one of"),
        ({"lesson": "rotate", "overlap": "1e308"}, "Overlap must be a number from 0.6 to 1.6"),
        ({"lesson": "rotate", "seed": "-1"}, "Seed must be a number"),
        ({"lesson": "rotate", "at": "0"}, "must be the number of a step"),
        ({"lesson": "rotate", "at": "٣"}, "must be the number of a step"),
        ({"lesson": "rotate", "view": "roof"}, "must be one of lesson, wall, guide"),
        ({"lesson": "rotate", "view": "hand"}, "must be one of lesson, wall, guide"),
        ({"lesson": "rotate", "data": "example:iris"}, "a part that means nothing here"),
    ],
)
def test_a_bad_link_is_told_in_words_and_the_lesson_is_there(query, says):
    page = Class(**query)
    assert says in page.words
    assert page.query == {"lesson": "rotate"}
    assert page.figure()["frames"]


def test_a_step_beyond_the_end_is_the_last():
    assert Class(lesson="rotate", at="9999").query == {"lesson": "rotate", "at": "7"}


def test_links_are_read_as_they_are_written():
    for lesson in LESSONS:
        assert not set(RESERVED) & set(lesson.usual)
        for named in lesson.tries:
            place = Place(lesson, lesson.state(named.changes), at=2, view="wall", play=True)
            assert from_query(to_query(place)) == (place, ())


def test_a_link_to_share_has_no_workspace_and_names_the_server():
    place = place_of(ROTATE).with_value("n", 100)
    shared = link(place, "http://room:8501/opnb/learn?lesson=noise&workspace=secret")
    assert shared == "http://room:8501/opnb/learn?lesson=rotate&n=100"
    assert link(place, None) == "/learn?lesson=rotate&n=100"
    page = Class(lesson="rotate", n="100")
    shown = [code.value.partition("?")[2] for code in page.at.code]
    rest = "lesson=rotate&n=100"
    assert shown == [rest, f"{rest}&view=wall", f"{rest}&view=wall&play=1"]


def test_a_frame_that_the_story_reached_by_itself_is_not_asked_for():
    visit = Visit()
    visit.go(place_of(ROTATE))
    visit.moved(5)
    assert (visit.place.at, visit.wanted.at, visit.asked) == (5, None, 1)
    visit.go(visit.place)
    assert (visit.wanted.at, visit.asked) == (5, 2)


def test_an_address_that_is_late_is_no_link_and_one_gone_back_to_is():
    visit = Visit()
    first, second, third = ({"lesson": "rotate", "at": at} for at in "123")
    for query in (first, second, third):
        visit.wrote(query)
    assert not visit.follows(first), "the browser has not heard of the others yet"
    assert not visit.follows(third)
    assert visit.follows(first), "the visitor went back"
    assert not visit.follows({}), "an address without a lesson asks for none"


def test_the_way_through_the_app_leads_to_the_first_lesson_and_leaves_the_fit_alone(visit):
    page = visit().go("Learn")
    assert ROTATE.shows in page.words
    assert page.go("Workbench").state.result is not None


def test_the_last_lesson_has_something_to_turn_and_a_climb():
    page = Class(lesson="turn", turns="20", n="100", p="4").press("Now you")
    assert page.query["view"] == "hand"
    tours = [one for one in page.at.get("bidi_component") if "lesson-tour" in one.proto.id]
    assert len(tours) == 2  # what shows the points, and the points
    before = tours[1].proto.bytes
    page.press("Climb from here")
    after = [one for one in page.at.get("bidi_component") if "lesson-tour" in one.proto.id][1].proto.bytes
    assert len(after) > len(before)
    assert b"The climb" in after
    assert page.press("Back to the lesson").query == {"lesson": "turn", "turns": "20", "n": "100", "p": "4"}
