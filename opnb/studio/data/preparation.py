"""How a table is prepared, on the Data page: its first rows, what can be chosen, what was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from opnb.data import PrepareOptions
from opnb.errors import OPNBError
from opnb.studio.data.columns import many_columns, roles_editor, table_height
from opnb.studio.ui.intake import give_up_button, listed, number, point_out_codes, show_draft_error
from opnb.studio.ui.text import escaped
from opnb.studio.visit.intake import change_data, count_code, missing_codes
from opnb.studio.visit.settings import LARGEST_SEED
from opnb.studio.visit.sources import DataSpec
from opnb.studio.visit.state import Draft, Studio
from opnb.studio.words import quantity, shortened

_PREVIEW = 100
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


def preparation(state: Studio, working: Draft) -> None:
    """Show the choices of preparation, and apply them."""
    key = f"prepare-{state.revision}-{working.table.content_hash[:8]}-"
    show_draft_error(state, "data")
    point_out_codes(state, "data")
    _counted_codes(state, working)
    many_columns(state, working)
    with st.form(f"{key}form"):
        target = _target_box(working, key)
        options = _options(working.spec.options, key)
        roles = roles_editor(working, key)
        sent = st.form_submit_button("Use these data", type="primary", icon=":material/check:")
    give_up_button(state)
    if sent:
        codes = working.spec.options.missing_codes
        _apply(state, working, target, lambda: PrepareOptions(**options, roles=roles, missing_codes=codes))


def _counted_codes(state: Studio, working: Draft) -> None:
    """Say which numbers count as missing, and let the user take that back."""
    for code, columns in missing_codes(working).items():
        st.caption(f"{number(code)} counts as missing in {listed(columns)}.")
        if st.button(f"Take {number(code)} as a number again", key=f"number-{state.revision}-{code!r}"):
            count_code(state, code, columns, missing=False)
            st.rerun()


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


def account(state: Studio) -> None:
    """Say what was done to the data in use, and count their classes."""
    dataset = state.dataset
    assert dataset is not None
    st.header("What was done")
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
