"""Why a row is given its class: chosen by a click on its point, in a list, or by its number."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from opnb.figures import log_odds_figure, parts_figure, posterior_figure, row_density_figure
from opnb.studio.ui.charts import chart
from opnb.studio.ui.session import look, studio
from opnb.studio.ui.text import escaped
from opnb.studio.visit.results import FitResult
from opnb.studio.words import file_stem, shortened
from opnb.studio.workbench.explaining import (
    Explainer,
    explainer_of,
    flips_frame,
    place_of,
    reasons_csv,
    verdict,
)
from opnb.views import Flip, Reasons

_SEEN = "why seen"
_FLIPS = "why flips"
_MOST_FLIPS = 6
_SHORT = 8  # rows of a list that are shown without scrolling


def row_box(result: FitResult, clicked: list[int]) -> int | None:
    """Ask for a row by its number; a click on a single point fills it in."""
    key = _box_key()
    before = st.session_state.get(_SEEN, (result.id, []))
    if before != (result.id, clicked):
        st.session_state[_SEEN] = (result.id, clicked)
        if len(clicked) == 1:
            st.session_state[key] = clicked[0]
        elif not clicked and before[0] == result.id and before[1] == [st.session_state.get(key)]:
            st.session_state[key] = None  # a click beside the points takes the row back
    row = st.number_input(
        "Why this row?",
        1,
        len(result.table.frame),
        None,
        key=key,
        placeholder="Click a point, or type a row",
        width=260,
        help="Why a row is given its class. Rows are counted as in the table, from 1.",
    )
    return None if row is None else int(row)


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


def reasons_panel(
    explainer: Explainer,
    row: NDArray[np.float64],
    name: str,
    stem: str,
    *,
    own: int | None = None,
    truth: int | None = None,
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
    """
    with st.container(border=True, key="why"):
        st.subheader(f"Why: {escaped(name)}")
        found = explainer.reasons(row)
        st.markdown(escaped(verdict(found, truth), 500))
        found = _compared(explainer, found, stem)
        _classes(explainer, found)
        _direction(explainer, found, stem)
        changes = _flips(explainer, row)
        _changes(found, changes)
        _nearest(explainer, row, own)
        st.download_button(
            "Reasons as numbers",
            lambda: reasons_csv(found, changes),
            f"{stem}-reasons.csv",
            "text/csv",
            key="why-download",
            on_click="ignore",
            icon=":material/download:",
        )


def _compared(explainer: Explainer, found: Reasons, stem: str) -> Reasons:
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
        key=f"why-other-{stem}-{others[0]}",
        width=260,
        help="The log-odds are those of the class it is taken for against this one: the runner-up to begin with.",
    )
    return found if other == found.other else explainer.reasons(found.row, other)


def _classes(explainer: Explainer, found: Reasons) -> None:
    counts = explainer.projected.train_counts
    left, right = st.columns(2, gap="medium")
    with left:
        chart(posterior_figure(found, counts, **look()), "why-posterior", "Probability of every class", bar=False)
    with right:
        chart(log_odds_figure(found, **look()), "why-odds", "The log-odds as a sum over directions", bar=False)


def _direction(explainer: Explainer, found: Reasons, stem: str) -> None:
    """Show one direction: the densities there, and what every column adds to the position."""
    direction = st.selectbox(
        "Look at",
        found.heaviest,
        0,
        format_func=lambda d: f"Direction {d + 1} (adds {found.direction_odds[d]:+.2f})",
        key=f"why-direction-{stem}-{found.heaviest[0]}",
        width=260,
    )
    left, right = st.columns(2, gap="medium")
    with left:
        figure = row_density_figure(
            explainer.margin(direction), found, explainer.projected.train_counts, focus=_two(found), **look()
        )
        chart(figure, "why-densities", "Class densities along the direction, with the row's place", bar=False)
    with right:
        if found.parts is None:
            st.caption("This direction is not straight: its positions are no sum over columns.")
        else:
            words = "What every column adds to the position"
            chart(parts_figure(found, direction, **look()), "why-parts", words, bar=False)
            st.caption("The position splits by columns; the density at it does not split further.")


def _two(found: Reasons) -> list[int]:
    return [found.predicted, found.other]


def _flips(explainer: Explainer, row: NDArray[np.float64]) -> tuple[Flip, ...]:
    """Search once for a row: a choice in the panel does not change what flips it."""
    asked = (id(explainer.classifier), row.tobytes())
    last: Any = st.session_state.get(_FLIPS)
    if last is None or last[0] != asked:
        last = st.session_state[_FLIPS] = (asked, explainer.flips(row))
    return last[1]


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
    list_of_rows(frame, "nearest", "The nearest training rows")
    st.caption("Distances are over all directions, in bandwidths. Choose a row to ask about it.")
