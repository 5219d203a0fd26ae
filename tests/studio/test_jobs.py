"""Jobs: the queue's order, its width, cancelling, failures, and visitors that leave."""

import threading
import time
from types import SimpleNamespace

import pytest

from opnb.errors import DataError
from opnb.studio.work import courtesy, jobs
from opnb.studio.work.jobs import Job, Queue
from opnb.studio.work.limits import FITS_VARIABLE

WAIT = 10.0


class Gate:
    """Work that runs until the gate is opened or the job is stopped, and notes when it began."""

    def __init__(self):
        self.open = threading.Event()
        self.began = []

    def job(self, name, owner="", alive=lambda: True, **more):
        return Job(lambda job: self._work(name, job), owner, alive, **more)

    def _work(self, name, job):
        self.began.append(name)
        while not (job.stopping or self.open.wait(0.01)):
            pass
        return "stopped" if job.stopping else name


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


def eventually(condition):
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.005)


def test_a_job_gives_its_result():
    job = Queue(1).submit(Job(lambda job: 42))
    assert job.wait(WAIT)
    assert (job.status, job.result, job.error) == ("done", 42, "")


def test_no_more_jobs_run_than_the_limit_and_the_rest_wait_in_order(gate):
    queue = Queue(2)
    submitted = [queue.submit(gate.job(name, owner=name)) for name in "abcd"]
    eventually(lambda: len(gate.began) == 2)
    assert sorted(gate.began) == ["a", "b"]
    assert [queue.place(job) for job in submitted] == [0, 0, 1, 2]
    gate.open.set()
    assert all(job.wait(WAIT) for job in submitted)
    assert sorted(gate.began[2:]) == ["c", "d"]


def test_one_visitor_with_many_jobs_does_not_keep_another_out(gate):
    queue = Queue(1)
    mine = [queue.submit(gate.job(f"mine {i}", owner="me")) for i in range(3)]
    yours = queue.submit(gate.job("yours", owner="you"))
    assert [queue.place(job) for job in [*mine, yours]] == [0, 2, 3, 1]
    queue.cancel(mine[0])
    eventually(lambda: gate.began == ["mine 0", "yours"])


def test_cancel_ends_a_running_job_within_a_second_and_keeps_what_it_reached(gate):
    queue = Queue(1)
    job = queue.submit(gate.job("a"))
    eventually(lambda: gate.began)
    began = time.monotonic()
    queue.cancel(job)
    assert job.wait(WAIT)
    assert time.monotonic() - began < 1.0
    assert job.result == "stopped"


