"""What is put into the head of Streamlit's page: Plotly, and what every page looks like and does."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from opnb.studio.ui.plotly_file import address

_FRONTEND = Path(__file__).parent / "frontend"
# A page that we add to must come in plain text, and in whole.
_NOT_ASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")


@lru_cache(maxsize=1)
def _parts() -> bytes:
    style, script = ((_FRONTEND / name).read_text("utf8") for name in ("page.css", "page.js"))
    # Plotly's is taken away when it fails, so that the first figure asks again.
    plotly = f'<script async id="opnb-plotly" src="./{address()}" onerror="this.remove()"></script>'
    return f'{plotly}<style>{style}</style><script type="module">{script}</script></head>'.encode()


def _is_html(headers: list[tuple[bytes, bytes]], name: str) -> bool:
    return "text/html" in Headers(raw=headers).get(name, "")


class InHead:
    """Put them into the head of Streamlit's page; all else, reports to download too, goes through untouched."""

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
        body = self.body.replace(b"</head>", _parts(), 1)
        headers = MutableHeaders(raw=start["headers"])
        headers["Content-Length"] = str(len(body))
        for name in ("ETag", "Last-Modified"):
            if name in headers:
                del headers[name]
        await self.send(start)
        await self.send({"type": "http.response.body", "body": body})
