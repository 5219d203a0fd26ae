"""Many fits leave nothing behind; `make bench BENCH=soak` runs a thousand."""

import gc
import os
import threading
import weakref
from dataclasses import replace

from opnb.studio.visit.intake import bring_source
from opnb.studio.visit.sources import Source
from opnb.studio.visit.state import KEPT_FITS, Studio
from tests.bench.soak import _until_idle


def visit(fits):
    state = Studio(owner="somebody")
    assert bring_source(state, Source("example", "iris")) == ""
    for seed in range(fits):
        assert state.fit(replace(state.spec, init="random", seed=seed)).wait(60)
        state.collect()
    return state


def test_a_long_visit_keeps_a_bounded_number_of_fits_and_no_thread_or_file():
    visit(2)
    _until_idle()
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    state = visit(KEPT_FITS + 5)
    _until_idle()
    assert len(state.fits) == KEPT_FITS
    assert threading.active_count() <= threads
    assert len(os.listdir("/proc/self/fd")) <= files


def test_a_visit_that_ended_frees_its_fits():
    state = visit(3)
    fits = [weakref.ref(fit.classifier) for fit in state.fits]
    assert all(fit() is not None for fit in fits)
    _until_idle()
    del state
    gc.collect()
    assert all(fit() is None for fit in fits)
