"""A study on the page: its outcome, or its progress with a way to stop it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from opnb.studio.ui.session import studio
from opnb.studio.ui.text import escaped
from opnb.studio.words import quantity
from opnb.studio.work.jobs import Job, queue
from opnb.studio.work.studies import StudyProgress

_QUICK = 1.0  # seconds: a study that is done by then is shown without the way there
_STEP = 0.5
_STEP_WAITING = 2.0  # many may wait at once, and asking costs those who run


def study(key: Hashable, work: Callable[[Job[Any]], Any], words: str) -> Any:
    """Give the outcome of a study, or None while the page shows its progress, or why there is none.

    Parameters
    ----------
    key : hashable
        Which view, fit and choices; equal keys mean equal outcomes.
    work : callable
        Gets the job and gives the outcome; see `opnb.studio.work.studies.report`.
    words : str
        What is done, for the visitor.
    """
    state = studio()
    studies = state.studies
    studies.ask(key, work, state.owner, state.alive)
    if studies.job is not None:
        if not queue().place(studies.job):  # nobody waits for one that waits itself
            studies.job.wait(_QUICK if studies.job.stopping else max(_QUICK - studies.job.seconds, 0.0))
        studies.collect()
    if key in studies.failures:
        _failure(key, studies.failures[key])
    elif key not in studies.outcomes:
        _under_way(words)
    return studies.outcomes.get(key)


def _failure(key: Hashable, reason: str) -> None:
    if reason:
        st.error(escaped(reason, 500), icon=":material/error:")
    else:
        st.info("You stopped this.", icon=":material/stop_circle:")
    if st.button("Start again", icon=":material/replay:", key="study-again"):
        studio().studies.retry(key)
        st.rerun()


def _under_way(words: str) -> None:
    # The button stays outside the part that is drawn anew all the time, or a click could miss it.
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{escaped(words)}**", width="content")
        st.button("Cancel", icon=":material/stop:", key="study-cancel", on_click=studio().studies.cancel)
    job = studio().studies.job
    waits = job is not None and queue().place(job) > 0
    st.fragment(_progress, run_every=_STEP_WAITING if waits else _STEP)(waits)


def _progress(waited: bool) -> None:
    """Follow the study until it is finished, or until it no longer waits, then run the page once more."""
    job = studio().studies.job
    place = 0 if job is None else queue().place(job)
    if job is None or job.finished or (waited and not place):
        st.rerun()
    if place:
        st.progress(0.0, f"Waiting for a free place: {quantity(place, 'job')} to start, yours being the last of them.")
        return
    seen = job.progress if isinstance(job.progress, StudyProgress) else StudyProgress()
    st.progress(seen.share, "Stopping …" if job.stopping else f"{escaped(seen.words)} … {job.seconds:.0f} s")
