"""A class of thirty at once, over loopback, without browsers: what everyone waits for, and what the server holds."""

import json
import os
import re
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from tests.bench.timing import heading, row
from tests.browser import harness
from tests.visitor import Visitor

VISITORS = 30
_FORGOTTEN = 5  # seconds after which the server forgets a visitor who left; two minutes as it is shipped
_LOOKING = (2.0, 6.0)  # seconds that a visitor looks at a page before doing the next thing
_FILE = "Or your own table"
_LONG = urlencode(
    {
        "data": "simulator:gaussian",
        "sim": json.dumps({"n": 20_000, "n_features": 20}),
        "init": "random",
        "starts": "50",
        "iterations": "1000",
        "tol": "1e-10",
    }
)


def load(visitors=VISITORS):
    """Everyone uploads, fits, turns the picture, and diagnoses."""
    busy = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    heading(f"{visitors} visitors at once, looking at a page for {_LOOKING[0]:.0f} to {_LOOKING[1]:.0f} s ({busy})")
    port = harness.free_port()
    settings = {"OPNB_WORKSPACES": "off", "OPNB_LOG": "errors", "OPNB_DATA_DIR": ""}
    process = harness.start_app(port, STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL=str(_FORGOTTEN), **settings)
    address = f"http://localhost:{port}"
    try:
        _a_class(address, process.pid, visitors)
        _freed(address)
    finally:
        process.terminate()
        process.wait(30)


def _a_class(address, pid, visitors):
    for seed in range(2):  # imports, compiles and fills the caches that all share
        _visit(address, seed, threading.Barrier(1), threading.Barrier(1), [])
    before = _when_forgotten(pid)
    together, leaving = threading.Barrier(visitors), threading.Barrier(visitors + 1)
    diagnosed, used, began = [], _processor_seconds(pid), time.perf_counter()
    with ThreadPoolExecutor(visitors) as pool:
        visits = [
            pool.submit(_visit, address, 100 + number, together, leaving, diagnosed) for number in range(visitors)
        ]
        while (
            leaving.n_waiting < visitors - sum(visit.done() for visit in visits) and time.perf_counter() - began < 300
        ):
            time.sleep(0.2)
        seconds, used = time.perf_counter() - began, _processor_seconds(pid) - used
        during = _resident(pid)
        leaving.abort() if any(visit.done() for visit in visits) else leaving.wait()
    after = _when_forgotten(pid)
    outcomes = [visit.exception() or visit.result() for visit in visits]
    answers = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    for fault in {repr(outcome)[:300] for outcome in outcomes if isinstance(outcome, BaseException)}:
        row("error", fault)
    row("visitors with an error", visitors - len(answers), "goal 0")
    asked = [second for answer in answers for second in answer.asked[1:]]
    followed = [second for answer in answers for second in answer.followed]
    row("first page, all at once", *_spread([answer.asked[0] for answer in answers]))
    row("answers to what visitors did", *_spread(asked), "goal 1 s")
    row("news of a fit that waits or runs", *_spread(followed), "goal 1 s")
    row("all answers", *_spread(asked + followed), "goal 1 s")
    fits = 3 * len(answers)  # of the upload, with other settings, and the diagnosis
    shown = max(diagnosed, default=began) - began
    row("fits and diagnoses a minute", f"{60 * fits / shown:.0f}", f"{shown:.0f} s until the last was shown")
    row("all remedies tried", f"{seconds:.0f} s")
    row("processor time of the server's process", f"{used:.0f} s", f"{100 * used / seconds:.0f} % of one core")
    row("memory at the start", f"{before:.0f} MB")
    row("memory a visitor", f"{(during - before) / visitors:.1f} MB")
    row("memory after all have left, over the start", f"{after / before:.2f}", "goal 1.20")


def _visit(address, seed, together, leaving, diagnosed):
    rng = np.random.default_rng(seed)
    together.wait(120)
    visitor = Visitor(address)
    try:
        _look(rng)
        visitor.upload(_FILE, f"table {seed}.csv", _table(seed))
        visitor.follow(_idle)
        _look(rng)
        visitor.set("Directions", double_value=4.0)
        visitor.set("Random starts", double_value=6.0)
        visitor.set("Start from", string_value="random")
        visitor.press("Fit")
        visitor.follow(_idle)
        assert len(visitor.widgets["Up"][1].options) == 4, visitor.texts
        for direction in (2, 3, 1):
            _look(rng)
            visitor.choose("Up", direction)
        _look(rng)
        visitor.go("Diagnose")
        visitor.follow(_diagnosed)
        diagnosed.append(time.perf_counter())
        visitor.follow(_idle)
        assert not visitor.faults, visitor.faults
        leaving.wait(300)
    finally:
        visitor.leave()
    return visitor.answers


def _look(rng):
    """Look at the page for a moment, as people do."""
    time.sleep(rng.uniform(*_LOOKING))


def _diagnosed(visitor):
    return not any("Looking for trouble" in text for text in visitor.texts)


def _idle(visitor):
    return "Cancel" not in visitor.widgets


def _table(seed, n=300, p=8):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    values = rng.normal(size=(n, p)) + rng.normal(size=(3, p))[labels]
    lines = [",".join(map("{:.3f}".format, line)) + f",{'abc'[k]}" for line, k in zip(values, labels, strict=True)]
    return "\n".join([",".join(f"x{i}" for i in range(p)) + ",kind", *lines]).encode()


def _freed(address):
    """How soon the next visitor's fit begins after a Cancel, and after a closed tab."""
    for words, end in (("Cancel", lambda visitor: visitor.press("Cancel")), ("a closed tab", Visitor.leave)):
        first, second = Visitor(address, _LONG), Visitor(address)
        first.follow(lambda visitor: any("Searching" in text for text in visitor.texts))
        second.set("Directions", double_value=3.0)  # the fit that is shown would not be made again
        second.press("Fit")
        place = [text for text in second.texts if "Waiting for a free place" in text]
        began = time.perf_counter()
        end(first)
        _watch(second)
        row(f"worker free for the next after {words}", f"{time.perf_counter() - began:.1f} s", "goal 2 s", *place[:1])
        second.follow(_idle)
        for visitor in (first, second):
            visitor.leave()


def _watch(visitor):
    """Ask again and again, more often than the page does, until the visitor's fit no longer waits."""
    while "Cancel" in visitor.widgets and any("Waiting" in text for text in visitor.texts[-3:]):
        visitor.ask(next(iter(visitor.again), ""), follow=True)
        time.sleep(0.1)


def _spread(seconds):
    if not seconds:
        return ("none",)
    return (f"median {statistics.median(seconds):.2f} s", f"95 % {np.quantile(seconds, 0.95):.2f} s", f"{len(seconds)}")


def _resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def _when_forgotten(pid):
    """Give the memory once the visitors who left are forgotten and it has settled."""
    time.sleep(2 * _FORGOTTEN)
    return _resident(pid)


def _processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


SECTIONS = {"load": load, "load60": partial(load, 2 * VISITORS)}