def test_cancel_of_a_waiting_job_never_runs_it(gate):
    queue = Queue(1)
    first, second = queue.submit(gate.job("first")), queue.submit(gate.job("second"))
    queue.cancel(second)
    assert second.finished
    assert second.status == "cancelled"
    gate.open.set()
    assert first.wait(WAIT)
    assert gate.began == ["first"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DataError("Column 'a' is empty."), "Column 'a' is empty."),
        (ValueError("n_components is too large"), "n_components is too large"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_errors_become_words(error, words):
    def work(job):
        raise error

    job = Queue(1).submit(Job(work))
    assert job.wait(WAIT)
    assert job.status == "failed"
    assert words in job.error
    assert job.result is None


def test_an_unexpected_error_is_logged_and_its_details_stay_on_the_server(caplog):
    def work(job):
        raise RuntimeError("/secret/path")

    job = Queue(1).submit(Job(work))
    assert job.wait(WAIT)
    assert "secret" not in job.error
    assert "secret" in caplog.text


def test_a_failure_frees_the_place(gate):
    queue = Queue(1)
    queue.submit(Job(lambda job: 1 / 0))
    after = queue.submit(Job(lambda job: "fine"))
    assert after.wait(WAIT)
    assert after.result == "fine"


def test_a_visitor_who_left_frees_the_worker_and_the_place(gate, monkeypatch):
    monkeypatch.setattr(jobs, "_GRACE", 0.05)
    here = threading.Event()
    here.set()
    queue = Queue(1)
    running = queue.submit(gate.job("running", "gone", here.is_set))
    waiting = queue.submit(gate.job("waiting", "gone", here.is_set))
    mine = queue.submit(gate.job("mine", "me"))
    eventually(lambda: gate.began)
    here.clear()
    eventually(lambda: running.finished)
    eventually(lambda: queue.place(mine) == 0)
    eventually(lambda: queue.place(waiting) == 0)
    assert waiting.status == "cancelled"
    eventually(lambda: len(gate.began) == 2)
    assert gate.began == ["running", "mine"]


def test_a_short_absence_is_forgiven(gate):
    answers = iter([False, True])
    job = Queue(1).submit(gate.job("a", "me", lambda: next(answers, True)))
    eventually(lambda: gate.began)
    assert not job.stopping
    gate.open.set()
    assert job.wait(WAIT)
    assert job.result == "a"


@pytest.mark.parametrize(("given", "limit"), [("3", 3), ("0", None), ("-1", None), ("x", None), ("3²", None)])
def test_the_width_of_the_queue_is_a_setting(monkeypatch, given, limit):
    jobs.queue.cache_clear()
    monkeypatch.setenv(FITS_VARIABLE, given)
    try:
        assert jobs.queue().limit == limit if limit else jobs.queue().limit >= 1
    finally:
        jobs.queue.cache_clear()


def test_a_long_absence_is_forgiven_only_while_nobody_waits_for_the_worker(gate, monkeypatch):
    monkeypatch.setattr(jobs, "_GRACE", 0.02)
    queue = Queue(1)
    away = Job(lambda job: gate._work("away", job), "me", lambda: False, 3600.0)
    queue.submit(away)
    eventually(lambda: gate.began)
    mine_too = queue.submit(gate.job("mine too", "me"))
    time.sleep(0.1)
    assert not away.stopping
    theirs = queue.submit(gate.job("theirs", "you"))
    eventually(lambda: away.finished)
    assert away.abandoned
    eventually(lambda: "theirs" in gate.began)
    assert queue.place(mine_too) == 1
    gate.open.set()
    assert theirs.wait(WAIT)


class Clock:
    """A time that passes only when it is told to."""

    def __init__(self, monkeypatch):
        self.now = 1_000.0
        monkeypatch.setattr(jobs.time, "monotonic", lambda: self.now)


def test_a_stream_of_newcomers_does_not_starve_a_visitor_who_was_served_before(monkeypatch):
    """Each newcomer's job takes ten seconds, and another newcomer comes before it is done."""
    clock = Clock(monkeypatch)
    queue = Queue(1, turn=30)
    monkeypatch.setattr(jobs.threading.Thread, "start", lambda thread: None)  # they run when we say so

    def serve(job, seconds):
        clock.now += seconds
        job._work = lambda job: None
        queue._run(job)

    regular = queue.submit(Job(lambda job: None, "regular"))
    serve(regular, 60)
    running = queue.submit(Job(lambda job: None, "newcomer 0"))
    regular = queue.submit(Job(lambda job: None, "regular"))
    for number in range(1, 20):
        newcomer = queue.submit(Job(lambda job: None, f"newcomer {number}"))
        serve(running, 10)
        if regular in queue._running:
            break
        assert newcomer in queue._running, "a newcomer goes before one who had a minute just now"
        running = newcomer
    assert regular in queue._running
    assert 4 <= number <= 8, "a minute of service is made up for by about a minute of waiting"


def test_long_work_gives_way_to_others_and_goes_on_where_it_was(gate):
    queue = Queue(1, turn=0.05)
    steps, held = [], []

    def work(job):
        job.held_by(held.append)
        while len(steps) < 3:
            steps.append(job.status)
            time.sleep(0.06)
            if job.stopping:
                return "stopped"
        return "whole"

    long = queue.submit(Job(work, "me"))
    eventually(lambda: steps)
    others = [queue.submit(Job(lambda job: len(steps), f"other {i}")) for i in range(2)]
    assert all(job.wait(WAIT) for job in (long, *others))
    assert all(other.result < 3 for other in others), "they were served before the long work had ended"
    assert (long.result, held) == ("whole", [True, False])
    assert long.worked < long.seconds


def test_work_without_anybody_waiting_does_not_give_way():
    held = []

    def work(job):
        job.held_by(held.append)
        time.sleep(0.02)
        return job.stopping

    queue = Queue(1, turn=0.001)
    mine = [queue.submit(Job(work, "me")) for _ in range(2)]
    assert all(job.wait(WAIT) for job in mine)
    assert held == []


def test_work_that_has_given_way_ends_at_once_when_it_is_cancelled(gate):
    queue = Queue(1, turn=0.0)
    long = queue.submit(gate.job("long", "me"))
    eventually(lambda: gate.began)
    theirs = queue.submit(Job(lambda job: gate.open.wait(WAIT), "you"))
    eventually(lambda: theirs.status == "running")
    assert queue.place(long) == 1
    queue.cancel(long)
    assert long.wait(WAIT)
    assert long.result == "stopped"
    assert not theirs.finished


def test_a_queue_in_which_nobody_gets_on_is_noticed(gate, monkeypatch):
    queue = Queue(1, turn=3600.0)
    queue.submit(gate.job("first", "me"))
    eventually(lambda: gate.began)
    assert queue.idle_seconds() == 0.0, "nobody waits"
    queue.submit(gate.job("second", "you"))
    now = time.monotonic()
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now + 500.0)
    assert 499 < queue.idle_seconds() < 510


