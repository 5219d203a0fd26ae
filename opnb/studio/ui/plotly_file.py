"""Plotly for the browser: one file, served by the app itself under an address that changes with its content.

The file has only the kinds of traces that our figures use (`frontend/build_plotly.cjs` makes it), a third of the whole.
Every page asks for it in its head (`page_head.py`), so that the browser has read it by the time the first figure comes.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FILE = Path(__file__).parent / "frontend" / "plotly-4.1.1.min.js"
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


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
