"""A visit as the items of a workspace, and back.

Going out, everything is written: tables as Parquet, uploads as they came, fits as model files with their settings, and
the state of the page. Coming back trusts nothing: settings pass the same checks as a link's, tables those of an upload,
models those of a model file, and a fit must suit its data. What cannot be used is left out and said.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from opnb.data import Limits
from opnb.data.kept_tables import kept_table, table_values, table_words
from opnb.errors import OPNBError, WorkspaceError
from opnb.estimators.loading import model_from_bytes
from opnb.studio.visit.arrivals import KeptFile, Role
from opnb.studio.visit.exports import model_file
from opnb.studio.visit.links import LONGEST_NAME as LONGEST_FILE_NAME
from opnb.studio.visit.links import from_query, to_query
from opnb.studio.visit.results import FitResult, Measures
from opnb.studio.visit.settings import FitSpec, PictureSpec
from opnb.studio.visit.sources import DataSpec, Source, prepared
from opnb.studio.words import quantity, shortened
from opnb.views import ErrorCount, Metrics
from opnb.workspace import STATE_KEY, Item, Name

if TYPE_CHECKING:
    from opnb.data import Dataset, Table

LONGEST_NAME = 60
_LONGEST = 1_000_000  # characters of a setting: the roles of thousands of columns
_MOST_NOTES, _LONGEST_NOTE = 20, 500
# A table that came as CSV may be larger as Parquet; what was read within the limits once is read again.
_LIMITS = Limits(max_bytes=2**40, max_uncompressed=2**31)
_CELL = 8  # bytes of a number
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Waiting:
    """A table that could not be prepared yet, with the preparation chosen for it."""

    table: Table
    spec: DataSpec
    raw: bytes | None = None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What is kept of a visit.

    Attributes
    ----------
    table, raw, data : the table in use, the bytes of an upload, and how it was prepared
    spec, picture : the settings of the latest fit asked for, and of the picture
    fits, names : the fits, oldest first, and the names given to them by their keys
    shown : the key of the fit that is shown, or an empty text
    pending : the settings of a fit that was asked for and has not ended
    waiting : a table that could not be prepared yet
    files : other files that came in, by what they are: unread, or rows to predict, or a model
    """

    table: Table
    data: DataSpec
    spec: FitSpec
    picture: PictureSpec
    raw: bytes | None = None
    fits: tuple[FitResult, ...] = ()
    names: Mapping[str, str] | None = None
    shown: str = ""
    pending: FitSpec | None = None
    waiting: Waiting | None = None
    files: Mapping[Role, KeptFile] = field(default_factory=dict)

    def mark(self) -> tuple[Any, ...]:
        """Give a value that is the same for snapshots that say the same."""
        waiting = self.waiting and (self.waiting.table, self.waiting.spec)
        names = tuple(sorted((self.names or {}).items()))
        keys = tuple(fit.key for fit in self.fits)
        files = tuple((role, file.mark()) for role, file in self.files.items())
        return (self.table, self.data, self.spec, self.picture, keys, names, self.shown, self.pending, waiting, files)


def items_of(snapshot: Snapshot) -> list[Item]:
    """Write a visit as items; contents are made when they are asked for."""
    tables = {fit.table.content_hash: fit.table for fit in snapshot.fits}
    tables[snapshot.table.content_hash] = snapshot.table
    if snapshot.waiting is not None:
        tables[snapshot.waiting.table.content_hash] = snapshot.waiting.table
    waiting = None if snapshot.waiting is None else snapshot.waiting.raw
    others = (file.raw for file in snapshot.files.values())
    raws = [raw for raw in (snapshot.raw, waiting, *others) if raw is not None]
    names = snapshot.names or {}
    return [
        *(_table_item(table) for table in tables.values()),
        *(Item("raw", _key_of(raw), {}, partial(bytes, raw)) for raw in {_key_of(raw): raw for raw in raws}.values()),
        *(fit_item(fit, names.get(fit.key, "")) for fit in snapshot.fits),
        _state_item(snapshot),
    ]


