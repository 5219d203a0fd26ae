"""Data on their way in, on any page: a box for files, what is in the way of using them, how large the data are."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from opnb.data.limits import megabytes
from opnb.data.wishes import SUPPORTED
from opnb.studio.ui.file_box import file_box
from opnb.studio.ui.progress import wait_words
from opnb.studio.ui.session import studio
from opnb.studio.ui.text import escaped
from opnb.studio.visit.arrivals import Unread
from opnb.studio.visit.intake import (
    LIMITS,
    apply_remedy,
    bring_file,
    count_code,
    remedies_of,
    suspicious_codes,
    use_as_rows,
    use_as_table,
)
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity

SHOW_ROWS = "show new rows"  # asks the Workbench to turn to them
_ERROR = "intake-error"
_SEEN = "upload-seen"
_READ = f"{SUPPORTED}, up to {megabytes(LIMITS.max_bytes)}."
_NAMES_SHOWN = 5


def upload_box(state: Studio, label: str, key: str, *, brief: bool = False) -> None:
    """Bring a file in, once; any file is let through, so that one that is no table gets a sentence of its own.

    Where there is little room, what can be read is told on demand.
    """
    file = file_box(label, f"upload-{key}", help=_READ if brief else None)
    if not brief:
        st.caption(_READ)  # always in sight: the box itself says nothing of it beside a file that is too large
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        bring_in(lambda: bring_file(state, file.name, file.getvalue()), file.file_id)


def bring_in(intake: Callable[[], str], file_id: str | None = None) -> None:
    """Bring data in, and run the page again with them; where they cannot be had, keep the reason."""
    with st.spinner("Reading …"):
        studio().work.reading.look = wait_words(st.empty())
        # Streamlit may end a run at any of its own calls, so a file counts as seen only once it was brought in.
        st.session_state[_ERROR] = intake()
        st.session_state[_SEEN] = file_id or st.session_state.get(_SEEN)
    if not st.session_state[_ERROR]:
        st.rerun()


def show_intake_error() -> None:
    """Show why the last data could not be had, until others can."""
    if st.session_state.get(_ERROR):
        st.error(escaped(st.session_state[_ERROR], 500), icon=":material/error:")


def show_unread(state: Studio, unread: Unread) -> None:
    """Show why a file could not be read, and what stays in use meanwhile."""
    st.error(escaped(unread.error, 600), icon=":material/error:")
    if state.table is not None:
        before = " as it was read before" if state.table.name == unread.name else ""
        kept = escaped(state.table.name)
        st.caption(f"This is about {escaped(unread.name)}. Until it is read, {kept} stays in use{before}.")


def ask_what_it_is(state: Studio, key: str) -> None:
    """Ask whether a file with the columns of the model, and no classes, holds rows to predict or is a new table."""
    asked = state.new.asked
    predictor = state.new.predictor(state.result)
    if asked is None or predictor is None:
        return
    without = f" and no **{escaped(predictor.target)}**" if predictor.target else ""
    st.info(
        f"**{escaped(asked.name)}** ({quantity(len(asked.table.frame), 'row')}) has all columns of the model of "
        f"**{escaped(predictor.name)}**{without}. Rows to predict, or a new table?",
        icon=":material/help:",
    )
    with st.container(horizontal=True):
        if st.button("Predict these rows", type="primary", key=f"{key}-predict", icon=":material/batch_prediction:"):
            use_as_rows(state, asked)
            st.session_state[SHOW_ROWS] = True
            st.switch_page("pages/workbench.py")
        if st.button("Use it as a new table", key=f"{key}-table"):
            use_as_table(state, asked)
            st.rerun()
        if st.button("Give this file up", key=f"{key}-neither"):
            state.new.asked = None
            st.rerun()


def give_up_button(state: Studio) -> None:
    """Let the user go back to what there was before the file or the table that waits."""
    icon = ":material/undo:"
    if state.unread is not None:
        st.button("Give this file up", icon=icon, on_click=state.give_up_unread, width="stretch")
    elif state.draft is not None and state.table is not None:
        st.button("Give this table up", icon=icon, on_click=state.give_up_draft, width="stretch")


def show_draft_error(state: Studio, key: str) -> None:
    """Show why the table that waits cannot be used yet, a button for each remedy, and what stays in use meanwhile."""
    draft = state.draft
    if draft is None:
        return
    st.error(escaped(draft.error, 500), icon=":material/error:")
    with st.container(horizontal=True):
        for place, remedy in enumerate(remedies_of(draft)):
            if st.button(escaped(remedy.words), key=f"{key}-remedy-{state.revision}-{place}", type="primary"):
                apply_remedy(state, remedy)
                st.rerun()
    if state.table is not None:
        kept = escaped(state.table.name)
        st.caption(f"This is about {escaped(draft.table.name)}. Until it is mended, {kept} stays in use.")


def point_out_codes(state: Studio, key: str) -> None:
    """Point out numbers that may stand for a missing value, each with a button that says so."""
    working = state.working
    found = {} if working is None else suspicious_codes(working)
    for code, columns in found.items():
        st.warning(
            f"**{number(code)}** may stand for a missing value in {listed(columns)}. It is taken as a number.",
            icon=":material/help:",
        )
        if st.button(f"Treat {number(code)} as missing", key=f"{key}-code-{state.revision}-{code!r}"):
            count_code(state, code, columns, missing=True)
            st.rerun()


def number(code: float) -> str:
    """Write a code as it stands in the table."""
    return f"{code:.15g}"


def listed(columns: list[str]) -> str:
    """Name a few columns, and count the others."""
    names = ", ".join(escaped(name, 40) for name in columns[:_NAMES_SHOWN])
    others = len(columns) - _NAMES_SHOWN
    return names if others <= 0 else f"{names} and {quantity(others, 'other column')}"


def summary(state: Studio) -> str:
    """Say how large the data in use are."""
    dataset = state.dataset
    assert dataset is not None
    held = f"{len(dataset.test):,} held out" if len(dataset.test) else "none held out"
    return (
        f"{quantity(len(dataset.y), 'row')} ({held}), {quantity(dataset.X.shape[1], 'column')}, "
        f"{quantity(len(dataset.class_names), 'class', 'classes')}"
    )


def rows_left_out(state: Studio) -> str:
    """Say how many of the table's rows are not in use, and why; "" where all are."""
    dataset, table = state.dataset, state.table
    if dataset is None or table is None or len(dataset.y) == len(table.frame):
        return ""
    why = " ".join(dataset.rows_left_out)
    return f"{quantity(len(table.frame), 'row')} became {len(dataset.y):,}. {why}"
