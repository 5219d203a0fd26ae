"""Work in processes: answers as they come, an end at once, and problems in words."""

import json
import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris

from opnb.errors import OPNBError
from opnb.studio.compare.trials import Trial, run_trial, split_of, store
from opnb.studio.words import about
from opnb.studio.work import process as workers
from opnb.studio.work.jobs import Job
from opnb.studio.work.process import Background, follow

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


def test_a_process_does_the_trials_that_this_one_would(stored):
    path, X, y, test = stored
    found = []
    pairs = [("LDA", 0), ("RDA", 1)]
    follow(job(), {"work": "compare", "data": str(path), "pairs": pairs}, lambda answer: found.append(Trial(**answer)))
    for trial, (method, repeat) in zip(found, pairs, strict=True):
        here = run_trial(method, repeat, X, y, test)
        assert (trial.method, trial.repeat, trial.error) == (method, repeat, here.error)
        assert trial.log_loss == pytest.approx(here.log_loss)
        assert np.sum(trial.confusion) == len(test)
        assert trial.params == here.params


def test_a_stop_ends_the_process_in_the_middle_of_its_work(stored, monkeypatch):
    started = []
    monkeypatch.setattr(workers, "_send", lambda process, request: started.append(process))
    stopped = job()
    threading.Timer(0.3, stopped.cancel).start()
    follow(stopped, {}, lambda answer: None)
    assert started[0].returncode is not None


def test_what_the_process_finds_wrong_is_said(tmp_path):
    protocol = {"datasets": ["no-such-set"], "methods": ["LDA"], "data_dir": str(tmp_path)}
    request = {"work": "benchmark", "protocol": protocol, "out": str(tmp_path / "out.csv")}
    said = []
    with pytest.raises(OPNBError, match="PMLB has no data set 'no-such-set'"):
        follow(job(), request, said.append)
    assert said == [{"fetching": "no-such-set"}]


def test_a_process_that_breaks_down_is_said(monkeypatch):
    monkeypatch.setattr(workers, "_COMMAND", "import os; os._exit(3)")
    with pytest.raises(OPNBError, match="ended with status 3"):
        follow(job(), {}, lambda answer: None)


def test_answers_pass_as_they_come(monkeypatch):
    code = f"print({json.dumps({'n': 1})!r}, flush=True); input(); print({json.dumps({'n': 2})!r})"
    monkeypatch.setattr(workers, "_COMMAND", code)
    found = []
    follow(job(), {}, found.append)
    assert found == [{"n": 1}, {"n": 2}]


def test_background_work_keeps_its_problem():
    work = Background()

    def fails(job):
        raise OPNBError("no luck")

    work.begin(fails, "", lambda: True)
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
