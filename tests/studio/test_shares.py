"""Pieces of work among the workers of a cluster, threads here: each is done once, whatever becomes of a worker."""

import threading
import time
from functools import partial

import pytest

from opnb.errors import OPNBError
from opnb.studio.work import shares
from opnb.studio.work.jobs import Job, LostWorkError
from opnb.studio.work.limits import SCHEDULER_VARIABLE
from opnb.studio.work.shares import share_out

WAIT = 30.0
PIECES = range(40)


@pytest.fixture(autouse=True)
def two_workers(monkeypatch):
    monkeypatch.setenv(SCHEDULER_VARIABLE, "tcp://scheduler.example:8786")
    monkeypatch.setattr(shares, "connected", lambda address: None)
    monkeypatch.setattr(shares, "threads_of", lambda client: {"one": 1, "two": 1})
    monkeypatch.setattr(shares, "hand_over", lambda work, job, *, beside: work(job))


def run(work):
    """Have the pieces done by work, and give the job and what it heard."""
    heard = []
    job = Job(partial(share_out, work, PIECES), heard=heard.append)
    job.run()
    return job, heard


def test_every_piece_is_done_once_and_all_workers_have_some():
    both = threading.Barrier(2, timeout=WAIT)

    def work(pieces, job):
        if 0 in pieces or 10 in pieces:  # the first share of each
            both.wait()
        for piece in pieces:
            job.say(piece)

    job, heard = run(work)
    assert not job.error
    assert sorted(heard) == list(PIECES)


def test_what_a_worker_that_goes_away_has_left_is_done_by_others():
    fatal = [3, 20]

    def work(pieces, job):
        for piece in pieces:
            if piece in fatal:
                fatal.remove(piece)
                raise LostWorkError("It went away.")
            job.say(piece)

    job, heard = run(work)
    assert not job.error
    assert sorted(heard) == list(PIECES)


def test_workers_that_all_go_away_end_the_run():
    def work(pieces, job):
        raise LostWorkError("It went away.")

    job, heard = run(work)
    assert (job.error, job.lost, heard) == ("It went away.", True, [])


def test_an_error_ends_the_other_shares_and_keeps_what_they_said():
    said = threading.Event()

    def work(pieces, job):
        if 0 in pieces:
            assert said.wait(WAIT)
            raise OPNBError("Not like this.")
        job.say(pieces[0])
        said.set()
        while not job.stopping:
            said.wait(0.01)

    job, heard = run(work)
    assert (job.error, job.lost) == ("Not like this.", False)
    assert heard == [10]


def eventually(condition):
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"


def test_shares_stand_still_while_others_have_their_turn():
    at_work = []

    def work(pieces, job):
        while not job.stopping:
            at_work.append(pieces)
            time.sleep(0.01)

    def stand_still():
        before = len(at_work)
        time.sleep(0.1)
        return len(at_work) == before

    job = Job(partial(share_out, work, PIECES))
    threading.Thread(target=job.run).start()
    eventually(lambda: at_work)
    with job.paused():
        eventually(stand_still)
    eventually(lambda: not stand_still())
    job.cancel()
    assert job.wait(WAIT)


def test_without_a_cluster_the_work_is_done_here_at_once(monkeypatch):
    monkeypatch.delenv(SCHEDULER_VARIABLE)
    job, heard = run(lambda pieces, job: job.say(list(pieces)))
    assert heard == [list(PIECES)]
    assert not job.error
