"""Why a row is given its class: chosen by a click on its point, in a list, or by its number."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from opnb.figures import log_odds_figure, parts_figure, place_ring, posterior_figure, row_density_figure
from opnb.studio.ui.charts import chart
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.session import look, studio, theme
from opnb.studio.ui.text import escaped
from opnb.studio.visit.new_rows import BY_HAND, clicked_row
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import PictureSpec
from opnb.studio.visit.state import Studio
from opnb.studio.words import file_stem, shortened
from opnb.studio.workbench.explaining import (
    Explainer,
    explainer_of,
    explainer_of_file,
    flips_frame,
    place_of,
    reasons_csv,
    verdict,
)
from opnb.views import Flip, Reasons

CLICKS = "new rows clicked"  # counts the clicks that chose one
_SEEN = "why seen"
_FLIPS = "why flips"
_MOST_FLIPS = 6
_SHORT = 8  # rows of a list that are shown without scrolling


def row_asked_about(result: FitResult, clicked: list[int]) -> int | None:
    """Give the number of the row that is asked about: the one that was clicked last, or typed since.

    A new row that was clicked is the one that the visit looks at, and no row of the table is asked about then.
    """
    key = _box_key()
    before = _seen_before(result.id, clicked)
    if before is not None:
        if len(clicked) == 1:
            st.session_state[key] = clicked[0] if clicked[0] > 0 else None
        elif not clicked and before == [st.session_state.get(key)]:
            st.session_state[key] = None  # a click beside the points takes the row back
        _follow_click(before, clicked)
    row = st.session_state.get(key)
    return None if row is None else int(row)


def follow_clicks(of: Any, clicked: list[int]) -> None:
    """Look at the new row that is clicked on a picture that has no other points; `of` tells pictures apart."""
    before = _seen_before(of, clicked)
    if before is not None:
        _follow_click(before, clicked)


def _seen_before(of: Any, clicked: list[int]) -> list[int] | None:
    """Give what was selected on a picture the last time; None if it is the same."""
    last_of, last = st.session_state.get(_SEEN, (of, []))
    st.session_state[_SEEN] = (of, clicked)
    if (last_of, last) == (of, clicked):
        return None
    return last if last_of == of else []


def _follow_click(before: list[int], clicked: list[int]) -> None:
    """Let the list of new rows follow a click on one of them, of which the whole page must know."""
    if studio().new.follow_click(before, clicked):
        st.session_state[CLICKS] = st.session_state.get(CLICKS, 0) + 1
        st.rerun()


def ring_row(figure: Any, result: FitResult, picture: PictureSpec, row: int | None) -> None:
    """Show on the picture where the row lies that is asked about."""
    if result.n_directions == 1:
        return
    place = None if row is None else place_of(result.projected, row)
    across, up = picture.fitting(result.n_directions)
    Z = result.projected.Z
    place_ring(figure, None if place is None else (float(Z[place, across]), float(Z[place, up])), theme=theme())


def row_box(result: FitResult) -> None:
    """Ask for a row by its number."""
    st.number_input(
        "Why this row?",
        1,
        len(result.table.frame),
        None,
        key=_box_key(),
        placeholder="Click a point, or type a row",
        width=260,
        help="Why a row is given its class. Rows are counted as in the table, from 1.",
    )


def _box_key() -> str:
    return f"why-row-{studio().revision}"


def list_of_rows(frame: pd.DataFrame, key: str, alt: str) -> None:
    """List rows of the table, their numbers in the column `row`; the one that is chosen there is asked about."""
    rows = frame["row"].tolist()
    key = f"{key}-{rows}"
    st.dataframe(
        frame,
        height="content" if len(rows) < _SHORT else 260,
        hide_index=True,
        alt=alt,
        selection_mode="single-row",
        on_select=partial(_ask_about, key, rows),
        key=key,
    )


def _ask_about(list_key: str, rows: list[int]) -> None:
    chosen = st.session_state[list_key]["selection"]["rows"]
    if chosen:
        st.session_state[_box_key()] = rows[chosen[0]]


def why_row(result: FitResult, row: int) -> None:
    """Show the reasons for a row of the table."""
    place = place_of(result.projected, row)
    if place is None:
        st.info(f"Row {row:,} is not among the rows in use: it was left out when the data were prepared.")
        return
    data, part = result.dataset, "held out" if result.projected.is_test[place] else "training"
    features = data.X[np.flatnonzero(data.rows == row - 1)[0]]
    truth = int(result.projected.labels[place])
    stem = f"{file_stem(data.name)}-row-{row}"
    reasons_panel(explainer_of(result), features, f"Row {row:,} ({part})", stem, own=place, truth=truth)


def why_new_row(state: Studio) -> None:
    """Show the reasons for the new row that is looked at, if the user wants them."""
    known = state.new.features(state.result) is not None and _explainer(state) is not None
    if known and st.toggle("Why this new row is given its class", key="why-new-wanted"):
        _new_row_panel(state, "why-new")


def why_clicked_row(state: Studio, selected: list[int]) -> None:
    """Show the reasons for a new row whose point alone is selected on the picture."""
    row = clicked_row(selected)
    if row is not None and row == state.new.chosen:
        _new_row_panel(state, "why")


def _new_row_panel(state: Studio, key: str) -> None:
    row, number, explainer = state.new.features(state.result), state.new.chosen, _explainer(state)
    if row is None or explainer is None:
        return
    name = "The row by hand" if number == BY_HAND else f"New row {number:,}"
    reasons_panel(explainer, row, name, f"new-row-{number}", key=key)


def _explainer(state: Studio) -> Explainer | None:
    """Give what explains new rows: the model file that is open, else the fit that is shown."""
    if state.new.model is not None:
        return explainer_of_file(state.new.model)
    return None if state.result is None else explainer_of(state.result)


def reasons_panel(
    explainer: Explainer,
    row: NDArray[np.float64],
    name: str,
    stem: str,
    *,
    own: int | None = None,
    truth: int | None = None,
    key: str = "why",
) -> None:
    """Show why a prepared row is given its class.

    Parameters
    ----------
    explainer : Explainer
    row : ndarray of shape (n_features,)
    name : str
        What the row is called on the page.
    stem : str
        Of the file that can be taken away; tells the widgets of one row from those of another.
    own : int, optional
        Place of the row among the projected ones, if it is one of them.
    truth : int, optional
        Number of its true class, if it is known.
    key : str
        Tells the panels of one page apart.
    """
    with st.container(border=True, key=key):
        st.header(f"Why: {escaped(name)}")
        guide_button("why", key)
        found = explainer.reasons(row)
        st.markdown(escaped(verdict(found, truth), 500))
        found = _compared(explainer, found, f"{key}-{stem}")
        _classes(explainer, found, key)
        _direction(explainer, found, key, stem)
        changes = _flips(explainer, row)
        _changes(found, changes)
        _nearest(explainer, row, own)
        st.download_button(
            "Reasons as numbers",
            lambda: reasons_csv(found, changes),
            f"{stem}-reasons.csv",
            "text/csv",
            key=f"{key}-download",
            on_click="ignore",
            icon=":material/download:",
        )


def _compared(explainer: Explainer, found: Reasons, key: str) -> Reasons:
    """Ask which class to compare with, where there is a choice."""
    names = found.class_names
    if len(names) < 3:
        return found
    others = [int(k) for k in np.argsort(-found.log_posterior, kind="stable") if k != found.predicted]
    other = st.selectbox(
        "Compared with",
        others,
        0,
        format_func=lambda k: shortened(names[k], 40),
        key=f"{key}-other-{others[0]}",
        width=260,
        help="The log-odds are those of the class it is taken for against this one: the runner-up to begin with.",
    )
    return found if other == found.other else explainer.reasons(found.row, other)


def _classes(explainer: Explainer, found: Reasons, key: str) -> None:
    counts = explainer.projected.train_counts
    left, right = st.columns(2, gap="medium")
    with left:
        chart(posterior_figure(found, counts, **look()), f"{key}-posterior", "Probability of every class", bar=False)
    with right:
        chart(log_odds_figure(found, **look()), f"{key}-odds", "The log-odds as a sum over directions", bar=False)


def _direction(explainer: Explainer, found: Reasons, key: str, stem: str) -> None:
    """Show one direction: the densities there, and what every column adds to the position."""
    direction = st.selectbox(
        "Look at",
        found.heaviest,
        0,
        format_func=lambda d: f"Direction {d + 1} (adds {found.direction_odds[d]:+.2f})",
        key=f"{key}-direction-{stem}-{found.heaviest[0]}",
        width=260,
    )
    left, right = st.columns(2, gap="medium")
    with left:
        figure = row_density_figure(
            explainer.margin(direction), found, explainer.projected.train_counts, focus=_two(found), **look()
        )
        chart(figure, f"{key}-densities", "Class densities along the direction, with the row's place", bar=False)
    with right:
        if found.parts is None:
            st.caption("This direction is not straight: its positions are no sum over columns.")
        else:
            words = "What every column adds to the position"
            chart(parts_figure(found, direction, **look()), f"{key}-parts", words, bar=False)
            st.caption("The position splits by columns; the density at it does not split further.")


def _two(found: Reasons) -> list[int]:
    return [found.predicted, found.other]


def _flips(explainer: Explainer, row: NDArray[np.float64]) -> tuple[Flip, ...]:
    """Search once for a row: a choice in the panel does not change what flips it."""
    last: Any = st.session_state.get(_FLIPS)
    if last is None or last[0] is not explainer.classifier or last[1] != row.tobytes():
        last = st.session_state[_FLIPS] = (explainer.classifier, row.tobytes(), explainer.flips(row))
    return last[2]


def _changes(found: Reasons, changes: tuple[Flip, ...]) -> None:
    st.markdown("**The smallest change of one column that would give it another class**")
    if not changes:
        st.caption("No change of a single column does, within the values of the training rows.")
        return
    frame = flips_frame(changes[:_MOST_FLIPS], found.class_names)
    st.dataframe(frame, hide_index=True, height="content", alt="Changes of single columns that flip the class")
    st.caption("All other columns stay as they are. Every change was predicted again to make sure.")


def _nearest(explainer: Explainer, row: NDArray[np.float64], own: int | None) -> None:
    frame = explainer.nearest(row, own)
    if frame is None:
        return
    st.markdown("**The training rows that are most like it for the model**")
    words = "The nearest training rows"
    if own is None:  # a new row: the box that asks about a row of the table is elsewhere
        st.dataframe(frame, hide_index=True, height="content", alt=words)
    else:
        list_of_rows(frame, "nearest", words)
    more = " Choose a row to ask about it." if own is not None else ""
    st.caption(f"Distances are over all directions, in bandwidths.{more}")
