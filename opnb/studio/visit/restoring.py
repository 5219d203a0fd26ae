"""A workspace file from anyone, read in its turn, with limits on what it unpacks to, on its tables and on its time."""

from __future__ import annotations

from opnb.errors import OPNBError
from opnb.studio.visit.snapshot import Opened, opened
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import reading_limits
from opnb.workspace import unpack


class RestoringStoppedError(Exception):
    """Raised to end the reading between two fits."""


def restore_work(data: bytes, most: int, job: Job[Opened]) -> Opened:
    """Read a workspace file; run by a `Job`.

    Parameters
    ----------
    data : bytes
    most : int
        Bytes it may unpack to, and its tables may have as they are read.
    job : Job
        Its progress is the number of fits that are read, and that of all.
    """
    seconds = reading_limits().seconds

    def progress(done: int, all: int) -> None:
        job.progress = (done, all)
        if job.stopping or job.worked > seconds:
            raise RestoringStoppedError

    try:
        return opened(unpack(data, most), own=False, progress=progress, most=most)
    except RestoringStoppedError:
        raise OPNBError(
            f"Reading this workspace was stopped: it took more than the {seconds:,g} seconds that this server allows, "
            "or something else was asked for meanwhile."
        ) from None
