"""All workspaces of a server, in one folder.

A workspace is found by its id and by nothing else: there is no list of ids anywhere. Only folders that have the form
of a workspace's are ever looked into or removed, whatever else lies beside them.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from opnb.errors import WorkspaceError, WorkspaceMissingError
from opnb.workspace.identity import folder_name
from opnb.workspace.settings import StoreSettings
from opnb.workspace.troubles import in_words
from opnb.workspace.workspace import DATABASE, UNUSED, Workspace

_FOLDER = re.compile(r"[0-9a-f]{64}", re.ASCII)
_REMOVED = re.compile(r"removed-[0-9a-f]{16}", re.ASCII)
_DAY = 86_400.0
_COUNTED_FOR = 60.0  # seconds: counting all files again for every save would be slow
_TIDIED_FOR = 3600.0
# Days for which a workspace that nobody opened for too long stays: a clock that was wrong for a while removes nothing.
_NOTICE = 2.0
_MISSING = (
    "The workspace of this address is not here: it was deleted, was not opened for a long time, or is kept elsewhere."
)


class Store:
    """Makes, finds and removes workspaces.

    Parameters
    ----------
    settings : StoreSettings
    """

    def __init__(self, settings: StoreSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._total, self._counted = 0, -_COUNTED_FOR
        self._tidied = -_TIDIED_FOR

    def create(self, workspace_id: str) -> Workspace:
        """Make a new workspace."""
        folder = self._folder(workspace_id)
        with in_words():
            self.settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Workspace.create(folder, self.settings.workspace_bytes, self._room)

    def has(self, workspace_id: str) -> bool:
        """Tell whether there is such a workspace."""
        with in_words():
            return (self._folder(workspace_id) / DATABASE).is_file()

    def open(self, workspace_id: str) -> Workspace:
        """Find a workspace, and look whether it is whole.

        Raises
        ------
        WorkspaceMissingError
            Where there is none, for whatever reason.
        WorkspaceError
            Where it cannot be used.
        """
        folder = self._folder(workspace_id)
        if not self.has(workspace_id):
            raise WorkspaceMissingError(_MISSING)
        workspace = Workspace(folder, self.settings.workspace_bytes, self._room)
        workspace.check()
        return workspace

    def forget(self, workspace_id: str) -> None:
        """Remove a workspace and everything in it."""
        with in_words():
            self._remove(self._folder(workspace_id))

    def tidy(self) -> None:
        """Remove workspaces that nobody opened for too long, once an hour at the most."""
        with self._lock:
            now = time.monotonic()
            if now - self._tidied < _TIDIED_FOR:
                return
            self._tidied = now
        with in_words():
            for folder in self._folders():
                if self._is_done_with(folder):
                    self._remove(folder)
            for path in self._named(_REMOVED):
                shutil.rmtree(path, ignore_errors=True)

    def _folder(self, workspace_id: str) -> Path:
        return self.settings.folder / folder_name(workspace_id)

    def _folders(self) -> Iterator[Path]:
        return self._named(_FOLDER)

    def _named(self, pattern: re.Pattern[str]) -> Iterator[Path]:
        if not self.settings.folder.is_dir():
            return
        for path in list(self.settings.folder.iterdir()):
            if pattern.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                yield path

    def _is_done_with(self, folder: Path) -> bool:
        """Tell whether nobody opened a workspace for too long, and did not in the days since that was first seen."""
        database, notice, now = folder / DATABASE, folder / UNUSED, time.time()
        used = (database if database.is_file() else folder).stat().st_mtime
        if now - used <= self.settings.days * _DAY:
            notice.unlink(missing_ok=True)
            return False
        if not notice.is_file() or notice.stat().st_mtime > now:
            notice.touch()
            os.utime(notice, (now, now))
            return False
        return now - notice.stat().st_mtime > _NOTICE * _DAY

    def _remove(self, folder: Path) -> None:
        """Remove a folder: out of sight in one step, then file by file."""
        if not folder.is_dir():
            return
        removed = folder.with_name(f"removed-{secrets.token_hex(8)}")
        folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)

    def _room(self, size: int) -> None:
        """Refuse to grow beyond what all workspaces may hold together."""
        with self._lock:
            now = time.monotonic()
            if now - self._counted > _COUNTED_FOR:
                self._total, self._counted = sum(map(_bytes_in, self._folders())), now
            if self._total + size > self.settings.total_bytes:
                raise WorkspaceError("All the room for workspaces is taken. Whoever runs the app can make room.")
            self._total += size


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:  # removed meanwhile
            continue
    return total
