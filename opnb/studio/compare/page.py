"""The Compare page: which methods on how many splits, the run, and its outcome in three views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from opnb.comparators import METHODS, USUAL_METHODS
from opnb.data.policy import POLICY_ROWS
from opnb.data.writing import csv_bytes
from opnb.figures import comparison_figure, confusion_figure, spread_figure
from opnb.studio.compare.comparison import (
    MOST_REPEATS,
    USUAL_REPEATS,
    Comparison,
    Outcome,
    comparison_of,
    others_under_way,
)
from opnb.studio.compare.planes import Planes, planes_key, planes_work
from opnb.studio.ui.charts import chart
from opnb.studio.ui.progress import STEP_DRAWING, counted, under_way, wait_briefly
from opnb.studio.ui.session import look, narrow, studio
from opnb.studio.ui.study import study
from opnb.studio.ui.text import escaped
from opnb.studio.visit.drawing import focus_of
from opnb.studio.words import about, file_stem, quantity
from opnb.studio.work.jobs import Job

_MEASURES = {
    "Error": ("error", "held-out error in %", 100.0, False),
    "Difference": ("", "difference in percentage points", 100.0, False),
    "Log-loss": ("log_loss", "log-loss on held-out rows", 1.0, False),
    "Seconds": ("seconds", "seconds of tuning and fit", 1.0, True),
}


def comparing() -> None:
    """Show the comparison on the data in use."""
    state = studio()
    comparison = comparison_of(state)
    wait_briefly(comparison)
    comparison.collect()
    methods, repeats = _choice(comparison)
    _errors_of_run(comparison)
    views: dict[str, Callable[[], None]] = {
        "Errors": partial(_errors, methods, repeats),
        "Projections": _projections,
        "Confusion": partial(_confusion, methods, repeats),
    }
    chosen = st.segmented_control(
        "View", list(views), default="Errors", required=True, key="compare-view", persist_state="session"
    )
    for number, other in enumerate(others_under_way(state, comparison)):
        _under_way(other, f"compare-cancel-other-{number}", lambda job: None)
    if comparison.job is not None:
        with_errors = chosen == "Errors"
        below = partial(_errors, methods, repeats) if with_errors else lambda: None
        _under_way(comparison, "compare-cancel", lambda job: below())
        if with_errors:
            return
    views[chosen or "Errors"]()


def _choice(comparison: Comparison) -> tuple[list[str], int]:
    """Ask for methods and repeats, and run what is missing when the visitor says so."""
    busy = comparison.job is not None
    methods = st.pills(
        "Methods",
        list(METHODS),
        selection_mode="multi",
        default=list(USUAL_METHODS),
        key="compare-methods",
        disabled=busy,
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        repeats = st.number_input(
            "Repeats",
            1,
            MOST_REPEATS,
            USUAL_REPEATS,
            key="compare-repeats",
            disabled=busy,
            width=130,
            persist_state="session",
            help="Splits into training and held-out rows. The first is the one that the other pages use.",
        )
        repeats = min(max(int(repeats), 1), MOST_REPEATS)
        missing = [] if busy else comparison.missing(methods, repeats)
        some = any(method in methods for method, _ in list(comparison.trials))
        st.button(
            "Continue" if some and missing else "Compare",
            type="primary",
            icon=":material/play_arrow:",
            key="compare-run",
            disabled=busy or not missing,
            on_click=comparison.run,
            args=(methods, repeats),
        )
        with st.popover("What they are", icon=":material/help:"):
            st.markdown("\n".join(f"- **{escaped(m.name)}**: {escaped(m.description, 200)}" for m in METHODS.values()))
    if not methods:
        st.info("Choose at least one method.", icon=":material/checklist:")
    elif missing:
        st.caption(_plan(comparison, methods, repeats, missing, some))
    return list(methods), repeats


def _plan(comparison: Comparison, methods: Sequence[str], repeats: int, missing: Sequence[Any], some: bool) -> str:
    """Say what a click would do and how long it would take."""
    seconds = comparison.seconds_for(missing)
    if some:
        verb = "is" if len(missing) == 1 else "are"
        return f"{quantity(len(missing), 'trial')} of this choice {verb} missing: {about(seconds)}."
    return (
        f"{quantity(len(methods), 'method')} on {quantity(repeats, 'split')} of the same rows: {about(seconds)}, "
        "the quick methods first. Every method chooses its settings by cross-validation on the training rows and is "
        "judged on the held-out ones."
    )


def _errors_of_run(comparison: Comparison) -> None:
    if comparison.problem:
        st.error(escaped(comparison.problem, 500), icon=":material/error:")
    if comparison.is_sample:
        st.caption(f"Compared on a sample of {POLICY_ROWS:,} rows, as in the paper's experiments.")


def _under_way(comparison: Comparison, key: str, below: Callable[[Job[None]], None]) -> None:
    """Follow a run, with what is shown below its bar."""

    def said(job: Job[None]) -> tuple[float, str]:
        rest, total = comparison.rest, len(comparison.asked)
        what = f"{escaped(rest[0][0])}, repeat {rest[0][1] + 1}" if rest else ""
        return counted(job, total - len(rest), total, what, comparison.seconds_for(rest))

    words = f"**Comparing on {escaped(comparison.dataset.name)}**"
    under_way(comparison, words, key, said, below, step=STEP_DRAWING)


def _errors(methods: list[str], repeats: int) -> None:
    """Show the table and the dots."""
    comparison = comparison_of(studio())
    outcome = Outcome(comparison, methods, repeats)
    if not outcome.methods:
        if comparison.job is None:
            _nothing_yet(outcome)
        return
    table = outcome.table()
    st.dataframe(
        table, hide_index=True, placeholder="", column_config=_columns(outcome), alt="The methods side by side"
    )
    st.caption(
        f"Error in per cent of the held-out rows, mean over the repeats and standard deviation. Against "
        f"{escaped(outcome.reference)}: difference on the same splits in percentage points, with a 95 % interval that "
        "allows for splits sharing their rows. Better : worse counts repeats. Log-loss judges how sure the answers "
        "were; a method without probabilities has none."
    )
    _failures(outcome)
    _dots(outcome)
    if comparison.job is None:
        st.download_button(
            "Download the table",
            csv_bytes(table),
            f"{file_stem(comparison.dataset.name)}-methods.csv",
            "text/csv",
            key="compare-download",
            on_click="ignore",
            icon=":material/download:",
        )


def _nothing_yet(outcome: Outcome) -> None:
    _failures(outcome)
    if not outcome.failed:
        st.info(
            "Press **Compare**: a table and dots appear here, row by row, as the methods finish. Below is how three of "
            "them see the data.",
            icon=":material/leaderboard:",
        )
        _projections()


def _columns(outcome: Outcome) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "Method": st.column_config.TextColumn(pinned=True, width="small"),
        "Error": number(format="%.1f %%", help="Share of held-out rows that are misclassified, mean over the repeats."),
        "Spread": number(format="± %.1f", help="Standard deviation over the repeats."),
        f"Against {outcome.reference}": st.column_config.TextColumn(help="Below zero: less error than it."),
        "Better : worse": st.column_config.TextColumn(help="Repeats with less and with more error than it."),
        "Log-loss": number(format="%.3f"),
        "Seconds": number(format="%.2f", help="Of the processor, for tuning and the final fit of one repeat."),
        "Repeats": number(format="%d"),
    }


def _failures(outcome: Outcome) -> None:
    by_reason: dict[tuple[str, str], int] = {}
    for trial in outcome.failed:
        by_reason[trial.method, trial.problem] = by_reason.get((trial.method, trial.problem), 0) + 1
    for (method, problem), count in by_reason.items():
        st.warning(
            f"{escaped(method)} has no result in {quantity(count, 'repeat')}: {escaped(problem, 300)}",
            icon=":material/warning:",
        )


def _dots(outcome: Outcome) -> None:
    names = [name for name in _MEASURES if name != "Difference" or len(outcome.chosen) > 1]
    labels = {"Difference": f"Difference to {outcome.reference}"}
    chosen = st.segmented_control(
        "Drawn",
        names,
        default="Error",
        required=True,
        format_func=lambda name: labels.get(name, name),
        key="compare-measure",
        persist_state="session",
    )
    field, words, scale, logarithmic = _MEASURES[chosen or "Error"]
    shown = outcome.spread(field) if field else outcome.differences()
    if not shown.names:
        st.info("None of the finished methods has this number.", icon=":material/block:")
        return
    figure = spread_figure(shown, words, scale=scale, logarithmic=logarithmic, **look())
    chart(figure, "compare-dots", f"{chosen} of every method and repeat", bar=False)


def _confusion(methods: list[str], repeats: int) -> None:
    """Show which classes the methods take for which."""
    outcome = Outcome(comparison_of(studio()), methods, repeats)
    if not outcome.methods:
        st.info("There is no finished trial yet. Press **Compare**.", icon=":material/grid_on:")
        return
    st.caption("Held-out rows of all repeats together: true class down, predicted class across.")
    across = 1 if narrow() else 2
    for row in range(0, len(outcome.methods), across):
        for column, name in zip(st.columns(across), outcome.methods[row : row + across], strict=False):
            with column:
                figure = confusion_figure(outcome.confusion(name), title=name, **look())
                chart(figure, f"compare-confusion-{name}", f"{name}: true and predicted class", bar=False)


def _projections() -> None:
    """Show the planes that three methods look at."""
    state = studio()
    result = state.result
    if state.dataset is not None and state.dataset.X.shape[1] < 2:
        st.info("A picture of two directions needs two columns at least.", icon=":material/scatter_plot:")
        return
    if result is None:
        st.info("The pictures begin with a fit. Make one on the **Workbench**.", icon=":material/scatter_plot:")
        return
    st.caption(
        "The same rows as three methods see them on two directions, each picture on axes of its own: Optimal "
        "Projections for Naive Bayes (OPNB), linear discriminant analysis (LDA) and the optimal projection for "
        "Gaussian classes (OPGD). Errors and boundaries are those of the methods with these two directions."
    )
    if len(result.projected.class_names) == 2:
        st.caption(
            "With two classes LDA has one direction; the second axis is the leading principal component of the rest."
        )
    planes: Planes | None = study(planes_key(result), partial(planes_work, result), "Projecting")
    if planes is None:
        return
    figure = comparison_figure(
        planes.views, planes.titles, focus=focus_of(result, state.picture), same_axes=False, **look()
    )
    chart(figure, "compare-planes", "The projections of the methods side by side", bar=False)
    for note in planes.notes:
        st.info(escaped(note, 300), icon=":material/info:")
