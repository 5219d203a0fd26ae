"""Whether the service is well: it answers, the queues move, what must be written can be, and its cluster is there.

`GET /healthz` gives that as JSON, with status 503 where something is wrong. It tells nothing of anybody's.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from opnb.errors import WorkspaceError
from opnb.studio.logs import event
from opnb.studio.work.cluster import cluster_is_well
from opnb.studio.work.jobs import file_queue, long_queue, queue, side_queue
from opnb.studio.work.limits import scheduler, turn_seconds
from opnb.workspace import store_settings

_TURNS = 10  # for so many turns nothing may happen in a queue in which somebody waits
_FRESH = 5.0  # seconds an answer counts: strangers who ask all the time do not keep the disk busy
# Threads in which downloads are made. One that waits for its turn in the queue must not keep the others out.
_DOWNLOADS = 64
Check = Callable[[], bool]


class Health:
    """Looks at the service, once in a while at the most.

    Parameters
    ----------
    checks : dict of str to callable
        What is looked at; each tells whether it is well.
    """

    def __init__(self, checks: dict[str, Check]) -> None:
        self.checks = checks
        self._looked, self._found = -_FRESH, dict.fromkeys(checks, True)

    def look(self) -> dict[str, bool]:
        """Give what is well and what is not."""
        now = time.monotonic()
        if now - self._looked >= _FRESH:
            self._found = {name: check() for name, check in self.checks.items()}
            self._looked = now
        return self._found

    def answer(self, request: Request) -> Response:
        """Answer a request."""
        found = self.look()
        well = all(found.values())
        status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
        told = {"status": "ok" if well else "failing"} | {
            name: "ok" if fine else "failing" for name, fine in found.items()
        }
        return JSONResponse(told, status, {"Cache-Control": "no-store"})


def queues_move() -> bool:
    """Tell whether those who wait in a queue get on."""
    queues = (queue(), side_queue(), long_queue(), file_queue())
    return all(each.idle_seconds() < _TURNS * turn_seconds() for each in queues)


def disk_is_writable() -> bool:
    """Tell whether workspaces, and files on their way, can be written."""
    try:
        settings = store_settings(os.environ, local=False)
        for folder in [Path(tempfile.gettempdir()), *([] if settings is None else [settings.folder])]:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"well")
                file.flush()
                os.fsync(file.fileno())
    except (OSError, WorkspaceError):
        return False
    return True


def routes() -> list[Route]:
    """Give the route, with and without a folder before it."""
    checks: dict[str, Check] = {"queue": queues_move, "disk": disk_is_writable}
    health = Health(checks if scheduler() is None else checks | {"cluster": cluster_is_well})
    return [Route("/healthz", health.answer), Route("/{folder:path}/healthz", health.answer)]


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Note the start and the end of the server in its log, and give downloads threads enough."""
    with ThreadPoolExecutor(_DOWNLOADS, "opnb-download") as pool:
        asyncio.get_running_loop().set_default_executor(pool)
        event("started")
        yield {}
        event("stopped")
