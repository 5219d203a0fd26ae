"""Benchmarks of a visit: which data sets there are to choose from, the run under way, and the results on the desk."""

from __future__ import annotations

import gzip
import itertools
import math
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from opnb.errors import OPNBError
from opnb.studio.visit.sources import bundled_names
from opnb.studio.words import quantity
from opnb.studio.work.errands import LongRun, Visitor
from opnb.studio.work.jobs import Job
from opnb.studio.work.process import Say, run_in_child
from opnb.studio.work.shares import share_out

if TYPE_CHECKING:
    from opnb.benchmark import Progress, Protocol, Results, Row, Summary, Task
    from opnb.data import Dataset
    from opnb.studio.visit.state import Studio

# Some bundled examples share their names with other data of PMLB.
EXAMPLE = "example-"
# Rows, columns and classes of a data set of which they are not known beforehand.
_USUAL_SIZE = (500, 10, 3)
_KEPT = 12
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Choice:
    """A data set that a benchmark can take.

    Attributes
    ----------
    name : str
        As in the results.
    place : {"example", "folder", "network"}
    n, p, K : int
        Rows, columns and classes; 0 where they are not known beforehand.
    """

    name: str
    place: Literal["example", "folder", "network"]
    n: int = 0
    p: int = 0
    K: int = 0

    def seconds(self, methods: Sequence[str]) -> float:
        """Expect so many seconds of a processor for one repeat of these methods."""
        from opnb.benchmark import expected_seconds
        from opnb.data.policy import POLICY_ROWS

        n, p, K = (known or usual for known, usual in zip((self.n, self.p, self.K), _USUAL_SIZE, strict=True))
        return sum(expected_seconds(method, min(n, POLICY_ROWS), p, K) for method in methods)

    def words(self) -> str:
        """Say what it is, for a list."""
        where = {"example": "example", "folder": "in the folder", "network": "over the network"}[self.place]
        name = self.name.removeprefix(EXAMPLE)
        return f"{name}: {self.n:,} × {self.p:,}, {where}" if self.n else f"{name} ({where})"


@cache
def example(name: str) -> Dataset:
    """Load a bundled example, once for all visitors: nothing in it is private."""
    from opnb.data import load_example

    return load_example(name.removeprefix(EXAMPLE))


def choices() -> dict[str, Choice]:
    """List the data sets, the bundled ones first, then those in the folder, then those that must be fetched."""
    from opnb.benchmark import local_datasets
    from opnb.data import pmlb_catalogue

    sets = [(name, example(name)) for name in (EXAMPLE + name for name in bundled_names())]
    found = [
        Choice(name, "example", len(data.y), len(data.feature_names), len(data.class_names)) for name, data in sets
    ]
    known = pmlb_catalogue()
    found += [Choice(e.name, "folder" if e.local else "network", e.n, e.p, e.K) for e in known]
    listed = {entry.name for entry in known}
    found += [Choice(name, "folder") for name in local_datasets(None) if name not in listed]
    order = ("example", "folder", "network")
    return {choice.name: choice for choice in sorted(found, key=lambda choice: order.index(choice.place))}


def ordered(methods: Sequence[str]) -> tuple[str, ...]:
    """Sort methods so that the quick ones come first, and with them the first rows."""
    from opnb.benchmark import cheap_first

    return tuple(cheap_first(methods, *_USUAL_SIZE))


def lay_out(folder: Path, names: Sequence[str]) -> None:
    """Put examples and local data sets into a folder of pmlb's layout; others are fetched into it later."""
    from opnb.data.benchmarks import DATA_DIR_VARIABLE

    local = os.environ.get(DATA_DIR_VARIABLE)
    for name in names:
        place = _place(folder, name)
        if place.exists():
            continue
        if name.startswith(EXAMPLE):
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(_packed(example(name)))
        elif local and _place(Path(local), name).is_file():
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(_place(Path(local), name), place)


def _place(folder: Path, name: str) -> Path:
    """Say where pmlb keeps a data set."""
    return folder / name / f"{name}.tsv.gz"


def _packed(data: Dataset) -> bytes:
    import pandas as pd

    columns = [f"x{j + 1}" for j in range(data.X.shape[1])]
    frame = pd.DataFrame(data.X, columns=columns).assign(target=data.y)
    return gzip.compress(frame.to_csv(sep="\t", index=False).encode())