def fit_items(fit: FitResult) -> list[Item]:
    """Write one fit, with its table."""
    return [_table_item(fit.table), fit_item(fit, "")]


def fit_item(fit: FitResult, name: str) -> Item:
    """Write a fit: its settings and scores in words, its model as the content."""
    about = {
        "query": to_query(fit.spec, PictureSpec()),
        "name": name,
        "seconds": fit.seconds,
        "notes": list(fit.notes),
        "measures": [None if part is None else _written_metrics(part) for part in fit.measures],
    }
    return Item("fit", fit.key, about, partial(model_file, fit), (("table", fit.table.content_hash),), fit.made)


def _table_item(table: Table) -> Item:
    return Item("table", table.content_hash, table_words(table), partial(table_values, table))


def _state_item(snapshot: Snapshot) -> Item:
    waiting = snapshot.waiting
    spec = replace(snapshot.spec, data=snapshot.data)
    about: dict[str, Any] = {
        "query": to_query(spec, snapshot.picture),
        "table": snapshot.table.content_hash,
        "raw": None if snapshot.raw is None else _key_of(snapshot.raw),
        "shown": snapshot.shown,
        "pending": None if snapshot.pending is None else to_query(snapshot.pending, PictureSpec()),
        "waiting": None,
    }
    needs: list[Name] = [("table", about["table"])]
    if about["raw"] is not None:
        needs.append(("raw", about["raw"]))
    if waiting is not None:
        raw = None if waiting.raw is None else _key_of(waiting.raw)
        query = to_query(FitSpec(waiting.spec), PictureSpec())
        about["waiting"] = {"table": waiting.table.content_hash, "query": query, "raw": raw}
        needs.append(("table", waiting.table.content_hash))
        needs += [("raw", raw)] if raw is not None else []
    about["files"] = [_written_file(role, file) for role, file in snapshot.files.items()]
    needs += [("raw", file["raw"]) for file in about["files"]]
    return Item("state", STATE_KEY, about, None, tuple(dict.fromkeys(needs)))


def _written_file(role: Role, file: KeptFile) -> dict[str, Any]:
    source = Source("upload", file.name[:LONGEST_FILE_NAME] or "file", reading=tuple(sorted(file.reading.items())))
    return {"role": role, "raw": _key_of(file.raw), "query": to_query(FitSpec(DataSpec(source)), PictureSpec())}


def _key_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _written_metrics(metrics: Metrics) -> dict[str, Any]:
    return {
        "wrong": metrics.errors.wrong,
        "n": metrics.errors.n,
        "log_loss": metrics.log_loss if math.isfinite(metrics.log_loss) else None,
        "confusion": metrics.confusion.tolist(),
    }


@dataclass(frozen=True, eq=False)
class Opened:
    """What a workspace gave back, and a sentence for everything in it that could not be used."""

    snapshot: Snapshot
    problems: tuple[str, ...] = ()


def opened(
    items: Sequence[Item],
    *,
    own: bool = True,
    progress: Callable[[int, int], None] = lambda done, all: None,
    most: float = math.inf,
) -> Opened:
    """Read a visit from items.

    Parameters
    ----------
    items : sequence of Item
    own : bool
        Whether they come from this app's own store. The scores of fits from elsewhere are not believed but computed,
        and a fit that cannot be predicted with is left out.
    progress : callable
        Gets the number of fits that are read, and that of all; what it raises ends the reading.
    most : float
        Bytes that all tables, as read and as prepared, may have together.

    Raises
    ------
    WorkspaceError
        Where there is nothing that could be shown.
    """
    reader = _Reader({item.name: item for item in items}, own, most)
    found = sorted((item for item in items if item.kind == "fit"), key=lambda item: (item.made, item.key))
    fits: list[FitResult] = []
    names: dict[str, str] = {}
    for number, item in enumerate(found):
        progress(number, len(found))
        fit = reader.attempt("A fit", lambda item=item: reader.fit(item))  # type: ignore[misc]
        if fit is not None:
            fits.append(fit)
            names |= {fit.key: name} if (name := shortened(_text(item.about.get("name")), LONGEST_NAME)) else {}
    snapshot = reader.attempt("The state of the page", lambda: reader.state(tuple(fits), names))
    if snapshot is None and fits:
        last = fits[-1]
        snapshot = Snapshot(last.table, last.spec.data, last.spec, PictureSpec(), None, tuple(fits), names, last.key)
    if snapshot is None:
        raise WorkspaceError(" ".join(["There is nothing in the workspace that can be shown.", *reader.problems()]))
    return Opened(snapshot, reader.problems())


