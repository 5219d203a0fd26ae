"""Which columns matter, on the Tune page: what each is worth, and how few would do."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from opnb.figures import column_path_figure, importance_figure
from opnb.studio.tune.column_studies import column_path_work, fits_of_path, importance_work
from opnb.studio.ui.charts import chart
from opnb.studio.ui.session import look, studio
from opnb.studio.ui.study import study
from opnb.studio.ui.text import escaped
from opnb.studio.visit.intake import keep_columns
from opnb.studio.visit.results import FitResult
from opnb.studio.words import quantity, shortened
from opnb.studio.work.studies import importance_key
from opnb.views import ColumnImportance, ColumnPath


def columns(result: FitResult) -> None:
    """Show what every column is worth, and the way to fewer of them."""
    _undo(result)
    where = "held-out rows" if len(result.dataset.test) else "training rows, for want of held-out ones"
    st.caption(
        f"By how much the error on the {where} rises when the values of one column are shuffled among them, and its "
        "spread over the shuffles. Of columns that say the same, none may seem to matter."
    )
    found: ColumnImportance | None = study(
        importance_key(result), partial(importance_work, result), "Shuffling one column after the other"
    )
    if found is None:
        return
    chart(importance_figure(found, **look()), "importance", "Rise of the error when a column is shuffled", bar=False)
    st.header("How few columns would do")
    if len(result.dataset.columns) == 1:
        st.caption("There is one column only.")
    elif st.toggle(
        f"Leave them out one after the other (about {fits_of_path(result)} fits)", key=f"column-path-{result.id}"
    ):
        _path(result)


def _path(result: FitResult) -> None:
    path: ColumnPath | None = study(
        ("column path", result.spec), partial(column_path_work, result), "Leaving columns out"
    )
    if path is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        chart(column_path_figure(path, **look()), "column-path", "Error against the number of columns", bar=False)
    with right:
        _choice(result, path)


def _choice(result: FitResult, path: ColumnPath) -> None:
    """Offer a fit with as many columns as the user likes."""
    steps = range(len(path.counts))
    step = st.selectbox(
        "Columns to keep",
        steps,
        path.fewest,
        format_func=lambda step: f"{path.counts[step]}: error {100 * path.mean_errors[step]:.1f} %",
        key=f"column-count-{result.id}",
    )
    kept = path.columns[step]
    st.dataframe(
        pd.DataFrame({"Kept": [shortened(name) for name in kept]}), hide_index=True, height=220, alt="Columns kept"
    )
    rotated = result.dataset.recipe is None or result.dataset.recipe.rotation is not None
    st.button(
        f"Fit again with {_these(len(kept))}",
        icon=":material/play_arrow:",
        key="fit-columns",
        disabled=rotated or step == 0,
        on_click=_keep,
        args=(result, kept),
        width="stretch",
    )
    if rotated:
        st.caption("These are principal components, made of all columns of the table: none can be left out there.")
    st.caption(
        "Proposed are the fewest whose error cannot be told from the least one. The errors are cross-validated on the "
        "training rows, and every fold chooses its own columns."
    )


def _these(count: int) -> str:
    return "this column" if count == 1 else f"these {count:,} columns"


def _keep(result: FitResult, names: tuple[str, ...]) -> None:
    keep_columns(studio(), result, names)


def _undo(result: FitResult) -> None:
    """Offer the way back after columns were left out."""
    before = studio().before_columns
    if before is None or before is result or before.table != result.table:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        now, then = len(result.dataset.columns), len(before.dataset.columns)
        st.markdown(escaped(f"This fit has {quantity(now, 'column')}, the one before it {then:,}."), width="content")
        st.button(
            f"Back to the fit with {quantity(then, 'column')}",
            icon=":material/undo:",
            key="undo-columns",
            on_click=studio().restore,
            args=(before,),
        )
