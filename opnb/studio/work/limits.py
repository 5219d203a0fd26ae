"""What the owner of the server allows: every limit on long work, and the environment variable that sets it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

FITS_VARIABLE = "OPNB_FITS_AT_A_TIME"
SECONDS_VARIABLE, MEGABYTES_VARIABLE = "OPNB_MAX_FIT_SECONDS", "OPNB_MAX_FIT_MB"
RUN_SECONDS_VARIABLE = "OPNB_MAX_RUN_SECONDS"
_USUAL_SECONDS, _USUAL_MEGABYTES = 1_800.0, 4_096.0
_USUAL_RUN_SECONDS = 6 * 3_600.0


@dataclass(frozen=True)
class FitLimits:
    """The most that one fit may take."""

    seconds: float = _USUAL_SECONDS
    megabytes: float = _USUAL_MEGABYTES


def fit_limits(environment: Mapping[str, str] = os.environ) -> FitLimits:
    """Read what one fit may take; what is not a positive number counts as not set."""
    return FitLimits(
        _positive(environment.get(SECONDS_VARIABLE, ""), _USUAL_SECONDS),
        _positive(environment.get(MEGABYTES_VARIABLE, ""), min(_USUAL_MEGABYTES, _half_of_memory())),
    )


def run_seconds(environment: Mapping[str, str] = os.environ) -> float:
    """Read how long one comparison or benchmark may run."""
    return _positive(environment.get(RUN_SECONDS_VARIABLE, ""), _USUAL_RUN_SECONDS)


def fits_at_a_time(environment: Mapping[str, str] = os.environ) -> int:
    """Read how many fits may run at once: one less than there are processors if it is not set."""
    given = environment.get(FITS_VARIABLE, "")
    return int(given) if given.isdigit() and int(given) > 0 else max((os.cpu_count() or 2) - 1, 1)


def _positive(text: str, usual: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return usual
    return value if value > 0 else usual


def _half_of_memory() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**21
    except (AttributeError, OSError, ValueError):  # not every system tells
        return _USUAL_MEGABYTES
