"""New rows beside the fit or the model file that is shown: a file of them, what the model says, one row by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from opnb.data.ingredient import Ingredient
from opnb.data.new_rows import usual_values
from opnb.errors import DataError
from opnb.studio.ui.file_box import file_box
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.intake import bring_in, listed
from opnb.studio.ui.session import narrow
from opnb.studio.ui.text import escaped
from opnb.studio.visit.intake import bring_rows
from opnb.studio.visit.new_rows import BY_HAND, LISTED, Predicted, Predictor, chosen_rows
from opnb.studio.visit.new_rows import listed as listed_rows
from opnb.studio.visit.new_rows_words import sentences
from opnb.studio.visit.state import Studio
from opnb.studio.words import file_stem, quantity, shortened
from opnb.studio.workbench.why import CLICKS, why_new_row

_SEEN = "rows-seen"
_FIELDS = 24  # columns that get a field each; more are filled in in a table
_KINDS = {
    "all": "all",
    "unlike": "unlike the training rows",
    "wrong": "predicted wrongly",
    "problem": "not predicted",
}


def new_rows_panel(state: Studio) -> None:
    """Show new rows and what the model says of them, or ask for some."""
    predictor = state.new.predictor(state.result)
    if predictor is None:
        st.info("These data never were a table, so there is no telling how a table becomes their features.")
        return
    guide_button("new-rows")
    _file_box(state, predictor)
    if state.new.rows is not None:
        try:
            predicted = state.new.predicted(predictor)
        except DataError as error:
            st.error(escaped(error, 500), icon=":material/error:")
        else:
            assert predicted is not None
            _outcome(state, predicted)
        st.button("Give these rows up", icon=":material/undo:", on_click=state.new.give_up, key="rows-give-up")
    _by_hand(state, predictor)
    why_new_row(state)


def _file_box(state: Studio, predictor: Predictor) -> None:
    file = file_box("Rows to predict", f"upload-rows-{state.revision}")
    names = list(usual_values(predictor.recipe))
    st.caption(
        f"A table with {quantity(len(names), 'column')}: {listed(names)}. They are prepared as the training rows were; "
        "other columns are kept as they are. With the true classes in it, the error is measured."
    )
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        st.session_state[_SEEN] = file.file_id
        bring_in(lambda: bring_rows(state, file.name, file.getvalue()))


def _outcome(state: Studio, predicted: Predicted) -> None:
    st.markdown("\n".join(f"- {escaped(sentence, 600)}" for sentence in sentences(predicted)))
    kinds = [kind for kind in _KINDS if kind == "all" or len(chosen_rows(predicted, kind))]
    which = st.segmented_control(
        "Rows listed",
        kinds,
        default="all",
        required=True,
        format_func=lambda kind: f"{_KINDS[kind]} ({len(chosen_rows(predicted, kind)):,})",
        key=f"rows-listed-{state.revision}",
    )
    _list(state, predicted, which or "all")
    st.download_button(
        "Download all rows with their predictions",
        predicted.csv,
        f"{file_stem(predicted.table.name)}-predicted.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="rows-download",
    )


def _list(state: Studio, predicted: Predicted, which: str) -> None:
    """List rows; the one that is picked gets a ring on the picture, and one clicked there is picked in a new list."""
    frame = listed_rows(predicted, which)
    rows = chosen_rows(predicted, which)
    key = f"rows-list-{state.revision}-{which}-{st.session_state.get(CLICKS, 0)}"
    begin = np.flatnonzero(rows[:LISTED] == state.new.chosen).tolist()
    last = st.session_state.setdefault(f"{key}-last", state.new.chosen if begin else None)
    picked = st.dataframe(
        frame,
        height=300 if len(frame) > 6 else "content",
        hide_index=True,
        selection_mode="single-row",
        on_select="rerun",
        selection_default={"selection": {"rows": begin}},
        key=key,
        column_config=_columns(frame, predicted),
        alt="New rows with what the model says of them",
    )
    if len(rows) > len(frame):
        st.caption(f"The first {LISTED:,} of {len(rows):,} rows; the file has all.")
    places = picked["selection"]["rows"]
    row = int(rows[places[0]]) if places else None
    if row != last:
        st.session_state[f"{key}-last"] = state.new.chosen = row
        st.rerun()


def _columns(frame: pd.DataFrame, predicted: Predicted) -> dict[str, Any]:
    own = set(predicted.table.frame.columns)
    shares = [name for name in frame.columns[1:] if name not in own and frame[name].dtype.kind == "f"]
    config: dict[str, Any] = {name: st.column_config.NumberColumn(format="%.3f") for name in shares}
    if any(predicted.applied.reasons):
        config[frame.columns[len(frame.columns) - len(own) - 1]] = st.column_config.TextColumn(width="large")
    return config


# By hand ----------------------------------------------------------------------------------------------------------


def _by_hand(state: Studio, predictor: Predictor) -> None:
    """Let the user fill in a row, and say what the model says of it; the picture shows where it lies."""
    wanted = st.toggle("One row by hand", value=bool(state.new.by_hand), key=f"by-hand-{state.revision}")
    values = _values(state, predictor) if wanted else {}
    if values != state.new.by_hand:
        state.new.by_hand = values
        state.new.chosen = BY_HAND if values else None
        st.rerun()
    predicted = state.new.predicted_by_hand(predictor)
    if predicted is not None:
        _verdict(predicted)


def _values(state: Studio, predictor: Predictor) -> dict[str, float | str | None]:
    usual = usual_values(predictor.recipe) | state.new.by_hand
    key = f"hand-{state.revision}-"
    st.caption("Every field starts at the middle of the training rows: the median, or the most frequent value.")
    if len(predictor.recipe.ingredients) > _FIELDS:
        return _table_of_values(predictor, usual, key)
    columns = st.columns(2 if narrow() else 4)
    return {
        item.name: _field(columns[place % len(columns)], item, usual[item.name], f"{key}{place}")
        for place, item in enumerate(predictor.recipe.ingredients)
    }


def _field(place: Any, item: Ingredient, value: Any, key: str) -> float | str | None:
    label = escaped(item.name, 40)
    if item.levels:
        levels = list(item.levels)
        at = levels.index(value) if value in levels else None
        return place.selectbox(label, levels, at, format_func=shortened, key=key)
    return place.number_input(label, value=None if value is None else float(value), format="%.6g", key=key)


def _table_of_values(predictor: Predictor, usual: dict[str, Any], key: str) -> dict[str, float | str | None]:
    items = predictor.recipe.ingredients
    table = pd.DataFrame(
        {
            "Column": [shortened(item.name) for item in items],
            "Value": ["" if usual[item.name] is None else str(usual[item.name]) for item in items],
        }
    )
    edited = st.data_editor(
        table, hide_index=True, disabled=["Column"], height=300, key=key + "table", alt="The values of the row"
    )
    return {item.name: _value(item, text) for item, text in zip(items, edited["Value"], strict=True)}


def _value(item: Ingredient, text: str | None) -> float | str | None:
    """Take what was typed for a number where one is wanted; what is none is said with the row."""
    if not text:
        return None
    if item.levels:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _verdict(predicted: Predicted) -> None:
    reason = next(iter(predicted.applied.reasons))
    if reason:
        st.warning(f"This row cannot be predicted: {escaped(reason, 300)}.", icon=":material/warning:")
        return
    said = predicted.frame.drop(columns=list(predicted.table.frame.columns)).drop(columns="problem", errors="ignore")
    st.dataframe(said, hide_index=True, column_config=_columns(said, predicted), alt="What the model says of the row")
    if predicted.new.unlike.any():
        st.caption("It is unlike what any class has seen.")