@dataclass(eq=False)
class Entry:
    """Results on the desk.

    Attributes
    ----------
    name : str
    results : Results
    raw : bytes
        The results file itself.
    is_run : bool
        Whether the rows were made here.
    id : int
    """

    name: str
    results: Results
    raw: bytes
    is_run: bool = False
    id: int = field(default_factory=lambda: next(_numbers))
    _summaries: dict[tuple[str, ...], Summary] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods that the results have rows of."""
        return tuple(dict.fromkeys(self.results.frame["method"]))

    def summary(self, methods: Sequence[str]) -> Summary:
        """Summarise the results of some methods, once."""
        from opnb.benchmark import summarise

        key = tuple(methods)
        if key not in self._summaries:
            self._summaries[key] = summarise(self.results, key)
        return self._summaries[key]


class Desk(LongRun):
    """The results of a visit, and the run that makes more of them.

    Attributes
    ----------
    entries : list of Entry
        The latest last.
    shown : int
        Number (`id`) of the entry that is looked at.
    protocol : Protocol or None
        Of the run under way, or of the last one.
    progress : Progress or None
    fetching : str
        The data set that is being fetched.
    """

    def __init__(self, visitor: Visitor | None = None) -> None:
        super().__init__(visitor)
        self.entries: list[Entry] = []
        self.shown = 0
        self.protocol: Protocol | None = None
        self.progress: Progress | None = None
        self.fetching = ""
        self._folder: Path | None = None
        self._file: Path | None = None
        self._runs = 0
        self._seconds_before = self._began = 0.0
        self._read: tuple[int, Results] | None = None

    @property
    def folder(self) -> Path:
        """A folder for data and results that lives as long as the visit."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="opnb-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    @property
    def entry(self) -> Entry | None:
        """The entry that is looked at."""
        return next((entry for entry in self.entries if entry.id == self.shown), None)

    def show(self, number: int) -> None:
        """Look at another entry."""
        self.shown = number

    def load(self, name: str, data: bytes) -> str:
        """Put a results file on the desk; give the reason where it is none, and leave everything as it was."""
        from opnb.benchmark import read_results, summarise

        try:
            results = read_results(data, name)
            summarise(results)  # a file without a finished row has nothing to show
        except OPNBError as error:
            return str(error)
        self._add(Entry(name, results, data))
        return ""

    def _add(self, entry: Entry) -> None:
        self.entries = [*self.entries, entry][-_KEPT:]
        self.shown = entry.id

    def run(self, protocol: Protocol) -> None:
        """Begin a benchmark; rows that earlier runs of this visit have are taken over."""
        from opnb.benchmark import Progress

        self._runs += 1
        self._file = self.folder / f"run-{self._runs}.csv"
        lay_out(self.folder, protocol.datasets)
        self._file.write_bytes(self._known(protocol))
        self.protocol, self.fetching = protocol, ""
        known = self.so_far()
        self._seconds_before = 0.0 if known is None else float(_seconds(known).sum())
        done = set() if known is None else known.tasks()
        tasks = [task for task in protocol.tasks() if task not in done]
        self.progress = Progress(len(done), len(done) + len(tasks), len(done))
        self.begin(partial(self._work, protocol, tasks), heard=self._note)

    def _known(self, protocol: Protocol) -> bytes:
        """Write the finished rows of earlier runs that a protocol asks for."""
        from opnb.benchmark.rows import line_of

        wanted, settings = set(protocol.tasks()), protocol.settings()
        earlier = (row for entry in self.entries if entry.is_run for row in rows_of(entry.results))
        fine = {row.task: row for row in earlier if row.protocol == settings and row.status == "ok"}
        return line_of(None) + b"".join(line_of(row) for task, row in sorted(fine.items()) if task in wanted)

    def _work(self, protocol: Protocol, tasks: Sequence[Task], job: Job[None]) -> None:
        """Fetch the data that are missing, and have the tasks done."""
        missing = [name for name in protocol.datasets if not _place(self.folder, name).is_file()]
        if missing:
            run_in_child(job, say_fetched, {"names": sorted(missing), "folder": str(self.folder)}, self._note)
        if not job.stopping:
            files = {name: _place(self.folder, name).read_bytes() for name in protocol.datasets}
            share_out(partial(rows_work, protocol, files), tasks, job)

    def _note(self, answer: Mapping[str, Any]) -> None:
        """Keep a row that has come, or what is being fetched."""
        from opnb.benchmark import Row
        from opnb.benchmark.rows import line_of

        if "fetching" in answer:
            self.fetching = answer["fetching"]
            return
        assert self._file is not None
        assert self.progress is not None
        row, at, now = Row(**answer), self.progress, time.monotonic()
        with self._file.open("ab") as file:
            file.write(line_of(row))
        if at.done == at.before:
            self._began = now - sum(part for part in (row.seconds_tune, row.seconds_fit) if part > 0)  # not if unknown
        self.fetching = ""
        self.progress = replace(at, done=at.done + 1, bad=at.bad + (row.status != "ok"), seconds=now - self._began)

    def so_far(self) -> Results | None:
        """Read the rows that the run has written; None before the first."""
        from opnb.benchmark import read_results

        if self._file is None or not self._file.exists():
            return None
        data = self._file.read_bytes()
        if self._read is None or self._read[0] != len(data):
            self._read = (len(data), read_results(data, self._name()))
        results = self._read[1]
        return results if len(results.frame) else None

    def seconds_left(self) -> float | None:
        """Expect of every method what it took on the data set, or else on others; None before each was seen once."""
        results, at = self.so_far(), self.progress
        if results is None or at is None or self.protocol is None:
            return None
        rows = results.frame.assign(seconds=_seconds(results))
        by_method = rows.groupby("method")["seconds"].mean().to_dict()
        by_both = rows.groupby(["dataset", "method"])["seconds"].mean().to_dict()
        rest = set(self.protocol.tasks()) - results.tasks()
        if any(task.method not in by_method for task in rest):
            return None
        expected = sum(by_both.get((task.dataset, task.method), by_method[task.method]) for task in rest)
        # The rows have seconds of the processor, which others may keep busy, and of which a cluster has several.
        fresh = float(rows["seconds"].sum()) - self._seconds_before
        return float(expected) * at.seconds / fresh if fresh > 0 else None

    def collect(self) -> Job[None] | None:
        """Put the rows of a run that has ended on the desk."""
        job = super().collect()
        results = None if job is None else self.so_far()
        if results is not None and self._file is not None:
            self._add(Entry(self._name(), results, self._file.read_bytes(), is_run=True))
        return job

    def _name(self) -> str:
        assert self.protocol is not None
        sets, methods = len(self.protocol.datasets), len(self.protocol.methods)
        return f"Run {self._runs}: {quantity(sets, 'data set')}, {quantity(methods, 'method')}"

    @property
    def is_partial(self) -> bool:
        """Whether what is looked at is the last run, and that ended before its end."""
        last = next((entry for entry in reversed(self.entries) if entry.is_run), None)
        ended = self.job is None and self.progress is not None and self.progress.done < self.progress.total
        return ended and last is not None and last.id == self.shown


