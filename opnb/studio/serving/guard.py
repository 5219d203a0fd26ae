"""The guard before Streamlit's own server: what is refused, what every answer carries, and a line in the log for each.

Streamlit answers under any name, asks an outside host for its own address when a websocket comes from a foreign page,
takes files from strangers where there is a login, and tells everyone its metrics. None of that gets past here.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from opnb.studio.logs import event
from opnb.studio.serving import login
from opnb.studio.work.limits import METRICS_VARIABLE, total_upload_bytes, visitor_upload_bytes

HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    # The address of a page holds the id of its workspace, and a proxy may write Referers into its log.
    "Referrer-Policy": "no-referrer",
}
_KEPT_NOWHERE = "private, no-store"
_HERE = ("localhost", "127.0.0.1", "::1")
_HEALTH = ("/_stcore/health", "/healthz")
_QUIET = ("asset", "health")  # many, and all alike; only what goes wrong with them is logged
_SIZE = re.compile(r"\d{1,18}", re.ASCII)
_CLOSED = 1008  # of a websocket: against the rules


class Guard:
    """Refuses what must not reach Streamlit, and sends all else on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._coming: Counter[str] = Counter()  # bytes of uploads under way, by visit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["type"] == "http":
            answer = _Answer(scope, send)
            try:
                await self._http(scope, receive, answer)
            finally:
                answer.log()
        else:
            await self.app(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if is_host_allowed(headers.get("Host")) and comes_from_here(headers):
            await self.app(scope, receive, send)
            return
        event("request", method="GET", route="stream", status=int(HTTPStatus.FORBIDDEN))
        await receive()
        await send({"type": "websocket.close", "code": _CLOSED})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        visit, size = _visit_of_upload(scope), _announced(headers)
        if not (is_host_allowed(headers.get("Host")) or (path.endswith(_HEALTH) and _is_named_here(headers))):
            refusal = PlainTextResponse("This server does not go by that name.", HTTPStatus.MISDIRECTED_REQUEST)
        elif path.endswith("/_stcore/metrics") and os.environ.get(METRICS_VARIABLE, "").lower() != "on":
            refusal = PlainTextResponse("Not found.", HTTPStatus.NOT_FOUND)
        elif visit and login.is_wanted() and not login.is_logged_in(HTTPConnection(scope).cookies):
            refusal = PlainTextResponse("Log in before you send files.", HTTPStatus.FORBIDDEN)
        elif visit and not self._has_room(visit, size):
            refusal = PlainTextResponse(
                "There is no room for this file beside those that are here. Remove others, or try again later.",
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        else:
            await self._let_in(scope, receive, send, visit, size)
            return
        await refusal(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, visit: str, size: int) -> None:
        if visit:
            self._coming[visit] += size
        try:
            await self.app(scope, receive, send)
        finally:
            if visit:
                self._coming[visit] -= size
                self._coming += Counter()  # drops those at zero

    def _has_room(self, visit: str, size: int) -> bool:
        """Tell whether a file fits beside what its visitor and all others have in memory."""
        held = _held()
        mine = held[visit] + self._coming[visit]
        return (
            mine + size <= visitor_upload_bytes() and held.total() + self._coming.total() + size <= total_upload_bytes()
        )


def comes_from_here(headers: Headers) -> bool:
    """Tell whether a websocket comes from a page of this server, or from no page; nobody is asked for our address."""
    origin = headers.get("Origin")
    if origin is None or not config.get_option("server.enableCORS"):
        return True
    try:
        return urlsplit(origin).netloc == headers.get("Host")
    except ValueError:
        return False


def is_of_this_computer(headers: Any) -> bool:
    """Tell whether a request was made on this computer itself: to its own name, and not passed on by a proxy."""
    passed_on = headers.get("X-Forwarded-For") or headers.get("Forwarded") or headers.get("X-Real-IP")
    return not passed_on and _is_named_here(headers)


def _is_named_here(headers: Any) -> bool:
    host = headers.get("Host")
    if host is None:
        return True
    try:
        return urlsplit(f"//{host}").hostname in _HERE
    except ValueError:
        return False


def _visit_of_upload(scope: Scope) -> str:
    """Give the visit that a file is sent to; empty for any other request."""
    parts = scope["path"].rsplit("/", 4)
    sent = scope["method"] == "PUT" and len(parts) == 5 and parts[1:3] == ["_stcore", "upload_file"]
    return str(parts[3]) if sent else ""


def _announced(headers: Headers) -> int:
    """Give the size of what comes; as much as may come where it is not said."""
    told = headers.get("Content-Length", "")
    return int(told) if _SIZE.fullmatch(told) else int(config.get_option("server.maxUploadSize")) * 2**20


def _held() -> Counter[str]:
    """Count the bytes of the files in memory, by visit."""
    storage = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {}) if runtime.exists() else {}
    return Counter(
        {visit: sum(len(file.data) for file in list(files.values())) for visit, files in list(storage.items())}
    )


def _route(path: str) -> str:
    """Say in one word what a request is for; its address may hold names."""
    if "/media/" in path:
        return "download"
    if path.endswith(_HEALTH):
        return "health"
    if "/_stcore/" in path:
        return "upload" if "/upload_file/" in path else "core"
    return "asset" if "." in path.rpartition("/")[2] else "page"


class _Answer:
    """Sends an answer with the headers that all have, and remembers what the log says of it."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self.send = scope, send
        self.route = _route(scope["path"])
        self.status, self.size, self.began = 0, 0, time.monotonic()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(raw=message["headers"])
            headers.update(HEADERS)
            if self.route == "download":
                headers["Cache-Control"] = _KEPT_NOWHERE
        elif message["type"] == "http.response.body":
            self.size += len(message.get("body", b""))
        await self.send(message)

    def log(self) -> None:
        """Tell the log what was asked for and what came of it."""
        if self.route in _QUIET and self.status < HTTPStatus.BAD_REQUEST:
            return
        method = self.scope["method"] if self.scope["method"] in ("GET", "PUT", "POST", "DELETE") else "other"
        seconds = time.monotonic() - self.began
        event("request", method=method, route=self.route, status=self.status, bytes=self.size, seconds=seconds)
