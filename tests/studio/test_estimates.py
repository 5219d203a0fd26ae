"""Estimates of a fit: how they grow, what is refused and why, and the time that is left."""

import itertools
import re
import tracemalloc
from dataclasses import replace
from functools import partial

import pytest

from opnb.data import example_table, prepare, propose
from opnb.errors import OPNBError
from opnb.studio.visit.settings import FitSpec
from opnb.studio.visit.sources import DataSpec, Source
from opnb.studio.work import fitting
from opnb.studio.work.estimates import (
    Size,
    Speed,
    all_steps_left,
    check_cost,
    fits,
    megabytes,
    most_seconds,
    seconds_a_step,
    size_of,
    steps_left,
)
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import FitLimits, fit_limits

SIZE = Size(rows=20_000, columns=50, directions=20, classes=10, starts=10, steps=80, bins=100)
TIGHT = FitLimits(seconds=10, megabytes=20)


@pytest.fixture(scope="module")
def digits():
    table = example_table("digits")
    return table, prepare(table, propose(table).target)


def spec(**settings):
    return FitSpec(DataSpec(Source("example", "digits")), **settings)


def test_the_size_of_a_fit_is_that_of_its_training_data_and_settings(digits):
    _, data = digits
    size = size_of(spec(n_components=None, max_iter=30), data)
    assert size == Size(len(data.train), data.X.shape[1], 20, 10, 1, 30, 100)
    assert size_of(spec(init="random", n_init=4), data).starts == 4
    assert size_of(spec(n_init=4), data).starts == 1, "starts count with random starts only"
    assert size_of(spec(n_bins=None), data).bins is None
    assert size_of(spec(likelihood="leave-one-out"), data).bins is None


@pytest.mark.parametrize("name", ["rows", "columns", "directions", "classes", "starts", "steps"])
def test_more_of_anything_costs_more(name):
    larger = replace(SIZE, **{name: 2 * getattr(SIZE, name)})
    assert most_seconds(larger) > most_seconds(SIZE)
    assert megabytes(larger) > megabytes(SIZE)


def test_exact_sums_take_longer_than_a_lattice():
    assert seconds_a_step(replace(SIZE, bins=None)) > seconds_a_step(SIZE)


@pytest.mark.parametrize("settings", [{}, {"n_components": 10}, {"init": "random", "n_init": 3, "combine": "average"}])
def test_the_memory_of_a_fit_is_known_within_a_factor_of_two(digits, settings):
    table, data = digits
    asked = spec(max_iter=20, **settings)
    Job(partial(fitting.fit_work, asked, table, data)).run()  # imports and compiles
    tracemalloc.start()
    try:
        job = Job(partial(fitting.fit_work, asked, table, data))
        job.run()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    assert not job.error
    assert 0.5 < megabytes(size_of(asked, data)) / peak < 2


def test_a_fit_within_the_limits_is_not_refused():
    check_cost(replace(SIZE, starts=1, steps=10, rows=1_000), TIGHT)


def test_a_refusal_names_the_estimate_the_limit_and_what_is_enough():
    with pytest.raises(OPNBError) as refused:
        check_cost(SIZE, TIGHT)
    words = str(refused.value)
    assert "10 seconds" in words
    assert "20 MB" in words
    assert "about" in words
    assert "not started" in words
    rows = int(re.search(r"([\d,]+) rows for training", words)[1].replace(",", ""))
    assert fits(replace(SIZE, rows=rows), TIGHT)
    assert not fits(replace(SIZE, rows=2 * rows), TIGHT)


def test_every_remedy_is_enough_by_itself():
    limits = FitLimits(seconds=most_seconds(SIZE) / 3, megabytes=1e6)
    with pytest.raises(OPNBError) as refused:
        check_cost(SIZE, limits)
    names = {
        "random starts": "starts",
        "iterations": "steps",
        "directions": "directions",
        "rows for training": "rows",
        "columns": "columns",
    }
    found = re.findall(r"([\d,]+) (random starts|iterations|directions|rows for training|columns)", str(refused.value))
    assert {"random starts", "iterations", "directions", "rows for training"} <= {name for _, name in found}
    for count, name in found:
        assert fits(replace(SIZE, **{names[name]: int(count.replace(",", ""))}), limits), name


