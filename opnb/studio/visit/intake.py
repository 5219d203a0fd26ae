"""Data come in: examples, simulators, benchmarks and files, each answered with an error in words or with ''.

What a table needs before it can be used is changed here, too: how it is read, its target, its preparation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from opnb.data import Limits, Table
from opnb.data.roles import FEW_CLASSES
from opnb.errors import OPNBError, ReadingError, Remedy
from opnb.studio.logs import event, visit_of
from opnb.studio.visit.arrivals import Rows, Unread, looks_like_model, open_model, read_rows
from opnb.studio.visit.links import LONGEST_NAME
from opnb.studio.visit.sources import HASH_LENGTH, DataSpec, Source, fetch_table
from opnb.studio.visit.state import Draft, Studio
from opnb.studio.work.reading import read_upload

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult

LIMITS = Limits()
ENCODINGS = (
    *("utf-8", "cp1252", "latin-1", "utf-16"),
    *("iso-8859-15", "cp1250", "cp1251", "cp1253", "cp1254", "koi8-r", "mac-roman"),
    *("shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"),
)
_TARGETS_OFFERED = 3


@lru_cache(maxsize=16)
def _bundled_table(source: Source) -> Table:
    """Read an example, or draw from a simulator as it comes, for all visitors: nothing in them is private."""
    return fetch_table(source)


def bring_source(state: Studio, source: Source) -> str:
    """Bring in a source the app can fetch by itself, and begin its fit."""
    try:
        bundled = source.kind in ("example", "simulator") and not source.parameters
        table = _bundled_table(source) if bundled else state.fetch(source)
    except OPNBError as error:
        return str(error)
    state.awaited = state.unread = None
    if not state.offer(source, table):
        assert state.draft is not None
        return state.draft.error
    begin_fit(state)
    return ""


def bring_file(state: Studio, name: str, data: bytes, **reading: Any) -> str:
    """Read an upload or pasted text, with the user's corrections, and begin its fit.

    A file that cannot be read waits with its bytes, to be read otherwise; one that can be read but not prepared waits
    as the draft; one that holds all columns of the model and no classes waits until the user says what it is. A model
    file is opened. Everything else stays as it was.
    """
    if looks_like_model(data):
        return show_model(state, name, data)
    given = {key: value for key, value in reading.items() if value is not None}
    about: dict[str, Any] = {"visit": visit_of(state.owner), "bytes": len(data)}
    try:
        table, given = _read(state, name, data, given)
    except ReadingError as error:
        event("table", status="refused", **about)
        # What is too large is not kept: nothing could be done with it.
        state.unread = Unread(name, data if len(data) <= LIMITS.max_bytes else b"", given, error)
        return ""
    state.unread = None
    event("table", status="read", rows=len(table.frame), columns=table.frame.shape[1], **about)
    arrived = Rows(name, data, given, table)
    if _may_be_rows(state, arrived):
        state.new.asked = arrived
    else:
        use_as_table(state, arrived)
    return ""


def _may_be_rows(state: Studio, file: Rows) -> bool:
    """Tell whether a file may hold rows to predict; one that is in use, or that a link waits for, is a table."""
    predictor = state.new.predictor(state.result)
    known = state.awaited is not None or file.raw in (state.raw, state.draft and state.draft.raw)
    return predictor is not None and not known and predictor.predicts(file.table)


def use_as_table(state: Studio, file: Rows) -> None:
    """Use a file as the table to fit."""
    state.new.asked = None
    name, given, table = file.name, file.reading, file.table
    known_as, corrections = name[:LONGEST_NAME] or "table", tuple(sorted(given.items()))
    source = Source("upload", known_as, reading=corrections, content=table.content_hash[:HASH_LENGTH])
    if state.offer_upload(source, table, file.raw):
        begin_fit(state)


def use_as_rows(state: Studio, file: Rows) -> None:
    """Let the model that is shown predict the rows of a file."""
    state.new.asked, state.new.rows, state.new.chosen = None, file, None
    state.revision += 1


def bring_rows(state: Studio, name: str, data: bytes) -> str:
    """Read a file of new rows, which may have classes, too; one that cannot be read waits, to be read otherwise."""
    if looks_like_model(data):
        return show_model(state, name, data)
    try:
        use_as_rows(state, read_rows(state.work.reading, name, data))
    except ReadingError as error:
        state.unread = Unread(name, data, {}, error)
    return ""


def show_model(state: Studio, name: str, data: bytes) -> str:
    """Open a model file, and show it in place of the fit."""
    try:
        model = open_model(name, data)
    except OPNBError as error:
        return str(error)
    state.new.model, state.new.chosen, state.new.asked, state.unread = model, None, None, None
    state.revision += 1
    return ""


def close_model(state: Studio) -> None:
    """Show the fit again."""
    state.new.model = state.new.chosen = None
    state.revision += 1


def _read(state: Studio, name: str, data: bytes, given: dict[str, Any]) -> tuple[Table, dict[str, Any]]:
    """Read a file, as a link says that waits for this very file, or as the user says."""
    wanted = None if state.awaited is None or given else state.awaited.spec.data.source
    reading = {} if wanted is None else dict(wanted.reading)
    # The link may come from anyone, and some of Python's encodings take very long.
    if wanted is not None and reading and reading.get("encoding", "utf-8") in ENCODINGS:
        try:
            table = read_upload(state.work.reading, data, name, LIMITS, **reading)
        except ReadingError:  # it is another file
            pass
        else:
            if table.content_hash.startswith(wanted.content):
                return table, reading
    return read_upload(state.work.reading, data, name, LIMITS, **given), given


def change_data(state: Studio, spec: DataSpec) -> bool:
    """Prepare the table at work otherwise, begin its fit, and tell whether it could be prepared."""
    working = state.working
    assert working is not None
    fine = state.offer(working.source, working.table, spec, working.raw)
    if fine:
        begin_fit(state)
    else:
        state.revision += 1  # so that every widget shows what was chosen, wherever that was
    return fine


def change_target(state: Studio, target: str) -> bool:
    """Predict another column; a numeric target is no longer cut as the one before was."""
    working = state.working
    assert working is not None
    options = replace(working.spec.options, target_bins=None)
    return change_data(state, replace(working.spec, target=target, options=options))


def change_options(state: Studio, **changes: Any) -> bool:
    """Prepare the table at work with some options changed."""
    working = state.working
    assert working is not None
    return change_data(state, replace(working.spec, options=replace(working.spec.options, **changes)))


def change_roles(state: Studio, roles: Mapping[str, str]) -> bool:
    """Give some columns a role; the others keep theirs."""
    working = state.working
    assert working is not None
    proposed = {column.name: column.role for column in working.proposal.columns}
    wanted = dict(working.spec.options.roles) | dict(roles)
    return change_options(state, roles={name: role for name, role in wanted.items() if proposed.get(name) != role})


def keep_columns(state: Studio, result: FitResult, names: Collection[str]) -> bool:
    """Fit again with some of a fit's columns, and tell whether it could be; `fit_error` says why not.

    The fit stays on the list, and as `before_columns`, to come back to; a table that waits goes on waiting.
    """
    data, waiting = result.spec.data, state.draft
    gone = {column.name: "leave out" for column in result.dataset.columns if column.name not in names}
    options = replace(data.options, roles=dict(data.options.roles) | gone)
    raw = state.raw if state.table == result.table else None
    state.spec = result.spec
    if not state.offer(data.source, result.table, replace(data, options=options), raw):
        assert state.draft is not None
        state.fit_error, state.draft = state.draft.error, waiting
        return False
    state.draft, state.before_columns = waiting, result
    state.fit(state.spec)
    return True


def apply_remedy(state: Studio, remedy: Remedy) -> bool:
    """Do what a remedy says, and tell whether the table can be used now."""
    if remedy.option == "target":
        return change_target(state, remedy.value)
    if remedy.option == "roles":
        return change_roles(state, dict(remedy.value))
    return change_options(state, **{remedy.option: remedy.value})


def remedies_of(draft: Draft) -> list[Remedy]:
    """List what may help a table that waits, each to be done at once: for another target, the likely ones."""
    found: list[Remedy] = []
    for remedy in draft.remedies:
        if remedy.option == "target" and remedy.value is None:
            found += [Remedy("target", name, f"Predict '{name}'") for name in _likely_targets(draft)]
        else:
            found.append(remedy)
    return found


def _likely_targets(draft: Draft) -> list[str]:
    few = [
        column
        for column in draft.proposal.columns
        if column.role in ("number", "category") and 2 <= column.n_distinct <= FEW_CLASSES
    ]
    words_first = sorted(few, key=lambda column: not column.is_text)
    return [column.name for column in words_first if column.name != draft.spec.target][:_TARGETS_OFFERED]


def suspicious_codes(working: Draft) -> dict[float, list[str]]:
    """Find numbers that may stand for a missing value and still count as numbers, each with its columns."""
    options = working.spec.options
    known, roles = set(options.missing_codes), dict(options.roles)
    found: dict[float, list[str]] = {}
    for column in working.proposal.columns:
        used = roles.get(column.name, column.role) == "number" and column.name != working.spec.target
        for code in column.codes if used else ():
            if (column.name, code) not in known:
                found.setdefault(code, []).append(column.name)
    return dict(sorted(found.items()))


def missing_codes(working: Draft) -> dict[float, list[str]]:
    """List the numbers that count as missing, each with its columns."""
    found: dict[float, list[str]] = {}
    for name, codes in working.spec.options.codes.items():
        for code in codes:
            found.setdefault(code, []).append(name)
    return dict(sorted(found.items()))


def count_code(state: Studio, code: float, columns: Iterable[str], *, missing: bool) -> bool:
    """Let a number count as missing in some columns, or as a number again."""
    working = state.working
    assert working is not None
    pairs, known = {(name, code) for name in columns}, set(working.spec.options.missing_codes)
    return change_options(state, missing_codes=tuple(known | pairs if missing else known - pairs))


def begin_fit(state: Studio) -> None:
    """Begin the fit of new data, where they are small enough to do so unasked."""
    if state.fits_by_itself:
        state.fit(state.spec)
