"""What the server tells its owner: one line of JSON for each event on the standard error, without anything of a user.

An event has a name, numbers, and words of a fixed list. No name, value, file name, message or id of a workspace gets
in: of an error only its type and the places in the program, of other programs' warnings only where they were made;
what they say besides, without its words, would say nothing and is left out.
A visit is known by a number that means nothing outside this process.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import sys
import time
import traceback
from functools import cache
from typing import Any

LEVEL_VARIABLE = "OPNB_LOG"
_OWN = "opnb"
_LEVELS = {"off": logging.CRITICAL + 1, "errors": logging.ERROR, "all": logging.INFO}
_WORDS = frozenset(
    {
        *("done", "failed", "cancelled", "abandoned", "refused", "read", "fit", "study"),
        *("GET", "PUT", "POST", "DELETE", "other", "page", "asset", "download", "upload", "core", "health", "stream"),
    }
)
_SALT = secrets.token_bytes(16)
_log = logging.getLogger(_OWN)
Field = int | float | bool | str


def event(name: str, **fields: Field) -> None:
    """Log an event with its numbers; a text must be one of the fixed words, or an anonymous visit.

    Raises
    ------
    ValueError
        For any other text: it might be a user's.
    """
    for key, value in fields.items():
        if isinstance(value, str) and key != "visit" and value not in _WORDS:
            raise ValueError(f"the field {key!r} of the event {name!r} is not one of the fixed words")
    _log.info(name, extra={"fields": fields})


def visit_of(owner: str) -> str:
    """Give the anonymous number of a visit: the same for all events of it, and nothing to trace it back by."""
    return hashlib.blake2b(owner.encode(), key=_SALT, digest_size=4).hexdigest()


class JSONLines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
        }
        fields = getattr(record, "fields", None)
        if fields is not None:
            line |= {"event": record.msg} | {key: _short(value) for key, value in fields.items()}
        else:
            line |= {"event": "record", "logger": record.name, "at": f"{record.module}:{record.lineno}"}
        if record.exc_info and record.exc_info[0] is not None:
            line |= _error(*record.exc_info[:2])
        return json.dumps(line)


def _short(value: Field) -> Field:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _error(kind: type[BaseException], error: BaseException | None) -> dict[str, Any]:
    """Say what went wrong and where, but not with which words: these may hold a user's."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    places = [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": kind.__name__, "places": places[-12:]}


class _StandardError(logging.Handler):
    """Writes to the standard error of the moment, which tests replace."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except OSError:  # nobody listens any more
            pass
        except Exception:
            self.handleError(record)


class _Foreign(logging.Filter):
    """Lets only warnings and errors of other programs through, as far as the owner wants any."""

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        own = record.name == _OWN or record.name.startswith(f"{_OWN}.")
        return record.levelno >= max(_log.level, logging.NOTSET if own else logging.WARNING)


@cache
def set_up_logs() -> None:
    """Send the events of the app, and what Streamlit and its server say, to the standard error as lines of JSON.

    The environment variable OPNB_LOG chooses: "all" (as it is if not set), "errors" or "off".
    """
    from streamlit import logger as streamlit_logger

    handler = _StandardError()
    handler.setFormatter(JSONLines())
    handler.addFilter(_Foreign())
    _log.setLevel(_LEVELS.get(os.environ.get(LEVEL_VARIABLE, "all").lower(), logging.INFO))
    _log.addHandler(handler)
    logging.lastResort = handler
    logging.captureWarnings(True)

    def take_over(logger: logging.Logger) -> None:
        """Let a logger of Streamlit's through the same door: an error in a page may carry a user's words."""
        logger.removeHandler(getattr(logger, "streamlit_console_handler", handler))
        logger.streamlit_console_handler = handler  # type: ignore[attr-defined]
        logger.addHandler(handler)

    # Streamlit asks this function for every logger that it makes later, and for all of them when its settings change.
    streamlit_logger.setup_formatter = take_over
    streamlit_logger.update_formatter()
