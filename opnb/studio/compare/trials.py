"""One method on one split of the visitor's data: tuned on the training rows, judged on the held-out ones.

All methods of a repeat share its split and its folds. The first repeat is the split of the app's own fits, the others
are drawn afresh.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from opnb.benchmark.rows import one_line
from opnb.benchmark.tasks import judge, warm_up
from opnb.comparators import METHODS
from opnb.data.dataset import split_rows
from opnb.studio.work.process import Say

FOLDS = 5
SHARE = 0.25
Pair = tuple[str, int]


@dataclass(frozen=True)
class Trial:
    """What came of one method on one split.

    Attributes
    ----------
    method : str
    repeat : int
    error, log_loss : float
        On the held-out rows; NaN where the trial failed, and the log-loss where the method gives no probabilities.
    seconds : float
        Of the processor, for tuning and the final fit.
    waited : float
        From beginning to end by the clock.
    params : str
        The chosen setting as JSON text.
    confusion : list of list of int
        Held-out rows by true and predicted class; empty where the trial failed.
    problem : str
        Why it failed.
    """

    method: str
    repeat: int
    error: float = float("nan")
    log_loss: float = float("nan")
    seconds: float = float("nan")
    waited: float = 0.0
    params: str = "{}"
    confusion: Sequence[Sequence[int]] = ()
    problem: str = ""


def store(path: Path, X: NDArray[np.float64], labels: NDArray[np.intp], test: NDArray[np.intp]) -> None:
    """Write data for `run_trials`: rows, class numbers, and the held-out rows of the first repeat."""
    np.savez(path, X=X, labels=labels, test=test)


def say_trials(say: Say, data: str, pairs: Sequence[Pair]) -> None:
    """Do trials and say each; the work of a process (see `opnb.studio.work.process`)."""
    for trial in run_trials(data, pairs):
        say(asdict(trial))


def run_trials(data: str, pairs: Sequence[Pair]) -> Iterator[Trial]:
    """Do trials one after another.

    Parameters
    ----------
    data : str
        Path of a file of `store`.
    pairs : sequence of (str, int)
        Methods and repeats.

    Yields
    ------
    Trial
    """
    with np.load(data) as stored:
        X, labels, test = stored["X"], stored["labels"], stored["test"]
    warm: set[str] = set()
    for method, repeat in pairs:
        if method not in warm:
            warm_up((method,))  # or the seconds of its first trial would be those of loading compiled code
            warm.add(method)
        yield run_trial(method, repeat, X, labels, test)


def run_trial(
    method: str, repeat: int, X: NDArray[np.float64], labels: NDArray[np.intp], test: NDArray[np.intp]
) -> Trial:
    """Tune and judge a method on the split of a repeat; what goes wrong is in the trial."""
    began = time.monotonic()
    train, held_out = split_of(labels, repeat, test)
    folds = int(np.clip(np.bincount(labels[train]).min(), 2, FOLDS))
    try:
        parts = X[train], labels[train], X[held_out], labels[held_out]
        found = judge(METHODS[method], *parts, folds, repeat)
    # A method that does not suit the data must not end the comparison of the others.
    except Exception as fault:
        return Trial(method, repeat, waited=time.monotonic() - began, problem=one_line(fault) or type(fault).__name__)
    confusion = np.zeros((labels.max() + 1,) * 2, dtype=int)
    np.add.at(confusion, (labels[held_out], found.predicted), 1)
    return Trial(
        method,
        repeat,
        error=found.error,
        log_loss=found.log_loss,
        seconds=found.seconds_tune + found.seconds_fit,
        waited=time.monotonic() - began,
        params=found.params,
        confusion=confusion.tolist(),
    )


def split_of(
    labels: NDArray[np.intp], repeat: int, test: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split the rows for a repeat: the given held-out rows first, then others of about the same number."""
    if repeat == 0 and len(test):
        return np.setdiff1d(np.arange(len(labels)), test), test
    share = len(test) / len(labels) if len(test) else SHARE
    return split_rows(labels, share, np.random.default_rng([0, repeat]))
