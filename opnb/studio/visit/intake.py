"""Data come in: examples, simulators, benchmarks and files, each answered with an error in words or with ''."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from opnb.data import Limits, Table, read_table
from opnb.errors import OPNBError
from opnb.studio.logs import event, visit_of
from opnb.studio.visit.links import LONGEST_NAME
from opnb.studio.visit.sources import HASH_LENGTH, DataSpec, Source, fetch_table
from opnb.studio.visit.state import Studio

LIMITS = Limits()
UPLOAD_TYPES = ["csv", "tsv", "txt", "dat", "gz", "xlsx", "parquet"]


@lru_cache(maxsize=16)
def _bundled_table(source: Source) -> Table:
    """Read an example, or draw from a simulator as it comes, for all visitors: nothing in them is private."""
    return fetch_table(source)


def bring_source(state: Studio, source: Source) -> str:
    """Bring in a source the app can fetch by itself, and begin its fit."""
    try:
        bundled = source.kind in ("example", "simulator") and not source.parameters
        table = _bundled_table(source) if bundled else fetch_table(source)
    except OPNBError as error:
        return str(error)
    state.awaited = None
    if not state.offer(source, table):
        assert state.draft is not None
        return state.draft.error
    begin_fit(state)
    return ""


def bring_file(state: Studio, name: str, data: bytes, **reading: Any) -> str:
    """Read an upload or pasted text, with the user's corrections, and begin its fit.

    A file that cannot be read leaves everything as it was. One that can be read but not prepared waits as the draft.
    """
    given = {key: value for key, value in reading.items() if value is not None}
    about: dict[str, Any] = {"visit": visit_of(state.owner), "bytes": len(data)}
    try:
        table = read_table(data, name=name, limits=LIMITS, **given)
    except OPNBError as error:
        event("table", status="refused", **about)
        return str(error)
    event("table", status="read", rows=len(table.frame), columns=table.frame.shape[1], **about)
    known_as, corrections = name[:LONGEST_NAME] or "table", tuple(sorted(given.items()))
    source = Source("upload", known_as, reading=corrections, content=table.content_hash[:HASH_LENGTH])
    if state.offer_upload(source, table, data):
        begin_fit(state)
    return ""


def change_data(state: Studio, spec: DataSpec) -> bool:
    """Prepare the table at work otherwise, begin its fit, and tell whether it could be prepared."""
    working = state.working
    assert working is not None
    fine = state.offer(working.source, working.table, spec, working.raw)
    if fine:
        begin_fit(state)
    return fine


def change_target(state: Studio, target: str) -> bool:
    """Predict another column; a numeric target is no longer cut as the one before was."""
    working = state.working
    assert working is not None
    options = replace(working.spec.options, target_bins=None)
    return change_data(state, replace(working.spec, target=target, options=options))


def begin_fit(state: Studio) -> None:
    """Begin the fit of new data, where they are small enough to do so unasked."""
    if state.fits_by_itself:
        state.fit(state.spec)
