"""A study on the page: its outcome, or its progress with a way to stop it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from opnb.studio.ui.progress import under_way, wait_briefly
from opnb.studio.ui.session import studio
from opnb.studio.ui.text import escaped
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import StudyProgress


def study(key: Hashable, work: Callable[[Job[Any]], Any], words: str, *, beside: bool = False) -> Any:
    """Give the outcome of a study, or None while the page shows its progress, or why there is none.

    Parameters
    ----------
    key : hashable
        Which view, fit and choices; equal keys mean equal outcomes.
    work : callable
        Gets the job and gives the outcome; see `opnb.studio.work.studies.report`.
    words : str
        What is done, for the visitor.
    beside : bool, default=False
        Whether a process does the work.
    """
    studies = studio().studies
    studies.ask(key, work, beside=beside)
    wait_briefly(studies)
    studies.collect()
    if key in studies.failures:
        _failure(key, studies.failures[key])
    elif key not in studies.outcomes:
        under_way(studies, f"**{escaped(words)}**", "study-cancel", _said)
    return studies.outcomes.get(key)


def _failure(key: Hashable, reason: str) -> None:
    if reason:
        st.error(escaped(reason, 500), icon=":material/error:")
    else:
        st.info("You stopped this.", icon=":material/stop_circle:")
    if st.button("Start again", icon=":material/replay:", key="study-again"):
        studio().studies.retry(key)
        st.rerun()


def _said(job: Job[Any]) -> tuple[float, str]:
    seen = job.progress if isinstance(job.progress, StudyProgress) else StudyProgress()
    return seen.share, "Stopping …" if job.stopping else f"{escaped(seen.words)} … {job.seconds:.0f} s"
