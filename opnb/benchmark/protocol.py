"""What an experiment is: data sets, methods, repeats, and the one seed from which every random choice follows.

The seed of a choice is a hash of the protocol's seed and of what the choice is about (its purpose, the data set,
the repeat), never of the order of the work. So a task gives the same numbers alone, beside others, on another
machine, and after a restart; and all methods of a (data set, repeat) share its split and its folds.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from opnb.benchmark.methods import check_methods
from opnb.data.policy import MIN_CLASS_ROWS, POLICY_ROWS
from opnb.errors import DataError

_MOST_REPEATS, _MOST_FOLDS = 10_000, 20


@dataclass(frozen=True, order=True)
class Task:
    """One independent piece of an experiment; it makes one row of the results."""

    repeat: int
    dataset: str
    method: str


@dataclass(frozen=True)
class Protocol:
    """An experiment in the manner of the paper.

    Parameters
    ----------
    datasets : iterable of str
        Names of PMLB data sets.
    methods : iterable of str
        Names in `BENCHMARK_METHODS`.
    repeats : int, default=10
        Stratified splits of every data set.
    folds : int, default=5
        Of the cross-validation inside the training part.
    seed : int, default=0
    test_share : float, default=0.25
        Share of held-out rows.
    max_rows : int, default=3000
        Larger data sets are sampled, stratified. The paper's policy allows no more than the default.
    data_dir : str, optional
        Folder of the data sets, in pmlb's cache layout, where the tasks run; by default OPNB_DATA_DIR there.
    timeout : float, optional
        Seconds after which a task is given up.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    repeats: int = 10
    folds: int = 5
    seed: int = 0
    test_share: float = 0.25
    max_rows: int = POLICY_ROWS
    data_dir: str | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "datasets", _names("datasets", self.datasets))
        object.__setattr__(self, "methods", _names("methods", self.methods))
        check_methods(self.methods)
        _within("repeats", self.repeats, 1, _MOST_REPEATS)
        _within("folds", self.folds, 2, _MOST_FOLDS)
        _within("seed", self.seed, 0, 2**63)
        _within("max_rows", self.max_rows, 4 * MIN_CLASS_ROWS, POLICY_ROWS)
        if not 0 < self.test_share <= 0.5:
            raise DataError(f"test_share must lie above 0 and be at most 0.5, not {self.test_share}.")
        if self.timeout is not None and not 0 < self.timeout < 1e7:
            raise DataError(f"timeout must be a positive number of seconds, not {self.timeout}.")

    def tasks(self) -> list[Task]:
        """List the tasks, repeat by repeat: a run that is stopped early has seen every data set."""
        return [
            Task(repeat, dataset, method)
            for repeat in range(self.repeats)
            for dataset in self.datasets
            for method in self.methods
        ]

    def seed_for(self, *about: object) -> int:
        """Derive the seed of one random choice.

        Parameters
        ----------
        *about
            What the choice is about: its purpose, then names and numbers.

        Returns
        -------
        int
            Below 2**32.
        """
        digest = hashlib.sha256(json.dumps([str(part) for part in about]).encode()).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return int(np.random.SeedSequence([self.seed, *words]).generate_state(1)[0])

    def settings(self) -> str:
        """Give as JSON text everything that decides the numbers of a task besides its own names.

        Rows with equal settings belong to one experiment, whichever data sets, methods and repeats a run asked
        for.
        """
        names = ("seed", "folds", "test_share", "max_rows")
        return json.dumps({name: getattr(self, name) for name in names})


def _names(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Check a list of names; double ones would make double rows."""
    chosen = tuple(names) if not isinstance(names, str) else (names,)
    if not chosen or not all(isinstance(name, str) and name for name in chosen):
        raise DataError(f"{what}: name at least one, and leave none empty.")
    double = [name for name in chosen if chosen.count(name) > 1]
    if double:
        raise DataError(f"{what}: '{double[0]}' is named more than once.")
    return chosen


def _within(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise DataError(f"{name} must be a whole number from {least} to {most:,}, not {value!r}.")
