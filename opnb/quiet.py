"""The warnings of one thread, kept apart from those of the others.

`warnings.catch_warnings` changes the filters of the whole process: of two threads that use it at the same time, one
undoes what the other has set, or leaves it behind for good. Here a filter lets a kind of warning through to one
function as long as any thread listens for it, and that function gives each warning to the thread it comes from.
scikit-learn uses `catch_warnings` in every check of an array, so another thread can take our filter away at any time.
The package's own warnings do not depend on it: `warn` gives them to a listener by itself.
"""

import re
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_ANY = "(?:)"  # not the empty text, so that our filters are told from those of others
_lock = threading.Lock()
_this = threading.local()  # `listeners`: the kinds and lists of this thread, the innermost last
_listening: Counter[type[Warning]] = Counter()
_show_before: Any = warnings.showwarning


@contextmanager
def own_warnings(kind: type[Warning] = Warning) -> Iterator[list[Warning]]:
    """Hear the warnings of this thread, instead of having them shown or raised; those of other threads pass.

    Parameters
    ----------
    kind : type of Warning
        The others pass.

    Yields
    ------
    list of Warning
        What this thread was warned of so far.
    """
    heard: list[Warning] = []
    listeners = _this.__dict__.setdefault("listeners", [])
    listeners.append((kind, heard))
    _begin_listening(kind)
    try:
        yield heard
    finally:
        listeners.pop()
        _end_listening(kind)


def _begin_listening(kind: type[Warning]) -> None:
    global _show_before
    with _lock:
        _listening[kind] += 1
        # At every beginning: somebody else's `catch_warnings` may have ended meanwhile and taken it away.
        if _filter(kind) not in warnings.filters:
            warnings.filterwarnings("always", message=_ANY, category=kind)
        if warnings.showwarning is not _deliver:
            _show_before, warnings.showwarning = warnings.showwarning, _deliver


def _end_listening(kind: type[Warning]) -> None:
    with _lock:
        _listening[kind] -= 1
        if not _listening[kind]:
            del _listening[kind]
            with suppress(ValueError):
                warnings.filters.remove(_filter(kind))  # type: ignore[attr-defined]
        if not _listening and warnings.showwarning is _deliver:
            warnings.showwarning = _show_before


def _filter(kind: type[Warning]) -> tuple[Any, ...]:
    """Give a filter as `warnings` keeps it."""
    return ("always", re.compile(_ANY, re.IGNORECASE), kind, None, 0)


def warn(message: str, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
    """Warn as `warnings.warn` does, but for a thread that listens, which hears it whatever filters others set."""
    if not _heard(message, category):
        warnings.warn(message, category, stacklevel=stacklevel + 1)


def _deliver(message: Warning | str, category: type[Warning], *where: Any, **how: Any) -> None:
    if not _heard(message, category):
        _show_before(message, category, *where, **how)


def _heard(message: Warning | str, category: type[Warning]) -> bool:
    """Give a warning to the innermost listener of this thread; tell whether there is one."""
    for kind, heard in reversed(getattr(_this, "listeners", ())):
        if issubclass(category, kind):
            heard.append(message if isinstance(message, Warning) else category(message))
            return True
    return False
