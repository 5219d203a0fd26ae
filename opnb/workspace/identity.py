"""Who may open a workspace: whoever has its id, which cannot be guessed and is written nowhere on the disk."""

from __future__ import annotations

import hashlib
import re
import secrets

from opnb.errors import WorkspaceMissingError

_BYTES = 24  # 192 random bits, 32 characters
_ID = re.compile(r"[A-Za-z0-9_-]{32}", re.ASCII)


def new_id() -> str:
    """Make the id of a new workspace.

    Examples
    --------
    >>> from opnb.workspace import is_id, new_id
    >>> is_id(new_id())
    True
    """
    return secrets.token_urlsafe(_BYTES)


def is_id(text: str) -> bool:
    """Tell whether a text has the form of an id.

    Examples
    --------
    >>> from opnb.workspace import is_id
    >>> is_id("../somewhere")
    False
    """
    return _ID.fullmatch(text) is not None


def folder_name(workspace_id: str) -> str:
    """Give the name of the workspace's folder: a hash, so that a listing of folders opens none of them."""
    if not is_id(workspace_id):
        raise WorkspaceMissingError("The address does not name a workspace: it was cut short or altered.")
    return hashlib.sha256(b"opnb workspace " + workspace_id.encode()).hexdigest()
