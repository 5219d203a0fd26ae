"""Saving a visit while it goes on, without ever keeping it waiting.

A `Keeper` belongs to a visit, a `Shelf` to a workspace that some visit of this process has open. A page hands its
keeper what the visit holds; a thread of the shelf writes it, the latest only. A fit is written as soon as it is there,
whether or not somebody still looks. Nothing in here raises into a page: a save that fails leaves a sentence, and the
next change tries again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from opnb.errors import OPNBError, WorkspaceError
from opnb.studio.visit.snapshot import Opened, fit_items, items_of, opened
from opnb.workspace import Item, Name, Store, Workspace, new_id

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.studio.visit.settings import FitSpec
    from opnb.studio.visit.snapshot import Snapshot
    from opnb.studio.work.jobs import Job

# Seconds a fit goes on without its visitor: time for a reload, or for a connection that was lost to come back.
AWAY = 10.0
_PATIENCE = 20.0
_NOT_SAVED = (
    "Your latest changes are not saved. {} All stays here as long as this page is open; download it to keep it."
)
_BROKEN = "Something went wrong inside the program; the details are in the server's log."
_log = logging.getLogger(__name__)
Progress = Callable[[int, int], None]  # gets how many of how many fits are read


class Shelf:
    """One workspace while this process works with it.

    Attributes
    ----------
    id : str
    problem : str
        Why the latest save failed; empty when it did not.
    job, spec : the fit under way in this workspace, and its settings
    """

    def __init__(self, store: Store, workspace_id: str) -> None:
        self.store, self.id = store, workspace_id
        self.problem = ""
        self.job: Job[FitResult] | None = None
        self.spec: FitSpec | None = None
        self._workspace: Workspace | None = None
        self._wanted: dict[object, tuple[Callable[[], list[Item]], set[Name]]] = {}
        self._saving, self._asking = threading.Lock(), threading.Lock()
        self._idle = threading.Event()
        self._idle.set()

    @property
    def saved(self) -> bool:
        """Whether all that was asked for is on the disk."""
        return self._idle.is_set() and not self.problem

    def wait(self, timeout: float = _PATIENCE) -> bool:
        """Wait until nothing is left to write, and tell whether that is so."""
        return self._idle.wait(timeout)

    def ask(self, name: object, items: Callable[[], list[Item]], gone: set[Name] | None = None) -> None:
        """Have items written soon, and others taken away; what was asked for under this name before is left out."""
        with self._asking:
            self._wanted[name] = (items, gone or set())
            if self._idle.is_set():
                self._idle.clear()
                threading.Thread(target=self._write_all, name="opnb-workspace", daemon=True).start()

    def _write_all(self) -> None:
        while True:
            with self._asking:
                if not self._wanted:
                    self._idle.set()
                    return
                items, gone = self._wanted.pop(next(iter(self._wanted)))
            self._save(items, gone)

    def _save(self, items: Callable[[], list[Item]], gone: set[Name]) -> None:
        with self._saving:
            try:
                self._workspace = self._workspace or self.store.create(self.id)
                self._workspace.write(items(), gone)
                self.problem = ""
                self.store.tidy()
            except OPNBError as error:
                self.problem = str(error)
            except Exception:
                _log.exception("a workspace could not be saved")
                self.problem = _BROKEN

    def open(self, progress: Progress) -> Opened:
        """Read the workspace, once everything that was asked for is written."""
        self.wait()
        with self._saving:
            self._workspace = self._workspace or self.store.open(self.id)
            workspace = self._workspace
        found = opened(workspace.items(), progress=progress)
        try:  # a folder that can only be read opens, too
            workspace.touch()
            workspace.sweep()
        except WorkspaceError as error:
            self.problem = str(error)
        return found

    def forget(self) -> None:
        """Remove the workspace from the disk; what other visits do in it is no longer saved."""
        with self._saving:
            self.store.forget(self.id)


_shelves: WeakValueDictionary[str, Shelf] = WeakValueDictionary()
_lock = threading.Lock()


def shelf_of(store: Store, workspace_id: str) -> Shelf:
    """Give the shelf of a workspace: visits that have it open at the same time share it."""
    with _lock:
        shelf = _shelves.get(workspace_id)
        if shelf is None or shelf.store is not store:
            shelf = _shelves[workspace_id] = Shelf(store, workspace_id)
        return shelf


class Keeper:
    """Saves one visit.

    Parameters
    ----------
    store : Store, optional
        Without one nothing is saved.
    """

    def __init__(self, store: Store | None = None) -> None:
        self.store = store
        self.shelf: Shelf | None = None
        self._last: tuple[Any, ...] | None = None
        self._known: set[str] = set()

    @property
    def id(self) -> str:
        """The id of the workspace; empty as long as there is nothing to keep."""
        return "" if self.shelf is None else self.shelf.id

    @property
    def problem(self) -> str:
        """Why the latest changes are not saved, in words; empty if they are."""
        return _NOT_SAVED.format(self.shelf.problem) if self.shelf is not None and self.shelf.problem else ""

    def open(self, workspace_id: str, progress: Progress = lambda done, all: None) -> Opened:
        """Open a workspace.

        Raises
        ------
        WorkspaceError
            Where it is not there, or cannot be used.
        """
        assert self.store is not None
        shelf = shelf_of(self.store, workspace_id)
        found = shelf.open(progress)
        self.shelf = shelf
        self._known = {fit.key for fit in found.snapshot.fits}
        return found

    def read(self, workspace_id: str, progress: Progress = lambda done, all: None) -> Opened:
        """Read a workspace without going on in it, for a copy; raises as `open` does."""
        assert self.store is not None
        return shelf_of(self.store, workspace_id).open(progress)

    def leave_as_it_is(self, snapshot: Snapshot | None) -> None:
        """Note a visit that has nothing worth keeping yet: only a change is saved."""
        self._last = None if snapshot is None else snapshot.mark()

    def save(self, snapshot: Snapshot | None) -> None:
        """Have the visit saved, if it changed."""
        if self.store is None or snapshot is None or snapshot.mark() == self._last:
            return
        self._last = snapshot.mark()
        keys = {fit.key for fit in snapshot.fits}
        self._known |= keys
        gone: set[Name] = {("fit", key) for key in self._known - keys}
        self._shelf().ask(self, partial(items_of, snapshot), gone)

    def began(self, spec: FitSpec, job: Job[FitResult]) -> None:
        """Note a fit before it starts, for a visit that resumes this workspace before it ends."""
        if self.store is not None:
            shelf = self._shelf()
            shelf.job, shelf.spec = job, spec

    def saving(self, work: Callable[[Job[FitResult]], FitResult]) -> Callable[[Job[FitResult]], FitResult]:
        """Give work that has its outcome saved, whether or not somebody still looks when it ends.

        What was cut short because nobody was left to wait is not an outcome.
        """

        def saved(job: Job[FitResult]) -> FitResult:
            result = work(job)
            if self.store is not None and not job.abandoned:
                self._shelf().ask(result.key, partial(fit_items, result))
            return result

        return saved

    def under_way(self, spec: FitSpec | None) -> Job[FitResult] | None:
        """Give the fit of these settings that still goes on in this process, or has just ended, if there is one."""
        shelf = self.shelf
        if shelf is None or shelf.job is None or spec is None or shelf.spec != spec:
            return None
        waits = shelf.job.result is not None if shelf.job.finished else not shelf.job.stopping
        return shelf.job if waits else None

    def retry(self) -> None:
        """Let the next `save` write even what has not changed."""
        self._last = None

    def forget(self) -> None:
        """Remove the workspace, and save nothing more of this visit."""
        if self.shelf is not None:
            self.shelf.forget()
        self.store = self.shelf = None

    def _shelf(self) -> Shelf:
        assert self.store is not None
        if self.shelf is None:
            self.shelf = shelf_of(self.store, new_id())
        return self.shelf
