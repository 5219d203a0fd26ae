"""What can go wrong with a disk and a database, in words."""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from opnb.errors import WorkspaceError

FULL = "The disk is full."
READ_ONLY = "The folder for workspaces cannot be written."
DAMAGED = "The stored workspace is damaged. Its files were left as they are."
BUSY = "Another program holds the workspace."
OTHER = "The disk does not answer as it should."
_BY_NUMBER = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: READ_ONLY, errno.EACCES: READ_ONLY}
_BY_NUMBER |= {errno.EPERM: READ_ONLY, errno.ENOTDIR: READ_ONLY}
_BY_NAME = {
    "SQLITE_FULL": FULL,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_CANTOPEN": READ_ONLY,
    "SQLITE_PERM": READ_ONLY,
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": DAMAGED,
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
}
_log = logging.getLogger(__name__)


@contextmanager
def in_words() -> Iterator[None]:
    """Turn the errors of disk and database into `WorkspaceError`s that a user understands; the log has the rest."""
    try:
        yield
    except OSError as error:
        _log.warning("workspace: %s", error)
        raise WorkspaceError(_BY_NUMBER.get(error.errno or 0, OTHER)) from error
    except sqlite3.Error as error:
        _log.warning("workspace: %s", error)
        raise WorkspaceError(_sentence(error)) from error


def _sentence(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    known = [sentence for start, sentence in _BY_NAME.items() if name.startswith(start)]
    if known:
        return known[0]
    # A table or column that is not there: the file is a database, but not one of ours.
    return DAMAGED if name == "SQLITE_ERROR" else OTHER
