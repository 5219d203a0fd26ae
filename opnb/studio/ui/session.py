"""The way from Streamlit's session to the visit's state: the one place that knows the session key."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import runtime
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from opnb.core.warm_up import warm_up
from opnb.data import propose
from opnb.errors import OPNBError, WorkspaceError
from opnb.studio.logs import event, visit_of
from opnb.studio.serving.guard import is_of_this_computer
from opnb.studio.ui import address, tab
from opnb.studio.ui.gate import ask_about_workspace
from opnb.studio.visit.links import from_query, to_query
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.saving import Keeper
from opnb.studio.visit.settings import PictureSpec, default_spec
from opnb.studio.visit.snapshot import Opened
from opnb.studio.visit.sources import fetch_table, prepared, settled
from opnb.studio.visit.state import Studio
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from opnb.workspace import Store, store_settings

_KEY = "studio"
_ENTERED, _WANTED = "entered", "page asked for"
_OPENING, _LEFT, _TOLD = "how to open", "workspace that was left", "told of the update"
_BY_LINK, _REVISION = "begun by a link", "revision of the next visit"
_UPDATED = (
    "The app was updated while this page was open. Go on as you like; reload the page to have all of the new one."
)
_LOOKING = 3.0  # seconds
_THIS_COMPUTER = ("localhost", "127.0.0.1", "::1")


def enter(pages: Sequence[StreamlitPage]) -> None:
    """Note that the app's own script has run, and go to the page that was asked for before it had."""
    st.session_state[_ENTERED] = True
    address.remember_workspace()
    if tab.is_of_another_program() and not st.session_state.get(_TOLD):
        st.session_state[_TOLD] = True
        st.toast(_UPDATED, icon=":material/update:", duration="long")
    wanted = st.session_state.pop(_WANTED, "")
    for page in pages:
        if wanted and page.url_path == wanted:
            st.switch_page(page, query_params=st.query_params.to_dict())


def leave() -> None:
    """Note in the visitor's browser, after a page, which workspace the tab is in; a lesson needs none."""
    here: Studio | None = st.session_state.get(_KEY)
    tab.remember("" if here is None else here.keeper.id, st.session_state.get(_LEFT, ""))


def _take_up_again() -> None:
    """Go back to the workspace that the tab remembers: the server was restarted, or the address has lost it."""
    found = tab.remembered()
    if not found:
        return
    here: Studio | None = st.session_state.get(_KEY)
    in_use = address.workspace() or (here is not None and here.keeper.id)
    if in_use or st.session_state.get(_LEFT) == found:
        return
    if _is_link(address.own_query()) if here is None else st.session_state.get(_BY_LINK):
        return
    st.session_state[_LEFT] = found  # once only: it may be gone
    st.session_state[_OPENING] = "open"
    if here is not None:
        _end(here)
        st.query_params.clear()  # of the example that was shown meanwhile
    address.set_workspace(found)


def _is_link(query: Mapping[str, str]) -> bool:
    """Tell whether an address asks for something: what the page writes there for the first example asks for nothing."""
    return bool(query) and dict(query) != to_query(_first_result().spec, PictureSpec())


def _ask_first() -> None:
    """Ask before a workspace is opened that this browser does not know: the link may be anybody's."""
    asked, store = address.workspace(), _store()[0]
    if store is None or not asked or _OPENING in st.session_state:
        return
    if not tab.knows(asked) and store.has(asked):
        st.session_state[_OPENING] = ask_about_workspace(asked)


def studio() -> Studio:
    """Give the state of this visit; a new visit begins where its link says, or at a fitted example.

    What changed since it was asked for last is saved: every page and every part of one asks at its beginning.
    """
    known: Studio | None = st.session_state.get(_KEY)
    if known is None:
        inside()
    if known is None or not known.keeper.id:  # a page asks many times: what is settled is not looked at again
        _take_up_again()
        known = st.session_state.get(_KEY)
    if known is None:
        _ask_first()
        known = st.session_state[_KEY] = _begin()
    save(known)
    return known


def inside() -> None:
    """Make sure that a page runs within the app."""
    if _ENTERED not in st.session_state:
        # Until the app's script has run once, a server that finds `pages/` runs a page by itself, without navigation.
        st.session_state[_WANTED] = urlsplit(st.context.url or "").path.rpartition("/")[2]
        st.switch_page("app.py", query_params=st.query_params.to_dict())


