"""Files named by their content: whole or not there at all, and checked when they are read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import time
from collections.abc import Collection
from pathlib import Path

from opnb.errors import WorkspaceError

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_UNFINISHED = re.compile(r"part-[0-9a-f]{16}", re.ASCII)
# A file that no row names may belong to a save under way, so only older ones are swept.
_SAFE_AGE = 3600.0  # seconds


def digest_of(data: bytes) -> str:
    """Give the name of a content."""
    return hashlib.sha256(data).hexdigest()


def is_digest(text: object) -> bool:
    """Tell whether a text has the form of such a name."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def write_file(folder: Path, data: bytes) -> bool:
    """Put a content into a folder, for good when this returns; tell whether it had to be written.

    The bytes go to a temporary name, are forced to the disk, and get their name in one step: after a crash at any
    moment the name is there with all its bytes, or not at all.
    """
    path = folder / digest_of(data)
    if path.is_file() and path.stat().st_size == len(data):
        os.utime(path)
        return False
    part = folder / f"part-{secrets.token_hex(8)}"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(folder)
    return True


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folders, and keeps its names without being asked
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_file(folder: Path, digest: str) -> bytes:
    """Read a content, and refuse one that has changed."""
    data = (folder / digest).read_bytes()
    if digest_of(data) != digest:
        raise WorkspaceError("A file of the workspace is damaged: its content is not what was saved.")
    return data


def sweep(folder: Path, kept: Collection[str]) -> None:
    """Remove what earlier crashes and deletions left: files that nothing names and that no save is about to name."""
    before = time.time() - _SAFE_AGE
    for path in folder.iterdir():
        ours = _DIGEST.fullmatch(path.name) or _UNFINISHED.fullmatch(path.name)
        if ours and path.name not in kept and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
