"""A whole workspace as one zip file, and back.

The file holds `workspace.json`, which lists the items, and `files/<sha256>` for their contents. Reading one trusts
nothing: sizes are checked before anything is unpacked, no name in it becomes a path, and nothing in it can run.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from opnb.errors import WorkspaceError
from opnb.workspace.files import digest_of, is_digest
from opnb.workspace.items import Item, needed_names, read_needs, written_needs

_FORMAT = "opnb-workspace-1"
_LIST, _FILES = "workspace.json", "files/"
_MOST_PARTS = 2_000
_MOST_LIST = 20 * 2**20
# A table of one value all over can be packed thousands of times; real ones seldom more than ten.
_MOST_PACKED, _ALWAYS_FINE = 50, 32 * 2**20
_FIELDS = {"kind", "key", "about", "needs", "file", "made"}


def pack(items: Iterable[Item]) -> bytes:
    """Write items into a zip file.

    Examples
    --------
    >>> from opnb.workspace import pack
    >>> pack([])[:2]
    b'PK'
    """
    buffer = io.BytesIO()
    listed: list[dict[str, Any]] = []
    written: set[str] = set()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for item in items:
            data = None if item.content is None else item.content()
            file = None if data is None else digest_of(data)
            if data is not None and file is not None and file not in written:
                archive.writestr(_FILES + file, data)
                written.add(file)
            listed.append(
                {
                    "kind": item.kind,
                    "key": item.key,
                    "about": item.about,
                    "needs": written_needs(item.needs),
                    "file": file,
                    "made": item.made,
                }
            )
        archive.writestr(_LIST, json.dumps({"format": _FORMAT, "items": listed}, allow_nan=False))
    return buffer.getvalue()


def unpack(data: bytes, most: int) -> list[Item]:
    """Read items from a zip file, from anyone.

    Parameters
    ----------
    data : bytes
    most : int
        Bytes its contents may have together when unpacked.

    Raises
    ------
    WorkspaceError
        With what is wrong; a sentence for every kind of it.

    Examples
    --------
    >>> from opnb.workspace import pack, unpack
    >>> unpack(pack([]), most=1_000_000)
    []
    """
    parts = _parts(data, most)
    listed = _listed(_read(data, parts[_LIST]))
    items = [_item(entry, data, parts) for entry in listed]
    names = [item.name for item in items]
    if len(set(names)) != len(names):
        raise WorkspaceError("This workspace file lists something twice. Download the workspace again.")
    if not needed_names(item.needs for item in items) <= set(names):
        raise WorkspaceError("This workspace file is incomplete: a part of it is absent. Download the workspace again.")
    return items


def _parts(data: bytes, most: int) -> dict[str, zipfile.ZipInfo]:
    """Look at the names and declared sizes in the file, before anything is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
        raise WorkspaceError(
            "This is no workspace file, or it is cut short: it is no readable zip archive. Choose the file that "
            "'Download everything' gave."
        ) from None
    if len(parts) > _MOST_PARTS:
        raise WorkspaceError(f"This file has {len(parts):,} parts, more than a workspace can have. It was not opened.")
    if any(part.flag_bits & 1 for part in parts):
        raise WorkspaceError("This file is protected by a password. Workspace files are not; choose another.")
    names = [part.filename for part in parts]
    if len(set(names)) != len(names):
        raise WorkspaceError("This file holds two parts of one name, which no workspace file does. It was not opened.")
    if _LIST not in names:
        raise WorkspaceError("This zip archive is no workspace: it has no list of what is in it.")
    for name in names:
        if name != _LIST and not (name.startswith(_FILES) and is_digest(name.removeprefix(_FILES))):
            raise WorkspaceError(f"This file holds something that no workspace has: {name[:60]!r}. It was not opened.")
    _check_unpacked(sum(part.file_size for part in parts), len(data), most)
    return {part.filename: part for part in parts}


def _check_unpacked(size: int, packed: int, most: int) -> None:
    if size > most:
        raise WorkspaceError(
            f"This file unpacks to more than the {most / 2**20:,.0f} MB a workspace may have. It was not opened."
        )
    if size > max(_ALWAYS_FINE, _MOST_PACKED * packed):
        raise WorkspaceError(
            f"This file unpacks to {size / max(packed, 1):,.0f} times its size. No workspace does; it is not opened."
        )


def _read(data: bytes, part: zipfile.ZipInfo) -> bytes:
    """Unpack one part; zipfile gives no more bytes than were declared, and those were checked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(part)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError, RuntimeError):
        raise WorkspaceError("This workspace file is damaged and cannot be unpacked. Download it again.") from None


def _listed(text: bytes) -> list[Any]:
    damaged = WorkspaceError("The list inside this workspace file cannot be read. Download the workspace again.")
    if len(text) > _MOST_LIST:
        raise WorkspaceError("The list inside this workspace file is longer than any workspace's. It was not opened.")
    try:
        known = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(known, dict) or not isinstance(known.get("items"), list):
        raise damaged
    if known.get("format") != _FORMAT:
        raise WorkspaceError(
            f"This workspace file has the form {str(known.get('format'))[:40]!r}; this version reads {_FORMAT!r}."
        )
    return list(known["items"])


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number in a workspace")


def _item(entry: Any, data: bytes, parts: dict[str, zipfile.ZipInfo]) -> Item:
    if not isinstance(entry, dict) or entry.keys() != _FIELDS or not isinstance(entry["needs"], str):
        raise WorkspaceError("The list inside this workspace file is malformed. Download the workspace again.")
    file = entry["file"]
    if file is not None and not (is_digest(file) and _FILES + file in parts):
        raise WorkspaceError("This workspace file is incomplete: a part of it is absent. Download the workspace again.")
    content: Callable[[], bytes] | None = None if file is None else partial(_checked, data, parts[_FILES + file], file)
    return Item(entry["kind"], entry["key"], entry["about"], content, read_needs(entry["needs"]), entry["made"])


def _checked(data: bytes, part: zipfile.ZipInfo, digest: str) -> bytes:
    content = _read(data, part)
    if digest_of(content) != digest:
        raise WorkspaceError("This workspace file was altered: a content is not what its name says. Download it again.")
    return content