def desk_of(state: Studio) -> Desk:
    """Give the desk of a visit."""
    return state.work.run("benchmark", Desk)


def say_fetched(say: Say, names: Sequence[str], folder: str) -> None:
    """Fetch data sets into a folder, and say which; the work of a process (see `opnb.studio.work.process`)."""
    from opnb.data import pmlb_table

    for name in names:
        say({"fetching": name})
        pmlb_table(name, folder)


def rows_work(protocol: Protocol, files: Mapping[str, bytes], tasks: Sequence[Task], job: Job[None]) -> None:
    """Do tasks of a benchmark in a process, and say their rows as they come; run by a `Job`.

    Parameters
    ----------
    protocol : Protocol
    files : mapping of str to bytes
        The data sets, as pmlb keeps them.
    tasks : sequence of Task
    job : Job
    """
    with tempfile.TemporaryDirectory(prefix="opnb-rows-") as folder:
        for dataset, content in files.items():
            place = _place(Path(folder), dataset)
            place.parent.mkdir()
            place.write_bytes(content)
        asked = {"protocol": asdict(protocol) | {"data_dir": folder}, "tasks": [asdict(task) for task in tasks]}
        run_in_child(job, say_rows, asked, job.say)


def say_rows(say: Say, protocol: dict[str, Any], tasks: Sequence[dict[str, Any]]) -> None:
    """Do tasks of a benchmark and say their rows; the work of a process (see `opnb.studio.work.process`)."""
    from opnb.benchmark import Protocol, Task
    from opnb.benchmark.tasks import run_task, warm_up

    asked = Protocol(**protocol)
    warm_up(tuple(sorted({task["method"] for task in tasks})))
    for task in tasks:
        say(asdict(run_task(asked, Task(**task))))


def _seconds(results: Results) -> Any:
    """Give the seconds of every row; those of failed ones are not known and count as none."""
    return (results.frame["seconds_tune"] + results.frame["seconds_fit"]).fillna(0.0)


def rows_of(results: Results) -> list[Row]:
    """Turn results back into rows."""
    from opnb.benchmark import Row

    sizes = ("n", "p", "K")
    rows = []
    for record in results.frame.to_dict("records"):
        cells: dict[str, Any] = {str(name): value for name, value in record.items()}
        rows.append(Row(**cells | {name: None if math.isnan(cells[name]) else int(cells[name]) for name in sizes}))
    return rows
