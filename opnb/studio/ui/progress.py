"""Long work on the page: a line with Cancel, a bar, and words for the time it takes."""

from __future__ import annotations

import streamlit as st

from opnb.studio.ui.text import escaped
from opnb.studio.words import about, quantity
from opnb.studio.work.jobs import Job
from opnb.studio.work.process import Background, long_queue

STEP = 0.7  # seconds between two looks at work under way


def heading(work: Background, words: str, key: str) -> None:
    """Say what is done, and let the visitor stop it.

    The button stays outside the part that is drawn anew all the time, or a click could miss it.
    """
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{escaped(words)}**", width="content")
        st.button("Cancel", icon=":material/stop:", key=key, on_click=work.cancel)


def bar(job: Job[None], done: int, total: int, what: str, seconds_left: float | None) -> None:
    """Show how far the work is."""
    place = long_queue().place(job)
    if place:
        st.progress(0.0, f"Waiting for a free place: {quantity(place, 'job')} to start, yours being the last of them.")
        return
    if job.stopping:
        words = "Stopping …"
    else:
        left = "" if seconds_left is None or done == total else f", {about(seconds_left)} left"
        words = f"{done:,} of {total:,}{left}" + (f": {escaped(what)} …" if what else "")
    st.progress(done / max(total, 1), words)
