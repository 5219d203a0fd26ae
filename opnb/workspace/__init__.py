"""Where work is kept: one folder for every workspace, with a small database and files named by their content.

A workspace is a set of `Item`s: tables, uploads, fits, and the state of the visit. This package knows nothing of what
they mean; `opnb.studio.visit.snapshot` turns a visit into items and back. Nothing in here unpickles, evaluates, or
makes a path from what a user typed.
"""

from opnb.workspace.archive import pack, unpack
from opnb.workspace.identity import is_id, new_id
from opnb.workspace.items import STATE_KEY, Item, Kind, Name
from opnb.workspace.settings import StoreSettings, store_settings
from opnb.workspace.store import Store
from opnb.workspace.workspace import Workspace

__all__ = [
    "STATE_KEY",
    "Item",
    "Kind",
    "Name",
    "Store",
    "StoreSettings",
    "Workspace",
    "is_id",
    "new_id",
    "pack",
    "store_settings",
    "unpack",
]
