"""How a table is read and prepared, on the Data page: what was found, what can be corrected, what was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pandas as pd
import streamlit as st

from opnb.data import ROLES, PrepareOptions
from opnb.errors import OPNBError
from opnb.studio.ui.intake import bring_in, show_draft_error
from opnb.studio.ui.text import escaped
from opnb.studio.visit.intake import bring_file, change_data
from opnb.studio.visit.settings import LARGEST_SEED
from opnb.studio.visit.sources import DataSpec
from opnb.studio.visit.state import Draft, Studio
from opnb.studio.words import quantity, shortened

_PREVIEW = 100
_SHORT = 8  # rows of a table that are shown without scrolling
_FOUND = "as found"
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"}
_DECIMALS = {".": "point (1.5)", ",": "comma (1,5)"}
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")
_PRESETS = {"as is": "As they are", "paper": "As in the paper"}
_MISSING = {
    "drop": "Leave those rows out",
    "impute": "Fill in the median or most frequent",
    "error": "Refuse them",
}
_HELP = {
    "preset": "The paper's policy: at most 3,000 rows, classes of at least 10, columns of few values as categories, a "
    "little noise, at most 300 columns.",
    "rare": "Classes with fewer rows are left out. With 1, none is.",
    "cut": "For a numeric target: cut it at its quantiles into so many classes. 0 leaves it as it is.",
    "held": "Rows that the fit does not see, to measure its error by; each class in its proportion.",
    "seed": "Decides which rows are held out. The same seed gives the same rows.",
}


def preview(working: Draft) -> None:
    """Show the first rows."""
    frame = working.table.frame
    st.dataframe(frame.head(_PREVIEW), height=240, hide_index=True, alt="The first rows of the table")
    shown = f", the first {_PREVIEW} shown" if len(frame) > _PREVIEW else ""
    st.caption(f"{quantity(len(frame), 'row')}{shown}, {quantity(frame.shape[1], 'column')}")


def reading_settings(state: Studio, working: Draft) -> None:
    """Show how an upload was read, and read it otherwise where the user says so."""
    settings = working.table.settings
    if working.raw is None or settings.format not in ("text", "excel"):
        return
    with st.expander(f"Read as: {escaped(settings.sentence(), 200)}"), st.form("reading", border=False):
        key = f"reading-{working.table.content_hash[:8]}-"
        given: dict[str, Any] = {}
        if settings.format == "excel":
            given["sheet"] = st.selectbox(
                "Sheet", settings.sheets, settings.sheets.index(str(settings.sheet)), key=key + "sheet"
            )
        else:
            given = _text_settings(dict(working.source.reading), key)
        header = st.selectbox(
            "First row", (_FOUND, "names", "values"), format_func=lambda v: v.capitalize(), key=key + "header"
        )
        given["header"] = None if header == _FOUND else header == "names"
        if st.form_submit_button("Read again"):
            raw = working.raw
            bring_in(lambda: bring_file(state, working.source.name, raw, **given))


def _text_settings(chosen: dict[str, Any], key: str) -> dict[str, Any]:
    first, second, third = st.columns(3)
    encodings = {name: name for name in _ENCODINGS}
    return {
        "delimiter": _corrected(first, "Columns divided by", _DELIMITERS, chosen.get("delimiter"), key),
        "decimal": _corrected(second, "Decimal mark", _DECIMALS, chosen.get("decimal"), key),
        "encoding": _corrected(third, "Encoding", encodings, chosen.get("encoding"), key),
    }


def _corrected(
    column: st.delta_generator.DeltaGenerator, label: str, words: dict[str, str], now: str | None, key: str
) -> str | None:
    """Ask for one correction; None leaves it as found."""
    options = {_FOUND: _FOUND.capitalize()} | {value: word.capitalize() for value, word in words.items()}
    value = _words_box(column, label, options, now if now in options else _FOUND, key + label)
    return None if value == _FOUND else value


def preparation(state: Studio, working: Draft) -> None:
    """Show the choices of preparation, and apply them."""
    key = f"prepare-{state.revision}-{working.table.content_hash[:8]}-"
    with st.form(f"{key}form"):
        target = _target_box(working, key)
        show_draft_error(state)
        options = _options(working.spec.options, key)
        roles = _roles_editor(working, key)
        sent = st.form_submit_button("Use these data", type="primary", icon=":material/check:")
    if state.draft is not None and state.table is not None:
        st.button("Give this table up", icon=":material/undo:", on_click=state.give_up_draft)
    if sent:
        _apply(state, working, target, lambda: PrepareOptions(**options, roles=roles))


def _apply(state: Studio, working: Draft, target: str | None, options: Callable[[], PrepareOptions]) -> None:
    try:
        spec = DataSpec(working.source, target, options())
    except OPNBError as error:
        st.error(escaped(str(error), 500), icon=":material/error:")
        return
    change_data(state, spec)
    st.rerun()


def _target_box(working: Draft, key: str) -> str | None:
    columns = [str(name) for name in working.table.frame.columns]
    place = columns.index(working.spec.target) if working.spec.target in columns else None
    return st.selectbox(
        "Predict",
        columns,
        place,
        format_func=shortened,
        placeholder="Choose the column with the classes",
        key=key + "target",
    )


def _options(now: PrepareOptions, key: str) -> dict[str, Any]:
    first, second = st.columns(3), st.columns(3)
    held = second[1].slider(
        "Held out (%)", 0, 90, round(100 * (now.test_size or 0)), 5, key=key + "held", help=_HELP["held"]
    )
    cut = first[2].number_input("Cut target into", 0, 100, now.target_bins or 0, key=key + "cut", help=_HELP["cut"])
    return {
        "preset": _words_box(first[0], "Prepare", _PRESETS, now.preset, key + "preset", _HELP["preset"]),
        "missing": _words_box(first[1], "Missing values", _MISSING, now.missing, key + "missing"),
        "target_bins": cut or None,
        "min_class_rows": second[0].number_input(
            "Fewest rows of a class", 1, 1_000_000, now.min_class_rows, key=key + "rare", help=_HELP["rare"]
        ),
        "test_size": held / 100 if held else None,
        "seed": second[2].number_input(
            "Seed of the split", 0, LARGEST_SEED, now.seed, key=key + "seed", help=_HELP["seed"]
        ),
    }


def _words_box(
    column: st.delta_generator.DeltaGenerator,
    label: str,
    words: dict[str, str],
    now: str,
    key: str,
    help: str | None = None,
) -> str:
    options = list(words)
    return str(column.selectbox(label, options, options.index(now), format_func=words.__getitem__, key=key, help=help))


def _roles_editor(working: Draft, key: str) -> dict[str, str]:
    """Show every column with its role; give the roles that differ from the proposed ones."""
    columns = working.proposal.columns
    chosen = dict(working.spec.options.roles)
    listed = pd.DataFrame(
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
        listed,
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


def account(state: Studio) -> None:
    """Say what was done to the data in use, and count their classes."""
    dataset = state.dataset
    assert dataset is not None
    st.subheader("What was done")
    for sentence in dataset.account or ("Nothing had to be changed.",):
        st.markdown(f"- {escaped(sentence, 600)}")
    counts = pd.DataFrame(
        {"Class": [shortened(name) for name in dataset.class_counts], "Rows": dataset.class_counts.values()}
    )
    most = int(counts["Rows"].max())
    st.dataframe(
        counts,
        hide_index=True,
        height=table_height(len(counts)),
        column_config={"Rows": st.column_config.ProgressColumn(format="%d", min_value=0, max_value=most)},
        alt="Rows of each class",
    )
