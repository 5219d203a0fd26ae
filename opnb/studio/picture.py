"""The picture of a fit with its controls, and the rows a lasso catches."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from opnb.figures import projection_figure
from opnb.studio.results import FitResult
from opnb.studio.session import studio, theme, write_link
from opnb.studio.spec import CHOICES, View
from opnb.studio.text import csv_bytes, file_stem, quantity, shortened

MANY_CLASSES = 10
CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["zoomIn2d", "zoomOut2d", "autoScale2d"]}
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
    state.view = _controls(result, state.view, f"{state.revision}-{result.n_directions}")
    write_link()
    figure = view_figure(result, state.view, theme=theme(), selectable=True)
    chosen: Any = st.plotly_chart(
        figure,
        key=f"picture-{result.id}",
        theme=None,
        config=CONFIG,
        on_select="rerun",
        selection_mode=("lasso", "box", "points"),
        alt=f"Projection of {shortened(result.dataset.name)} with the classifier's regions",
    )
    rows = sorted({int(_row_of(point)) for point in chosen["selection"]["points"] if _row_of(point) is not None})
    if rows:
        _selected(result, rows)


def view_figure(result: FitResult, view: View, **drawing: Any) -> Any:
    """Draw a result as a view says."""
    names = result.projected.class_names
    focus = [names.index(name) for name in view.focus if name in names] or None
    directions = view.fitting(result.n_directions)
    return projection_figure(
        result.classifier,
        directions=directions if len(directions) == 2 else (0, 1),
        projected=result.projected,
        boundary=view.boundary,
        extent=view.extent,
        weighting=view.margins,
        focus=focus,
        **drawing,
    )


def _controls(result: FitResult, view: View, key: str) -> View:
    """Ask what to show."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="picture-controls"):
        directions = view.directions
        if result.n_directions > 1:
            directions = _direction_boxes(result, view, key)
        with st.popover("Picture options", icon=":material/tune:"):
            boundary = view.boundary
            if result.n_directions > 2 or result.spec.combine == "average":
                boundary = _switch("Boundary of", "boundary", view, key)
            extent = _switch("Part shown", "extent", view, key)
            margins = _switch("Curves at the sides", "margins", view, key)
            focus = view.focus
            if len(result.projected.class_names) > MANY_CLASSES:
                focus = _focus_box(result, view, key)
    return View(directions, boundary, extent, margins, focus)


def _direction_boxes(result: FitResult, view: View, key: str) -> tuple[int, int]:
    across, up = view.fitting(result.n_directions)
    options = list(range(result.n_directions))
    width = 150

    def name(direction: int) -> str:
        return f"Direction {direction + 1}"

    across = st.selectbox("Across", options, across, format_func=name, key=f"across-{key}", width=width)
    up = st.selectbox("Up", options, up, format_func=name, key=f"up-{key}", width=width)
    if across == up:
        st.caption("Choose two different directions.")
        return (across, (across + 1) % result.n_directions)
    return (across, up)


def _switch(label: str, name: str, view: View, key: str) -> Any:
    return st.segmented_control(
        label,
        CHOICES[name],
        default=getattr(view, name),
        required=True,
        format_func=_WORDS.__getitem__,
        key=f"{name}-{key}",
    )


def _focus_box(result: FitResult, view: View, key: str) -> tuple[str, ...]:
    names = result.projected.class_names
    chosen = st.multiselect(
        "Classes in colour",
        names,
        [name for name in view.focus if name in names],
        format_func=shortened,
        max_selections=MANY_CLASSES,
        placeholder="The ten largest",
        key=f"focus-{key}",
    )
    return tuple(chosen)


def _row_of(point: dict[str, Any]) -> int | None:
    """Read the row a point carries; the curves of the picture carry none."""
    data = point.get("customdata")
    if isinstance(data, (list, tuple)):
        data = data[0] if data else None
    return int(data) if isinstance(data, (int, float)) else None


def _selected(result: FitResult, rows: list[int]) -> None:
    """Show the rows behind the points caught, with all their columns."""
    frame = rows_frame(result, rows)
    st.subheader(f"{quantity(len(frame), 'selected row')}")
    st.dataframe(frame, height=260, hide_index=True, alt="The selected rows with all columns")
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
