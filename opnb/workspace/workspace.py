"""One workspace on the disk.

A folder with a database, `workspace.sqlite`, and a folder of files named by their SHA-256. A save is one transaction:
first every new file is written and forced to the disk, then the rows that name them are committed. The database keeps
a rollback journal and `synchronous = EXTRA`, SQLite's setting under which a commit outlasts a power failure, and needs
no memory shared between processes. A kill at any moment leaves the last save, and at most some files that no row
names; they are swept when the workspace is opened an hour later or more.

Two writers at once wait for each other. Rows of one name are replaced by the later save; all others stay.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

from opnb.errors import WorkspaceError, WorkspaceMissingError
from opnb.workspace import files
from opnb.workspace.items import SERVING, Item, Name, needed_names, read_needs, written_needs
from opnb.workspace.troubles import DAMAGED, in_words

DATABASE = "workspace.sqlite"
UNUSED = "unused"  # an empty file: nobody had opened the workspace for too long when this was made
_VERSION = 1
_PATIENCE = 10.0  # seconds to wait for another writer
_GONE = "This workspace was deleted. Open the app again to begin another."
_TABLE = """CREATE TABLE items (
    kind TEXT NOT NULL, key TEXT NOT NULL, about TEXT NOT NULL, needs TEXT NOT NULL,
    file TEXT, size INTEGER NOT NULL, made REAL NOT NULL, PRIMARY KEY (kind, key))"""
_PUT = """INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (kind, key) DO UPDATE SET about = excluded.about, needs = excluded.needs"""


class Workspace:
    """A workspace that exists.

    Parameters
    ----------
    folder : Path
    most : int
        Bytes its files may have together.
    room : callable, optional
        Gets the bytes about to be added, and raises `WorkspaceError` where the store has no room for them.
    """

    def __init__(self, folder: Path, most: int, room: Callable[[int], None] = lambda size: None) -> None:
        self.folder, self.most = folder, most
        self._files = folder / "files"
        self._room = room

    @classmethod
    def create(cls, folder: Path, most: int, room: Callable[[int], None] = lambda size: None) -> Workspace:
        """Make an empty workspace, or take up one whose making was cut short."""
        workspace = cls(folder, most, room)
        with in_words():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            workspace._files.mkdir(mode=0o700, exist_ok=True)
            # Made before SQLite does, which would let others read it; its journal takes the same rights.
            os.close(os.open(folder / DATABASE, os.O_RDWR | os.O_CREAT, 0o600))
            with workspace._database("create") as db:
                if not _is_made(db):
                    db.execute(_TABLE)
                    db.execute(f"PRAGMA user_version = {_VERSION}")
            files.sync_folder(folder.parent)
        return workspace

    def check(self) -> None:
        """Raise `WorkspaceError` for a workspace that is damaged, or of another version."""
        with in_words(), self._database() as db:
            if not _is_made(db):
                raise WorkspaceMissingError(_GONE)
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version != _VERSION:
                raise WorkspaceError(
                    f"The workspace was saved by another version of the app (form {version}; this one reads "
                    f"{_VERSION}). Open it with that version."
                )
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise WorkspaceError(DAMAGED)

    def items(self) -> list[Item]:
        """Give everything that is kept, oldest first; contents are read when asked for."""
        with in_words(), self._database() as db:
            rows = db.execute("SELECT kind, key, about, needs, file, made FROM items ORDER BY made, key").fetchall()
        return [self._item(*row) for row in rows]

    def write(self, items: Sequence[Item], gone: Collection[Name] = ()) -> None:
        """Save items, all or none, and take others away; when this returns, they are on the disk.

        An item that is there already keeps its content; what is said about it is replaced. Tables and uploads that
        nothing needs any more are taken away.
        """
        new: list[Path] = []
        try:
            with in_words(), self._database("write") as db:
                if not _is_made(db):
                    raise WorkspaceMissingError(_GONE)
                db.executemany("DELETE FROM items WHERE kind = ? AND key = ?", gone)
                there = {(kind, key) for kind, key in db.execute("SELECT kind, key FROM items")}
                for item in items:
                    file, size = (None, 0) if item.name in there else self._put_file(db, item, new)
                    about = json.dumps(item.about, allow_nan=False)
                    db.execute(_PUT, (*item.name, about, written_needs(item.needs), file, size, item.made))
                _drop_unneeded(db)
        except BaseException:
            for path in new:
                path.unlink(missing_ok=True)
            raise

    def sweep(self) -> None:
        """Remove files that no row names, unless a save may be about to name them."""
        with in_words(), self._database("write") as db:
            named = {file for (file,) in db.execute("SELECT file FROM items WHERE file IS NOT NULL")}
            files.sweep(self._files, named)

    def touch(self) -> None:
        """Note that the workspace was opened: its age counts from the last time."""
        with in_words():
            os.utime(self.folder / DATABASE)
            (self.folder / UNUSED).unlink(missing_ok=True)
            for path, rights in ((self.folder, 0o700), (self.folder / DATABASE, 0o600)):
                path.chmod(rights)  # those that an earlier version made could be read by others

    @property
    def size(self) -> int:
        """Bytes of everything that is kept."""
        with in_words(), self._database() as db:
            return _size(db)

    def _put_file(self, db: sqlite3.Connection, item: Item, new: list[Path]) -> tuple[str | None, int]:
        if item.content is None:
            return None, 0
        data = item.content()
        if _size(db) + len(data) > self.most:
            raise WorkspaceError(
                f"The workspace has reached its limit of {self.most / 2**20:,.0f} MB. Delete fits you no longer need."
            )
        self._room(len(data))
        digest = files.digest_of(data)
        if files.write_file(self._files, data):
            new.append(self._files / digest)
        return digest, len(data)

    def _item(self, kind: Any, key: str, about: str, needs: str, file: str | None, made: float) -> Item:
        try:
            known = json.loads(about)
        except (ValueError, RecursionError):
            raise WorkspaceError(DAMAGED) from None
        if file is not None and not files.is_digest(file):
            raise WorkspaceError(DAMAGED)
        content = None if file is None else partial(self._content, file)
        return Item(kind, key, known, content, read_needs(needs), made)

    def _content(self, digest: str) -> bytes:
        with in_words():
            return files.read_file(self._files, digest)

    @contextmanager
    def _database(self, mode: Literal["read", "write", "create"] = "read") -> Iterator[sqlite3.Connection]:
        """Open the database for one transaction; it is committed unless an error ends it."""
        path = self.folder / DATABASE
        if mode != "create" and not path.is_file():
            raise WorkspaceMissingError(_GONE)
        # To read, too, SQLite opens for writing where it may: it has to undo what a killed writer left half done.
        access = "rwc" if mode == "create" else "rw"
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode={access}", uri=True, timeout=_PATIENCE, isolation_level=None
        )
        with closing(connection) as db:
            db.execute("PRAGMA synchronous = EXTRA")
            db.execute("BEGIN" if mode == "read" else "BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def _is_made(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'items'").fetchone() is not None


def _size(db: sqlite3.Connection) -> int:
    counted = "SELECT total(size) FROM (SELECT DISTINCT file, size FROM items WHERE file IS NOT NULL)"
    return int(db.execute(counted).fetchone()[0])


def _drop_unneeded(db: sqlite3.Connection) -> None:
    rows = [((kind, key), read_needs(needs)) for kind, key, needs in db.execute("SELECT kind, key, needs FROM items")]
    needed = needed_names(needs for _, needs in rows)
    unneeded = [name for name, _ in rows if name[0] in SERVING and name not in needed]
    db.executemany("DELETE FROM items WHERE kind = ? AND key = ?", unneeded)
