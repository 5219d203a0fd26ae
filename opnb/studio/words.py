"""Words that pages, files and the log share: names kept short, counts with their nouns, durations."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 80


def shortened(value: object, longest: int = LONGEST) -> str:
    """Keep a name to one short line of printable characters, with its meaning unchanged otherwise."""
    text = str(value)
    if not text.isprintable():
        text = "".join(map(_visible, text))
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _visible(character: str) -> str:
    # control characters, and the ones that turn the direction of the text around
    return " " if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") else character


def quantity(count: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun, e.g. '1 row', '2,000 rows'."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def about(seconds: float) -> str:
    """Say a duration as roughly as it is known."""
    if seconds < 8:
        return "a few seconds"
    if seconds < 50:
        return f"about {round(seconds / 10) * 10 or 10} seconds"
    minutes = round(seconds / 60)
    if minutes < 2:
        return "about a minute"
    if minutes < 90:
        return f"about {minutes} minutes"
    return f"about {round(minutes / 60)} hours"


def file_stem(name: str) -> str:
    """Make a file name's stem from a name of any kind."""
    return re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-")[:60] or "opnb"
