"""The fit under way: its place in the queue, the objective as it climbs, and the points as they move."""

from __future__ import annotations

import streamlit as st

from opnb.studio.ui.charts import chart
from opnb.studio.ui.live import moving_picture, objective_curve
from opnb.studio.ui.session import studio, theme
from opnb.studio.ui.text import escaped
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import FitSpec
from opnb.studio.visit.state import Studio
from opnb.studio.words import about, quantity
from opnb.studio.work.fitting import FitProgress
from opnb.studio.work.jobs import Job, queue

_QUICK = 0.8  # seconds: a fit that is done by then is shown without the way there
_STEP = 1.0  # drawing keeps a browser without a graphics card busy, and a click has to wait for it
_STEP_WAITING = 2.0  # many may wait at once, and asking costs those who run


def wait_briefly() -> None:
    """Give a quick fit the time to finish, so that the page does not flicker."""
    state = studio()
    if state.job is not None and not queue().place(state.job):  # nobody waits for one that waits itself
        state.job.wait(_QUICK if state.job.stopping else max(_QUICK - state.job.seconds, 0.0))
    state.collect()


def notices(state: Studio) -> None:
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
    # The button stays outside the part that is drawn anew all the time, or a click could miss it.
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**Fitting** {escaped(state.spec.label())}", width="content")
        st.button("Cancel", icon=":material/stop:", key="cancel", on_click=state.cancel)
    job = state.job
    waits = job is not None and queue().place(job) > 0
    st.fragment(_progress, run_every=_STEP_WAITING if waits else _STEP)(waits)


def _progress(waited: bool) -> None:
    """Follow the fit until it is finished, or until it no longer waits, then run the page once more."""
    job = studio().job
    if job is None or job.finished or (waited and not queue().place(job)):
        st.rerun()
    _words(job)
    if isinstance(job.progress, FitProgress):
        _pictures(job.progress)


def _words(job: Job[FitResult]) -> None:
    place = queue().place(job)
    if place:
        st.progress(0.0, f"Waiting for a free place: {quantity(place, 'fit')} to start, yours being the last of them.")
        return
    progress = job.progress
    if not isinstance(progress, FitProgress):
        st.progress(0.0, "Getting ready …")
    elif job.stopping:
        st.progress(progress.share, "Stopping at the next step …")
    elif progress.stage == "score":
        st.progress(1.0, "Predicting every row …")
    else:
        starts = progress.spec.n_init if progress.spec.init == "random" else 1
        which = f"start {progress.start + 1} of {starts}, " if starts > 1 else ""
        st.progress(progress.share, f"Searching: {which}step {progress.iteration}{_time_left(progress)}")


def _time_left(progress: FitProgress) -> str:
    left = progress.seconds_left
    return "" if left is None else f", {about(left)} left"


def _pictures(progress: FitProgress) -> None:
    left, right = st.columns([3, 2])
    if progress.points is not None:
        with left:
            chart(moving_picture(progress, theme()), "moving", "The points as the search moves them", bar=False)
    if progress.objectives:
        with right:
            chart(objective_curve(progress, theme()), "climbing", "The objective so far", bar=False)
