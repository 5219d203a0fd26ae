"""The Learn page: a lesson with its controls, alone for the wall, or the teacher's guide to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st

from opnb.errors import DataError
from opnb.figures.story import draw_story
from opnb.lessons import LESSONS, Choice, Control, Lesson
from opnb.lessons.guide import HEAD, HOW, guide_html, guide_markdown, title
from opnb.lessons.lesson import Value
from opnb.studio.learn.links import VIEWS, Place, from_query, link, place_of, to_query
from opnb.studio.learn.player import KEYS, story_player
from opnb.studio.learn.turning import turn_it
from opnb.studio.ui import address
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.session import narrow, theme
from opnb.studio.ui.text import escaped
from opnb.views.story import Story

_KEY = "learning"
_LATE = 20  # links that a browser may be behind
_STYLES = Path(__file__).parent / "frontend"
_STYLE = {view: f"<style>{(_STYLES / f'{view}.css').read_text('utf8')}</style>" for view in VIEWS}


@dataclass
class Visit:
    """What a visitor sees of the lessons.

    Attributes
    ----------
    place : Place
    wanted : Place
        What was asked for last; the story moves on from there by itself.
    asked : int
        How often a place was asked for.
    written : list of dict
        Links that were put into the address and that the browser may still have there, the last one last: what it tells
        may be older than what it is told.
    problems : tuple of str
        What could not be used of a link.
    """

    place: Place = field(default_factory=lambda: place_of(LESSONS[0]))
    wanted: Place = field(default_factory=lambda: place_of(LESSONS[0]))
    asked: int = 0
    written: list[Mapping[str, str]] = field(default_factory=list)
    problems: tuple[str, ...] = ()

    def go(self, place: Place) -> None:
        """Show another place."""
        self.place, self.wanted, self.problems = place, place, ()
        self.asked += 1

    def follows(self, query: Mapping[str, str]) -> bool:
        """Tell whether an address is a link to follow, and not one that was put there from here."""
        if query in self.written:
            self.written = self.written[self.written.index(query) :]
            return False
        return bool(query)

    def wrote(self, query: Mapping[str, str]) -> None:
        """Note which link is put into the address."""
        if query not in self.written[-1:]:
            self.written = [*self.written, query][-_LATE:]

    def moved(self, frame: int) -> None:
        """Note which frame the story has come to by itself."""
        self.place = replace(self.place, at=frame, play=False)


def learning() -> None:
    """Show the place that the link asks for, or where the visitor was."""
    visit = _visit()
    for problem in visit.problems:
        st.warning(escaped(problem, 200), icon=":material/link_off:")
    st.html(_STYLE[visit.place.view])
    {"lesson": _lesson, "wall": _wall, "guide": _guide, "hand": _hand}[visit.place.view](visit)
    query = to_query(visit.place)
    visit.wrote(query)
    address.write_query(query)


def _visit() -> Visit:
    visit: Visit = st.session_state.setdefault(_KEY, Visit())
    query = address.own_query()
    if visit.follows(query):
        place, problems = from_query(query)
        visit.go(place)
        visit.problems = problems
    return visit


@st.cache_resource(max_entries=48, show_spinner="Computing the lesson …")
def _told(key: str, values: tuple[tuple[str, Value], ...]) -> Story:
    """Compute a story once for everyone: its data are simulated or bundled."""
    (lesson,) = (lesson for lesson in LESSONS if lesson.key == key)
    return lesson.tell(dict(values))


@st.cache_resource(max_entries=48, show_spinner=False)
def _drawn(key: str, values: tuple[tuple[str, Value], ...], background: str) -> Any:
    """Draw a story once: the same figure is shown again at every move on the page."""
    return draw_story(_told(key, values), theme=background)


def _lesson(visit: Visit) -> None:
    lesson = visit.place.lesson
    if narrow():
        _lessons(visit)
    left, right = st.columns([9, 5], gap="medium")
    with left:
        _controls(visit)
        story = _picture(visit)
    with right, st.container(key="lesson-text", gap="small"):
        if not narrow():
            _lessons(visit)
        st.title(lesson.title, anchor=False)
        st.markdown(f"**{escaped(lesson.shows, 1000)}**")
        st.markdown(escaped(lesson.why, 2000))
        _tries(visit, story)
        st.markdown(f"**Question.** {escaped(lesson.question, 1000)}")
        with st.container(horizontal=True, gap="small", key="lesson-ask"):
            _answer(lesson)
            if lesson.to_turn is not None:
                hand = replace(visit.place, view="hand", play=False)
                _go(visit, "Now you", hand, "pan_tool", help="Turn the axes of these points yourself")


def _answer(lesson: Lesson) -> None:
    with st.container(key="lesson-answer"), st.popover("Answer", help="Key A"):
        st.markdown(escaped(lesson.answer, 2000))


def _lessons(visit: Visit) -> None:
    """Choose a lesson, look at the guide, or go to the wall."""
    place = visit.place
    number = LESSONS.index(place.lesson)
    st.session_state["lesson-choice"] = place.lesson.key
    st.selectbox(
        "Lesson",
        [lesson.key for lesson in LESSONS],
        format_func=_named,
        key="lesson-choice",
        on_change=lambda: visit.go(place_of(_by_key(st.session_state["lesson-choice"]))),
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, gap="small", key="lesson-bar"):
        for label, other, icon in (("Previous", number - 1, "arrow_back"), ("Next", number + 1, "arrow_forward")):
            there = 0 <= other < len(LESSONS)
            target = place_of(LESSONS[other]) if there else place
            _go(visit, label, target, icon, help=f"{label} lesson (key {label[0]})", disabled=not there)
        _go(visit, "Guide", replace(place, view="guide", play=False), "menu_book", help="The teacher's guide")
        wall = replace(place, view="wall", play=False)
        _go(visit, "Wall", wall, "co_present", help="The lesson alone, in large letters (key W)")
        _links(place)
        _keys()


def _links(place: Place) -> None:
    """Give links to what is shown. The address of the page may hold the visitor's workspace, which is nobody else's."""
    with st.popover("Link", icon=":material/link:", help="Links to this lesson as it is now"):
        ways = {
            "What is shown": place,
            "Alone on the wall": replace(place, view="wall"),
            "On the wall, playing by itself": replace(place, view="wall", at=None, play=True),
        }
        for words, target in ways.items():
            st.caption(words)
            st.code(link(target, st.context.url), language=None, wrap_lines=True)


def _keys() -> None:
    """List what the keys do."""
    with (
        st.container(key="lesson-keys"),
        st.popover("Keys", icon=":material/keyboard:", help="What the keys do (key K)"),
    ):
        st.markdown("\n".join(f"- **{key}**: {does}" for key, does, _ in KEYS))


def _go(visit: Visit, label: str, target: Place, icon: str, **more: Any) -> None:
    """Offer a way to another place."""
    st.button(label, key=f"go-{label}", icon=f":material/{icon}:", on_click=visit.go, args=(target,), **more)


def _by_key(key: str) -> Lesson:
    return next(lesson for lesson in LESSONS if lesson.key == key)


def _named(key: str) -> str:
    lesson = _by_key(key)
    return f"{LESSONS.index(lesson) + 1}. {lesson.title} ({lesson.minutes} minutes)"


def _picture(visit: Visit) -> Story | None:
    """Draw the story of the place."""
    place = visit.place
    try:
        story = _told(place.lesson.key, tuple(place.values.items()))
    except DataError as error:
        st.error(f"This state cannot be computed. {escaped(error, 300)}", icon=":material/error:")
        return None
    wanted = visit.wanted
    visit.place = replace(place, at=None if place.at is None else story.number(place.at))
    story_player(
        _drawn(place.lesson.key, tuple(place.values.items()), theme()),
        place.lesson.title,
        at=story.number(0 if wanted.play and wanted.at is None else wanted.at),
        asked=visit.asked,
        play=wanted.play,
        wall=place.view == "wall",
        moved=visit.moved,
    )
    return story


def _tries(visit: Visit, story: Story | None) -> None:
    st.markdown("**Things to try**")
    place, look = visit.place, "Each sets a state, and Link links to it."
    with st.container(horizontal=True, gap="small", key="lesson-tries"):
        for named in place.lesson.tries:
            target = place.trying(named)
            st.button(named.label, key=f"try-{place.lesson.key}-{named.label}", on_click=visit.go, args=(target,))
            if story and target.values == place.values and story.number(named.at) == story.number(place.at):
                look = f"{named.label}. {named.look}"
    st.caption(escaped(look, 300))


def _controls(visit: Visit) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="lesson-controls"):
        for control in visit.place.lesson.controls:
            _control(visit, control)


def _control(visit: Visit, control: Control) -> None:
    key = f"control-{visit.place.lesson.key}-{control.key}"
    st.session_state[key] = visit.place.values[control.key]

    def changed() -> None:
        # The limits of a widget hold in the browser only.
        visit.go(visit.place.with_value(control.key, st.session_state[key]))

    common: dict[str, Any] = {"key": key, "help": control.help or None, "on_change": changed}
    if isinstance(control, Choice) and any(isinstance(value, str) for value in control.values):
        st.selectbox(control.label, control.values, format_func=control.words, width=210, **common)
    elif isinstance(control, Choice):
        st.select_slider(control.label, control.values, format_func=control.words, width=180, **common)
    elif control.key == "seed":
        st.number_input(control.label, int(control.low), int(control.high), step=1, width=130, **common)
    else:
        limits = (control.low, control.high) if control.whole else (float(control.low), float(control.high))
        step = control.step if control.whole else float(control.step)
        st.slider(control.label, *limits, step=step, width=180, **common)


def _wall(visit: Visit) -> None:
    """Show the lesson alone, in letters for the back of a room."""
    lesson, number = visit.place.lesson, LESSONS.index(visit.place.lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="wall-head"):
        st.title(lesson.title, anchor=False)
        with st.container(key="lesson-question"), st.popover("Question", help="Key Q"):
            st.markdown(escaped(lesson.question, 1000))
        _answer(lesson)
        for label, other, icon in (("Previous", number - 1, "arrow_back"), ("Next", number + 1, "arrow_forward")):
            there = 0 <= other < len(LESSONS)
            target = replace(place_of(LESSONS[other]), view="wall") if there else visit.place
            _go(visit, label, target, icon, help=f"{label} lesson (key {label[0]})", disabled=not there)
        _keys()
        leave = replace(visit.place, view="lesson", play=False)
        _go(visit, "Leave", leave, "close", help="Back to the page (key Esc)")
    with st.container(key="wall-text"):
        st.markdown(escaped(lesson.shows, 1000))
    _picture(visit)


def _hand(visit: Visit) -> None:
    """Let a student turn the lesson's points, on a screen for itself."""
    back = replace(visit.place, view="lesson")
    turn_it(visit.place.lesson, visit.place.values, lambda: visit.go(back))


