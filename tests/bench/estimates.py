"""How good the guesses of a fit's time and memory are.

Times are those of the thread that fits, so that other work on the machine does not count.
"""

import itertools
import os
import statistics
import time
import tracemalloc
from functools import partial

import numpy as np

from opnb.data import PrepareOptions, prepare, propose, simulated_table
from opnb.studio.visit.settings import FitSpec
from opnb.studio.visit.sources import DataSpec, Source
from opnb.studio.work.estimates import Speed, megabytes, seconds_a_step, size_of
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from tests.bench.timing import heading, row

# None of these was used to find the constants of the model or of the guess.
_TABLES = (
    ("gaussian", 2_000, {"n_features": 30}),
    ("gaussian", 30_000, {"n_features": 12}),
    ("several-optima", 6_000, {}),
    ("categories", 4_000, {}),
    ("answers", 12_000, {}),
    ("loud-noise", 20_000, {}),
)
_SETTINGS = (
    {"n_components": 2},
    {"n_components": 5},
    {"n_components": 3, "likelihood": "leave-one-out"},
    {"n_components": 2, "penalty": "pooled", "lam": 0.02},
    {"n_components": 2, "init": "random", "n_init": 8},
    {"n_components": 3, "max_iter": 600, "tol": 1e-7},
)
_MOMENTS = (0.25, 0.5, 0.75)


class _Sampled(Job):
    """A job that notes at every step what the visitor would be told."""

    def __init__(self, work):
        super().__init__(work)
        self.told = []

    def __setattr__(self, name, value):
        if name == "progress" and value is not None:
            value.clock = time.thread_time
        super().__setattr__(name, value)

    @property
    def stopping(self):
        left = self.progress.seconds_left
        if left is not None:
            self.told.append((time.thread_time(), left))
        return False


def estimates():
    """Steps, time left and memory, told over true."""
    heading(f"Estimates of a fit (load average {os.getloadavg()[0]:.1f})")
    steps, left, many, memory, speed = [], [], [], [], Speed()
    for (name, n, settings), fit in itertools.product(_TABLES, _SETTINGS):
        table = simulated_table(name, n=n, seed=7, **settings)
        data = prepare(table, propose(table).target, options=PrepareOptions(seed=7))
        directions = min(fit["n_components"], data.X.shape[1])
        spec = FitSpec(DataSpec(Source("simulator", name)), **fit | {"n_components": directions})
        one, told = _run(spec, table, data, speed)
        steps.append(one)
        (many if fit.get("n_init") else left).extend(told)
        memory.append(_memory(spec, table, data))
    for words, ratios in (
        ("a step, by the model and the speed learnt", steps),
        ("time left, one start", left),
        ("time left, eight starts", many),
        ("peak memory", memory),
    ):
        _print(words, ratios)


def _run(spec, table, data, speed):
    size = size_of(spec, data)
    job = _Sampled(partial(fit_work, spec, table, data))
    began = time.thread_time()
    job.run()
    ended = time.thread_time()
    assert not job.error, job.error
    progress = job.progress
    expected = speed.factor * seconds_a_step(size) * progress.steps
    taken = progress.latest - progress.began
    speed.learn(size, progress.steps, taken)
    moments = [began + share * (ended - began) for share in _MOMENTS]
    told = [min(job.told, key=lambda sample: abs(sample[0] - moment), default=None) for moment in moments]
    return expected / taken, [left / (ended - at) for at, left in filter(None, told)]


def _memory(spec, table, data):
    tracemalloc.start()
    Job(partial(fit_work, spec, table, data)).run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return megabytes(size_of(spec, data)) / (peak / 2**20)


def _print(words, ratios):
    off = np.exp(np.abs(np.log(ratios)))
    within = f"{100 * np.mean(off <= 2):.0f} % within 2"
    row(words, f"median {statistics.median(ratios):.2f}", within, f"worst {off.max():.1f}", f"{len(off)} guesses")


SECTIONS = {"estimates": estimates}
