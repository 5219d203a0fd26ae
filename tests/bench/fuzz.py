"""How much the readers of files and links have been tried."""

import collections
import logging
import time
import warnings

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests import fuzzing
from tests.bench.timing import heading, row

COUNTS = {
    "text tables": 18_000,
    "titled tables": 12_000,
    "JSON and ARFF": 12_000,
    "gzip": 8_000,
    "Excel": 6_000,
    "Parquet": 14_000,
    "models": 16_000,
    "results": 16_000,
    "workspaces": 6_000,
    "links": 20_000,
    "requests": 60_000,
    "limits": 30_000,
    "sizes": 10_000,
    "restored workspaces": 3_000,
}


def fuzz(counts=COUNTS):
    """Give every reader files of strangers; anything but a value or an error in words ends the run."""
    heading(f"Files and links of strangers: {sum(counts.values()):,} inputs")
    row("reader", "inputs", "accepted", "refused", "seconds", "slowest")
    logging.getLogger("opnb").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    tried = [_tried(name, count) for name, count in counts.items()]
    row("all", f"{sum(tried):,}")


def _tried(name, count):
    seen, slowest, began = collections.Counter(), [0.0], time.perf_counter()

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**62))
    def one(seed):
        started = time.thread_time()
        seen[fuzzing.take(name, seed)] += 1
        slowest[0] = max(slowest[0], time.thread_time() - started)

    one()
    inputs = sum(seen.values())
    seconds = f"{time.perf_counter() - began:.0f}"
    row(name, f"{inputs:,}", f"{seen[True]:,}", f"{seen[False]:,}", seconds, f"{slowest[0]:.2f} s")
    return inputs


SECTIONS = {"fuzz": fuzz}
