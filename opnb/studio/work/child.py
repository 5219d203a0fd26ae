"""The process behind `opnb.studio.work.process`: one request in, answers out, as lines of JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from opnb.benchmark import Progress, Protocol, local_datasets, run_benchmark
from opnb.benchmark.child import conversation
from opnb.data import pmlb_table
from opnb.errors import OPNBError
from opnb.studio.compare.trials import run_trials
from opnb.studio.work.process import PROBLEM

Say = Callable[[dict[str, Any]], None]
_NICENESS = 5  # a fit that somebody waits for goes first


def main() -> None:
    """Do what the parent asks for."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    with conversation() as (hear, answer):
        request = hear()
        work = _WORK[request.pop("work")]
        try:
            work(lambda said: answer(json.dumps(said)), **request)
        except OPNBError as problem:
            answer(json.dumps({PROBLEM: str(problem)}))


def _compare(say: Say, **request: Any) -> None:
    for trial in run_trials(**request):
        say(asdict(trial))


def _benchmark(say: Say, protocol: dict[str, Any], out: str) -> None:
    def progress(at: Progress) -> None:
        say(asdict(at))

    asked = Protocol(**protocol)
    for name in sorted(set(asked.datasets) - set(local_datasets(asked.data_dir))):
        # Here, once: every task of a data set that cannot be had would wait for the network.
        say({"fetching": name})
        pmlb_table(name, asked.data_dir)
    run_benchmark(asked, out, resume=True, progress=progress)


_WORK: dict[str, Callable[..., None]] = {"compare": _compare, "benchmark": _benchmark}
