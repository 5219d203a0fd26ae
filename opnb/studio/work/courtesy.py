"""Small work gives pages the right of way: one process has one Python lock, and a page needs it to be drawn."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PAGE = "ScriptRunner.scriptThread"  # Streamlit's name for the thread in which a page is drawn
# Seconds that small work waits while a page is being drawn, after as much work of its own. A step of a small search is
# a tenth of that: waiting after every one made a class wait a fifth longer for its fits, and pages gained nothing.
_MOMENT = 0.005
_since = threading.local()  # what a thread had worked when it last looked
_still: set[threading.Thread] = set()  # threads that wait for an outcome


@contextmanager
def standing_still() -> Iterator[None]:
    """Let this thread not count as one that draws while it waits for an outcome."""
    thread = threading.current_thread()
    _still.add(thread)
    try:
        yield
    finally:
        _still.discard(thread)


def let_pages_be_drawn() -> None:
    """Leave Python's lock for a moment where pages of visitors need it; one that waits for a job needs it not."""
    worked = time.thread_time()
    if worked - getattr(_since, "worked", -_MOMENT) < _MOMENT:
        return
    if any(thread.name == _PAGE and thread not in _still for thread in threading.enumerate()):
        time.sleep(_MOMENT)
    _since.worked = worked