def _guide(visit: Visit) -> None:
    """Show the guide, made from the lessons themselves."""
    here = st.context.url  # not known any more when a download is made

    def linked(lesson: Lesson) -> str:
        return link(place_of(lesson), here)

    with st.container(horizontal=True, vertical_alignment="center", key="guide-ways"):
        back = replace(visit.place, view="lesson")
        st.button("Back to the lesson", icon=":material/arrow_back:", on_click=visit.go, args=(back,))
        st.download_button(
            "To print (HTML)",
            lambda: guide_html(LESSONS, linked),
            "opnb-teachers-guide.html",
            "text/html",
            icon=":material/print:",
            on_click="ignore",
        )
        st.download_button(
            "Markdown",
            lambda: guide_markdown(LESSONS, linked),
            "opnb-teachers-guide.md",
            "text/markdown",
            icon=":material/download:",
            on_click="ignore",
        )
    guide_button("teaching")
    st.title(title(LESSONS), anchor=False)
    st.caption(f"{HEAD} {HOW}")
    with st.container(key="guide-cards"):
        for number, lesson in enumerate(LESSONS, start=1):
            with st.container(border=True, gap="small", key=f"guide-{lesson.key}"):
                _guide_entry(visit, number, lesson)


def _guide_entry(visit: Visit, number: int, lesson: Lesson) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{number}. {escaped(lesson.title)}** · {lesson.minutes} minutes")
        st.button("Open", key=f"open-{lesson.key}", type="tertiary", on_click=visit.go, args=(place_of(lesson),))
    st.markdown(escaped(lesson.shows, 1000))
    st.markdown(f"*Question.* {escaped(lesson.question, 1000)}")
    st.markdown(f"*Answer.* {escaped(lesson.answer, 2000)}")
