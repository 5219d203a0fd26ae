"""The Learn page: a lesson with its controls, alone for the wall, or the teacher's guide to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from opnb.errors import DataError
from opnb.figures.story import draw_story
from opnb.lessons import LESSONS, Choice, Control, Lesson
from opnb.lessons.guide import HEAD, HOW, guide_html, guide_markdown, title
from opnb.lessons.lesson import Value
from opnb.studio.learn.links import Place, from_query, link, place_of, to_query
from opnb.studio.learn.player import story_player
from opnb.studio.learn.turning import turn_it
from opnb.studio.ui import address
from opnb.studio.ui.charts import chart
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.session import narrow, theme
from opnb.studio.ui.text import escaped
from opnb.views.story import Story

_KEY = "learning"
_FIGURE = "story"
_LETTERS = {"lesson": 1.0, "wall": 1.5}
_HEIGHTS = {"lesson": 640, "wall": 740}
_WIDTHS = {"lesson": 860, "wall": 1380}

# Letters that are read from the back of a room, and nothing of the app around the lesson.
_WALL = """<style>
[data-testid="stHeader"], [data-testid="stToolbar"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: 0.6rem 2rem 0 2rem; max-width: none; }
.st-key-wall-text h2 { font-size: 2.1rem; padding: 0; }
.st-key-wall-text p { font-size: 1.45rem; line-height: 1.25; }
</style>"""


@dataclass
class Visit:
    """What a visitor sees of the lessons.

    Attributes
    ----------
    place : Place
    drawn : int, optional
        The frame with which the figure was drawn. The figure moves on by itself; drawing it anew at every move would
        make it flicker.
    written : dict
        The link that was put into the address.
    problems : tuple of str
        What could not be used of a link.
    """

    place: Place = field(default_factory=lambda: place_of(LESSONS[0]))
    drawn: int | None = None
    written: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def go(self, place: Place) -> None:
        """Show another place."""
        self.place, self.drawn, self.problems = place, place.at, ()

    def moved(self, frame: int) -> None:
        """Note which frame the figure has come to by itself."""
        self.place = replace(self.place, at=frame, play=False)


def learning() -> None:
    """Show the place that the link asks for, or where the visitor was."""
    visit = _visit()
    for problem in visit.problems:
        st.warning(escaped(problem, 200), icon=":material/link_off:")
    {"lesson": _lesson, "wall": _wall, "guide": _guide}[visit.place.view](visit)
    visit.written = to_query(visit.place)
    address.write_query(visit.written)


def _visit() -> Visit:
    visit: Visit = st.session_state.setdefault(_KEY, Visit())
    query = address.own_query()
    if query and query != visit.written:
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
def _drawn(
    key: str, values: tuple[tuple[str, Value], ...], at: int | None, view: str, background: str, compact: bool
) -> Any:
    """Draw a story once: the same figure is shown again at every move on the page."""
    return draw_story(
        _told(key, values),
        at=at,
        theme=background,
        compact=compact,
        letters=_LETTERS[view],
        height=_HEIGHTS[view],
        width=_WIDTHS[view],
    )


def _lesson(visit: Visit) -> None:
    lesson = visit.place.lesson
    if narrow():
        _lessons(visit)
    left, right = st.columns([11, 5], gap="medium")
    with left:
        story = _picture(visit)
        with st.container(horizontal=True, vertical_alignment="center", key="lesson-ways"):
            if story is not None:
                _steps(visit, story)
            wall = replace(visit.place, view="wall", play=False)
            _go(visit, "Wall", wall, "co_present", help="The lesson alone, in large letters")
            _links(visit.place)
        _controls(visit)
    with right:
        if not narrow():
            _lessons(visit)
        st.subheader(lesson.title, anchor=False)
        st.markdown(f"**{escaped(lesson.shows, 1000)}**")
        st.markdown(escaped(lesson.why, 2000))
        _tries(visit, story)
        st.markdown(f"**Question.** {escaped(lesson.question, 1000)}")
        with st.expander("Answer"):
            st.markdown(escaped(lesson.answer, 2000))
    if lesson.to_turn is not None:
        turn_it(lesson, visit.place.values)
    if story is not None:
        _follow(visit, story)


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
            _go(visit, label, target, icon, help=f"{label} lesson", disabled=not there)
        _go(visit, "Guide", replace(place, view="guide", play=False), "menu_book", help="The teacher's guide")


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
    begin = 0 if place.play and place.at is None else place.at
    visit.place = place = replace(place, at=None if begin is None else story.number(begin))
    drawn = place.at if visit.drawn is None or place.play else story.number(visit.drawn)
    figure = _drawn(place.lesson.key, tuple(place.values.items()), drawn, place.view, theme(), narrow())
    with st.container(key=_FIGURE):
        chart(figure, "lesson-figure", f"{place.lesson.title} {story.frames[story.number(drawn)].says}", bar=False)
    return story


def _follow(visit: Visit, story: Story) -> None:
    """Hear which frame the figure shows; last on the page, since it takes room without showing anything."""
    place = visit.place
    identity = urlencode({**to_query(place), "at": str(visit.drawn)})
    story_player(_FIGURE, identity, story.step, place.play, visit.moved)


def _steps(visit: Visit, story: Story) -> None:
    """Step through the frames, with the arrow keys too."""
    here, last = story.number(visit.place.at), len(story.frames) - 1
    if last == 0:
        return
    ways = (("Back", "Left", here - 1, "skip_previous"), ("Step", "Right", here + 1, "skip_next"))
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-steps"):
        for label, key, there, icon in ways:
            target = replace(visit.place, at=there, play=False)
            _go(visit, label, target, icon, shortcut=key, disabled=not 0 <= there <= last)
        st.caption(f"Step {here + 1} of {last + 1} along the {escaped(story.runs_along)}")


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
    st.html(_WALL)
    lesson = visit.place.lesson
    with st.container(key="wall-text"):
        left, right = st.columns([1, 3], vertical_alignment="center")
        left.header(lesson.title, anchor=False)
        right.markdown(escaped(lesson.shows, 1000))
    story = _picture(visit)
    if story is None:
        return
    with st.container(horizontal=True, key="wall-steps"):
        _steps(visit, story)
        _go(visit, "Leave", replace(visit.place, view="lesson", play=False), "close", shortcut="Esc")
    _follow(visit, story)


def _guide(visit: Visit) -> None:
    """Show the guide, made from the lessons themselves."""
    here = st.context.url  # not known any more when a download is made

    def linked(lesson: Lesson) -> str:
        return link(place_of(lesson), here)

    with st.container(horizontal=True, vertical_alignment="center"):
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
    st.subheader(title(LESSONS), anchor=False)
    st.caption(f"{HEAD} {HOW}")
    columns = st.columns(1 if narrow() else 2, gap="small")
    for number, lesson in enumerate(LESSONS):
        with columns[number % len(columns)], st.container(border=True, gap="small", key=f"guide-{lesson.key}"):
            _guide_entry(visit, number + 1, lesson)


def _guide_entry(visit: Visit, number: int, lesson: Lesson) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{number}. {escaped(lesson.title)}** · {lesson.minutes} minutes")
        st.button("Open", key=f"open-{lesson.key}", type="tertiary", on_click=visit.go, args=(place_of(lesson),))
    st.markdown(escaped(lesson.shows, 1000))
    st.markdown(f"*Question.* {escaped(lesson.question, 1000)}")
    st.markdown(f"*Answer.* {escaped(lesson.answer, 2000)}")
