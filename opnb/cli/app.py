"""The commands `opnb app` and `opnb health`: start the web app here, ask a served one whether it is well."""

import argparse
from pathlib import Path

from opnb.errors import needs

_PACKAGE = Path(__file__).parent.parent


def add_app(parser: argparse.ArgumentParser) -> None:
    """Describe the options of `opnb app`."""
    parser.set_defaults(run=_app)
    parser.add_argument("--port", type=int, help="of the server (8501)")
    parser.add_argument("--no-browser", action="store_true", help="start the server alone")
    parser.add_argument("streamlit", nargs="*", help="options of 'streamlit run', after a --")


def add_health(parser: argparse.ArgumentParser) -> None:
    """Describe the options of `opnb health`."""
    parser.set_defaults(run=_health)
    parser.add_argument("address", nargs="?", default="http://localhost:8501", help="of the app (localhost:8501)")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds to wait for the answer (5)")


def app_file() -> Path:
    """Find the app: a wheel carries it inside the package, a checkout has it beside the package."""
    places = (_PACKAGE / "_app" / "app.py", _PACKAGE.parent / "app.py")
    return next(place for place in places if place.is_file())


def _app(options: argparse.Namespace) -> None:
    with needs("app"):
        from streamlit.web.cli import main

    flags = ["--server.port", str(options.port)] if options.port is not None else []
    flags += ["--server.headless", "true"] if options.no_browser else []
    main(["run", str(app_file()), *flags, *options.streamlit], prog_name="streamlit")


def _health(options: argparse.Namespace) -> None:
    import json
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    if urlsplit(options.address).scheme not in ("http", "https"):
        raise ValueError(f"{options.address} is no address of a server: it must begin with http:// or https://.")
    try:
        with urlopen(f"{options.address.rstrip('/')}/healthz", timeout=options.timeout) as answer:
            told = json.loads(answer.read(1000))
        print(told["status"])
    except HTTPError as error:
        with error:
            raise ValueError(f"{options.address} is not well: {error.read(200).decode(errors='replace')}") from error
    except (HTTPException, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{options.address} answers, but not as this app does.") from error
