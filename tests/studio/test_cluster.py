"""Work on a cluster of two worker processes of this machine: the same outcome, progress and Cancel as without one."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from opnb.benchmark import Protocol
from opnb.errors import OPNBError
from opnb.studio.benchmark.desk import EXAMPLE, Desk
from opnb.studio.compare.comparison import Comparison
from opnb.studio.diagnose.diagnosis import diagnose_work
from opnb.studio.serving import health
from opnb.studio.tune.studies import fits_work, penalty_specs
from opnb.studio.visit.settings import default_spec
from opnb.studio.visit.sources import fetch_table
from opnb.studio.visit.state import Studio
from opnb.studio.work import cluster as clusters
from opnb.studio.work import jobs
from opnb.studio.work.cluster import hand_over
from opnb.studio.work.errands import LongRun
from opnb.studio.work.fitting import FitProgress, fit_work
from opnb.studio.work.jobs import Job, Queue
from opnb.studio.work.limits import FITS_VARIABLE, SCHEDULER_VARIABLE, SECONDS_VARIABLE, fit_limits
from opnb.studio.work.shares import share_out
from opnb.studio.work.studies import Studies, report
from tests.browser.harness import free_port
from tests.studio.conftest import ROOT
from tests.two_workers import two_workers as start_two_workers
from tests.workspace.samples import fit

distributed = pytest.importorskip("distributed")
# Dask's own clean-up after a worker that was killed warns about what was left open.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
WAIT = 120.0


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with start_two_workers(tmp_path_factory.mktemp("dask")) as running:
        yield running


@pytest.fixture
def cluster(two_workers, monkeypatch):
    """The cluster, named to the app; and queues as wide as they were afterwards."""
    monkeypatch.setenv(SCHEDULER_VARIABLE, two_workers.scheduler_address)
    monkeypatch.setenv(SECONDS_VARIABLE, "1e9")  # on a busy machine a long fit would be refused before it begins
    eventually(lambda: len(two_workers.scheduler.workers) == 2)  # one of them may have been killed before
    widths = jobs.queue().limit, jobs.long_queue().limit
    yield two_workers
    jobs.queue().limit, jobs.long_queue().limit = widths


def where(job):
    return os.getpid()


def count(job):
    """Count until it is told to stop, and say every number."""
    number = 0
    while not job.stopping:
        number += 1
        job.progress = number
        job.say((number, os.getpid()))
        time.sleep(0.02)
    return number


def eventually(condition):
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.02)


def done(work, **more):
    job = Job(partial(hand_over, work), **more)
    job.run()
    assert not job.error, job.error
    return job


def test_work_is_done_elsewhere_only_with_a_scheduler(cluster, monkeypatch):
    assert done(where).result != os.getpid()
    monkeypatch.setenv(SCHEDULER_VARIABLE, " ")
    assert done(where).result == os.getpid()


def test_a_fit_is_the_same_and_can_be_watched(cluster):
    here = fit()
    job = done(partial(fit_work, here.spec, here.table, here.dataset))
    there = job.result
    np.testing.assert_array_equal(there.classifier.components_, here.classifier.components_)
    assert there.measures[0].errors == here.measures[0].errors
    assert there.dataset is here.dataset
    assert there.table is here.table
    assert there.id != here.id
    assert isinstance(job.progress, FitProgress)
    assert job.progress.steps == 5
    assert job.progress.stage == "score"
    assert job.progress.points.shape[1] == 2


def test_studies_give_the_same(cluster):
    result, studies = fit(), Studies()
    studies.ask("diagnosis", partial(diagnose_work, result))
    assert studies.job.wait(WAIT)
    studies.collect()
    found = studies.outcomes["diagnosis"]
    assert [finding.code for finding in found] == [f.code for f in diagnose_work(result, Job(lambda job: None))]
    fits = done(partial(fits_work, penalty_specs(result.spec), result)).result
    assert fits[0] is result, "the fit that was asked about comes back as itself"
    assert all(other.dataset is result.dataset for other in fits)


def stopped_study(job):
    report(job, 0.5, "waiting")
    while True:
        report(job, 0.5, "waiting")


def test_a_study_that_is_stopped_has_nothing_to_show(cluster):
    studies = Studies()
    studies.ask("one", stopped_study)
    eventually(lambda: studies.job.progress is not None)
    assert studies.job.progress.words == "waiting"
    studies.cancel()
    assert studies.job.wait(WAIT)
    studies.collect()
    assert studies.failures == {"one": ""}


def test_trials_and_rows_arrive_as_they_come(cluster):
    comparison = Comparison(fit().dataset)
    comparison.run(["LDA"], 2)
    desk = Desk()
    desk.run(Protocol((EXAMPLE + "iris",), ("LDA",), 2, max_rows=60, data_dir=str(desk.folder)))
    assert comparison.job.wait(WAIT)
    comparison.collect()
    assert not comparison.problem
    assert set(comparison.trials) == {("LDA", 0), ("LDA", 1)}
    assert desk.job.wait(WAIT)
    desk.collect()
    assert not desk.problem
    assert desk.progress.done == 2
    assert desk.entry.results.frame["status"].tolist() == ["ok", "ok"]


def say_numbers(numbers, job):
    """Say numbers one by one, with the process, until all have been said or a stop."""
    for number in numbers:
        if job.stopping:
            return
        job.say((number, os.getpid()))
        time.sleep(0.05)


def say_numbers_for_ever(numbers, job):
    """Say the first number, and then wait for a stop."""
    job.say((numbers[0], os.getpid()))
    while not job.stopping:
        time.sleep(0.02)


def test_pieces_are_shared_out_among_all_workers_beside_the_fits(cluster):
    heard = []
    run = LongRun()
    run.begin(partial(share_out, say_numbers_for_ever, range(8)), heard=heard.append)
    eventually(lambda: len(heard) == 2)
    assert heard[0][1] != heard[1][1], "one worker has both"
    assert done(where).result in {process for _, process in heard}, "a fit finds a worker meanwhile"
    run.cancel()
    assert run.job.wait(WAIT)
    assert not run.collect().error


def test_the_pieces_of_a_worker_that_dies_are_done_by_others(cluster):
    heard = []
    run = LongRun()
    run.begin(partial(share_out, say_numbers, range(200)), heard=heard.append)
    eventually(lambda: len({process for _, process in heard}) == 2)
    os.kill(heard[-1][1], signal.SIGKILL)
    assert run.job.wait(WAIT)
    assert not run.collect().error
    assert sorted(number for number, _ in heard) == list(range(200)), "every piece is done once"


def slow_fit(**changes):
    """A visit with a fit that goes on until it is stopped."""
    state, usual = Studio(), default_spec()
    assert state.offer(usual.data.source, fetch_table(usual.data.source), usual.data)
    settings = {"init": "random", "n_init": 100, "max_iter": 2_000, "tol": 1e-10} | changes
    state.fit(replace(state.spec, **settings))
    assert not state.fit_error
    return state


def test_cancel_keeps_what_a_fit_had_reached(cluster):
    state = slow_fit()
    eventually(lambda: isinstance(state.job.progress, FitProgress) and state.job.progress.steps > 3)
    state.cancel()
    assert state.job.wait(WAIT)
    assert state.collect()
    assert "You stopped this fit" in state.result.notes[0]


def test_a_worker_that_dies_is_said_and_its_fit_is_offered_again(cluster):
    state = slow_fit()
    eventually(lambda: isinstance(state.job.progress, FitProgress))
    with distributed.Client(cluster, set_as_default=False) as client:
        busy = next(worker for worker, tasks in client.processing().items() if tasks)
        os.kill(client.run(os.getpid, workers=[busy])[busy], signal.SIGKILL)
    assert state.job.wait(WAIT)
    asked = state.spec
    state.collect()
    assert "went away before it was done" in state.fit_error
    assert state.interrupted == asked
    assert done(where).result != os.getpid(), "the other worker is there"


def test_others_have_their_turn_and_the_work_stands_still_meanwhile(cluster):
    heard, seen = [], []
    queue = Queue(1, turn=0.2)
    long = queue.submit(Job(partial(hand_over, count), "me", heard=heard.append))
    eventually(lambda: heard)

    def look(job):
        """Work of another visitor, which must find a worker although the first job still has one."""
        workers = {hand_over(where, Job(lambda job: None)) for _ in range(4)}
        before = len(heard)
        time.sleep(0.5)
        seen.extend([before, len(heard), workers])

    for _ in range(2):
        other = queue.submit(Job(look, "you"))
        assert other.wait(WAIT)
        assert not other.error
        before, after, _ = seen[-3:]
        assert before == after > 0, "it went on during the other's turn"
        eventually(lambda heard_then=after: len(heard) > heard_then or long.finished)
    queue.cancel(long)
    assert long.wait(WAIT)
    assert long.result == len(heard), "every message arrived, each once"
    assert [number for number, _ in heard] == list(range(1, len(heard) + 1))
    assert long.worked < long.seconds


def read_limit(job):
    return fit_limits().seconds


def test_the_worker_keeps_to_the_limits_of_the_server(cluster, monkeypatch):
    monkeypatch.setenv(SECONDS_VARIABLE, "77")
    assert done(read_limit).result == 77


def fail(kind, job):
    raise kind("not like this")


def test_what_the_work_finds_wrong_is_said(cluster, caplog):
    for kind in (OPNBError, ValueError):
        job = Job(partial(hand_over, partial(fail, kind)))
        job.run()
        assert (job.error, job.lost) == ("not like this", False)
    job = Job(partial(hand_over, partial(fail, KeyError)))
    job.run()
    assert "went wrong inside the program" in job.error
    assert "not like this" in caplog.text, "the server's log has what the worker met"


def test_a_connection_that_meets_other_news_first_is_made_again(monkeypatch):
    tries = []

    def client(*given, **settings):
        tries.append(given)
        assert len(tries) > 1
        return "connected"

    monkeypatch.setattr(distributed, "Client", client)
    assert clusters._new_client("tcp://127.0.0.1:9") == "connected"
    assert len(tries) == 2


def test_the_queues_are_as_wide_as_the_cluster(cluster, monkeypatch):
    done(where)
    assert (jobs.queue().limit, jobs.long_queue().limit) == (2, 1)
    jobs.make_room(20)
    assert (jobs.queue().limit, jobs.long_queue().limit) == (20, 5)
    monkeypatch.setenv(FITS_VARIABLE, "3")
    jobs.make_room(20)
    assert jobs.queue().limit == 3, "what the owner has set stays"


def asked_for_health():
    answer = health.routes()[0].endpoint(None)
    return answer.status_code, json.loads(answer.body)["cluster"]


def test_health_looks_at_the_cluster(cluster, monkeypatch):
    assert asked_for_health() == (200, "ok")
    monkeypatch.setenv(SCHEDULER_VARIABLE, "tcp://127.0.0.1:9")
    monkeypatch.setattr(clusters, "_CONNECT", 0.5)
    assert asked_for_health() == (503, "failing")


@pytest.fixture
def processes(tmp_path):
    """Start programs of Dask, as an owner does; they end with the test."""
    started = []

    def start(program, *options):
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *map(str, options)]
        started.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait(30)


def test_a_scheduler_that_dies_is_said_and_is_found_when_it_is_there_again(processes, tmp_path, monkeypatch):
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    monkeypatch.setenv(SCHEDULER_VARIABLE, address)
    preload = ["--preload", "opnb.studio.work.worker"]
    place = ["--host", "127.0.0.1", "--port", port, "--dashboard-address", ":0", *preload]
    scheduler = processes("scheduler", *place)
    local = ["--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", tmp_path, *preload]
    processes("worker", address, *local)
    eventually(clusters.cluster_is_well)
    heard: list[int] = []
    job = Job(partial(hand_over, count), heard=heard.append)
    threading.Thread(target=job.run).start()
    eventually(lambda: heard or job.finished)
    assert not job.error
    scheduler.kill()
    scheduler.wait(30)
    assert job.wait(WAIT)
    assert job.lost
    assert "does not answer" in job.error
    assert not clusters.cluster_is_well()
    processes("scheduler", *place)
    processes("worker", address, *local)
    eventually(clusters.cluster_is_well)
    assert done(where).result != os.getpid()


def test_a_cluster_without_workers_is_said(monkeypatch):
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as running:
        monkeypatch.setenv(SCHEDULER_VARIABLE, running.scheduler_address)
        job = Job(partial(hand_over, where))
        job.run()
        assert job.lost
        assert "has no workers" in job.error
        assert not clusters.cluster_is_well()
