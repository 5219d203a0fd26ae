"""Running an experiment: which tasks are left, who does them, and every row to disk as it comes."""

import os
import time
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from opnb.benchmark.boxes import run_in_boxes
from opnb.benchmark.cluster import run_on_cluster
from opnb.benchmark.progress import Progress, Report
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.results import Results
from opnb.benchmark.results_file import ResultsFile
from opnb.benchmark.rows import Row
from opnb.benchmark.tasks import run_task, warm_up
from opnb.data import pmlb_catalogue, pmlb_table
from opnb.data.benchmarks import DATA_DIR_VARIABLE
from opnb.errors import DataError


def run_benchmark(
    protocol: Protocol,
    out: str | Path,
    *,
    resume: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Report | None = None,
) -> Results:
    """Run an experiment and write one row a task.

    Parameters
    ----------
    protocol : Protocol
    out : path
        The results file.
    resume : bool, default=False
        Continue a file of the same settings: tasks that have a row in it are not done again. Data sets, methods
        and repeats may be added.
    jobs : int, default=1
        Processes of this machine at a time. With one and without a timeout the tasks run in this process.
    scheduler : str, optional
        Address of a Dask scheduler that does the tasks instead.
    progress : callable, optional
        Called with a `Progress` at the beginning and after each row. It may raise to give up; what has been
        written stays.

    Returns
    -------
    Results
        Everything in the file.
    """
    if jobs < 1:
        raise DataError(f"jobs must be at least 1, not {jobs}.")
    if scheduler is None:
        check_datasets(protocol)
    with ResultsFile(Path(out), protocol, resume=resume) as file:
        tasks = protocol.tasks()
        pending = file.pending(tasks)
        at = Progress(len(tasks) - len(pending), len(tasks), len(tasks) - len(pending))
        report = progress or _say_nothing
        report(replace(at, notes=file.notes))
        # Closed at once when this function is left, or processes would work on for rows that nobody takes.
        with closing(_rows(protocol, pending, jobs, scheduler)) as rows:
            _write(file, rows, at, report)
        return file.results()


def _write(file: ResultsFile, rows: Generator[Row], at: Progress, report: Report) -> None:
    begin = time.monotonic()
    for row in rows:
        file.append(row)
        bad = at.bad + (row.status != "ok")
        at = Progress(at.done + 1, at.total, at.before, bad, time.monotonic() - begin)
        report(at)


def _say_nothing(progress: Progress) -> None:
    pass


def _rows(protocol: Protocol, tasks: Sequence[Task], jobs: int, scheduler: str | None) -> Generator[Row]:
    """Get ready, and give the rows of tasks from where they are to be done."""
    if scheduler is not None and tasks:
        return run_on_cluster(protocol, tasks, scheduler)
    if tasks:
        fetch_missing(protocol)
        warm_up(protocol.methods)
    if jobs == 1 and protocol.timeout is None:
        return (run_task(protocol, task) for task in tasks)
    return run_in_boxes(protocol, tasks, jobs)


def local_datasets(data_dir: str | None) -> tuple[str, ...]:
    """List the data sets of a folder in pmlb's cache layout; by default that of OPNB_DATA_DIR."""
    chosen = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    found = Path(chosen).glob("*/*.tsv.gz") if chosen else ()
    return tuple(sorted({path.parent.name for path in found if path.name == f"{path.parent.name}.tsv.gz"}))


def check_datasets(protocol: Protocol) -> None:
    """Refuse a data set that is neither in the folder nor in PMLB, before hours are spent on the others."""
    known = {entry.name for entry in pmlb_catalogue()} | set(local_datasets(protocol.data_dir))
    unknown = [name for name in protocol.datasets if name not in known]
    if unknown:
        raise DataError(f"datasets: PMLB has no '{unknown[0]}'. Look for it by a part of its name.")


def fetch_missing(protocol: Protocol) -> None:
    """Fetch what the folder lacks, once, so that processes do not fetch it side by side.

    What cannot be had is left for the tasks to say.
    """
    if protocol.data_dir is None and DATA_DIR_VARIABLE not in os.environ:
        return
    for name in set(protocol.datasets) - set(local_datasets(protocol.data_dir)):
        with suppress(DataError):
            pmlb_table(name, protocol.data_dir)
