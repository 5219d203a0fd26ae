"""The Benchmark page: make results or bring them, and every summary of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from opnb.benchmark import BENCHMARK_METHODS, MEASURES, Protocol, extent, mean_errors
from opnb.comparators import METHODS, USUAL_METHODS
from opnb.data.policy import POLICY_ROWS
from opnb.errors import OPNBError
from opnb.figures.benchmark import (
    cost_figure,
    dissection_figure,
    error_boxes_figure,
    errors_figure,
    methods_figure,
    pairwise_figure,
)
from opnb.figures.ranks import ranks_figure
from opnb.studio.benchmark.desk import EXAMPLE, Choice, Desk, Entry, choices, desk_of, ordered
from opnb.studio.ui.charts import chart
from opnb.studio.ui.files import download
from opnb.studio.ui.progress import STEP_DRAWING, counted, under_way, wait_briefly
from opnb.studio.ui.session import look, studio
from opnb.studio.ui.text import escaped
from opnb.studio.visit.settings import LARGEST_SEED
from opnb.studio.words import about, file_stem, quantity, shortened
from opnb.studio.work.jobs import Job

if TYPE_CHECKING:
    from opnb.benchmark import Summary

_ERROR, _SEEN = "results-error", "results-seen"
_FIRST = tuple(EXAMPLE + name for name in ("iris", "wine", "penguins"))
_USUAL_REPEATS, _MOST_REPEATS = 2, 100


def benchmarking() -> None:
    """Show the ways to results, the run under way, and the results."""
    desk = desk_of(studio())
    wait_briefly(desk)
    desk.collect()
    ways: dict[str, Callable[[Desk], None]] = {"Run here": _run, "Load a file": _load}
    way = st.segmented_control(
        "Results", list(ways), default="Run here", required=True, key="benchmark-way", persist_state="session"
    )
    ways[way or "Run here"](desk)
    if desk.problem:
        st.error(escaped(desk.problem, 500), icon=":material/error:")
    if desk.job is not None:
        said, below = partial(_said, desk), partial(_live, desk)
        under_way(desk, "**Running the benchmark**", "benchmark-cancel", said, below, step=STEP_DRAWING)
    if desk.entry is not None:
        _shown(desk)
    elif desk.job is None:
        st.info(
            "Press **Run**: errors appear here as the rows are finished, then boxplots, pairwise wins, mean ranks and "
            "more. Or load a results file, for instance of a long run on another computer.",
            icon=":material/speed:",
        )


def _run(desk: Desk) -> None:
    """Ask for data sets, methods and repeats, and begin."""
    busy = desk.job is not None
    known = choices()
    names = st.multiselect(
        "Data sets",
        list(known),
        [name for name in _FIRST if name in known],
        format_func=lambda name: known[name].words(),
        key="benchmark-datasets",
        disabled=busy,
        persist_state="session",
        placeholder="Type a part of a name",
        help="The examples of this app; those of the server's own folder, if OPNB_DATA_DIR names one; and all of the "
        "Penn Machine Learning Benchmarks (PMLB), which are fetched over the network.",
    )
    methods = st.pills(
        "Methods",
        [*METHODS, *(name for name in BENCHMARK_METHODS if name not in METHODS)],
        selection_mode="multi",
        default=list(USUAL_METHODS),
        key="benchmark-methods",
        disabled=busy,
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        settings = _settings(busy)
        ready = bool(names and methods) and not busy
        sent = st.button("Run", type="primary", icon=":material/play_arrow:", key="benchmark-run", disabled=not ready)
        _folder_button(known, busy)
    if not busy:
        st.caption(_plan([known[name] for name in names if name in known], methods, settings["repeats"]))
    if sent:
        _begin(desk, names, methods, settings)


def _settings(busy: bool) -> dict[str, int]:
    repeats = st.number_input(
        "Repeats",
        1,
        _MOST_REPEATS,
        _USUAL_REPEATS,
        key="benchmark-repeats",
        disabled=busy,
        width=130,
        persist_state="session",
        help="Splits of every data set. The paper has ten.",
    )
    with st.popover("More", icon=":material/tune:", disabled=busy):
        folds = st.number_input(
            "Folds", 2, 20, 5, key="benchmark-folds", persist_state="session", help="Of the cross-validation inside."
        )
        rows = st.number_input(
            "Most rows",
            40,
            POLICY_ROWS,
            POLICY_ROWS,
            key="benchmark-rows",
            persist_state="session",
            help="Larger data sets are sampled.",
        )
        seed = st.number_input("Seed", 0, LARGEST_SEED, 0, key="benchmark-seed", persist_state="session")
    return {"repeats": int(repeats), "folds": int(folds), "max_rows": int(rows), "seed": int(seed)}


def _folder_button(known: dict[str, Choice], busy: bool) -> None:
    """Offer everything in the server's folder at one click."""
    local = [name for name, choice in known.items() if choice.place == "folder"]
    if local:
        st.button(
            f"All of the folder ({len(local)})",
            icon=":material/folder_open:",
            key="benchmark-folder",
            disabled=busy,
            on_click=lambda: st.session_state.update({"benchmark-datasets": local}),
        )


