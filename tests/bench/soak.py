"""A thousand fits in one process, as one visit after another asks for them."""

import gc
import os
import re
import threading
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

from opnb.studio.visit.intake import bring_source
from opnb.studio.visit.sources import Source
from opnb.studio.visit.state import Studio
from tests.bench.timing import heading, row

FITS = 1_000
_LOOKS = 5
_SOURCES = (Source("example", "iris"), Source("example", "wine"), Source("simulator", "gaussian"))
_FITS_A_VISIT = 20


def soak(fits=FITS):
    """Fit again and again; memory, threads and open files afterwards are those of before."""
    heading(f"{fits:,} fits in one process (load average {os.getloadavg()[0]:.1f})")
    _visits(3 * _FITS_A_VISIT)  # imports, compiles, fills the caches that have a bound
    before = _held()
    tracemalloc.start()
    traced = []
    began = time.perf_counter()
    row("fits", "resident MB", "traced MB", "threads", "files")
    row("0", *before.values())
    for number in range(1, _LOOKS + 1):
        _visits(fits // _LOOKS)
        held = _held()
        traced.append(tracemalloc.get_traced_memory()[0] / 2**20)
        row(f"{number * fits // _LOOKS:,}", f"{held['MB']:.0f}", f"{traced[-1]:.2f}", held["threads"], held["files"])
    tracemalloc.stop()
    row("seconds", f"{time.perf_counter() - began:.0f}")
    row("resident memory, after over before", f"{held['MB'] / before['MB']:.3f}")
    row("growth of traced memory a fit, last over first look", f"{1024 * (traced[-1] - traced[0]) / fits:.2f} kB")


def _visits(fits):
    """Let visits begin, fit and end."""
    for number in range(fits // _FITS_A_VISIT):
        state = Studio(owner=f"visit {number}")
        assert bring_source(state, _SOURCES[number % len(_SOURCES)]) == ""
        for seed in range(_FITS_A_VISIT):
            job = state.fit(replace(state.spec, init="random", n_init=2, seed=seed))
            assert job is not None, state.fit_error
            assert job.wait(120)
            assert state.collect()
            assert not state.fit_error, state.fit_error


def _held():
    _until_idle()
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return {
        "MB": int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024,
        "traced": "",
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
    }


def _until_idle():
    """Give the threads of the last jobs the moment they need to end."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any(thread.name.startswith("opnb-") for thread in threading.enumerate()):
        time.sleep(0.02)


SECTIONS = {"soak": soak}
