"""What a workspace is made of, and the form every item must have, whoever wrote it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from opnb.errors import WorkspaceError

Kind = Literal["state", "table", "raw", "fit"]
Name = tuple[str, str]  # kind and key

STATE_KEY = "state"
_KINDS = get_args(Kind)
_KEY = re.compile(r"[0-9a-f]{8,64}|state", re.ASCII)
# Kept only while another item needs them.
SERVING = ("table", "raw")


@dataclass(frozen=True, eq=False)
class Item:
    """One thing that is kept.

    Parameters
    ----------
    kind : {"state", "table", "raw", "fit"}
    key : str
        Names it among its kind: hexadecimal digits, or "state".
    about : dict
        Plain values, as in JSON.
    content : callable, optional
        Gives the bytes that belong to it; called only when they are needed. An item's content never changes.
    needs : tuple of (kind, key)
        The items without which this one is worth nothing.
    made : float
        When, in seconds since 1970.
    """

    kind: Kind
    key: str
    about: dict[str, Any] = field(repr=False)
    content: Callable[[], bytes] | None = field(default=None, repr=False)
    needs: tuple[Name, ...] = ()
    made: float = 0.0

    def __post_init__(self) -> None:
        fine = self.kind in _KINDS and isinstance(self.key, str) and _KEY.fullmatch(self.key)
        timed = isinstance(self.made, (int, float)) and math.isfinite(self.made)
        if not (fine and timed and isinstance(self.about, dict)):
            raise WorkspaceError(
                f"Something kept in the workspace has no valid name or form ({str(self.kind)[:20]!r})."
            )

    @property
    def name(self) -> Name:
        """Its kind and key."""
        return (self.kind, self.key)


def needed_names(needs: Iterable[tuple[Name, ...]]) -> set[Name]:
    """Collect what the given items need."""
    return {name for names in needs for name in names}


def written_needs(needs: tuple[Name, ...]) -> str:
    """Write needs as one text, e.g. 'table:0a1b raw:2c3d'."""
    return " ".join(f"{kind}:{key}" for kind, key in needs)


def read_needs(text: str) -> tuple[Name, ...]:
    """Read what `written_needs` wrote."""
    names = tuple(tuple(part.split(":", 1)) for part in text.split())
    if not all(len(name) == 2 and name[0] in _KINDS and _KEY.fullmatch(name[1]) for name in names):
        raise WorkspaceError("Something kept in the workspace needs what has no valid name.")
    return names  # type: ignore[return-value]