def _plan(chosen: Sequence[Choice], methods: Sequence[str], repeats: int) -> str:
    """Say what a click would do and how long it would take."""
    if not chosen or not methods:
        return "Choose data sets and methods."
    tasks = len(chosen) * len(methods) * repeats
    seconds = repeats * sum(choice.seconds(methods) for choice in chosen)
    fetched = [choice for choice in chosen if choice.place == "network"]
    network = f" {quantity(len(fetched), 'data set')} will be fetched over the network." if fetched else ""
    return (
        f"{quantity(tasks, 'row')}: every method on every data set, {quantity(repeats, 'split')} each, "
        f"{about(seconds)}. Settings are chosen by cross-validation, as in the paper's experiment. You can stop at any "
        f"time and keep what is finished.{network}"
    )


def _begin(desk: Desk, names: Sequence[str], methods: Sequence[str], settings: dict[str, int]) -> None:
    try:
        protocol = Protocol(tuple(names), ordered(methods), **settings, data_dir=str(desk.folder))
        with st.spinner("Getting ready …"):
            desk.run(protocol)
    except (OPNBError, OSError) as error:
        st.error(escaped(error, 500), icon=":material/error:")
        return
    st.rerun()


def _load(desk: Desk) -> None:
    """Load a results file, once."""
    file = st.file_uploader(
        "A results file of “opnb benchmark”, or one downloaded here",
        ["csv"],
        key="benchmark-upload",
    )
    if file is not None and st.session_state.get(_SEEN) != file.file_id:
        with st.spinner("Reading …"):
            st.session_state[_ERROR] = desk.load(file.name, file.getvalue())
            st.session_state[_SEEN] = file.file_id
    if st.session_state.get(_ERROR):
        st.error(escaped(st.session_state[_ERROR], 500), icon=":material/error:")
        if desk.entry is not None:
            st.caption(f"Below are still the results of {escaped(desk.entry.name)}.")


def _said(desk: Desk, job: Job[None]) -> tuple[float, str]:
    at = desk.progress
    assert at is not None
    what = f"fetching {escaped(desk.fetching)}" if desk.fetching else "" if at.done > at.before else "getting ready"
    return counted(job, at.done, at.total, what, desk.seconds_left())


def _live(desk: Desk, job: Job[None]) -> None:
    """Show the rows that are there."""
    results = desk.so_far()
    if results is None:
        return
    try:
        errors = mean_errors(results).table
    except OPNBError:  # no row has an error rate yet
        return
    chart(errors_figure(errors, **look()), "results-live", "Mean test errors so far", bar=False)


def _stopped(desk: Desk) -> None:
    """Say that the run that is looked at was stopped."""
    if desk.is_partial and desk.progress is not None:
        st.info(
            f"This run was stopped with {desk.progress.done:,} of {desk.progress.total:,} rows. **Run** with the same "
            "choice does the others.",
            icon=":material/stop_circle:",
        )


