"""A fit and its picture as the query part of a link, and back.

Only what differs from the usual is written. Reading trusts nothing: a value that is malformed or out of bounds gives
a sentence and the usual value instead, and nothing in a link is ever evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from opnb.data import ROLES, SIMULATORS, PrepareOptions
from opnb.data.preparing import Preset
from opnb.data.recipe import Missing
from opnb.errors import OPNBError
from opnb.studio.visit.settings import CHOICES, FIRST_EXAMPLE, LARGEST_SEED, Axes, FitSpec, PictureSpec, default_spec
from opnb.studio.visit.sources import KINDS, DataSpec, Source, bundled_names
from opnb.studio.words import shortened
from opnb.studio.work.reading import server_tables

LONGEST = 8_000
LONGEST_NAME = 200  # of data
_WHOLE = re.compile(r"-?\d{1,10}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,17}(\.\d{1,25})?(e[+-]?\d{1,3})?", re.ASCII)
_NAME = re.compile(r"[\w.+-]{1,100}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{12}", re.ASCII)
_LAST_ROW = 2_000_000


@dataclass(frozen=True)
class _Part:
    """One query parameter: its name in the link, the setting, and the way there and back."""

    name: str
    field: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str


@dataclass(frozen=True)
class Link:
    """What a link asks for, and a sentence for everything in it that could not be used."""

    spec: FitSpec
    picture: PictureSpec
    problems: tuple[str, ...] = ()


def to_query(spec: FitSpec, picture: PictureSpec) -> dict[str, str]:
    """Write a fit and its picture as query parameters."""
    source = spec.data.source
    query = {"data": f"{source.kind}:{source.name}"}
    query |= _written(_SOURCE_PARTS, source, Source(source.kind, source.name))
    query |= _written(_DATA_PARTS, spec.data, DataSpec(source))
    query |= _written(_OPTION_PARTS, spec.data.options, PrepareOptions())
    query |= _written(_FIT_PARTS, spec, FitSpec(spec.data))
    return query | _written(_PICTURE_PARTS, picture, PictureSpec())


def from_query(query: Mapping[str, str], longest: int = LONGEST) -> Link:
    """Read a fit and its picture from query parameters.

    Parameters
    ----------
    query : mapping of str to str
        From anyone.
    longest : int
        Characters a value may have.

    Returns
    -------
    Link
        Always usable: what cannot be read has its usual value.
    """
    problems: list[str] = []
    known = {"data", *(part.name for part in _ALL_PARTS)}
    unknown = [name for name in query if name not in known]
    if unknown:
        problems.append(f"The link has a part that means nothing here: '{shortened(unknown[0], 40)}'.")
    source = _read_source(query, problems)
    if source is None:
        return Link(default_spec(), PictureSpec(), tuple(problems))
    source = _updated(source, _SOURCE_PARTS, query, problems, longest)
    options = _updated(PrepareOptions(), _OPTION_PARTS, query, problems, longest)
    data = _updated(DataSpec(source, options=options), _DATA_PARTS, query, problems, longest)
    spec = _updated(FitSpec(data), _FIT_PARTS, query, problems, longest)
    return Link(spec, _updated(PictureSpec(), _PICTURE_PARTS, query, problems, longest), tuple(problems))


def _written(parts: tuple[_Part, ...], values: Any, usual: Any) -> dict[str, str]:
    return {
        part.name: part.write(getattr(values, part.field))
        for part in parts
        if getattr(values, part.field) != getattr(usual, part.field)
    }


def _updated(values: Any, parts: tuple[_Part, ...], query: Mapping[str, str], problems: list[str], longest: int) -> Any:
    """Set what the link asks for, one setting at a time, so that a bad one spoils no other."""
    for part in parts:
        if part.name in query:
            try:
                values = replace(values, **{part.field: part.read(_bounded(query[part.name], longest))})
            except (ValueError, RecursionError) as error:
                reason = str(error) if isinstance(error, OPNBError) else "it cannot be read."
                problems.append(f"The link's '{part.name}' was not used: {shortened(reason, 200)}")
    return values


def _bounded(text: str, longest: int) -> str:
    if len(text) > longest:
        raise OPNBError(f"it is longer than {longest:,} characters.")
    return text


def _read_source(query: Mapping[str, str], problems: list[str]) -> Source | None:
    kind, _, name = query.get("data", f"example:{FIRST_EXAMPLE}").partition(":")
    known = {"example": bundled_names(), "simulator": tuple(SIMULATORS), "server": tuple(server_tables())}
    if kind not in KINDS or (kind in known and name not in known[kind]):
        problems.append(f"The link asks for data that are not here: '{shortened(query['data'], 60)}'.")
        return None
    # A benchmark's name becomes a path in its folder, so it is held to letters, digits and a few signs.
    if (kind == "pmlb" and not _NAME.fullmatch(name)) or not name or len(name) > LONGEST_NAME:
        problems.append(f"The link names its data in a way that cannot be right: '{shortened(name, 60)}'.")
        return None
    return Source(kind, name)


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise OPNBError(f"'{shortened(text, 40)}' is no whole number.")
    return int(text)


def _whole_in(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not low <= _whole(text) <= high:
            raise OPNBError(f"it must be from {low:,} to {high:,}, not {text}.")
        return int(text)

    return read


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise OPNBError(f"'{shortened(text, 40)}' is no number.")
    return float(text)


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise OPNBError(f"'{shortened(text, 40)}' is none of {', '.join(choices)}.")
        return text

    return read


def _or(word: str, value: Any, read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: value if text == word else read(text)


def _or_word(word: str, value: Any) -> Callable[[Any], str]:
    return lambda given: word if given == value else str(given)


def _yes_or_no(text: str) -> bool:
    return _one_of(("yes", "no"))(text) == "yes"


def _directions(text: str) -> tuple[int, int]:
    numbers = tuple(_whole(part) for part in text.split(","))
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        raise OPNBError("two different directions are needed, for instance 1,2.")
    return (numbers[0] - 1, numbers[1] - 1)


def _axes(text: str) -> Axes:
    return tuple(tuple(_number(weight) for weight in axis.split(",")) for axis in text.split(";"))


def _shares(text: str) -> tuple[float, ...]:
    return tuple(_number(share) for share in text.split(","))


def axes_text(axes: Axes) -> str:
    """Write axes as a link has them."""
    return ";".join(",".join(f"{weight:g}" for weight in axis) for axis in axes)


def _texts(text: str) -> tuple[str, ...]:
    values = json.loads(text)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise OPNBError("it is no list of names.")
    return tuple(values)


def _pairs(text: str, allowed: Callable[[Any], bool]) -> tuple[tuple[str, Any], ...]:
    values = json.loads(text, parse_constant=lambda name: name)
    if not isinstance(values, dict) or not all(map(allowed, values.values())):
        raise OPNBError("it is not of the expected form.")
    return tuple(sorted(values.items()))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


def _reading(text: str) -> tuple[tuple[str, Any], ...]:
    pairs = _pairs(text, lambda value: isinstance(value, (str, bool, int, list)))
    if not all(name in _READING for name, _ in pairs):
        raise OPNBError("it holds a setting that is not known.")
    return tuple((name, _READING[name](value)) for name, value in pairs)


def _of_kind(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise OPNBError("it is not of the expected form.")
        return value

    return check


def _header_row(value: Any) -> int | tuple[int, ...]:
    """Read the row of the names: a number, 0 for none, or two rows that follow each other."""
    rows = tuple(value) if isinstance(value, list) else (value,)
    fine = all(isinstance(row, int) and not isinstance(row, bool) and 0 <= row <= _LAST_ROW for row in rows)
    if not fine or (isinstance(value, list) and (len(rows) != 2 or rows[0] < 1 or rows[1] != rows[0] + 1)):
        raise OPNBError("the row of the names is a number, or two that follow each other.")
    return rows if isinstance(value, list) else rows[0]


def _codes(text: str) -> dict[str, list[float]]:
    return dict(_pairs(text, lambda codes: isinstance(codes, list) and all(map(_is_number, codes))))


def _codes_json(pairs: tuple[tuple[str, float], ...]) -> str:
    return json.dumps(PrepareOptions(missing_codes=pairs).codes, separators=(",", ":"))


def _content(text: str) -> str:
    if not _HASH.fullmatch(text):
        raise OPNBError("it is no mark of a file.")
    return text


def _json(value: Any) -> str:
    return json.dumps(dict(value) if value and isinstance(value[0], tuple) else list(value), separators=(",", ":"))


_SCALES = {True: "yes", False: "no", "robust": "robust"}
_READING: Mapping[str, Callable[[Any], Any]] = {
    "encoding": _of_kind(str),
    "delimiter": _of_kind(str),
    "decimal": _of_kind(str),
    "sheet": _of_kind(str),
    "header": _of_kind(bool),
    "header_row": _header_row,
}
_SOURCE_PARTS = (
    _Part("sim", "parameters", lambda text: _pairs(text, _is_number), _json),
    _Part("reading", "reading", _reading, _json),
    _Part("file", "content", _content),
)
_DATA_PARTS = (_Part("target", "target", str),)
_OPTION_PARTS = (
    _Part("preset", "preset", _one_of(get_args(Preset))),
    _Part("missing", "missing", _one_of(get_args(Missing))),
    _Part("roles", "roles", lambda text: _pairs(text, lambda role: role in ROLES), _json),
    _Part("rare", "min_class_rows", _whole_in(1, 1_000_000)),
    _Part("cut", "target_bins", _whole),
    _Part("held-out", "test_size", _or("none", None, _number), _or_word("none", None)),
    _Part("split", "seed", _whole_in(0, LARGEST_SEED)),
    _Part("codes", "missing_codes", _codes, _codes_json),
)
_FIT_PARTS = (
    _Part("directions", "n_components", _or("all", None, _whole), _or_word("all", None)),
    _Part("lam", "lam", _number),
    _Part("penalty", "penalty", _one_of(CHOICES["penalty"])),
    _Part("init", "init", _one_of(CHOICES["init"])),
    _Part("start", "start", _axes, axes_text),
    _Part("starts", "n_init", _whole),
    _Part("combine", "combine", _one_of(CHOICES["combine"])),
    _Part("likelihood", "likelihood", _one_of(CHOICES["likelihood"])),
    _Part("bins", "n_bins", _or("exact", None, _or("auto", "auto", _whole)), _or_word("exact", None)),
    _Part("scale", "scale", _or("robust", "robust", _yes_or_no), lambda value: _SCALES[value]),
    _Part("iterations", "max_iter", _whole),
    _Part("tol", "tol", _number),
    _Part("independence", "independence", _number),
    _Part("bend", "bend", _or("none", None, _number), _or_word("none", None)),
    _Part("classes", "priors", _one_of(CHOICES["priors"])),
    _Part("balance", "decision_priors", _shares, lambda shares: ",".join(f"{share:.9g}" for share in shares)),
    _Part("sharpness", "sharpness", _number),
    _Part("seed", "seed", _whole),
)
_PICTURE_PARTS = (
    _Part("show", "directions", _directions, lambda pair: f"{pair[0] + 1},{pair[1] + 1}"),
    _Part("boundary", "boundary", _one_of(CHOICES["boundary"])),
    _Part("extent", "extent", _one_of(CHOICES["extent"])),
    _Part("margins", "margins", _one_of(CHOICES["margins"])),
    _Part("focus", "focus", _texts, _json),
    _Part("as", "mode", _one_of(CHOICES["mode"])),
    _Part("plane", "plane", _axes, axes_text),
)
_ALL_PARTS = (*_SOURCE_PARTS, *_DATA_PARTS, *_OPTION_PARTS, *_FIT_PARTS, *_PICTURE_PARTS)
