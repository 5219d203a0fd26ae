"""The fit under way: its place in the queue, the objective as it climbs, and the points as they move."""

from __future__ import annotations

import streamlit as st

from opnb.studio.ui.charts import chart
from opnb.studio.ui.heading import heading
from opnb.studio.ui.live import moving_picture, objective_curve
from opnb.studio.ui.progress import STEP_DRAWING, under_way, wait_briefly
from opnb.studio.ui.session import studio, theme
from opnb.studio.ui.text import escaped
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import FitSpec
from opnb.studio.visit.state import Studio
from opnb.studio.words import about
from opnb.studio.work.fitting import FitProgress
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import StudyProgress


def collect_fit() -> None:
    """Show the fit under way where it is done in a moment, and say what there is to say."""
    state = studio()  # which saves what was asked for, before anything is waited for
    wait_briefly(state.work.fit)
    asked = state.spec
    state.collect()
    if state.spec != asked:
        st.rerun()  # settings that were found: the form stands before this, and shows those that were asked for
    _notices(state)


def fit_shown(title: str, purpose: str, guide: str) -> FitResult | None:
    """Begin a page that is about a fit, and give the fit; None while it runs, or where there is none, which is said."""
    head = st.container()
    collect_fit()
    state = studio()
    with head:
        about = f"About the fit: {escaped(state.name_of(state.result))}" if state.result else ""
        heading(title, about, guide=guide)
    if state.job is not None:
        running_fit(state)
    elif state.result is None:
        st.info(f"There is no fit to {purpose} yet. Make one on the **Workbench**.", icon=":material/scatter_plot:")
        st.page_link("pages/workbench.py", label="Go to the Workbench", icon=":material/scatter_plot:")
    return state.result if state.job is None else None


def _notices(state: Studio) -> None:
    """Show what there is to say once, and why the last fit failed, if it did."""
    for notice in state.notices:
        st.warning(escaped(notice, 500), icon=":material/link:")
    if state.fit_error:
        st.error(escaped(state.fit_error, 800), icon=":material/error:")
    not_saved(state)
    if state.interrupted is not None and state.job is None:
        _interrupted(state, state.interrupted)


def not_saved(state: Studio) -> None:
    """Say why the latest changes could not be saved, if they could not."""
    if state.keeper.problem:
        st.warning(escaped(state.keeper.problem, 500), icon=":material/cloud_off:")


def _interrupted(state: Studio, spec: FitSpec) -> None:
    """Say that a fit did not come to its end, and offer to run it again."""
    with st.container(horizontal=True, vertical_alignment="center", key="interrupted"):
        words = f"This fit was interrupted before it was done: {escaped(spec.label())}"
        st.warning(words, icon=":material/pause_circle:", width="stretch")
        st.button("Run it again", icon=":material/replay:", key="run-again", on_click=_run_again, args=(state, spec))
        st.button("Leave it", icon=":material/close:", key="leave-it", on_click=state.leave_interrupted)


def _run_again(state: Studio, spec: FitSpec) -> None:
    state.fit(spec)


def running_fit(state: Studio) -> None:
    """Show the fit under way, and let the user stop it."""
    chooses = state.job is not None and isinstance(state.job.progress, StudyProgress)
    words = f"**{'Finding good settings for' if chooses else 'Fitting'}** {escaped(state.spec.label())}"
    under_way(state.work.fit, words, "cancel", _said, _pictures, step=STEP_DRAWING, noun="fit")


def _said(job: Job[FitResult]) -> tuple[float, str]:
    progress = job.progress
    if isinstance(progress, StudyProgress):
        return progress.share, "Stopping …" if job.stopping else f"{progress.words} …"
    if not isinstance(progress, FitProgress):
        return 0.0, "Getting ready …"
    if job.stopping:
        return progress.share, "Stopping at the next step …"
    if progress.stage == "score":
        return 1.0, "Predicting every row …"
    starts = progress.spec.n_init if progress.spec.init == "random" else 1
    which = f"start {progress.start + 1} of {starts}, " if starts > 1 else ""
    return progress.share, f"Searching: {which}step {progress.iteration}{_time_left(progress)}"


def _time_left(progress: FitProgress) -> str:
    left = progress.seconds_left
    return "" if left is None else f", {about(left)} left"


def _pictures(job: Job[FitResult]) -> None:
    progress = job.progress
    if not isinstance(progress, FitProgress):
        return
    left, right = st.columns([3, 2])
    if progress.points is not None:
        with left:
            chart(moving_picture(progress, theme()), "moving", "The points as the search moves them", bar=False)
    if progress.objectives:
        with right:
            chart(objective_curve(progress, theme()), "climbing", "The objective so far", bar=False)
