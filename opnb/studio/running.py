"""The fit under way: its place in the queue, the objective as it climbs, and the points as they move."""

from __future__ import annotations

import streamlit as st

from opnb.studio.fitting import FitProgress
from opnb.studio.jobs import Job, queue
from opnb.studio.live import moving_picture, objective_curve
from opnb.studio.results import FitResult
from opnb.studio.session import studio, theme
from opnb.studio.text import quantity

_QUICK = 0.8  # seconds: a fit that is done by then is shown without the way there
_STEP = 0.5


def wait_briefly() -> None:
    """Give a quick fit the time to finish, so that the page does not flicker."""
    state = studio()
    if state.job is not None:
        state.job.wait(_QUICK)
    state.collect()


@st.fragment(run_every=_STEP)
def running_fit() -> None:
    """Show the fit under way until it is finished, then run the page once more."""
    state = studio()
    job = state.job
    if job is None or job.finished:
        st.rerun()
    left, right = st.columns([5, 1], vertical_alignment="center")
    with left:
        _words(job)
    if right.button("Cancel", icon=":material/stop:", width="stretch", key="cancel", disabled=job.stopping):
        state.cancel()
        if job.wait(1.0):
            st.rerun()
    if isinstance(job.progress, FitProgress):
        _pictures(job.progress)


def _words(job: Job[FitResult]) -> None:
    place = queue().place(job)
    if place:
        st.progress(
            0.0, f"Waiting for a free place: {quantity(place, 'fit')} to start, yours being the last of them."
        )
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
        st.progress(progress.share, f"Searching: {which}step {progress.iteration}, {job.seconds:.0f} s")


def _pictures(progress: FitProgress) -> None:
    left, right = st.columns([3, 2])
    if progress.points is not None:
        left.plotly_chart(
            moving_picture(progress, theme()), key="moving", theme=None, config={"displayModeBar": False}
        )
    if progress.objectives:
        right.plotly_chart(
            objective_curve(progress, theme()), key="climbing", theme=None, config={"displayModeBar": False}
        )
