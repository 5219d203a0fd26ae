"""What every column is used as, on the Data page: one by one in a table, or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from opnb.data import ROLES
from opnb.studio.ui.intake import listed
from opnb.studio.visit.intake import change_roles
from opnb.studio.visit.state import Draft, Studio
from opnb.studio.words import quantity, shortened

_SILENT = (
    "In the fit that is shown: with the values of such a column shuffled among the rows, no row is predicted otherwise."
)
_SHORT = 8  # rows of a table that are shown without scrolling


def many_columns(state: Studio, working: Draft) -> None:
    """Choose columns by a part of their names and by kind, and give all of them a role at once."""
    if len(working.proposal.columns) <= _SHORT:
        return
    key = f"many-{state.revision}-{working.table.content_hash[:8]}-"
    kinds = working.proposal.by_role()
    with st.expander("Set many columns at once", icon=":material/checklist:"):
        part = st.text_input("With this in the name", key=key + "part", placeholder="for instance length")
        wanted = st.pills(
            "Of these kinds",
            list(kinds),
            format_func=lambda kind: f"{kind} ({len(kinds[kind])})",
            selection_mode="multi",
            key=key + "kinds",
        )
        chosen = columns_like(working, part, wanted)
        if silent_of(state) is not None and st.toggle("Only those without effect", key=key + "silent", help=_SILENT):
            silent = silent_of(state, sought=True) or ()
            chosen = [name for name in chosen if name in silent]
        role = st.selectbox("Use them as", ROLES, ROLES.index("leave out"), key=key + "role")
        st.caption(f"{quantity(len(chosen), 'column')} chosen{f': {listed(chosen)}' if chosen else ''}.")
        if st.button(f"Set {quantity(len(chosen), 'column')}", key=key + "set", disabled=not chosen):
            change_roles(state, dict.fromkeys(chosen, role))
            st.rerun()


def silent_of(state: Studio, *, sought: bool = False) -> tuple[str, ...] | None:
    """Give the columns without effect on the fit of these data; None without one. Empty until they are sought."""
    result = state.result
    if result is None or result.dataset.recipe is None or state.draft is not None:
        return None
    return result.silent_columns if sought else ()


def columns_like(working: Draft, part: str, kinds: Sequence[str]) -> list[str]:
    """Give the columns with a text in their names and of some kinds; with neither, all. The target is never one."""
    wanted = part.strip().casefold()
    return [
        column.name
        for column in working.proposal.columns
        if column.name != working.spec.target
        and wanted in column.name.casefold()
        and (not kinds or column.role in kinds)
    ]


def roles_editor(working: Draft, key: str) -> dict[str, str]:
    """Show every column with its role; give the roles that differ from the proposed ones."""
    columns = working.proposal.columns
    chosen = dict(working.spec.options.roles)
    table = pd.DataFrame(
        {
            "Column": [shortened(column.name) for column in columns],
            "Used as": [chosen.get(column.name, column.role) for column in columns],
            "Missing": [column.n_missing for column in columns],
            "Different values": [column.n_distinct for column in columns],
            "Note": [column.note for column in columns],
        }
    )
    st.markdown("What every column is used as (the one to predict is never a feature)")
    edited = st.data_editor(
        table,
        hide_index=True,
        height=table_height(len(columns)),
        disabled=["Column", "Missing", "Different values", "Note"],
        column_config={"Used as": st.column_config.SelectboxColumn(options=list(ROLES), required=True)},
        key=key + "roles",
        alt="Columns of the table with their roles",
    )
    return {
        column.name: str(role)
        for column, role in zip(columns, edited["Used as"], strict=True)
        if role != column.role and column.name != working.spec.target
    }


def table_height(rows: int) -> int | Literal["content"]:
    """Let a short table show all its rows, and a long one scroll."""
    return "content" if rows <= _SHORT else 320
