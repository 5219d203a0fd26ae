"""How a file is read, on the Data page: what was found, what can be corrected, and its first lines where all failed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from opnb.errors import ReadingError
from opnb.studio.ui.intake import bring_in, give_up_button, show_unread
from opnb.studio.ui.text import escaped
from opnb.studio.visit.arrivals import Unread
from opnb.studio.visit.intake import ENCODINGS, bring_file
from opnb.studio.visit.state import Draft, Studio
from opnb.studio.words import shortened

_FOUND = "as found"
_LAST_ROW = 1_000_000
_WORDS: Mapping[str, Mapping[str, str]] = {
    "delimiter": {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"},
    "decimal": {".": "point (1.5)", ",": "comma (1,5)"},
    "encoding": {name: name for name in ENCODINGS},
}
_LABELS = {
    "sheet": "Sheet",
    "header_row": "Row with the names",
    "delimiter": "Delimiter",
    "decimal": "Decimal mark",
    "encoding": "Encoding",
}
_EXCEL, _TEXT = ("sheet", "header_row"), ("header_row", "delimiter", "decimal", "encoding")
_HELP = "Counted from 1, as in an editor or a spreadsheet; 0 where no row holds names. Empty: it is found."


@dataclass(frozen=True)
class _Desk:
    """A file at hand: its bytes, the corrections given so far, what was found, and the controls that have a meaning."""

    name: str
    raw: bytes
    given: Mapping[str, Any]
    found: Mapping[str, Any]
    controls: tuple[str, ...]
    sheets: tuple[str, ...] = ()
    key: str = ""


def reading_settings(state: Studio, working: Draft) -> None:
    """Show how an upload was read, and read it otherwise where the user says so."""
    settings = working.table.settings
    if working.raw is None or settings.format not in ("text", "excel"):
        return
    found = {name: getattr(settings, name) for name in ("sheet", "delimiter", "decimal", "encoding")}
    rows = settings.header_rows or ((1,) if settings.header else ())
    with st.expander(f"Read as: {escaped(settings.sentence(), 200)}"):
        _form(
            state,
            _Desk(
                working.source.name,
                working.raw,
                dict(working.source.reading),
                found | {"header_row": rows},
                _EXCEL if settings.format == "excel" else _TEXT,
                settings.sheets,
                key=f"reading-{working.table.content_hash[:8]}-",
            ),
        )


def unread_file(state: Studio, unread: Unread) -> None:
    """Show why a file gave no table, its first lines, and all that can be changed about reading it."""
    st.header(f"{escaped(unread.name)} could not be read")
    show_unread(state, unread)
    if controls_of(unread):
        left, right = st.columns([3, 2], gap="large")
        with left:
            _first_lines(unread.error)
        with right:
            st.markdown("Read it otherwise")
            _form(state, _unread_desk(unread))
    give_up_button(state)


def _unread_desk(unread: Unread) -> _Desk:
    error, mark = unread.error, hashlib.sha256(unread.raw).hexdigest()[:8]
    return _Desk(
        unread.name,
        unread.raw,
        unread.reading,
        error.tried,
        controls_of(unread),
        error.sheets,
        key=f"unread-{mark}-",
    )


def _first_lines(error: ReadingError) -> None:
    st.markdown("The first rows of the sheet" if error.sheets else "Its first lines, as they are")
    height: int | Literal["content"] = 300 if len(error.lines) > 10 else "content"
    st.code("\n".join(_numbered(error)) or "(none)", language=None, height=height)


def _numbered(error: ReadingError) -> list[str]:
    """Give the first lines with their numbers; the rows of a sheet have theirs, because blank ones are not shown."""
    lines = list(error.lines)
    return lines if error.sheets else [f"{number:>3}  {line}" for number, line in enumerate(lines, start=1)]


def controls_of(unread: Unread) -> tuple[str, ...]:
    """Give what can be changed about reading a file, what helps most likely first; nothing where nothing would."""
    error = unread.error
    controls: tuple[str, ...] = ("encoding",) if error.lines else ()
    if error.sheets:
        controls = _EXCEL
    elif error.change or "delimiter" in error.tried:
        controls = _TEXT
    return tuple(sorted(controls, key=lambda name: name != error.change))


def _form(state: Studio, desk: _Desk) -> None:
    """Ask for corrections, all at once because reading a large file takes a while, and read the same bytes again."""
    with st.form(desk.key + "form", border=False):
        given = {name: _control(desk, name) for name in desk.controls}
        sent = st.form_submit_button("Read again", icon=":material/refresh:")
    if sent:
        bring_in(lambda: bring_file(state, desk.name, desk.raw, **given))


def _control(desk: _Desk, name: str) -> Any:
    if name == "sheet":
        return _sheet_box(desk)
    return _header_row(desk) if name == "header_row" else _words_box(desk, name)


def _sheet_box(desk: _Desk) -> str | None:
    now = desk.found.get("sheet")
    place = desk.sheets.index(str(now)) if now in desk.sheets else None
    return st.selectbox(
        _LABELS["sheet"],
        desk.sheets,
        place,
        format_func=shortened,
        key=desk.key + "sheet",
        placeholder="Choose a sheet",
        help=f"The workbook has {len(desk.sheets)}.",
    )


def _header_row(desk: _Desk) -> int | tuple[int, ...] | None:
    """Ask for the row of the names; None where it is to be found."""
    rows, key = _given_rows(desk), desk.key + "row"
    if rows is not None:  # not as the field's default, or it could not be emptied
        st.session_state.setdefault(key, rows[0] if rows else 0)
    first = st.number_input(
        _LABELS["header_row"],
        0,
        _LAST_ROW,
        None,
        placeholder=_found_rows(desk.found.get("header_row")),
        key=key,
        help=_HELP,
    )
    more = st.checkbox("The names go on in the next row", rows is not None and len(rows) == 2, key=desk.key + "second")
    if first is None or not first:
        return first
    return (int(first), int(first) + 1) if more else int(first)


def _given_rows(desk: _Desk) -> tuple[int, ...] | None:
    """Give the rows of the names that the user asked for, none of them as ()."""
    wish, header = desk.given.get("header_row"), desk.given.get("header")
    if wish is None:
        return None if header is None else tuple(desk.found.get("header_row", ())) if header else ()
    return ((wish,) if wish else ()) if isinstance(wish, int) else tuple(wish)


def _found_rows(rows: Any) -> str:
    if rows is None:
        return "As found"
    return f"{' and '.join(map(str, rows)) or 'None'}, as found"


def _words_box(desk: _Desk, name: str) -> str | None:
    """Ask for one correction; None leaves it as found."""
    words, found, now = _WORDS[name], desk.found.get(name), desk.given.get(name, _FOUND)
    shown = f" ({words.get(str(found), shortened(found, 20))})" if found and now == _FOUND else ""
    options = list(dict.fromkeys((_FOUND, *words, now)))
    typed = name == "delimiter"
    value = st.selectbox(
        _LABELS[name],
        options,
        options.index(now),
        format_func=lambda value: f"As found{shown}" if value == _FOUND else words.get(value, value).capitalize(),
        key=desk.key + name,
        accept_new_options=typed,
        help="Choose one, or type any other character." if typed else None,
    )
    return None if value == _FOUND else value
