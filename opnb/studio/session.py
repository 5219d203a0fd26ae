"""The way from Streamlit's session to the visit's state: the one place that knows the session key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

import streamlit as st
from streamlit import runtime
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from opnb.core.warm_up import warm_up
from opnb.data import propose
from opnb.studio.fitting import fit_work
from opnb.studio.jobs import Job
from opnb.studio.links import from_query, to_query
from opnb.studio.results import FitResult
from opnb.studio.sources import fetch_table, prepared, settled
from opnb.studio.spec import default_spec
from opnb.studio.state import Studio

_KEY = "studio"
_ENTERED, _WANTED = "entered", "page asked for"
_LOOKING = 3.0  # seconds


def enter(pages: Sequence[StreamlitPage]) -> None:
    """Note that the app's own script has run, and go to the page that was asked for before it had."""
    st.session_state[_ENTERED] = True
    wanted = st.session_state.pop(_WANTED, "")
    for page in pages:
        if wanted and page.url_path == wanted:
            st.switch_page(page, query_params=st.query_params.to_dict())


def studio() -> Studio:
    """Give the state of this visit; a new visit begins where its link says, or at a fitted example."""
    if _ENTERED not in st.session_state:
        # Until the app's script has run once, a server that finds `pages/` runs a page by itself, without navigation.
        st.session_state[_WANTED] = urlsplit(st.context.url or "").path.rpartition("/")[2]
        st.switch_page("app.py", query_params=st.query_params.to_dict())
    if _KEY not in st.session_state:
        st.session_state[_KEY] = _begin()
    state: Studio = st.session_state[_KEY]
    return state


def _begin() -> Studio:
    owner = _session_id()
    state = Studio(owner=owner, alive=_alive(owner))
    query = st.query_params.to_dict()
    if query:
        state.follow(from_query(query))
        if state.fits_by_itself:
            state.fit(state.spec)
    else:
        first = _first_result()
        state.restore(first)
        state.keep(first)
    return state


@st.cache_resource(max_entries=1, show_spinner="Fitting a first example …")
def _first_result() -> FitResult:
    """Fit the example everyone sees first, once for the process: bundled data, and nobody changes it."""
    spec = default_spec()
    table = fetch_table(spec.data.source)
    data = settled(spec.data, propose(table))
    spec, dataset = replace(spec, data=data), prepared(table, data)
    for _ in range(2):  # the first time compiles, and would show a time that means nothing
        job: Job[FitResult] = Job(partial(fit_work, spec, table, dataset))
        job.run()
    assert job.result is not None, job.error
    _compile_soon()
    return job.result


def _compile_soon() -> None:
    """Load the kernels of other kinds of problems while the visitor looks at the first picture."""
    timer = threading.Timer(_LOOKING, warm_up)
    timer.daemon = True
    timer.start()


def _session_id() -> str:
    context = get_script_run_ctx()
    return context.session_id if context is not None else ""


def _alive(session_id: str) -> Callable[[], bool]:
    """Tell a job whether its visitor is still connected, without any call that needs the visitor's thread."""

    def alive() -> bool:
        return not runtime.exists() or runtime.get_instance().is_active_session(session_id)

    return alive


def theme() -> str:
    """Give the visitor's theme, "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def narrow() -> bool:
    """Tell whether the visitor's screen is a phone's, as far as the browser says."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def write_link() -> None:
    """Put the fit and its view into the address, so that a reload and a copied address bring them back."""
    state = studio()
    query = to_query(state.spec, state.view)
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
