"""The app with a cluster of two workers of this machine beside the app without one: fit, Cancel, and a benchmark.

make bench BENCH=app-cluster    about three minutes
"""

import os
import statistics
import time
import urllib.parse
from contextlib import contextmanager

from opnb.benchmark import Protocol
from opnb.studio.benchmark.desk import EXAMPLE, Desk
from opnb.studio.work.limits import SCHEDULER_VARIABLE
from tests.bench.timing import heading, row
from tests.browser import harness
from tests.browser.test_journeys import SLOW

_REPEATS = 3
_IRIS = urllib.parse.urlencode({"data": "example:iris"})
_DATA, _METHODS, _SPLITS = ("iris", "wine", "penguins"), ("LDA", "RDA", "OPNB"), 4


@contextmanager
def _two_workers():
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=":0", silence_logs=50
    ) as running:
        yield running.scheduler_address


def app_cluster():
    """Seconds of a visitor, with and without a cluster."""
    heading("The app with a cluster of two workers (median of a few)")
    row("", "here", "on the cluster", "ratio")
    with (
        _two_workers() as scheduler,
        harness.running_app(OPNB_DATA_DIR="") as here,
        harness.running_app(OPNB_DATA_DIR="", OPNB_SCHEDULER=scheduler) as there,
        harness.chromium() as chromium,
    ):
        for words, measure in (("fit of iris, page loaded to picture", _picture), ("Cancel, click to answer", _cancel)):
            _tell(words, *(_median(measure, chromium, address) for address in (here, there)))
        _tell(f"benchmark, {len(_DATA) * len(_METHODS) * _SPLITS} rows", _benchmark(""), _benchmark(scheduler))


def _tell(words, here, there):
    row(words, f"{here:.2f}", f"{there:.2f}", f"{there / here:.2f}")


def _median(measure, chromium, address):
    seconds = []
    for _ in range(_REPEATS + 1):  # the first visit compiles and imports
        context = harness.open_context(chromium)
        seconds.append(measure(harness.Tab(context.new_page(), address)))
        context.close()
    return statistics.median(seconds[1:])


def _picture(tab):
    began = time.perf_counter()
    tab.open(f"?{_IRIS}").picture()
    return time.perf_counter() - began


def _cancel(tab):
    tab.open(f"?{SLOW}").sees("Points on the way")
    began = time.perf_counter()
    tab.page.get_by_role("button", name="Cancel").click()
    tab.sees("You stopped this fit")
    return time.perf_counter() - began


def _benchmark(scheduler):
    """Run a benchmark as the page does, and give its seconds."""
    os.environ[SCHEDULER_VARIABLE] = scheduler
    desk = Desk()
    protocol = Protocol(tuple(EXAMPLE + name for name in _DATA), _METHODS, _SPLITS, data_dir=str(desk.folder))
    began = time.perf_counter()
    desk.run(protocol)
    assert desk.job.wait(600)
    seconds = time.perf_counter() - began
    del os.environ[SCHEDULER_VARIABLE]
    desk.collect()
    assert not desk.problem, desk.problem
    return seconds


SECTIONS = {"app-cluster": app_cluster}
