"""Work in processes: answers as they come, an end at once, and problems in words."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris

from opnb.errors import OPNBError
from opnb.studio.benchmark.desk import say_fetched
from opnb.studio.compare.trials import Trial, run_trial, say_trials, split_of, store
from opnb.studio.words import about
from opnb.studio.work.errands import LongRun
from opnb.studio.work.jobs import Job, Queue
from opnb.studio.work.limits import RUN_SECONDS_VARIABLE
from opnb.studio.work.process import run_in_child

NOTHING = np.empty(0, dtype=int)


def job():
    return Job(lambda job: None)


@pytest.fixture
def stored(tmp_path):
    X, y = load_iris(return_X_y=True)
    test = np.arange(0, 150, 4)
    path = tmp_path / "data.npz"
    store(path, X, y, test)
    return path, X, y, test


@pytest.mark.slow
def test_a_process_does_the_trials_that_this_one_would(stored):
    path, X, y, test = stored
    found = []
    pairs = [("LDA", 0), ("RDA", 1)]
    arguments = {"data": str(path), "pairs": pairs}
    run_in_child(job(), say_trials, arguments, lambda answer: found.append(Trial(**answer)))
    for trial, (method, repeat) in zip(found, pairs, strict=True):
        here = run_trial(method, repeat, X, y, test)
        assert (trial.method, trial.repeat, trial.error) == (method, repeat, here.error)
        assert trial.log_loss == pytest.approx(here.log_loss)
        assert np.sum(trial.confusion) == len(test)
        assert trial.params == here.params


def wait_for_ever(say):
    """Say which process this is, and then nothing more."""
    say({"pid": os.getpid()})
    threading.Event().wait()


def ended(pid):
    """Tell whether there is no such process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_a_stop_ends_the_process_in_the_middle_of_its_work():
    stopped, said = job(), []

    def heard(answer):
        said.append(answer["pid"])
        stopped.cancel()

    run_in_child(stopped, wait_for_ever, {}, heard)
    assert ended(said[0])


def test_the_owners_limit_ends_the_process_and_is_said(monkeypatch):
    said = []
    monkeypatch.setenv(RUN_SECONDS_VARIABLE, "1e-9")
    with pytest.raises(OPNBError, match=r"all the time that this server allows a run, 1e-09 seconds, .* kept"):
        run_in_child(job(), wait_for_ever, {}, said.append)


@pytest.mark.slow
def test_what_the_process_finds_wrong_is_said(tmp_path):
    said = []
    with pytest.raises(OPNBError, match="PMLB has no data set 'no-such-set'"):
        run_in_child(job(), say_fetched, {"names": ["no-such-set"], "folder": str(tmp_path)}, said.append)
    assert said == [{"fetching": "no-such-set"}]


def break_down(say):
    """End as a process does that the system kills."""
    os._exit(3)


@pytest.mark.slow
def test_a_process_that_breaks_down_is_said():
    with pytest.raises(OPNBError, match="ended with status 3"):
        run_in_child(job(), break_down, {}, lambda answer: None)


def say_two(say, first):
    """Say something twice, and print something besides."""
    say({"n": first})
    print("a library's own words")
    say({"n": first + 1})


@pytest.mark.slow
def test_answers_pass_as_they_come():
    found = []
    run_in_child(job(), say_two, {"first": 1}, found.append)
    assert found == [{"n": 1}, {"n": 2}]


def test_a_long_run_keeps_its_problem():
    work = LongRun()

    def fails(job):
        raise OPNBError("no luck")

    work.begin(fails)
    assert work.job.wait(20)
    work.collect()
    assert work.job is None
    assert work.problem == "no luck"


def test_the_first_split_is_the_given_one_and_others_are_drawn():
    labels = np.repeat([0, 1], 40)
    test = np.arange(0, 80, 4)
    train, held_out = split_of(labels, 0, test)
    np.testing.assert_array_equal(held_out, test)
    assert set(train) | set(test) == set(range(80))
    splits = [split_of(labels, repeat, test)[1] for repeat in (1, 2, 2)]
    assert len(splits[0]) == len(test)
    assert set(splits[0]) != set(splits[1])
    np.testing.assert_array_equal(splits[1], splits[2])
    assert len(split_of(labels, 0, NOTHING)[1]) == 20, "a quarter where nothing was held out"


def test_a_method_that_fails_says_why():
    y = np.repeat([0, 1], 20)
    X = np.column_stack([y.astype(float), np.arange(40.0)])
    trial = run_trial("LDA", 1, X, y, NOTHING)
    assert "constant within each" in trial.problem
    assert np.isnan(trial.error)


def test_durations_are_as_rough_as_they_are_known():
    said = [about(seconds) for seconds in (1, 33, 70, 170, 3 * 3600)]
    assert said == ["a few seconds", "about 30 seconds", "about a minute", "about 3 minutes", "about 3 hours"]


def count(say, **arguments):
    """Count for ever."""
    for number in itertools.count():
        say({"number": number})
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the system cannot halt a process")
def test_a_process_is_halted_while_others_have_their_turn():
    """One visitor's benchmark of hours keeps nobody out, and its time stands still meanwhile."""
    heard, seen = [], []
    queue = Queue(1, turn=0.2)
    long = queue.submit(Job(lambda job: run_in_child(job, count, {}, heard.append), "me"))

    def look(job):
        time.sleep(0.3)
        seen.extend([len(heard), time.sleep(0.3), len(heard)])

    deadline = time.monotonic() + 60
    while not heard and time.monotonic() < deadline:
        time.sleep(0.01)
    other = queue.submit(Job(look, "you"))
    assert other.wait(60)
    assert seen[0] == seen[2] > 0, "it went on during the other's turn"
    before = len(heard)
    while len(heard) <= before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(heard) > before, "it did not go on afterwards"
    queue.cancel(long)
    assert long.wait(60)
    assert long.worked < long.seconds
