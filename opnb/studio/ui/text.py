"""Names that come from users are text: never markup in the page."""

from __future__ import annotations

import re

from opnb.studio.words import LONGEST, shortened

# Everything Streamlit's Markdown gives a meaning to, the colon of :red[...], emoji codes and $ of formulas included.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^=&@/])")
# Addresses become links even where every sign is escaped; a joiner, which nobody sees, tells that they are none.
_ADDRESS = re.compile(r"https?(?=\\:)|www(?=\\\.)|(?=\\@)", re.IGNORECASE)
_JOINER = "\u2060"


def escaped(value: object, longest: int = LONGEST) -> str:
    """Escape a name for a place where Streamlit reads Markdown, and keep it to one short line."""
    return _ADDRESS.sub(lambda found: found[0] + _JOINER, _MARKUP.sub(r"\\\1", shortened(value, longest)))
