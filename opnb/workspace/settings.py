"""What the owner of a server decides about workspaces, by environment variables."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opnb.errors import WorkspaceError

FOLDER, QUOTA, TOTAL, DAYS = (
    "OPNB_WORKSPACES",
    "OPNB_WORKSPACE_QUOTA_MB",
    "OPNB_WORKSPACE_TOTAL_MB",
    "OPNB_WORKSPACE_DAYS",
)
OFF = "off"
_QUOTA, _TOTAL = 500, 5_000  # megabytes
_DAYS_HERE, _DAYS_SERVED = 365, 30
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True)
class StoreSettings:
    """Where workspaces are kept, how large they may grow, and for how long nobody need look at them.

    Parameters
    ----------
    folder : Path
    workspace_bytes, total_bytes : int
        The most that one workspace, and that all of them together may hold.
    days : int
        Days since it was last opened after which a workspace is removed.
    """

    folder: Path
    workspace_bytes: int = _QUOTA * 2**20
    total_bytes: int = _TOTAL * 2**20
    days: int = _DAYS_HERE


def store_settings(environment: Mapping[str, str], *, local: bool) -> StoreSettings | None:
    """Read the settings; None where nothing is to be kept.

    Parameters
    ----------
    environment : mapping
        The variables OPNB_WORKSPACES (a folder, or "off"), OPNB_WORKSPACE_QUOTA_MB, OPNB_WORKSPACE_TOTAL_MB and
        OPNB_WORKSPACE_DAYS.
    local : bool
        Whether the app listens to this computer alone. Work is then kept without being asked; a server that others
        reach keeps it only where its owner named a folder.

    Raises
    ------
    WorkspaceError
        For a variable that is no number, or a folder that is not given in full.

    Examples
    --------
    >>> from opnb.workspace import store_settings
    >>> store_settings({"OPNB_WORKSPACES": "off"}, local=True) is None
    True
    """
    given = environment.get(FOLDER, "").strip()
    if given.lower() == OFF or not (given or local):
        return None
    folder = Path(given).expanduser() if given else user_folder(environment)
    if not folder.is_absolute():
        raise WorkspaceError(f"{FOLDER} must name a folder in full, from the root on.")
    return StoreSettings(
        folder,
        _whole(environment, QUOTA, _QUOTA) * 2**20,
        _whole(environment, TOTAL, _TOTAL) * 2**20,
        _whole(environment, DAYS, _DAYS_HERE if local else _DAYS_SERVED),
    )


def user_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Give the folder for workspaces where the system keeps a user's data."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "opnb" / "workspaces"


def _whole(environment: Mapping[str, str], name: str, usual: int) -> int:
    text = environment.get(name, "").strip()
    if not text:
        return usual
    if not (_WHOLE.fullmatch(text) and int(text) > 0):
        raise WorkspaceError(f"{name} must be a whole number above 0.")
    return int(text)
