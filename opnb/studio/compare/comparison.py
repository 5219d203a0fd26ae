"""The comparison of methods on the visitor's data: which trials are there, which are missing, and what they say."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from opnb.benchmark import cheap_first, expected_seconds
from opnb.comparators import METHODS
from opnb.data.dataset import stratified_rows
from opnb.data.policy import POLICY_ROWS
from opnb.studio.compare.trials import Pair, Trial, say_trials, split_of, store
from opnb.studio.work.errands import LongRun, Visitor
from opnb.studio.work.jobs import Job
from opnb.studio.work.process import run_in_child
from opnb.studio.work.shares import share_out
from opnb.views import ErrorCount, Metrics, Spread, differences, spread

if TYPE_CHECKING:
    from opnb.data import Dataset
    from opnb.studio.visit.state import Studio

MOST_REPEATS = 50
USUAL_REPEATS = 5
_KIND = "comparison"


class Comparison(LongRun):
    """All trials made on one data set.

    Attributes
    ----------
    dataset : Dataset
    X, labels, test : ndarray
        What the methods see: a sample of a large data set, else all of it; and the held-out rows of the first repeat.
    trials : dict of (method, repeat) to Trial
    asked : list of (method, repeat)
        Of the run under way, or of the last one.
    """

    def __init__(self, dataset: Dataset, visitor: Visitor | None = None) -> None:
        super().__init__(visitor)
        self.dataset = dataset
        self.trials: dict[Pair, Trial] = {}
        self.asked: list[Pair] = []
        self._began = self._spent = 0.0
        self._pace = 1.0  # seconds by the clock for each second of a trial
        labels = np.unique(dataset.y, return_inverse=True)[1]
        self.X, self.labels, self.test = dataset.X, labels, dataset.test
        if self.is_sample:
            rows = stratified_rows(labels, POLICY_ROWS, np.random.default_rng(0))
            self.X, self.labels = dataset.X[rows], np.unique(labels[rows], return_inverse=True)[1]
            self.test = np.empty(0, dtype=np.intp)

    @property
    def is_sample(self) -> bool:
        """Whether the data have more rows than are compared on."""
        return len(self.dataset.y) > POLICY_ROWS

    def missing(self, methods: Sequence[str], repeats: int) -> list[Pair]:
        """List the trials that a choice lacks, repeat by repeat, and cheap methods first."""
        if not methods:
            return []
        ordered = cheap_first(methods, *self._size)
        pairs = [(method, repeat) for repeat in range(repeats) for method in ordered]
        return [pair for pair in pairs if pair not in self.trials]

    def run(self, methods: Sequence[str], repeats: int) -> None:
        """Ask for the trials that a choice lacks."""
        self.asked, self._spent = self.missing(methods, repeats), 0.0
        work = partial(trials_work, self.X, self.labels, self.test)
        self.begin(partial(share_out, work, self.asked), heard=self.add)

    def add(self, answer: Mapping[str, Any]) -> None:
        """Add a trial that has come."""
        trial, now = Trial(**answer), time.monotonic()
        self.trials[trial.method, trial.repeat] = trial
        if not self._spent:
            self._began = now - trial.waited
        self._spent += trial.waited
        self._pace = (now - self._began) / self._spent if self._spent else 1.0

    @property
    def rest(self) -> list[Pair]:
        """The trials asked for that are not there yet."""
        return [pair for pair in self.asked if pair not in self.trials]

    def seconds_for(self, pairs: Sequence[Pair]) -> float:
        """Expect of every method what it has taken so far; of those not seen yet, what the size of the data tells.

        A cluster does several at a time: what counts is how much faster the trials of the last run came.
        """
        waited: dict[str, list[float]] = {}
        for trial in list(self.trials.values()):
            waited.setdefault(trial.method, []).append(trial.waited)
        expected = {method: float(np.mean(seconds)) for method, seconds in waited.items()}
        return self._pace * sum(
            expected[method] if method in expected else expected_seconds(method, *self._size) for method, _ in pairs
        )

    @property
    def _size(self) -> tuple[int, int, int]:
        """Rows, columns and classes."""
        return *self.X.shape, int(self.labels.max()) + 1


def trials_work(
    X: NDArray[np.float64], labels: NDArray[np.intp], test: NDArray[np.intp], pairs: Sequence[Pair], job: Job[None]
) -> None:
    """Do trials in a process, and say each as it comes; run by a `Job`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        store(path, X, labels, test)
        run_in_child(job, say_trials, {"data": str(path), "pairs": list(pairs)}, job.say)


def comparison_of(state: Studio) -> Comparison:
    """Give the comparison on the data in use; those of other data wait for the visitor to come back."""
    dataset, table, spec = state.dataset, state.table, state.data_spec
    assert dataset is not None
    assert table is not None
    assert spec is not None
    # By content: the same table, prepared in the same way, makes another `Dataset` every time.
    key = (table.content_hash, spec.target, spec.options)
    return state.work.run(_KIND, partial(Comparison, dataset), key)