def _begin() -> Studio:
    owner = _session_id()
    state = Studio(owner=owner, alive=_alive(owner), revision=st.session_state.get(_REVISION, 0))
    event("visit", visit=visit_of(owner))
    store, problem = _store()
    state.keeper, state.notices = Keeper(store), [problem] if problem else []
    opening = st.session_state.pop(_OPENING, "open")
    wanted = "" if opening == "leave" else address.workspace()
    if store is not None and wanted and _reopen(state, wanted, copied=opening == "copy"):
        return state
    address.set_workspace("")
    query = address.own_query()
    st.session_state[_BY_LINK] = _is_link(query)  # later the page writes what it shows there
    if _is_link(query):
        state.begin_from(from_query(query))
        if state.fits_by_itself:
            state.fit(state.spec)
    else:
        first = _first_result()
        state.restore(first)
        state.add(first)
        state.keeper.leave_as_it_is(state.snapshot())
    return state


def _reopen(state: Studio, workspace_id: str, *, copied: bool) -> bool:
    """Go on where the workspace was left, in itself or in a copy, and tell whether it could be opened."""
    place = st.empty()

    def progress(done: int, all: int) -> None:
        place.progress(done / all, f"Opening your workspace: fit {done + 1} of {all}")

    try:
        found = (state.keeper.read if copied else state.keeper.open)(workspace_id, progress)
        state.resume(found.snapshot)
    except OPNBError as error:
        state.keeper = Keeper(state.keeper.store)
        state.notices.append(f"The workspace could not be opened. {error}")
        return False
    finally:
        place.empty()
    state.notices += found.problems
    if not copied:
        state.keeper.leave_as_it_is(state.snapshot())
    return True


def _store() -> tuple[Store | None, str]:
    """Give the store of this server, or the reason why there is none."""
    # Behind a proxy the app listens to this computer alone, too, and is served all the same.
    local = st.get_option("server.address") in _THIS_COMPUTER and is_of_this_computer(st.context.headers)
    try:
        settings = store_settings(os.environ, local=local)
    except WorkspaceError as error:
        return None, f"Your work is not being saved. {error}"
    return None if settings is None else _store_in(settings), ""


# One for the process, because it counts what all workspaces hold; it holds nothing of theirs.
_store_in = cache(Store)


def save(state: Studio) -> None:
    """Have the visit saved where it changed, and its workspace named in the address."""
    if state.keeper.store is not None:
        state.keeper.save(state.snapshot())
    if state.keeper.id != address.workspace():
        address.set_workspace(state.keeper.id)


def go_on_with(found: Opened) -> None:
    """Leave this visit for one that was kept elsewhere; it gets a workspace of its own."""
    before = studio()
    before.close()
    state = Studio(owner=before.owner, alive=before.alive, keeper=Keeper(before.keeper.store))
    state.resume(found.snapshot)
    state.notices += found.problems
    state.revision = before.revision + 1  # so that no widget takes over what it showed before
    st.session_state[_KEY] = state
    save(state)


def start_afresh() -> None:
    """Forget this visit, so that the next run begins another."""
    st.session_state[_LEFT] = address.workspace()
    _end(studio())
    address.set_workspace("")
    st.query_params.clear()


def _end(state: Studio) -> None:
    """End a visit; the next one in this session has widgets of its own, which take over nothing that was shown."""
    state.close()
    st.session_state[_REVISION] = state.revision + 1
    del st.session_state[_KEY]


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
        # "is not False": in tests of pages the runtime is a stand-in whose answers are neither.
        return not runtime.exists() or runtime.get_instance().is_active_session(session_id) is not False

    return alive


def theme() -> str:
    """Give the visitor's theme, "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def narrow() -> bool:
    """Tell whether the visitor's screen is a phone's, as far as the browser says."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def look() -> dict[str, Any]:
    """Give what every figure of this visitor's is drawn with."""
    return {"theme": theme(), "compact": narrow()}


def write_link() -> None:
    """Put the fit and its view into the address, so that a reload and a copied address bring them back."""
    state = studio()
    address.write_query(to_query(state.spec, state.picture))
