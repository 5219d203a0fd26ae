"""The fits of this visit: a list, and what can be done with one or two of them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from opnb.studio.ui.charts import chart
from opnb.studio.ui.session import narrow, theme
from opnb.studio.visit.drawing import side_by_side
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import differences
from opnb.studio.visit.state import Studio
from opnb.studio.words import shortened

_LONGEST_NAME = 60


def fits_of_this_visit(state: Studio) -> None:
    """List the fits, newest first, with a choice of what to do."""
    fits = state.fits[::-1]
    if not fits:
        st.info("No fits are left on the list.")
    else:
        st.dataframe(_listed(state, fits), hide_index=True, alt="The fits of this visit")
        _actions(state, fits)
    if state.deleted is not None and st.button("Undo the deletion", icon=":material/undo:", key="undelete"):
        state.undelete()
        st.rerun()
    if len(fits) > 1:
        _comparison(state, fits)


def _listed(state: Studio, fits: list[FitResult]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Fit": [shortened(state.name_of(fit), _LONGEST_NAME) for fit in fits],
            "Shown": ["yes" if fit is state.result else "" for fit in fits],
            "Training error": [f"{100 * fit.train.error:.1f} %" for fit in fits],
            "Held-out error": [f"{100 * fit.test.error:.1f} %" if fit.test else "none held out" for fit in fits],
            "Objective": [fit.classifier.objective_ for fit in fits],
            "Seconds": [fit.seconds for fit in fits],
        }
    )


def _actions(state: Studio, fits: list[FitResult]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        fit = _fit_box(state, fits, "Fit", 0, width=320)
        if st.button("Show again", icon=":material/restore:", key="fit-restore", disabled=fit is state.result):
            state.restore(fit)
            st.rerun()
        with st.popover("Rename", icon=":material/edit:"):
            name = st.text_input("Name", state.names.get(fit.id, ""), max_chars=_LONGEST_NAME, key=f"fit-name-{fit.id}")
            if st.button("Save the name", key=f"fit-rename-{fit.id}"):
                state.names[fit.id] = shortened(name, _LONGEST_NAME)
                st.rerun()
        if st.button("Delete", icon=":material/delete:", key="fit-delete"):
            state.delete(fit)
            st.rerun()


def _comparison(state: Studio, fits: list[FitResult]) -> None:
    st.markdown("**Compare two fits**")
    left, right = st.columns(2)
    with left:
        first = _fit_box(state, fits, "First", 1)
    with right:
        second = _fit_box(state, fits, "Second", 0)
    if first is second:
        st.caption("Choose two different fits.")
    elif st.toggle("Show them side by side", key="compare"):
        _side_by_side(state, first, second)


def _side_by_side(state: Studio, first: FitResult, second: FitResult) -> None:
    changed = pd.DataFrame(differences(first.spec, second.spec), columns=["Setting", "First", "Second"])
    if changed.empty:
        st.caption("The two have the same settings.")
    else:
        st.dataframe(changed, hide_index=True, alt="The settings that differ")
    st.dataframe(_measures(first, second), hide_index=True, alt="Errors of the two fits")
    titles = (state.name_of(first), state.name_of(second))
    figures = side_by_side((first, second), titles, state.picture, theme=theme(), compact=narrow())
    for column, figure, key in zip(st.columns(len(figures)), figures, "ab", strict=False):
        with column:
            chart(figure, f"compare-{key}", "The projections of the two fits")


def _measures(first: FitResult, second: FitResult) -> pd.DataFrame:
    rows: list[tuple[str, str, str]] = []
    for part, one, other in (("Training", first.train, second.train), ("Held-out", first.test, second.test)):
        if one is not None and other is not None:
            rows.append((f"{part} error", str(one.errors), str(other.errors)))
            rows.append((f"{part} log-loss", f"{one.log_loss:.3f}", f"{other.log_loss:.3f}"))
    objectives = [f"{fit.classifier.objective_:.4f}" for fit in (first, second)]
    rows.append(("Objective", objectives[0], objectives[1]))
    return pd.DataFrame(rows, columns=["Measure", "First", "Second"])


def _fit_box(state: Studio, fits: list[FitResult], label: str, place: int, **look: Any) -> FitResult:
    """Let the user choose a fit; the box holds numbers, because Streamlit copies what its boxes hold."""
    by_id = {fit.id: fit for fit in fits}
    chosen = st.selectbox(
        label, list(by_id), place, format_func=lambda id: _name(state, by_id[id]), key=f"fit-box-{label}", **look
    )
    return by_id.get(chosen, fits[place])


def _name(state: Studio, fit: FitResult) -> str:
    """Name a fit in a list; its place tells apart those with equal names."""
    place = state.fits.index(fit) + 1 if fit in state.fits else 0
    return f"{place}. {shortened(state.name_of(fit), _LONGEST_NAME)}"
