"""What a student turns by hand in a lesson that asks for it, and the climb from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from opnb.lessons import Lesson
from opnb.lessons.lesson import Value
from opnb.studio.ui.tours import Prepared, told_axes, tour_element
from opnb.views.axes_paths import AxesPath

_KEY = "lesson-tour"
_LAST = "lesson's tour made last"


@st.fragment
def turn_it(lesson: Lesson, values: Mapping[str, Value], leave: Callable[[], None]) -> None:
    """Let a student turn the lesson's points, and climb from there."""
    identity = f"{lesson.key} {urlencode(values)}"
    prepared, way = _prepared(lesson, values, identity)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lesson-hand"):
        if st.button("Back to the lesson", icon=":material/arrow_back:", on_click=leave):
            st.rerun()  # of the page, not of this part alone
        asked = (lesson, values, identity, prepared)
        st.button("Climb from here", icon=":material/trending_up:", key="lesson-climb", on_click=_climb, args=asked)
        st.caption(
            "Drag the ends of the arrows, or type weights, until few held-out points are misclassified. Then climb."
        )
    name = None if way is None else way.captions[0] + str(way.axes[0].tolist())
    tour_element(prepared, None, _KEY, lesson.title, fit=identity, way=name, height=1200)


def _climb(lesson: Lesson, values: Mapping[str, Value], identity: str, prepared: Prepared) -> None:
    """Search from where the student's axes stand."""
    stood = told_axes(_KEY, prepared, identity)
    begin = prepared.tour.view.paths[0].axes[0].T.astype(float) if stood is None else stood
    assert lesson.climb is not None
    _make(lesson, values, identity, lesson.climb(values, begin))


def _prepared(lesson: Lesson, values: Mapping[str, Value], identity: str) -> tuple[Prepared, AxesPath | None]:
    last: Any = st.session_state.get(_LAST)
    if last is None or last[0] != identity:
        last = _make(lesson, values, identity, None)
    return last[1], last[2]


def _make(lesson: Lesson, values: Mapping[str, Value], identity: str, way: AxesPath | None) -> Any:
    assert lesson.to_turn is not None
    made = Prepared.of(lesson.to_turn(values, [] if way is None else [way]))
    st.session_state[_LAST] = (identity, made, way)
    return st.session_state[_LAST]