def _shown(desk: Desk) -> None:
    """Show the results that are looked at."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entry = _entry_box(desk)
        methods = _method_box(entry)
        stem = file_stem(entry.name.removesuffix(".csv"))
        download("Results", lambda: entry.raw, f"{stem}.csv", "text/csv")
        download("Report", partial(_report, entry, methods), f"{stem}-report.html", "text/html")
    try:
        said = entry.summary(methods)
    except OPNBError as error:
        st.error(escaped(error, 500), icon=":material/error:")
        _rows(entry)
        return
    _stopped(desk)
    st.caption(escaped(extent(entry.results, said), 500))
    for note in said.notes:
        st.caption(f":material/info: {escaped(note, 500)}")
    _views(entry, said)


def _report(entry: Entry, methods: Sequence[str]) -> str:
    from opnb.reports.benchmark_report import benchmark_report

    return benchmark_report(entry.results, methods=methods, title=entry.name, summary=entry.summary(methods))


def _entry_box(desk: Desk) -> Entry:
    """Let the visitor choose among the results of the visit; the box holds numbers, names may be the same."""
    entries = {entry.id: entry for entry in reversed(desk.entries)}
    if len(entries) == 1:
        (entry,) = entries.values()
        st.header(escaped(entry.name), width="stretch")
        return entry
    chosen = st.selectbox(
        "Results of this visit",
        list(entries),
        list(entries).index(desk.shown),
        format_func=lambda number: (
            f"{shortened(entries[number].name, 50)} ({len(entries[number].results.frame):,} rows)"
        ),
        key=f"benchmark-entry-{max(entries)}",
        width=360,
    )
    desk.show(chosen)
    return entries[chosen]


def _method_box(entry: Entry) -> tuple[str, ...]:
    chosen = st.multiselect(
        "Methods compared",
        entry.methods,
        format_func=shortened,
        key=f"benchmark-compared-{entry.id}",
        placeholder="All",
        width=300,
    )
    return tuple(name for name in entry.methods if name in chosen) if len(chosen) > 1 else entry.methods


def _views(entry: Entry, said: Summary) -> None:
    views: dict[str, Callable[[Entry, Summary], None]] = {
        "Overview": _overview,
        "Errors": _boxes,
        "Wins": _wins,
        "Ranks": _ranks,
        "Dissection": _dissection,
        "Time": _time,
        "Data sets": _datasets,
        "Rows": lambda entry, said: _rows(entry),
    }
    chosen = st.segmented_control(
        "Summary", list(views), default="Overview", required=True, key="benchmark-view", persist_state="session"
    )
    views[chosen or "Overview"](entry, said)


_NOT_COMPLETE = "No data set has a result of every method yet. Compare fewer methods, or let the benchmark run longer."


def _needs_complete(said: Summary) -> bool:
    if not len(said.errors.complete):
        st.info(_NOT_COMPLETE, icon=":material/hourglass_empty:")
    return bool(len(said.errors.complete))


def _overview(entry: Entry, said: Summary) -> None:
    if not _needs_complete(said):
        return
    st.caption(
        f"Means over {quantity(len(said.errors.complete), 'data set')}, the best method first. Min-normalised: how far "
        "from the best method of a data set, as a share of what that gets right. Blue is good, orange is bad."
    )
    chart(methods_figure(said.methods, **look()), "results-methods", "The methods side by side", bar=False)


def _boxes(entry: Entry, said: Summary) -> None:
    if not _needs_complete(said):
        return
    measure = st.segmented_control(
        "Errors of different data sets made comparable",
        list(MEASURES),
        default=next(iter(MEASURES)),
        required=True,
        key="benchmark-measure",
        persist_state="session",
    )
    name = measure or next(iter(MEASURES))
    figure = error_boxes_figure(MEASURES[name](said.errors.complete), name, **look())
    chart(figure, "results-boxes", "Errors of every method over the data sets")


def _wins(entry: Entry, said: Summary) -> None:
    st.caption("On how many data sets the row has the lower mean test error than the column; ties count for neither.")
    chart(pairwise_figure(said.wins, **look()), "results-wins", "How often one method beats another", bar=False)


def _ranks(entry: Entry, said: Summary) -> None:
    if said.ranks is None:
        st.info("Mean ranks need two data sets and two methods at least.", icon=":material/format_list_numbered:")
        return
    st.caption(
        "The rank of every method on each data set, averaged; 1 is the best. Bars join methods whose ranks are closer "
        "than the critical difference: these data sets cannot tell them apart."
    )
    chart(ranks_figure(said.ranks, **look()), "results-ranks", "Mean ranks with the critical difference", bar=False)


def _dissection(entry: Entry, said: Summary) -> None:
    if said.dissection is None:
        reason = said.notes[-1] if said.notes else "There are too few data sets."
        st.info(escaped(reason, 500), icon=":material/biotech:")
        return
    st.caption(
        "On what data a method does well: left of zero, it has less error than others where the characteristic is "
        "high. Filled dots are more than two standard errors from zero."
    )
    figure = dissection_figure(said.dissection, **look())
    chart(figure, "results-dissection", "Coefficients of the errors on characteristics of the data", bar=False)


def _time(entry: Entry, said: Summary) -> None:
    if _needs_complete(said):
        st.caption("Down and to the left is good: little error in little time.")
        chart(cost_figure(said.methods, **look()), "results-cost", "Error against seconds", bar=False)


def _datasets(entry: Entry, said: Summary) -> None:
    chart(errors_figure(said.errors.table, **look()), "results-errors", "Mean test errors by data set", bar=False)


def _rows(entry: Entry) -> None:
    st.dataframe(entry.results.frame.drop(columns=["protocol"]), hide_index=True, alt="All rows of the results")