def test_where_no_single_change_is_enough_several_are_asked_for():
    with pytest.raises(OPNBError, match="several at once"):
        check_cost(replace(SIZE, rows=2_000_000), FitLimits(seconds=1e-6, megabytes=0.001))


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ({"OPNB_MAX_FIT_SECONDS": "90", "OPNB_MAX_FIT_MB": "512"}, FitLimits(90, 512)),
        ({"OPNB_MAX_FIT_SECONDS": "-1", "OPNB_MAX_FIT_MB": "many"}, fit_limits({})),
        ({"OPNB_MAX_FIT_SECONDS": "nan"}, fit_limits({})),
    ],
)
def test_the_owner_sets_the_limits(given, limits):
    assert fit_limits(given) == limits
    assert limits.seconds > 0
    assert limits.megabytes > 0


def test_the_speed_of_the_server_is_learnt_from_its_fits():
    speed = Speed()
    assert speed.factor == 1
    for times in (3, 3, 100):
        speed.learn(SIZE, 50, times * 50 * seconds_a_step(SIZE))
    assert speed.factor == pytest.approx(3), "one fit in a bad moment decides nothing"
    speed.learn(SIZE, 1, 0.01)
    assert speed.factor == pytest.approx(3), "a fit of a moment says nothing"


def test_the_steps_left_fall_as_the_gains_do():
    values = list(itertools.accumulate([-1.0, *(10.0**-k for k in range(1, 8))]))
    guesses = [steps_left(values[: k + 1], 1e-5, 100) for k in range(3, len(values))]
    assert guesses == sorted(guesses, reverse=True)
    assert guesses[-1] < 6
    assert steps_left([0.0], 1e-5, 100) == 100
    assert steps_left([k / 2 for k in range(100)], 1e-5, 100) == 1, "never more than the limit leaves"


def test_starts_to_come_are_expected_to_be_like_those_before():
    size = replace(SIZE, starts=5)
    done = {0: [0.0] * 31, 1: [0.0] * 51, 2: [0.0, 0.5, 0.9, 0.99]}
    here = steps_left(done[2], 1e-5, size.steps)
    assert all_steps_left(done, 1e-5, size) == pytest.approx(here + 2 * 40 + size.closing_steps)
    assert all_steps_left({}, 1e-5, size) == size.all_steps


def test_most_searches_end_before_they_must_unless_more_precision_is_asked_for():
    assert replace(SIZE, steps=2_000).likely_steps == 100
    assert replace(SIZE, steps=2_000, tol=1e-9).likely_steps == 300
    assert replace(SIZE, steps=30, tol=1e-9).likely_steps == 30


def test_the_time_left_follows_the_clock(digits):
    _, data = digits
    now = 0.0
    progress = fitting.FitProgress(spec(), data.y, size=size_of(spec(), data), clock=lambda: now)
    assert progress.seconds_left is None
    for step in range(6):
        now = 10.0 * step
        progress.note(0, -(0.1**step))
    left = progress.seconds_left
    expected = 10 * (steps_left(progress.objectives[0], 1e-5, 100) + progress.size.closing_steps)
    assert left == pytest.approx(expected)
    now += 4
    assert progress.seconds_left == pytest.approx(left - 4)
    now += 1e6
    assert progress.seconds_left > 0, "it is never told that a fit should have ended"


def test_a_fit_that_is_too_large_is_refused_before_it_starts(visit, monkeypatch):
    page = visit()
    monkeypatch.setenv("OPNB_MAX_FIT_SECONDS", "0.0001")
    page.fill("select_slider", "Smoothness (λ)", 0.01).press("Fit")
    assert "more than the 0.0001 seconds that this server allows" in page.errors
    assert len(page.state.fits) == 1


def test_a_link_to_a_fit_that_is_too_large_is_answered_in_words(visit, monkeypatch):
    monkeypatch.setenv("OPNB_MAX_FIT_MB", "0.01")
    page = visit(data="example:iris")
    assert "of memory, more than the 0.01 MB" in page.errors
    assert page.state.result is None
    assert page.state.job is None


def test_a_fit_that_the_estimate_misjudged_ends_at_the_limit_with_what_it_reached(digits, monkeypatch):
    table, data = digits
    monkeypatch.setattr(fitting, "check_cost", lambda *_: None)
    monkeypatch.setattr(fitting, "fit_limits", lambda: FitLimits(seconds=1e-9))
    job = Job(partial(fitting.fit_work, spec(), table, data))
    job.run()
    assert "all the time that this server allows" in job.result.notes[0]
