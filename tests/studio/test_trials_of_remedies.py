"""Remedies tried in a process: as in this one, a process for many, and an end at once."""

import os
import threading

import numpy as np
import pytest

from opnb.diagnostics import advise
from opnb.studio.diagnose import trials
from opnb.studio.diagnose.diagnosis import diagnose_work
from opnb.studio.diagnose.trials import advise_work
from opnb.studio.work import process
from opnb.studio.work.jobs import Job, queue, side_queue
from opnb.studio.work.process import run_in_child
from opnb.studio.work.studies import Studies
from tests.workspace import samples


def diagnosed(**settings):
    fit = samples.fit(**settings)
    return fit, diagnose_work(fit, Job(lambda job: None))


def plain(value):
    return value.tolist() if isinstance(value, np.ndarray) else value


def contents(finding):
    evidence = {name: plain(value) for name, value in finding.evidence.items()}
    return (finding.code, finding.severity, finding.title, finding.explanation, finding.remedy, finding.trial, evidence)


def check_same_advice(fit, findings):
    data = fit.dataset
    found = advise_work(fit, findings, Job(lambda job: None))
    expected = advise(fit.classifier, data.X_train, data.y_train, findings)
    assert [contents(finding) for finding in found] == [contents(finding) for finding in expected]
    kinds = {name: type(value) for finding in expected for name, value in finding.evidence.items()}
    assert {name: type(value) for finding in found for name, value in finding.evidence.items()} == kinds
    return found


@pytest.mark.parametrize("settings", [{"n_components": 1}, {"lam": 1e-6}, {"bend": 1.0}], ids=str)
def test_what_was_tried_elsewhere_is_as_if_it_were_tried_here(settings):
    found = check_same_advice(*diagnosed(**settings))
    assert any(finding.trial for finding in found)


def test_settings_of_numpy_are_told_as_plain_ones():
    remedy = trials.Remedy({"lam": np.float64(0.5), "n_components": np.int64(3), "init": "pca"}, "Do it.")
    told = trials._plain(remedy)
    assert [type(value) for value in told["settings"].values()] == [float, int, str]
    assert trials.Remedy(**told) == remedy


@pytest.mark.slow
def test_a_process_tries_them_and_waits_for_the_next_ones(monkeypatch):
    monkeypatch.setattr(trials, "run_in_child", run_in_child)
    fit, findings = diagnosed(n_components=1)
    job = Job(lambda job: advise_work(fit, findings, job))
    job.run()
    assert not job.error, job.error
    assert 0 < job.progress.share < 1
    (child,) = process._kept._children
    check_same_advice(fit, findings)
    assert list(process._kept._children) == [child], "it did both"
    process._kept.end()
    assert not child.is_running
    check_same_advice(fit, findings)
    process._kept.end(age=3_600)
    (child,) = process._kept._children
    child.end()
    check_same_advice(fit, findings)  # with another one: this one has died
    process._kept.end()


def wait_for_ever(say, **arguments):
    """Say which process this is, and then nothing more."""
    say({"share": 0.5, "words": str(os.getpid())})
    threading.Event().wait()


@pytest.mark.slow
def test_a_stop_ends_the_process(monkeypatch):
    monkeypatch.setattr(trials, "run_in_child", run_in_child)
    monkeypatch.setattr(trials, "say_advice", wait_for_ever)
    fit, findings = diagnosed()
    studies = Studies()
    studies.ask("key", lambda job: advise_work(fit, findings, job), beside=True)
    job = studies.job
    while not (job.progress and job.progress.words.isdigit()):
        assert not job.wait(0.01), job.error
    studies.cancel()
    assert job.wait(20)
    assert not process._kept._children
    with pytest.raises(ProcessLookupError):
        os.kill(int(job.progress.words), 0)
    studies.collect()
    assert studies.failures == {"key": ""}


def test_studies_in_processes_do_not_wait_for_fits():
    free = threading.Event()
    others = [queue().submit(Job(lambda job: free.wait(20))) for _ in range(queue().limit)]
    studies = Studies()
    try:
        studies.ask("key", lambda job: "found", beside=True)
        assert studies.queue is side_queue()
        assert studies.job.wait(20)
        assert not any(job.finished for job in others)
    finally:
        free.set()
    studies.collect()
    assert studies.outcomes == {"key": "found"}
    studies.ask("other", lambda job: "found")
    assert studies.queue is queue()
    assert studies.job.wait(20)
