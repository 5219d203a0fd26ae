"""What the owner of the server allows: every limit, by visitor and in all, and the environment variable that sets it.

`VARIABLES` lists them all, those of workspaces too; `deploy/opnb.env` sets each of them, which a test checks.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from opnb.studio.logs import LEVEL_VARIABLE
from opnb.workspace import settings as workspaces

FITS_VARIABLE = "OPNB_FITS_AT_A_TIME"
SECONDS_VARIABLE, MEGABYTES_VARIABLE = "OPNB_MAX_FIT_SECONDS", "OPNB_MAX_FIT_MB"
RUN_SECONDS_VARIABLE = "OPNB_MAX_RUN_SECONDS"
TURN_VARIABLE = "OPNB_TURN_SECONDS"
READING_SECONDS_VARIABLE, READING_MEGABYTES_VARIABLE = "OPNB_MAX_READING_SECONDS", "OPNB_MAX_READING_MB"
RESTORE_VARIABLE = "OPNB_MAX_RESTORE_MB"
EXPORT_SECONDS_VARIABLE = "OPNB_MAX_EXPORT_SECONDS"
UPLOADS_VARIABLE, ALL_UPLOADS_VARIABLE = "OPNB_VISITOR_UPLOADS_MB", "OPNB_ALL_UPLOADS_MB"
METRICS_VARIABLE = "OPNB_METRICS"
SCHEDULER_VARIABLE = "OPNB_SCHEDULER"
VARIABLES = (
    *(FITS_VARIABLE, SECONDS_VARIABLE, MEGABYTES_VARIABLE, RUN_SECONDS_VARIABLE, TURN_VARIABLE),
    *(READING_SECONDS_VARIABLE, READING_MEGABYTES_VARIABLE, RESTORE_VARIABLE, EXPORT_SECONDS_VARIABLE),
    *(UPLOADS_VARIABLE, ALL_UPLOADS_VARIABLE, METRICS_VARIABLE, LEVEL_VARIABLE, SCHEDULER_VARIABLE),
    *(workspaces.FOLDER, workspaces.QUOTA, workspaces.TOTAL, workspaces.DAYS),
)
_USUAL_SECONDS, _USUAL_MEGABYTES = 1_800.0, 4_096.0
_USUAL_RUN_SECONDS = 6 * 3_600.0
_USUAL_TURN = 30.0
_USUAL_READING_SECONDS, _USUAL_READING_MEGABYTES = 120.0, 4_096.0
_USUAL_RESTORE_MEGABYTES = 200.0
_USUAL_EXPORT_SECONDS = 60.0
_USUAL_UPLOADS, _USUAL_ALL_UPLOADS = 150.0, 1_000.0
_WHOLE = re.compile(r"\d{1,4}", re.ASCII)
Environment = Mapping[str, str]


@dataclass(frozen=True)
class Cost:
    """The most that one piece of work may take."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class FitLimits(Cost):
    """The most that one fit may take."""

    seconds: float = _USUAL_SECONDS
    megabytes: float = _USUAL_MEGABYTES


def fit_limits(environment: Environment = os.environ) -> FitLimits:
    """Read what one fit may take; what is not a positive number counts as not set."""
    return FitLimits(
        _positive(environment, SECONDS_VARIABLE, _USUAL_SECONDS),
        _positive(environment, MEGABYTES_VARIABLE, min(_USUAL_MEGABYTES, _half_of_memory())),
    )


def reading_limits(environment: Environment = os.environ) -> Cost:
    """Read what reading one uploaded file may take."""
    return Cost(
        _positive(environment, READING_SECONDS_VARIABLE, _USUAL_READING_SECONDS),
        _positive(environment, READING_MEGABYTES_VARIABLE, min(_USUAL_READING_MEGABYTES, _half_of_memory())),
    )


def restore_bytes(environment: Environment = os.environ) -> int:
    """Read how much a workspace file may unpack to."""
    return int(_positive(environment, RESTORE_VARIABLE, _USUAL_RESTORE_MEGABYTES) * 2**20)


def export_seconds(environment: Environment = os.environ) -> float:
    """Read how long the drawing of one image file may take."""
    return _positive(environment, EXPORT_SECONDS_VARIABLE, _USUAL_EXPORT_SECONDS)


def run_seconds(environment: Environment = os.environ) -> float:
    """Read how long one comparison or benchmark may run."""
    return _positive(environment, RUN_SECONDS_VARIABLE, _USUAL_RUN_SECONDS)


def turn_seconds(environment: Environment = os.environ) -> float:
    """Read how long work runs before it gives way to that of others who wait."""
    return _positive(environment, TURN_VARIABLE, _USUAL_TURN)


def visitor_upload_bytes(environment: Environment = os.environ) -> int:
    """Read how many bytes of files one visitor may have in memory."""
    return int(_positive(environment, UPLOADS_VARIABLE, _USUAL_UPLOADS) * 2**20)


def total_upload_bytes(environment: Environment = os.environ) -> int:
    """Read how many bytes of files all visitors together may have in memory."""
    usual = min(_USUAL_ALL_UPLOADS, _half_of_memory() / 2)
    return int(_positive(environment, ALL_UPLOADS_VARIABLE, usual) * 2**20)


def fits_at_a_time(environment: Environment = os.environ) -> int:
    """Read how many fits may run at once: one less than there are processors if it is not set."""
    return set_fits_at_a_time(environment) or max((os.cpu_count() or 2) - 1, 1)


def set_fits_at_a_time(environment: Environment = os.environ) -> int:
    """Read how many fits the owner wants to run at once; 0 if that is not set."""
    given = environment.get(FITS_VARIABLE, "")
    return int(given) if _WHOLE.fullmatch(given) else 0


def scheduler(environment: Environment = os.environ) -> str | None:
    """Read the address of the Dask scheduler whose workers do the long work; None where this machine does it."""
    return environment.get(SCHEDULER_VARIABLE, "").strip() or None


def _positive(environment: Environment, name: str, usual: float) -> float:
    try:
        value = float(environment.get(name, ""))
    except ValueError:
        return usual
    return value if 0 < value < math.inf else usual


def _half_of_memory() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**21
    except (AttributeError, OSError, ValueError):  # not every system tells
        return _USUAL_MEGABYTES
