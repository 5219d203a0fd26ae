"""The picture of a fit with its controls, and the rows a lasso catches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from opnb.data.writing import csv_bytes
from opnb.diagnostics.finding import class_label
from opnb.studio.ui.charts import chart, selected_rows
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.session import narrow, studio, theme, write_link
from opnb.studio.ui.text import escaped
from opnb.studio.visit.drawing import compute, describe, draw, focus_of, with_new_rows_of
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import CHOICES, Mode, PictureSpec
from opnb.studio.words import file_stem, quantity, shortened
from opnb.studio.workbench.above import diagnose_link, doubt_lines, figures, findings_line
from opnb.studio.workbench.fit_form import note_unfitted
from opnb.studio.workbench.tour import mode_switch, touring
from opnb.studio.workbench.why import list_of_rows, ring_row, row_asked_about, row_box, why_row
from opnb.views import Doubt, ProjectionView, doubts

MANY_CLASSES = 10
_LAST, _ROUND = "picture drawn last", "times the picture was set from elsewhere"
_LEAST_HEIGHT = 340
_WORDS = {
    "shown": "the two directions",
    "full": "the full model",
    "all": "all points",
    "central": "central 98 %",
    "density": "density",
    "prior": "density × share",
    "log": "log density",
}


@st.fragment
def picture() -> None:
    """Show the fit; a change of its controls redraws it and runs nothing else."""
    state = studio()
    result = state.result
    if result is None:
        return
    with st.container(horizontal=True, key="figures"):
        figures(result)
    with st.container(horizontal=True, vertical_alignment="center", key="above-picture"):
        key = f"{state.revision}-{result.n_directions}-{st.session_state.get(_ROUND, 0)}"
        state.picture, drawing = _controls(result, state.picture, key)
    old, still = note_unfitted(state), state.picture.mode == "still"
    with st.container(gap="xxsmall"):
        line = st.empty()
        with line:
            diagnose_link()  # it keeps the place
        for note in result.notes:
            st.caption(f":material/info: {escaped(note, 500)}")
        hidden = _now(result, drawing).doubts if still else ()
        doubt_lines(result, hidden, old, show)
    if still:
        rows, asked = _still(result, drawing, old)
    else:
        rows = touring(result, lambda: _now(result, drawing).figure)
        asked = row_asked_about(result, rows)
    write_link()
    row_box(result)
    with line.container():  # the picture is there first
        findings_line(result)
    with st.expander("The picture in words"):
        st.markdown(escaped(_now(result, drawing).words, 5_000))
        guide_button("picture")
    if rows:
        _selected(result, rows)
    if asked is not None:
        why_row(result, asked)


def show(**changes: Any) -> None:
    """Change what the picture shows from elsewhere than its controls, which begin anew with it."""
    state = studio()
    state.picture = replace(state.picture, **changes)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A picture with what it was asked for, in words, and what it hides."""

    asked: tuple[Any, ...]
    figure: Any
    words: str
    doubts: tuple[Doubt, ...]


def _still(result: FitResult, drawing: bool, old: bool) -> tuple[list[int], int | None]:
    """Show the picture as it stands; give the rows that are selected on it, and the one that is asked about."""
    picture, figure = studio().picture, _now(result, drawing).figure
    clicked = selected_rows(st.session_state.get("picture"), str(result.id))
    asked = row_asked_about(result, clicked)
    # A point that was clicked stands out already, and the figure need not be sent again.
    ring_row(figure, result, picture, None if clicked == [asked] else asked)
    rows = chart(
        figure,
        "picture",
        f"Projection of {shortened(result.dataset.name)} with the classifier's regions",
        revision=f"{result.id} {picture.directions} {picture.extent}",
        selects=str(result.id),
        least=None if narrow() else _LEAST_HEIGHT,
        old=old,
    )
    return rows, asked


def _now(result: FitResult, selectable: bool) -> _Drawn:
    """Draw the picture, or give the one drawn last: a selection does not change it."""
    picture, new = studio().picture, studio().new
    asked = (result.id, picture, theme(), narrow(), selectable, new.drawn(result), new.chosen)
    last: _Drawn | None = st.session_state.get(_LAST)
    if last is not None and last.asked == asked:
        return last
    computed = compute(result, picture)
    look: dict[str, Any] = {"focus": focus_of(result, picture), "theme": theme(), "compact": narrow()}
    figure = draw(computed, selectable=selectable, errors=False, **look)
    marks: dict[str, Any] = {"focus": look["focus"], "theme": theme(), "chosen": new.chosen}
    with_new_rows_of(figure, result, picture, computed, new.drawn(result), **marks)
    if not selectable:
        figure.layout.dragmode = False  # a finger on the picture scrolls the page
    hidden = doubts(computed) if isinstance(computed, ProjectionView) else ()
    drawn = st.session_state[_LAST] = _Drawn(asked, figure, describe(computed), hidden)
    return drawn


