"""One method on one split of the visitor's data: tuned on the training rows, judged on the held-out ones.

All methods of a repeat share its split and its folds. The first repeat is the split of the app's own fits, the others
are drawn afresh.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from opnb.benchmark.rows import one_line, params_text
from opnb.benchmark.tasks import mean_log_loss, warm_up
from opnb.comparators import METHODS, tune
from opnb.data.dataset import split_rows

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
        with warnings.catch_warnings():
            # A search that ends early is judged by its error like any other.
            warnings.simplefilter("ignore")
            tuned = tune(METHODS[method], X[train], labels[train], folds, repeat)
            predicted = tuned.estimator.predict(X[held_out])
            log_loss = mean_log_loss(tuned.estimator, X[held_out], labels[held_out])
    # A method that does not suit the data must not end the comparison of the others.
    except Exception as fault:
        return Trial(method, repeat, waited=time.monotonic() - began, problem=one_line(fault) or type(fault).__name__)
    confusion = np.zeros((labels.max() + 1,) * 2, dtype=int)
    np.add.at(confusion, (labels[held_out], predicted), 1)
    return Trial(
        method,
        repeat,
        error=float(np.mean(predicted != labels[held_out])),
        log_loss=log_loss,
        seconds=tuned.seconds_tune + tuned.seconds_fit,
        waited=time.monotonic() - began,
        params=params_text(tuned.params),
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
