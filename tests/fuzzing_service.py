"""What strangers can send to the server besides files and links: requests, cookies, large files, workspace files."""

import asyncio
import random
from typing import Any

from opnb.errors import OPNBError
from opnb.studio.serving import login
from opnb.studio.serving.guard import Guard
from opnb.studio.visit.restoring import restore_work
from opnb.studio.work import limits
from opnb.studio.work.jobs import Job
from opnb.studio.work.reading import weight

_PARTS = (
    *(
        "_stcore",
        "upload_file",
        "metrics",
        "health",
        "healthz",
        "stream",
        "media",
        "..",
        "%2e",
        "",
        ".",
        "a.js",
        "below",
    ),
    *("\x00", "\u202e", "a" * 2_000, "'", "<script>"),
)
_NAMES = ("Host", "Origin", "Cookie", "Content-Length", "X-Forwarded-For", "Referer", "Accept", "If-None-Match")
_VALUES = (
    *("localhost", "localhost:8501", "name.example", "[::1]:1", "[", "http://[", "null", "https://name.example", "-1"),
    *("", "9" * 400, "1e9", "0", "\x00", "a=b; a=c", "_streamlit_user=x", "_streamlit_user=é.y.z", ";;;=", "a" * 4_000),
)
_METHODS = ("GET", "PUT", "POST", "DELETE", "OPTIONS", "", "BREW")


def request(rng: random.Random) -> dict[str, Any]:
    """Make a request, or the opening of a websocket."""
    path = "/" + "/".join(rng.choice(_PARTS) for _ in range(rng.randrange(6)))
    headers = [(rng.choice(_NAMES), _value(rng)) for _ in range(rng.randrange(6))]
    raw = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers]
    kind = rng.choice(("http", "http", "websocket"))
    return {"type": kind, "path": path, "method": rng.choice(_METHODS), "headers": raw, "query_string": b""}


def _value(rng: random.Random) -> str:
    value = rng.choice(_VALUES)
    if rng.random() < 0.3 and value:
        place = rng.randrange(len(value))
        value = value[:place] + chr(rng.randrange(1, 256)) + value[place + 1 :]
    return value


def answer(scope: dict[str, Any]) -> None:
    """Let the guard answer it: one answer, with its headers, or a word to the websocket."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Guard(_streamlit)(scope, receive, send))
    login.is_logged_in({"_streamlit_user": "".join(map(chr, sent[0].get("status", 0).to_bytes(2, "big")))})
    if scope["type"] == "websocket":
        assert [message["type"] for message in sent] in (["websocket.accept"], ["websocket.close"])
        return
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert (b"x-frame-options", b"SAMEORIGIN") in sent[0]["headers"]
    if sent[0]["status"] != 200:
        raise OPNBError("refused")


async def _streamlit(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def environment(rng: random.Random) -> dict[str, str]:
    """Make settings of a careless owner."""
    return {name: _value(rng) for name in limits.VARIABLES if rng.random() < 0.7}


def read_limits(given: dict[str, str]) -> None:
    """Read every limit: each is a number above 0."""
    for read in (limits.restore_bytes, limits.export_seconds, limits.run_seconds, limits.turn_seconds):
        assert read(given) > 0
    for read in (limits.visitor_upload_bytes, limits.total_upload_bytes, limits.fits_at_a_time):
        assert read(given) > 0
    for cost in (limits.fit_limits(given), limits.reading_limits(given)):
        assert min(cost.seconds, cost.megabytes) > 0


def weigh(data: bytes) -> None:
    """Guess how heavy a file is: never less than nothing, and without unpacking it."""
    assert weight(data) >= 0


def restore(data: bytes) -> None:
    """Open a workspace file as the app does."""
    job: Job[Any] = Job(lambda job: restore_work(data, 30 * 2**20, job))
    job.run()
    if job.error:
        assert "inside the program" not in job.error, job.error
        raise OPNBError(job.error)