class _Reader:
    """Reads items, each table and each preparation once."""

    def __init__(self, items: Mapping[Name, Item], own: bool, most: float) -> None:
        self.items, self.own, self.room = items, own, most
        self._tables: dict[str, Table] = {}
        self._datasets: dict[tuple[str, DataSpec], Dataset] = {}
        self._failures: list[tuple[str, str]] = []

    def attempt(self, what: str, read: Callable[[], Any]) -> Any:
        """Read something; where it cannot be used, note why and give None."""
        try:
            return read()
        except OPNBError as error:
            reason = str(error)
        except MemoryError:
            reason = "there is not enough memory for it."
        except Exception:  # whatever a file made to do harm brings a library to raise
            _log.exception("an item of a workspace cannot be read")
            reason = "it is damaged."
        self._failures.append((what, reason))
        return None

    def problems(self) -> tuple[str, ...]:
        """Say what could not be used, equal reasons once."""
        return tuple(_problem(what, reason, self._failures) for what, reason in dict.fromkeys(self._failures))

    def fit(self, item: Item) -> FitResult:
        about = item.about
        spec = _spec(about.get("query"))[0]
        dataset = self.dataset(self._needed_table(item), spec.data)
        table = self.table(self._needed_table(item))
        classifier = model_from_bytes(self.content(item))
        if classifier.n_features_in_ != dataset.X.shape[1] or not np.array_equal(
            classifier.classes_, np.unique(dataset.y_train)
        ):
            raise WorkspaceError("its model does not suit its data, perhaps after a change of the app's version.")
        seconds, notes = about.get("seconds"), about.get("notes")
        if not isinstance(seconds, (int, float)) or not math.isfinite(seconds) or not isinstance(notes, list):
            raise WorkspaceError("what is said about it is malformed.")
        result = FitResult(
            spec,
            table,
            dataset,
            classifier,
            float(seconds),
            tuple(shortened(note, _LONGEST_NOTE) for note in notes[:_MOST_NOTES]),
            _measures(about.get("measures"), dataset) if self.own else None,
            key=item.key,
            made=item.made,
        )
        if not self.own and not np.isfinite(result.train.log_loss):
            raise WorkspaceError("its model gives its data no probability.")
        return result

    def state(self, fits: tuple[FitResult, ...], names: Mapping[str, str]) -> Snapshot | None:
        item = self.items.get(("state", STATE_KEY))
        if item is None:
            return None
        about = item.about
        spec, picture = _spec(about.get("query"))
        table = self.table(_text(about.get("table")))
        suited = {fit.key for fit in fits if fit.table is table and fit.spec.data == spec.data}
        shown = _text(about.get("shown"))
        if shown not in suited:
            self.dataset(table.content_hash, spec.data)  # or there would be nothing to show
            shown = ""
        pending = None if about.get("pending") is None else replace(_spec(about["pending"])[0], data=spec.data)
        ended = [fit.key for fit in fits if fit.key in suited and fit.spec == pending and not fit.classifier.stopped_]
        if ended:  # it was saved by the time nobody was there to see it
            shown, pending = ended[-1], None
        return Snapshot(
            table,
            spec.data,
            spec,
            picture,
            self._raw(about.get("raw")),
            fits,
            names,
            shown,
            pending,
            self.attempt("The table that waited", lambda: self._waiting(about.get("waiting"))),
            self.attempt("A file", lambda: self._files(about.get("files"))) or {},
        )

    def _files(self, written: Any) -> dict[Role, KeptFile]:
        """Read the other files; a workspace of an earlier version has none."""
        found: dict[Role, KeptFile] = {}
        for about in written if isinstance(written, list) else ():
            role: Any = about.get("role") if isinstance(about, dict) else None
            if role not in get_args(Role):
                raise WorkspaceError("what it is for is not known.")
            source, raw = _spec(about.get("query"))[0].data.source, self._raw(_text(about.get("raw")))
            if raw is not None:
                found[role] = KeptFile(source.name, raw, dict(source.reading))
        return found

    def _waiting(self, about: Any) -> Waiting | None:
        if not isinstance(about, dict):
            return None
        spec = _spec(about.get("query"))[0]
        return Waiting(self.table(_text(about.get("table"))), spec.data, self._raw(about.get("raw")))

    def _raw(self, key: Any) -> bytes | None:
        return None if key is None else self.content(self._item("raw", _text(key)))

    def table(self, key: str) -> Table:
        if key not in self._tables:
            item = self._item("table", key)
            cells = max(int(min(_LIMITS.max_cells, self.room / _CELL)), 1)
            table = kept_table(item.about, self.content(item), replace(_LIMITS, max_cells=cells))
            self._take(int(table.frame.memory_usage(deep=True).sum()))
            if table.content_hash != key:
                raise WorkspaceError("a table is not the one its name says.")
            self._tables[key] = table
        return self._tables[key]

    def dataset(self, key: str, spec: DataSpec) -> Dataset:
        if (key, spec) not in self._datasets:
            dataset = prepared(self.table(key), spec)
            self._take(dataset.X.nbytes)
            self._datasets[key, spec] = dataset
        return self._datasets[key, spec]

    def _take(self, size: int) -> None:
        self.room -= size
        if self.room < 0:
            raise WorkspaceError("its tables are larger than a workspace from elsewhere may have.")

    def content(self, item: Item) -> bytes:
        if item.content is None:
            raise WorkspaceError("its content is absent.")
        return item.content()

    def _needed_table(self, item: Item) -> str:
        return next((key for kind, key in item.needs if kind == "table"), "")

    def _item(self, kind: str, key: str) -> Item:
        item = self.items.get((kind, key))
        if item is None:
            raise WorkspaceError("its table is absent." if kind == "table" else "its upload is absent.")
        return item


