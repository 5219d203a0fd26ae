"""The picture of a fit with its controls, and the rows a lasso catches."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from opnb.data.writing import csv_bytes
from opnb.studio.ui.charts import chart, selected_rows
from opnb.studio.ui.session import narrow, studio, theme, write_link
from opnb.studio.ui.text import escaped
from opnb.studio.visit.drawing import compute, describe, draw, focus_of, with_new_rows
from opnb.studio.visit.new_rows import NewRowsDesk
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import CHOICES, Mode, PictureSpec
from opnb.studio.words import file_stem, quantity, shortened
from opnb.studio.workbench.tour import mode_switch, touring
from opnb.studio.workbench.why import list_of_rows, ring_row, row_asked_about, row_box, why_row

MANY_CLASSES = 10
_LAST = "picture drawn last"
_WORDS = {
    "shown": "the two directions",
    "full": "the full model",
    "all": "all points",
    "central": "central 98 %",
    "density": "density",
    "prior": "density × share",
}


@st.fragment
def picture() -> None:
    """Show the fit; a change of its controls redraws it and runs nothing else."""
    state = studio()
    result = state.result
    if result is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="above-picture"):
        _measures(result)
        state.picture, drawing = _controls(result, state.picture, f"{state.revision}-{result.n_directions}")
    for note in result.notes:
        st.caption(f":material/info: {escaped(note, 500)}")
    if state.picture.mode == "tour":
        rows = touring(result, lambda: _drawn(result, state.picture, drawing, state.new)[0])
        asked = row_asked_about(result, rows)
    else:
        rows, asked = _still(result, state.picture, _drawn(result, state.picture, drawing, state.new)[0])
    write_link()
    row_box(result)
    words = _drawn(result, state.picture, drawing, state.new)[1]
    with st.expander("The picture in words"):
        st.markdown(escaped(words, 5_000))
    if rows:
        _selected(result, rows)
    if asked is not None:
        why_row(result, asked)


def _still(result: FitResult, picture: PictureSpec, figure: Any) -> tuple[list[int], int | None]:
    """Show the picture of two directions; give the rows selected on it, and the one that is asked about."""
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
    )
    return rows, asked


def _drawn(result: FitResult, picture: PictureSpec, selectable: bool, new: NewRowsDesk) -> tuple[Any, str]:
    """Draw the picture, or give the one drawn last: a selection does not change it."""
    asked = (result.id, picture, theme(), narrow(), selectable, new.drawn(result), new.chosen)
    last = st.session_state.get(_LAST)
    if last is None or last[0] != asked:
        computed = compute(result, picture)
        figure = draw(computed, focus=focus_of(result, picture), theme=theme(), selectable=selectable, compact=narrow())
        focus = focus_of(result, picture)
        with_new_rows(figure, computed, new.drawn(result), focus=focus, theme=theme(), chosen=new.chosen)
        if not selectable:
            figure.layout.dragmode = False  # a finger on the picture scrolls the page
        last = st.session_state[_LAST] = (asked, figure, describe(computed))
    return last[1], last[2]


def _measures(result: FitResult) -> None:
    """Say in numbers how good the fit is."""
    parts = [("Training error", result.train), ("Held-out error", result.test)]
    for label, measured in parts:
        if measured is not None:
            _metric(label, f"{100 * measured.error:.1f} %", f"{measured.errors.wrong:,} of {measured.errors.n:,}")
    last, where = (result.test, "held out") if result.test else (result.train, "training")
    _metric(
        "Log-loss",
        f"{last.log_loss:.3f}",
        where,
        "Mean of −log P(true class): it also judges how sure the answers were.",
    )
    _metric("Time", _seconds(result.seconds), quantity(result.classifier.n_iter_, "step"))


def _metric(label: str, value: str, below: str, help: str | None = None) -> None:
    if narrow():
        label, help = label.replace(" error", ""), None
    width = 78 if narrow() else 124
    st.metric(label, value, below, delta_color="off", delta_arrow="off", width=width, help=help)


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _controls(result: FitResult, picture: PictureSpec, key: str) -> tuple[PictureSpec, bool]:
    """Ask what to show, and whether dragging selects."""
    directions, boundary, focus, drawing = picture.directions, picture.boundary, picture.focus, True
    mode: Mode = mode_switch(picture, key) if result.classifier.components_.shape[1] > 1 else "still"
    if result.n_directions > 1 and mode == "still":
        directions = _direction_boxes(result, picture, key)
    with st.popover("Options", icon=":material/tune:", help="What the picture shows"):
        if result.n_directions > 2 or result.spec.combine == "average":
            boundary = _switch("Boundary of", "boundary", picture, key)
        extent = _switch("Part shown", "extent", picture, key)
        margins = _switch("Curves at the sides", "margins", picture, key)
        if len(result.projected.class_names) > MANY_CLASSES:
            focus = _focus_box(result, picture, key)
        if narrow():
            drawing = st.toggle("Select points by drawing around them", key="drawing")
    return PictureSpec(directions, boundary, extent, margins, focus, mode, picture.plane), drawing


def _direction_boxes(result: FitResult, picture: PictureSpec, key: str) -> tuple[int, int]:
    across, up = picture.fitting(result.n_directions)
    options = list(range(result.n_directions))
    width = 108 if narrow() else 132

    def name(direction: int) -> str:
        return f"Direction {direction + 1}"

    across = st.selectbox("Across", options, across, format_func=name, key=f"across-{key}", width=width)
    up = st.selectbox("Up", options, up, format_func=name, key=f"up-{key}", width=width)
    if across == up:
        st.caption("Choose two different directions.")
        return (across, (across + 1) % result.n_directions)
    return (across, up)


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
        format_func=shortened,
        max_selections=MANY_CLASSES,
        placeholder="The ten largest",
        key=f"focus-{key}",
    )
    return tuple(chosen)


def _selected(result: FitResult, rows: list[int]) -> None:
    """Show the rows behind the points caught, with all their columns."""
    frame = rows_frame(result, rows)
    st.subheader(f"{quantity(len(frame), 'selected row')}")
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