def test_a_visitors_own_work_gives_way_to_what_its_page_stands_still_for(gate):
    queue = Queue(1, turn=3600.0)
    fit = queue.submit(gate.job("fit", "me"))
    eventually(lambda: gate.began)
    reading = Job(lambda job: "read", "me")
    reading.awaited = True
    queue.submit(reading)
    assert reading.wait(WAIT)
    assert not fit.finished
    gate.open.set()
    assert fit.wait(WAIT)
    assert fit.result == "fit"


def test_a_quiet_job_makes_way_at_once_and_waits_until_nobody_else_does(gate):
    queue = Queue(1)
    quiet = queue.submit(gate.job("quiet", quiet=True))
    eventually(lambda: gate.began == ["quiet"])
    fit = queue.submit(gate.job("fit", owner="me"))
    eventually(lambda: "fit" in gate.began)  # it did not wait for the place
    assert quiet.wait(WAIT)
    assert quiet.result == "stopped"
    again = queue.submit(gate.job("again", owner="me", quiet=True))
    other = queue.submit(gate.job("other", owner="me"))
    assert (queue.place(other), queue.place(again)) == (1, 2)
    gate.open.set()
    assert all(job.wait(WAIT) for job in (fit, other, again))
    assert gate.began == ["quiet", "fit", "other", "again"]


def test_a_quiet_job_costs_its_visitor_no_turn(gate):
    queue = Queue(1)
    quiet = queue.submit(gate.job("quiet", owner="a", quiet=True))
    queue.submit(gate.job("blocks", owner="c"))
    assert quiet.wait(WAIT)
    order = [queue.submit(gate.job(name, owner=name)) for name in "ab"]
    assert [queue.place(job) for job in order] == [1, 2]


def test_nor_does_one_that_is_slow_to_stop(gate):
    queue = Queue(1)
    queue.submit(Job(lambda job: gate.open.wait(WAIT), "a", quiet=True))
    time.sleep(0.05)
    queue.submit(gate.job("blocks", owner="c"))
    order = [queue.submit(gate.job(name, owner=name)) for name in "ab"]
    assert [queue.place(job) for job in order] == [1, 2]


def test_work_lets_pages_be_drawn_but_not_the_one_that_waits_for_it(monkeypatch):
    polite, drawn = set(), threading.Event()

    def sleep(seconds):
        polite.add(threading.current_thread().name.removeprefix("opnb-job-"))

    monkeypatch.setattr(courtesy, "time", SimpleNamespace(sleep=sleep, thread_time=time.thread_time))
    page = threading.Thread(target=drawn.wait, name=courtesy._PAGE)
    page.start()
    job = Queue(1).submit(Job(lambda job: job.stopping))
    assert job.wait(WAIT)
    drawn.set()
    page.join(WAIT)
    assert job.id[:8] in polite

    def work(job):
        eventually(lambda: page in courtesy._still)
        return job.stopping

    job = Job(work)
    page = threading.Thread(target=lambda: job.wait(WAIT), name=courtesy._PAGE)
    page.start()
    Queue(1).submit(job)
    page.join(WAIT)
    assert job.finished
    assert job.id[:8] not in polite


def test_small_work_leaves_the_lock_after_as_much_work_as_it_waits(monkeypatch):
    slept, worked, drawn = [], [0.0], threading.Event()

    def sleep(seconds):
        if threading.current_thread() is work:  # and not the work of a test before, which may still be ending
            slept.append(seconds)

    clock = SimpleNamespace(sleep=sleep, thread_time=lambda: worked[0])
    monkeypatch.setattr(courtesy, "time", clock)
    page = threading.Thread(target=drawn.wait, name=courtesy._PAGE)
    page.start()

    def steps():
        for _ in range(20):  # of a third of a moment each
            courtesy.let_pages_be_drawn()
            worked[0] += courtesy._MOMENT / 3 + 1e-9

    work = threading.Thread(target=steps)
    work.start()
    work.join(WAIT)
    drawn.set()
    page.join(WAIT)
    assert slept == [courtesy._MOMENT] * 7
