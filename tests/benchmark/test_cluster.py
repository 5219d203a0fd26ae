"""A cluster of two worker processes on this machine, one of which is killed during the run."""

import os
import signal

import pytest
from pandas.testing import assert_frame_equal

from opnb.benchmark import Protocol, run_benchmark
from opnb.errors import DataError
from tests.benchmark.samples import without_seconds
from tests.two_workers import two_workers

distributed = pytest.importorskip("distributed")
# Its own clean-up after a worker that was killed warns about what was left open.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with two_workers(tmp_path_factory.mktemp("dask")) as running:
        yield running


def protocol(cache, **changes):
    known = {"datasets": ("iris", "wine"), "methods": ("CCICA", "LDA", "RDA"), "repeats": 3, "max_rows": 60}
    return Protocol(**{**known, "data_dir": str(cache), **changes})


def test_every_row_arrives_once_though_a_worker_is_killed(cluster, cache, tmp_path):
    killed = []

    def kill_one(at):
        if at.done == 3:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    results = run_benchmark(
        protocol(cache), tmp_path / "dask.csv", scheduler=cluster.scheduler_address, progress=kill_one
    )
    serial = run_benchmark(protocol(cache), tmp_path / "serial.csv")
    assert len(killed) == 1
    assert len(results.frame) == 18
    assert_frame_equal(without_seconds(results), without_seconds(serial))


def test_a_timeout_on_the_cluster_is_a_row(cluster, cache, tmp_path):
    slow = protocol(cache, datasets=("wine",), methods=("LDA",), repeats=1, timeout=1e-3)
    results = run_benchmark(slow, tmp_path / "slow.csv", scheduler=cluster.scheduler_address)
    assert results.frame["status"].tolist() == ["timeout"]


def test_no_scheduler(cache, tmp_path, monkeypatch):
    monkeypatch.setattr("opnb.benchmark.cluster._CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense"):
        with pytest.raises(DataError, match="does not answer"):
            run_benchmark(protocol(cache), tmp_path / "none.csv", scheduler=address, resume=True)
