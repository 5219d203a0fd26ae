"""Plotly for the browser: one file, served by the app itself under an address that changes with its content.

The file has only the kinds of traces that our figures use (`frontend/build_plotly.cjs` makes it), a third of the whole.
Every page asks for it in its head, so that the browser has read it by the time the first figure comes.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FILE = Path(__file__).parent / "frontend" / "plotly-4.1.1.min.js"
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
# A page that we add to must come in plain text, and in whole.
_NOT_ASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")


@lru_cache(maxsize=1)
def address() -> str:
    """Give the address of the file, relative to the pages."""
    return f"charts/plotly-{hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]}.js"


def routes() -> list[Route]:
    """Give the routes to it, with and without a folder before them (`server.baseUrlPath`, a proxy)."""
    return [Route(f"/{address()}", _serve), Route(f"/{{folder:path}}/{address()}", _serve)]


@lru_cache(maxsize=1)
def _packed() -> bytes:
    # Once for all visitors; the server would do it for each of them.
    return gzip.compress(FILE.read_bytes(), 9)


def _serve(request: Request) -> Response:
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        content, encoding = _packed(), "gzip"
    else:
        content, encoding = FILE.read_bytes(), "identity"
    return Response(content, 200, _FOR_EVER | {"Content-Encoding": encoding}, "text/javascript")


def _is_html(headers: list[tuple[bytes, bytes]], name: str) -> bool:
    return "text/html" in Headers(raw=headers).get(name, "")


class InHead:
    """Put the script into the head of Streamlit's page; all else, reports to download too, goes through untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        asked = scope["type"] == "http" and scope["method"] == "GET" and "/media/" not in scope["path"]
        if asked and _is_html(scope["headers"], "accept"):
            kept = [(name, value) for name, value in scope["headers"] if name not in _NOT_ASKED]
            scope, send = {**scope, "headers": kept}, _Page(send)
        await self.app(scope, receive, send)


class _Page:
    """Holds an answer back until it is whole, if it is a page."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.start: Message | None = None
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_html(message["headers"], "content-type"):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                await self._finish(self.start)

    async def _finish(self, start: Message) -> None:
        # Taken away when it fails, so that the first figure asks again.
        script = f'<script async id="opnb-plotly" src="./{address()}" onerror="this.remove()"></script></head>'
        body = self.body.replace(b"</head>", script.encode(), 1)
        headers = MutableHeaders(raw=start["headers"])
        headers["Content-Length"] = str(len(body))
        for name in ("ETag", "Last-Modified"):
            if name in headers:
                del headers[name]
        await self.send(start)
        await self.send({"type": "http.response.body", "body": body})