def _problem(what: str, reason: str, failures: Sequence[tuple[str, str]]) -> str:
    count = failures.count((what, reason))
    subject = what if count == 1 else quantity(count, "fit")
    return f"{subject} of the workspace could not be opened: {reason[0].lower()}{reason[1:]}"


def _spec(query: Any) -> tuple[FitSpec, PictureSpec]:
    """Read settings as strictly as those of a link, and refuse what a link would mend."""
    if not isinstance(query, dict) or not all(isinstance(text, str) for text in query.values()):
        raise WorkspaceError("its settings are malformed.")
    link = from_query(query, _LONGEST)
    if link.problems:
        raise WorkspaceError(f"its settings cannot be used. {link.problems[0]}")
    return link.spec, link.picture


def _measures(parts: Any, dataset: Dataset) -> Measures | None:
    """Read the scores of a fit; None where they have to be computed."""
    if not (isinstance(parts, list) and len(parts) == 2):
        return None
    train, test = (_metrics(part, dataset.class_names) for part in parts)
    fits_data = train is not None and train.errors.n == len(dataset.train)
    return (train, test) if train is not None and fits_data and (test is not None) == bool(len(dataset.test)) else None


def _metrics(part: Any, class_names: tuple[str, ...]) -> Metrics | None:
    if not isinstance(part, dict) or not _is_number(part.get("log_loss")):
        return None
    confusion = np.array(part.get("confusion"), dtype=np.int64)
    if confusion.shape != (len(class_names), len(class_names)):
        return None
    return Metrics(ErrorCount(int(part["wrong"]), int(part["n"])), float(part["log_loss"]), confusion, class_names)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