def others_under_way(state: Studio, comparison: Comparison) -> list[Comparison]:
    """List the comparisons on other data that wait or go on."""
    runs = [run for run in state.work.under_way(_KIND) if isinstance(run, Comparison)]
    return [run for run in runs if run is not comparison]


class Outcome:
    """What the trials of some methods and repeats say.

    Parameters
    ----------
    comparison : Comparison
    methods : sequence of str
        Those without a finished trial are left out.
    repeats : int
    """

    def __init__(self, comparison: Comparison, methods: Sequence[str], repeats: int) -> None:
        self.chosen = tuple(methods)
        trials = dict(comparison.trials)
        chosen = {pair: trial for pair, trial in trials.items() if pair[0] in methods and pair[1] < repeats}
        self.class_names = comparison.dataset.class_names
        self.trials = {pair: trial for pair, trial in chosen.items() if not trial.problem}
        self.failed = [trial for trial in chosen.values() if trial.problem]
        self.repeats = sorted({repeat for _, repeat in self.trials})
        names = [name for name in methods if any(name == method for method, _ in self.trials)]
        self.methods = sorted(names, key=lambda name: float(np.nanmean(self.values("error", [name]))))
        train, test = split_of(comparison.labels, 0, comparison.test)
        self.ratio = len(test) / len(train)

    def values(self, what: str, methods: Sequence[str] | None = None) -> np.ndarray:
        """Give a number of every trial, of shape (n_repeats, n_methods); NaN for one that is missing."""
        names = self.methods if methods is None else methods
        missing = Trial("", 0)
        return np.array(
            [[getattr(self.trials.get((name, repeat), missing), what) for name in names] for repeat in self.repeats],
            dtype=float,
        ).reshape(len(self.repeats), len(names))

    def spread(self, what: str) -> Spread:
        """Give a measure of all methods that have it, with mean and standard deviation."""
        values = self.values(what)
        known = ~np.isnan(values).all(axis=0)
        names = [name for name, there in zip(self.methods, known, strict=True) if there]
        return spread(values[:, known], names, self.repeats)

    @property
    def reference(self) -> str:
        """The method that others are compared with: the registry's first if it was chosen, or else the best."""
        first = next(iter(METHODS))
        return first if first in self.chosen else self.methods[0]

    def differences(self) -> Spread:
        """Give the errors of the other methods minus those of the reference on the same splits."""
        others = [name for name in self.methods if name != self.reference]
        names = [self.reference, *others]
        return differences(self.values("error", names), names, self.repeats, 0, self.ratio)

    def table(self) -> pd.DataFrame:
        """Put the figures of every method side by side, the best first."""
        errors, losses, seconds = (self.values(what) for what in ("error", "log_loss", "seconds"))
        between = self.differences()
        place = {name: j for j, name in enumerate(between.names)}
        rows = []
        for j, name in enumerate(self.methods):
            known = errors[:, j][~np.isnan(errors[:, j])]
            rows.append(
                {
                    "Method": name,
                    "Error": 100 * known.mean(),
                    "Spread": 100 * known.std(ddof=1) if len(known) > 1 else np.nan,
                    f"Against {self.reference}": _versus(between, place.get(name)),
                    "Better : worse": _score(between, place.get(name)),
                    "Log-loss": _mean(losses[:, j]),
                    "Seconds": _mean(seconds[:, j]),
                    "Repeats": len(known),
                    "Setting chosen (repeat 1)": self._setting(name),
                }
            )
        return pd.DataFrame(rows)

    def _setting(self, name: str) -> str:
        trial = self.trials.get((name, 0))
        return "" if trial is None else trial.params.strip("{}").replace('"', "").replace("svc__", "")

    def confusion(self, method: str) -> Metrics:
        """Add up the confusion matrices of a method over its repeats."""
        own = [trial for trial in self.trials.values() if trial.method == method]
        counts = np.sum([trial.confusion for trial in own], axis=0)
        errors = ErrorCount(int(counts.sum() - np.trace(counts)), int(counts.sum()))
        return Metrics(errors, _mean(np.array([trial.log_loss for trial in own])), counts, self.class_names)


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _versus(between: Spread, place: int | None) -> str:
    """Write a mean difference in percentage points, with its interval where there is one."""
    if place is None or np.isnan(between.centres[place]):
        return ""
    centre, reach = (round(100 * float(part[place]), 1) for part in (between.centres, between.reaches))
    sign = "−" if centre < 0 else "+" if centre > 0 else ""
    return f"{sign}{abs(centre):.1f}" + ("" if np.isnan(reach) else f" ± {reach:.1f}")


def _score(between: Spread, place: int | None) -> str:
    if place is None:
        return ""
    apart = between.values[:, place]  # noqa: PD011 - no table of pandas
    return f"{int((apart < 0).sum())} : {int((apart > 0).sum())}"
