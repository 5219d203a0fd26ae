"""Everything below the picture, one view at a time: a view that is not looked at costs nothing."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from opnb.figures import (
    history_figure,
    loadings_figure,
    margins_figure,
)
from opnb.studio.ui.charts import chart
from opnb.studio.ui.intake import SHOW_ROWS
from opnb.studio.ui.session import look, studio
from opnb.studio.visit.drawing import focus_of
from opnb.studio.visit.results import FitResult
from opnb.studio.words import quantity
from opnb.studio.workbench.class_errors import class_errors
from opnb.studio.workbench.downloads import take_away
from opnb.studio.workbench.fit_list import fits_of_this_visit
from opnb.studio.workbench.new_rows import new_rows_panel
from opnb.studio.workbench.pairs import all_pairs
from opnb.studio.workbench.units import units_table

NEW_ROWS = "New rows"
_BEGIN = "details begin"
_MOST_MARGINS = 30


@st.fragment
def details() -> None:
    """Show the view of the fit that the user chooses."""
    state = studio()
    if state.result is None:
        return
    views: dict[str, Callable[[FitResult], None]] = {
        "Errors by class": class_errors,
        "Weights": _loadings,
        "Densities": _margins,
        "All pairs": all_pairs,
        "Search": _history,
        NEW_ROWS: lambda result: new_rows_panel(state),
        f"Fits ({len(state.fits)})": lambda result: fits_of_this_visit(state),
        "Take away": lambda result: take_away(state, result),
    }
    names = list(views)
    # A control that begins elsewhere is another one.
    turn, begin = st.session_state.get(_BEGIN, (0, 0))
    if st.session_state.pop(SHOW_ROWS, False):
        turn, begin = st.session_state[_BEGIN] = (turn + 1, names.index(NEW_ROWS))
    # The number of fits is in a name, so the choice is kept by place.
    chosen = st.segmented_control(
        "More about this fit",
        range(len(names)),
        default=begin,
        required=True,
        format_func=names.__getitem__,
        key=f"details-{turn}",
        persist_state="session",
    )
    views[names[chosen or 0]](state.result)


def _loadings(result: FitResult) -> None:
    st.caption(
        "How much every column counts in every direction, after the columns were brought to equal scales. "
        "The sign of a whole direction means nothing."
    )
    figure = loadings_figure(result.classifier, result.dataset.feature_names, **look())
    chart(figure, "loadings", "Weights of the columns on the directions")
    units_table(result)


def _margins(result: FitResult) -> None:
    directions = list(range(min(result.n_directions, _MOST_MARGINS)))
    figure = margins_figure(
        result.classifier,
        projected=result.projected,
        directions=directions,
        weighting=studio().picture.margins,
        focus=focus_of(result, studio().picture),
        **look(),
    )
    chart(figure, "margins", "Class densities along every direction")


def _history(result: FitResult) -> None:
    seconds = f"{1000 * result.seconds:.0f} ms" if result.seconds < 1 else f"{result.seconds:.1f} s"
    st.caption(f"{quantity(result.classifier.n_iter_, 'step')}, {seconds} with everything.")
    figure = history_figure(result.classifier, terms=True, height=360, **look())
    chart(figure, "history", "The objective over the iterations")
    starts = result.classifier.starts_
    if len(starts) > 1:
        st.dataframe(
            [
                {
                    "Start": number + 1,
                    "Objective": start.objective,
                    "Steps": start.n_iter,
                    "Settled": "yes" if start.converged else "no",
                    "Seconds": start.seconds,
                    "Shown": "this one" if number == result.classifier.best_start_ else "",
                }
                for number, start in enumerate(starts)
            ],
            hide_index=True,
            alt="The outcome of every start",
        )
