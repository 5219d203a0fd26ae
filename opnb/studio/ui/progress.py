"""Long work on the page: what is done, a way to stop it, its place in the queue, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from opnb.studio.ui.heading import announce
from opnb.studio.ui.session import studio
from opnb.studio.words import about, quantity
from opnb.studio.work.errands import Errand
from opnb.studio.work.jobs import Job

QUICK = 0.8  # seconds: work that is done by then is shown without the way there
# Seconds between two looks at work under way.
STEP = 0.5
STEP_DRAWING = 1.0  # drawing keeps a browser without a graphics card busy, and a click has to wait for it
STEP_WAITING = 2.0  # many may wait at once, and asking costs those who run

Said = Callable[[Job[Any]], tuple[float, str]]


def wait_briefly(errand: Errand[Any]) -> None:
    """Give quick work, or a stop, the time to end, so that the page does not flicker."""
    job = errand.job
    if job is not None and not errand.place:  # nobody waits for one that waits itself
        job.wait(QUICK if job.stopping else max(QUICK - job.seconds, 0.0))


def under_way(
    errand: Errand[Any],
    words: str,
    key: str,
    said: Said,
    below: Callable[[Job[Any]], None] = lambda job: None,
    *,
    step: float = STEP,
    noun: str = "job",
) -> None:
    """Show work under way and let the visitor stop it; at its end the page runs once more.

    Parameters
    ----------
    errand : Errand
    words : str
        What is done, in Markdown.
    key : str
        Of the Cancel button.
    said : callable
        Gives the share of the work that is done, and words for the bar.
    below : callable
        Shows what else there is to see of it.
    step : float
        Seconds between two looks.
    noun : str
        What waits in the queue.
    """
    # The button stays outside the part that is drawn anew all the time, or a click could miss it.
    announce(words, key)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(words, width="content")
        st.button("Cancel", icon=":material/stop:", key=key, on_click=errand.cancel)
    waits = errand.place > 0
    st.fragment(_look, run_every=STEP_WAITING if waits else step)(errand, said, below, noun, waits)


def _look(errand: Errand[Any], said: Said, below: Callable[[Job[Any]], None], noun: str, waited: bool) -> None:
    """Follow the work until it is finished, or until it no longer waits, then run the page once more."""
    studio()  # what has changed is saved
    job, place = errand.job, errand.place
    if job is None or job.finished or (waited and not place):
        st.rerun()
    if place:
        st.progress(0.0, f"Waiting for a free place: {quantity(place, noun)} to start, yours being the last of them.")
    else:
        st.progress(*said(job))
    below(job)


def wait_words(place: DeltaGenerator) -> Callable[[Job[Any], int], None]:
    """Give a function that says, in one place of the page, how long work has been waited for.

    Streamlit ends the run there when the visitor has left or has clicked on something else, and the work ends with it.
    """

    def say(job: Job[Any], ahead: int) -> None:
        where = f"Waiting for a free place: {quantity(ahead, 'job')} to start" if ahead else "Under way"
        place.caption(f"{where}, {job.seconds:.0f} s")

    return say


def counted(job: Job[Any], done: int, total: int, what: str, seconds_left: float | None) -> tuple[float, str]:
    """Give share and words of work that is counted; `what` is under way, in Markdown."""
    if job.stopping:
        words = "Stopping …"
    else:
        left = "" if seconds_left is None or done == total else f", {about(seconds_left)} left"
        words = f"{done:,} of {total:,}{left}" + (f": {what} …" if what else "")
    return done / max(total, 1), words
