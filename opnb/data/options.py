"""The decisions about a table, in one frozen object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from opnb.data.recipe import Missing
from opnb.data.roles import MAX_CLASSES, ROLES
from opnb.errors import DataError, Remedy

Preset = Literal["as is", "paper"]
CUT = Remedy("target_bins", 4, "Cut into 4 groups")


@dataclass(frozen=True)
class PrepareOptions:
    """What to do with a table; hashable, so that it can be part of a link or a cache key.

    Parameters
    ----------
    preset : {"as is", "paper"}
        "paper" applies the whole policy of the paper's experiments (see `opnb.data.policy`); "as is" keeps
        numbers as they are.
    missing : {"drop", "impute", "error"}
        Leave out rows that lack a value; fill in the median or the most frequent value of the training rows;
        or refuse.
    roles : mapping or tuple of (column, role)
        Roles that differ from the proposed ones; "leave out" leaves a column out.
    min_class_rows : int
        Leave out classes with fewer rows. With 1 nothing is left out, and a class of one row is an error.
    target_bins : int, optional
        Cut a numeric target into so many classes of about equal size.
    test_size : float, optional
        Share of held-out rows, stratified; None for no split.
    seed : int
        Decides the split, and the sample and noise of the paper's policy.
    max_classes : int
        More classes than this are refused.
    missing_codes : mapping of column to numbers, or tuple of (column, number)
        Numbers that stand for a missing value, such as -999; see `opnb.data.roles.suspected_codes`.
    """

    preset: Preset = "as is"
    missing: Missing = "drop"
    roles: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    min_class_rows: int = 1
    target_bins: int | None = None
    test_size: float | None = 0.25
    seed: int = 0
    max_classes: int = MAX_CLASSES
    missing_codes: Mapping[str, Iterable[float]] | tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        pairs = self.roles.items() if isinstance(self.roles, Mapping) else self.roles
        object.__setattr__(self, "roles", tuple(sorted((str(name), str(role)) for name, role in pairs)))
        object.__setattr__(self, "missing_codes", _code_pairs(self.missing_codes))
        _one_of("preset", self.preset, get_args(Preset))
        _one_of("missing", self.missing, get_args(Missing))
        for name, role in dict(self.roles).items():
            _one_of(f"role of column '{name}'", role, ROLES)
        if self.test_size is not None and not 0 < self.test_size < 1:
            raise DataError(
                f"The share of held-out rows must lie between 0 and 1, not {self.test_size}. Choose another, or none.",
                remedies=(Remedy("test_size", 0.25, "Hold out a quarter"), Remedy("test_size", None, "Hold out none")),
            )
        if self.target_bins is not None and not 2 <= self.target_bins <= self.max_classes:
            raise DataError(
                f"The groups that the target is cut into must be from 2 to {self.max_classes}, not {self.target_bins}. "
                "Choose another number.",
                remedies=(CUT,),
            )

    @property
    def codes(self) -> dict[str, tuple[float, ...]]:
        """The numbers that count as missing, by column."""
        found: dict[str, tuple[float, ...]] = {}
        for name, code in cast("tuple[tuple[str, float], ...]", self.missing_codes):
            found[name] = (*found.get(name, ()), code)
        return found


def _code_pairs(codes: Any) -> tuple[tuple[str, float], ...]:
    pairs = codes
    if isinstance(codes, Mapping):
        pairs = ((name, code) for name, several in codes.items() for code in several)
    try:
        found = sorted({(str(name), float(code)) for name, code in pairs})
    except (TypeError, ValueError):
        raise DataError("The codes for missing values must be numbers, each with the name of its column.") from None
    if not all(np.isfinite(code) for _, code in found):
        raise DataError("The codes for missing values must be finite numbers. An infinite value cannot stand for one.")
    return tuple(found)


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise DataError(f"The {what} must be one of {', '.join(allowed)}, not '{value}'.")
