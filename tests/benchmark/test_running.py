"""Running: the same rows from one process or many, after any number of kills, on a cluster that loses a worker."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from opnb.benchmark import Bar, Progress, Protocol, Task, local_datasets, read_results, run_benchmark
from opnb.benchmark.boxes import Box
from opnb.benchmark.progress import bar_line, clock
from opnb.errors import DataError
from tests.benchmark.samples import without_seconds

ROOT = Path(__file__).parents[2]
FAST = ("LDA", "RDA", "NB", "CCICA")


def protocol(cache, **changes):
    known = {"datasets": ("iris", "broken"), "methods": FAST, "repeats": 2, "data_dir": str(cache), "max_rows": 60}
    return Protocol(**{**known, **changes})


@pytest.fixture(scope="module")
def serial(cache, tmp_path_factory):
    """What one process gives."""
    seen = []
    out = tmp_path_factory.mktemp("serial") / "results.csv"
    results = run_benchmark(protocol(cache), out, progress=seen.append)
    assert [at.done for at in seen] == list(range(17))
    assert seen[-1].bad == 8
    return results


@pytest.mark.slow
def test_one_row_a_task(serial, cache):
    assert serial.tasks() == set(protocol(cache).tasks())
    fine = serial.frame["status"] == "ok"
    assert (serial.frame.loc[fine, "dataset"] == "iris").all()
    assert fine.sum() == 8
    assert serial.frame.loc[~fine, "message"].str.contains("damaged").all()


class EnoughError(Exception):
    pass


def stop_after(rows):
    """A progress report that gives up."""

    def report(at):
        if at.done == rows:
            raise EnoughError

    return report


@pytest.mark.slow
def test_processes_give_the_same_rows_and_end_with_the_run(serial, cache, tmp_path):
    out = tmp_path / "results.csv"
    with pytest.raises(EnoughError):
        run_benchmark(protocol(cache), out, jobs=2, progress=stop_after(12))
    listed = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    assert "opnb.benchmark.boxes" not in listed.stdout
    results = run_benchmark(protocol(cache), out, resume=True)
    assert_frame_equal(without_seconds(results), without_seconds(serial))


@pytest.mark.slow
def test_resume_goes_on_where_it_stopped(serial, cache, tmp_path):
    out = tmp_path / "results.csv"
    with pytest.raises(EnoughError):
        run_benchmark(protocol(cache), out, progress=stop_after(5))
    written = out.read_bytes()
    assert written.count(b"\n") == 6
    seen = []
    results = run_benchmark(protocol(cache), out, resume=True, progress=seen.append)
    assert out.read_bytes().startswith(written)
    assert (seen[0].done, seen[0].before) == (5, 5)
    assert_frame_equal(without_seconds(results), without_seconds(serial))
    assert run_benchmark(protocol(cache), out, resume=True, jobs=3).tasks() == serial.tasks()


def test_more_can_be_asked_for_later(cache, tmp_path):
    out = tmp_path / "results.csv"
    run_benchmark(protocol(cache, datasets=("iris",), methods=("LDA",), repeats=1), out)
    results = run_benchmark(protocol(cache, datasets=("iris", "wine"), methods=("LDA", "RDA")), out, resume=True)
    assert len(results.frame) == 8
    with pytest.raises(DataError, match="other settings"):
        run_benchmark(protocol(cache, seed=1), out, resume=True)


RUN = """
import sys
from opnb.benchmark import Protocol, run_benchmark
if __name__ == "__main__":
    cache, out, jobs = sys.argv[1:]
    protocol = Protocol(("iris", "broken"), ("LDA", "RDA", "NB", "CCICA"), repeats=2, data_dir=cache, max_rows=60)
    run_benchmark(protocol, out, resume=True, jobs=int(jobs))