def _controls(result: FitResult, picture: PictureSpec, key: str) -> tuple[PictureSpec, bool]:
    """Ask what to show, and whether dragging selects."""
    directions, boundary, focus, drawing = picture.directions, picture.boundary, picture.focus, True
    mode: Mode = mode_switch(picture, key) if result.classifier.components_.shape[1] > 1 else "still"
    if result.n_directions > 1 and mode == "still":
        directions = _direction_boxes(result, picture, key)
    if len(result.projected.class_names) > MANY_CLASSES:
        with st.popover(f"{MANY_CLASSES} of {len(result.projected.class_names)} classes", icon=":material/palette:"):
            focus = _focus_box(result, picture, key)
    with st.popover("Options", icon=":material/tune:", help="What the picture shows"):
        if result.n_directions > 2 or result.spec.combine == "average":
            boundary = _switch("Boundary of", "boundary", picture, key)
        extent = _switch("Part shown", "extent", picture, key)
        margins = _switch("Curves at the sides", "margins", picture, key)
        if narrow():
            drawing = st.toggle("Select points by drawing around them", key="drawing")
    return PictureSpec(directions, boundary, extent, margins, focus, mode, picture.plane), drawing


def _direction_boxes(result: FitResult, picture: PictureSpec, key: str) -> tuple[int, int]:
    pair = picture.fitting(result.n_directions)
    for place, (label, sign) in enumerate((("Across", "→"), ("Up", "↑"))):
        name = f"{label.lower()}-{key}"
        st.selectbox(
            label,
            range(result.n_directions),
            pair[place],
            label_visibility="collapsed",
            format_func=partial(_direction_name, sign),
            key=name,
            width=132,
            on_change=_turn,
            args=(place, pair, name),
        )
    return (st.session_state[f"across-{key}"], st.session_state[f"up-{key}"])


def _direction_name(sign: str, direction: int) -> str:
    return f"{sign} Direction {direction + 1}"


def _turn(place: int, before: tuple[int, int], name: str) -> None:
    """Let the two directions change places where one is asked for that the other has."""
    if st.session_state[name] == before[1 - place]:
        show(directions=before[::-1])


def _switch(label: str, name: str, picture: PictureSpec, key: str) -> Any:
    return st.segmented_control(
        label,
        CHOICES[name],
        default=getattr(picture, name),
        required=True,
        format_func=_WORDS.__getitem__,
        key=f"{name}-{key}",
    )


def _focus_box(result: FitResult, picture: PictureSpec, key: str) -> tuple[str, ...]:
    names = result.projected.class_names
    chosen = st.multiselect(
        "Classes in colour",
        names,
        [name for name in picture.focus if name in names],
        format_func=lambda name: shortened(class_label(name)),
        max_selections=MANY_CLASSES,
        placeholder="The ten largest",
        key=f"focus-{key}",
    )
    return tuple(chosen)


def _selected(result: FitResult, rows: list[int]) -> None:
    """Show the rows behind the points caught, with all their columns."""
    frame = rows_frame(result, rows)
    st.header(f"{quantity(len(frame), 'selected row')}")
    list_of_rows(frame, "selected", "The selected rows with all columns")
    st.download_button(
        "Download these rows",
        csv_bytes(frame),
        f"{file_stem(result.dataset.name)}-selected.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def rows_frame(result: FitResult, rows: list[int]) -> pd.DataFrame:
    """Give some rows of the table with what the model says of them."""
    projected = result.projected
    place = {int(row): position for position, row in enumerate(projected.rows)}
    positions = [place[row] for row in rows if row in place]
    kept = [row for row in rows if row in place]
    names = projected.class_names
    said = pd.DataFrame(
        {
            "row": kept,
            "part": ["held out" if projected.is_test[position] else "training" for position in positions],
            "predicted": [names[projected.predicted[position]] for position in positions],
        }
    )
    own = result.table.frame.iloc[[row - 1 for row in kept]].reset_index(drop=True)
    return pd.concat([said, own.rename(columns={name: f"{name} (table)" for name in said if name in own})], axis=1)
