"""Fits on a cluster of two worker processes on this machine, one of which is killed."""

import os
import signal

import numpy as np
import pytest

from opnb import OPNBClassifier
from opnb.cli import main
from opnb.core.objective import evaluate
from opnb.estimators.distributed import OnDask
from opnb.estimators.rows import training_rows
from tests.two_workers import two_workers

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
# Its own clean-up after a worker that was killed warns about what was left open.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
SETTINGS = {"n_components": 2, "max_iter": 20, "n_bins": 100}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with two_workers(tmp_path_factory.mktemp("dask")) as running:
        yield running


def rows(n=4000):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    return rng.standard_normal((n, 5)) + 1.5 * rng.standard_normal((3, 5))[y], y


def scattered(X, y):
    return da.from_array(X, chunks=(1000, 5)), da.from_array(y, chunks=1000)


def test_value_and_gradient_are_those_in_memory(cluster):
    X, y = rows()
    clf = OPNBClassifier(**SETTINGS)
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((5, 2)))[0]
    one = evaluate(V, training_rows(clf, X, y).pose(clf, 0.01))
    with distributed.Client(cluster):
        other = training_rows(clf, *scattered(X, y)).pose(clf, 0.01).at(V)
    assert other.value == pytest.approx(one.value, rel=1e-12)
    assert np.linalg.norm(one.gradient - other.gradient) <= 1e-12 * np.linalg.norm(one.gradient)


@pytest.mark.filterwarnings("ignore:The search gave up")
def test_a_worker_that_is_killed_changes_nothing(cluster):
    X, y = rows()
    with dask.config.set(scheduler="synchronous"):
        unharmed = OPNBClassifier(**SETTINGS).fit(*scattered(X, y))
    killed = []

    def kill_one(iteration):
        if iteration.number == 3 and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    with distributed.Client(cluster):
        there = OPNBClassifier(**SETTINGS, callback=kill_one).fit(*scattered(X, y))
    assert len(killed) == 1
    # The same sums in the same order, whoever makes them.
    np.testing.assert_array_equal(there.components_, unharmed.components_)
    np.testing.assert_array_equal(there.predict_log_proba(X), unharmed.predict_log_proba(X))


def test_rows_are_worked_on_where_they_are_stored(cluster):
    """Dask would share six calls out among both workers, and copy the rows for it."""
    run = OnDask()
    with distributed.Client(cluster) as client:
        cluster.sync(cluster.scheduler.extensions["stealing"].stop)  # a slow worker would be relieved of calls
        one, other = client.scheduler_info(n_workers=-1)["workers"]
        with dask.annotate(workers=[one]):
            stored = run.stored([run.call(np.ones, 1000) for _ in range(6)])
        with dask.annotate(workers=[other]):
            axes = dask.persist(run.hold(np.ones(3)))[0]
        places = run.result([run.call(place_of_work, rows, axes) for rows in stored])
    assert places == [one] * 6


def test_every_thread_gets_as_many_pieces_and_what_is_stored_stays(cluster):
    run = OnDask()
    with distributed.Client(cluster) as client:
        workers = list(client.scheduler_info(n_workers=-1)["workers"])
        spread = run.spread([dask.delayed(np.ones, pure=False)(1000) for _ in range(4)])
        homes = [run._homes[promise.key] for promise in spread]
        with dask.annotate(workers=workers[:1]):
            stored = dask.persist(*(dask.delayed(np.ones, pure=False)(1000) for _ in range(4)))
        settled = run.spread([dask.delayed(np.negative, pure=False)(promise) for promise in stored])
        assert homes == [[home] for home in workers * 2]
        assert [run._homes[promise.key] for promise in settled] == [workers[:1]] * 4


def place_of_work(rows, axes):
    return distributed.get_worker().address


def test_a_search_that_comes_to_rest_ends_where_it_does_in_memory(cluster):
    X, y = rows()
    settings = {"n_components": 2, "lam": 0.02, "max_iter": 300, "tol": 1e-7}
    here = OPNBClassifier(**settings).fit(X, y)
    with distributed.Client(cluster):
        there = OPNBClassifier(**settings).fit(*scattered(X, y))
    assert here.converged_
    assert there.converged_
    assert there.history_[-1].objective == pytest.approx(here.history_[-1].objective, rel=1e-6)


def test_the_command_line_uses_a_scheduler_and_says_when_there_is_none(cluster, tmp_path, capsys, monkeypatch):
    pd = pytest.importorskip("pandas")
    X, y = rows(800)
    for number, part in enumerate(np.array_split(np.arange(800), 2)):
        pd.DataFrame(X[part], columns=list("abcde")).assign(kind=y[part]).to_parquet(tmp_path / f"{number}.parquet")
    command = ["fit", str(tmp_path / "*.parquet"), "--target", "kind", "--components", "2", "--max-iter", "5"]
    assert main([*command, "--scheduler", cluster.scheduler_address]) == 0
    assert "Held-out error" in capsys.readouterr().out
    monkeypatch.setattr("opnb.cli.scattered._CONNECT_SECONDS", 1)
    assert main([*command, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "does not answer" in capsys.readouterr().err
