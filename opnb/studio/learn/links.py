"""A lesson in one of its states as the query part of a link, and back; nothing in a link is trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode, urlsplit

from opnb.errors import DataError
from opnb.lessons import LESSONS, Lesson
from opnb.lessons.lesson import Try, Value
from opnb.studio.words import shortened

RESERVED = ("lesson", "at", "view", "play")
_FRAME = re.compile(r"\d{1,4}", re.ASCII)
VIEWS = ("lesson", "wall", "guide", "hand")


@dataclass(frozen=True)
class Place:
    """Where a visitor is: which lesson, in which state, seen how.

    Attributes
    ----------
    lesson : Lesson
    values : dict
        Of all its controls.
    at : int, optional
        The frame that is shown, from 0; None for the story's own first.
    view : {"lesson", "wall", "guide", "hand"}
        With its controls, alone and large for projection, the teacher's guide to all lessons, or what a student turns
        by hand in a lesson that has it.
    play : bool
        Whether it plays by itself.
    """

    lesson: Lesson
    values: Mapping[str, Value] = field(default_factory=dict)
    at: int | None = None
    view: str = "lesson"
    play: bool = False

    def with_value(self, key: str, value: Value) -> Place:
        """Set one control; the frame stays, since what runs along the frames does."""
        return replace(self, values=self.lesson.state({**self.values, key: value}), play=False)

    def trying(self, named: Try) -> Place:
        """Go to a named state."""
        return replace(self, values=self.lesson.state(named.changes), at=named.at, play=False)


def place_of(lesson: Lesson) -> Place:
    """Give the place where a lesson begins."""
    return Place(lesson, lesson.usual)


def to_query(place: Place) -> dict[str, str]:
    """Write a place as query parameters; what is as usual is left out."""
    query = {"lesson": place.lesson.key}
    for control in place.lesson.controls:
        if place.values[control.key] != control.default:
            query[control.key] = control.write(place.values[control.key])
    if place.at is not None:
        query["at"] = str(place.at + 1)
    if place.view != "lesson":
        query["view"] = place.view
    return query | ({"play": "1"} if place.play else {})


def link(place: Place, page: str | None) -> str:
    """Write a place as an address, on the server that the given page is from."""
    parts = urlsplit(page or "")
    server = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    before = parts.path.rpartition("/")[0]
    return f"{server}{before}/learn?{urlencode(to_query(place))}"


def from_query(query: Mapping[str, str]) -> tuple[Place, tuple[str, ...]]:
    """Read a place from query parameters that may come from anyone.

    Returns
    -------
    Place
        Always one that exists: what cannot be read is as usual.
    tuple of str
        A sentence for everything that could not be used.
    """
    problems: list[str] = []
    lesson = _lesson(query.get("lesson", LESSONS[0].key), problems)
    values = lesson.usual
    known = {*RESERVED, *values}
    problems += [
        f"The link has a part that means nothing here: '{shortened(name, 40)}'." for name in query if name not in known
    ][:1]
    for control in lesson.controls:
        if control.key in query:
            try:
                values[control.key] = control.read(query[control.key])
            except DataError as error:
                problems.append(f"The link's '{control.key}' was not used: {error}")
    place = Place(lesson, values, _frame(query, problems), play=query.get("play") == "1")
    return replace(place, view=_view(query, lesson, problems)), tuple(problems)


def _lesson(key: str, problems: list[str]) -> Lesson:
    for lesson in LESSONS:
        if lesson.key == key:
            return lesson
    problems.append(f"There is no lesson '{shortened(key, 40)}'. This is the first one.")
    return LESSONS[0]


def _frame(query: Mapping[str, str], problems: list[str]) -> int | None:
    if "at" not in query:
        return None
    if not _FRAME.fullmatch(query["at"]) or int(query["at"]) == 0:
        problems.append("The link's 'at' was not used: it must be the number of a step, from 1.")
        return None
    return int(query["at"]) - 1


def _view(query: Mapping[str, str], lesson: Lesson, problems: list[str]) -> str:
    view = query.get("view", "lesson")
    known = [name for name in VIEWS if name != "hand" or lesson.to_turn is not None]
    if view in known:
        return view
    problems.append(f"The link's 'view' was not used: it must be one of {', '.join(known)}.")
    return "lesson"