"""


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "kills"), [(1, 2), (2, 1)])
def test_kill_nine_loses_and_repeats_nothing(serial, cache, tmp_path, jobs, kills):
    out = tmp_path / "results.csv"
    command = [sys.executable, "-W", "ignore", "-c", RUN, str(cache), str(out), str(jobs)]
    kept = b""
    for _ in range(kills):
        process = subprocess.Popen(command, cwd=ROOT)
        goal = lines(out) + 3
        deadline = time.monotonic() + 60
        while lines(out) < goal and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        data = out.read_bytes()
        assert data.startswith(kept)
        kept = data[: data.rfind(b"\n") + 1]
        # What a kill in the middle of a write would leave behind.
        out.write_bytes(kept + b'iris,CCICA,1,0.0526,"{""fac')
    results = run_benchmark(protocol(cache), out, resume=True)
    assert out.read_bytes().startswith(kept)
    assert_frame_equal(without_seconds(results), without_seconds(serial))


@pytest.mark.slow
def test_a_task_that_takes_too_long_is_a_row(cache, tmp_path):
    slow = protocol(cache, datasets=("iris",), methods=("CCICA",), repeats=1, timeout=1e-3)
    results = run_benchmark(slow, tmp_path / "results.csv")
    assert len(results.frame) == 1
    assert set(results.frame["status"]) == {"timeout"}
    assert set(results.frame["message"]) == {"given up after 0.001 s"}
    assert results.frame["error"].isna().all()


@pytest.mark.slow
def test_a_process_that_dies_is_a_row_and_the_next_task_gets_another(cache):
    box = Box(protocol(cache, timeout=60))
    try:
        assert box.run(Task(0, "iris", "LDA")).status == "ok"
        os.kill(box.pid, signal.SIGSTOP)
        killer = subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.3); os.kill({box.pid}, 9)"])
        row = box.run(Task(0, "iris", "RDA"))
        killer.wait()
        assert (row.status, row.message) == ("failed", "The process ended with status -9.")
        assert box.run(Task(0, "iris", "RDA")).status == "ok"
    finally:
        box.close()
    assert box.run(Task(0, "iris", "RDA")).status == "failed"


def test_tasks_side_by_side_in_threads_leave_the_filters_of_warnings_alone(cache, tmp_path):
    # Scikit-learn looks at targets under a filter of its own, which may outlive it where two threads do so at once.
    def ours():
        return [one for one in warnings.filters if one[2] is not np.exceptions.VisibleDeprecationWarning]

    before = ours()
    short = protocol(cache, datasets=("iris",), methods=("OPNB", "CCICA"), repeats=1, folds=2)
    outcomes = {}

    def run(name):
        outcomes[name] = run_benchmark(short, tmp_path / f"{name}.csv").frame

    threads = [threading.Thread(target=run, args=(name,)) for name in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert ours() == before
    assert outcomes["one"]["message"].tolist() == outcomes["other"]["message"].tolist()
    assert (outcomes["one"]["status"] == "ok").all()


def test_unknown_data_sets_are_refused_before_the_run(cache, tmp_path):
    out = tmp_path / "results.csv"
    with pytest.raises(DataError, match="datasets: PMLB has no 'tulips'"):
        run_benchmark(protocol(cache, datasets=("iris", "tulips")), out)
    with pytest.raises(DataError, match="jobs must be at least 1"):
        run_benchmark(protocol(cache), out, jobs=0)
    assert not out.exists()
    assert local_datasets(str(cache)) == ("broken", "iris", "wine")
    assert local_datasets(None) == ()


def test_progress_tells_the_time_left():
    at = Progress(done=30, total=100, before=20, bad=2, seconds=50)
    assert at.seconds_left == 350
    assert Progress(20, 100, 20).seconds_left is None
    assert bar_line(at) == f"[{'#' * 8}{'.' * 20}] 30 of 100 rows, 2 without a result, 0:50 gone, about 5:50 left"
    assert clock(3725) == "1:02:05"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_moves_on_a_terminal_only():
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        bar = Bar(stream)
        for done in range(4):
            bar(Progress(done, 3, seconds=done))
    assert terminal.getvalue().count("\r") == 4
    assert terminal.getvalue().endswith("3 of 3 rows, 0:03 gone\n")
    assert file.getvalue().splitlines()[0].endswith("0 of 3 rows, 0:00 gone")
    assert len(file.getvalue().splitlines()) == 2


def test_frame_types_do_not_depend_on_what_is_missing(serial):
    assert serial.frame.dtypes["n"] == "float64"
    assert read_results(serial.source).frame.equals(serial.frame)
    assert pd.api.types.is_integer_dtype(serial.frame["repeat"])
