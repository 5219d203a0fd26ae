"""Settings that race: every path of lambdas is judged on rows left out, and given up when it falls behind.

The unit of work is one path in one fold (`fit_path`). The first path always runs through all folds. Those that enter
later run in two folds, and those that keep up with the best run in the rest.
"""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils import Bunch

from opnb.core.kernel import Array
from opnb.core.optimise import Callback, Iteration
from opnb.errors import FitError
from opnb.estimators.base import log_losses
from opnb.estimators.choice import Losses, paired_lead
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.selection import fit_path
from opnb.estimators.validation import Fold

# Folds after which paths are given up, when they are this many standard errors behind the best.
_JUDGED_FOLDS, _BEHIND = 2, 2.0
Setting = dict[str, str | float | None]
BEHIND, TIME, STOP, FAILED = "behind", "time", "stop", "failed"


@dataclass(eq=False)
class Path:
    """One setting of everything but lam, and how its lambdas did on rows left out.

    Attributes
    ----------
    setting : dict
        Likelihood, independence, penalty and bend.
    lams : tuple of float
        In ascending order.
    parts : dict of int to (wrong, log_losses)
        For every fold seen, two arrays of shape (n_lams, n_held_out).
    solutions : dict of int to list of ndarray
        For every fold seen, one projection a lam.
    given_up : str
        Why it has not seen all folds: "behind", "time", "stop", "failed", or "" if it has.
    seconds : float
        Spent in its searches.
    """

    setting: Setting
    lams: tuple[float, ...]
    parts: dict[int, tuple[Array, Array]] = field(default_factory=dict, repr=False)
    solutions: dict[int, list[Array]] = field(default_factory=dict, repr=False)
    given_up: str = ""
    seconds: float = 0.0


class Clock:
    """Knows whether to begin another path, and whether to go on at all.

    Parameters
    ----------
    max_seconds : float or None
        After which no path begins.
    callback : callable or None
        Of the user; a true result stops everything.

    Attributes
    ----------
    watch : callable
        Shows an iteration to the callback; once that gave a true result, so does this.
    """

    def __init__(self, max_seconds: float | None, callback: Callback | None) -> None:
        self.ends = None if max_seconds is None else time.monotonic() + max_seconds
        self.callback, self._stop = callback, threading.Event()

        # A function, since scikit-learn copies anything else that is a parameter, and the stop would be another's.
        def watch(iteration: Iteration) -> bool:
            if not self.stopped and callback is not None and callback(iteration):
                self._stop.set()
            return self.stopped

        self.watch = watch

    @property
    def stopped(self) -> bool:
        """Whether the callback has ended the work."""
        return self._stop.is_set()

    @property
    def is_over(self) -> bool:
        """Whether no more paths may begin."""
        return self.stopped or (self.ends is not None and time.monotonic() >= self.ends)


@dataclass(eq=False)
class Race:
    """The rows, the folds and the way in which paths are judged on them.

    Attributes
    ----------
    template : OPNBClassifier
        What all settings share.
    X, y : ndarray
    weights : ndarray of shape (n,) or None
    folds : list of (train, test)
    scoring : {"error", "log-loss"}
    clock : Clock
    n_jobs : int or None
    paths : list of Path
        Those that have entered, in the order in which they are preferred.
    """

    template: OPNBClassifier
    X: Array
    y: NDArray
    weights: Array | None
    folds: Sequence[Fold]
    scoring: str
    clock: Clock
    n_jobs: int | None = None
    paths: list[Path] = field(default_factory=list)

    def enter(self, newcomers: Sequence[Path]) -> None:
        """Let paths see as many folds as they keep up for, or as there is time for; the very first sees all."""
        everywhere = range(len(self.folds))
        if not self.paths:
            first, *newcomers = newcomers
            self.paths.append(first)
            self.see(self.paths, everywhere, must=True)
        self.paths.extend(newcomers)
        self.see(newcomers, everywhere[:_JUDGED_FOLDS])
        self._give_up(newcomers)
        self.see([path for path in newcomers if not path.given_up], everywhere[_JUDGED_FOLDS:])

    def complete(self) -> list[Path]:
        """List the paths that have seen all folds."""
        return [path for path in self.paths if len(path.parts) == len(self.folds)]

    def template_of(self, path: Path) -> OPNBClassifier:
        """Give an unfitted classifier with the settings of a path."""
        shared = self.template.get_params(deep=False)
        return OPNBClassifier(**{**shared, **path.setting, "callback": self.clock.watch})

    def scores(self, path: Path, place: int, number: int) -> tuple[NDArray, Array]:
        """Give the rows that a fold leaves out, and their joint log-likelihoods under a setting, for all classes."""
        train, test = self.folds[number]
        weights = None if self.weights is None else self.weights[train]
        template = self.template_of(path).set_params(init=path.solutions[number][place], max_iter=0, callback=None)
        (model,) = fit_path(
            template, self.X[train], self.y[train], [path.lams[place]], ordered=False, sample_weight=weights
        )
        classes = np.unique(self.y)
        scores = np.full((len(test), classes.size), -np.inf)  # of a class that the fold has not learnt from
        scores[:, np.searchsorted(classes, model.classes_)] = model.predict_log_proba(self.X[test])
        return test, scores

    def see(self, paths: Sequence[Path], numbers: Sequence[int], must: bool = False) -> None:
        """Run paths in some folds; a path that has begun when the time is up sees them all."""
        begins: dict[int, bool] = {}

        def judge(path: Path, number: int) -> None:
            # setdefault asks the clock once a path, whichever thread comes first.
            if begins.setdefault(id(path), must or not self.clock.is_over) and not self.clock.stopped:
                self._judge(path, number)

        units = (delayed(judge)(path, number) for path in paths for number in numbers)
        Parallel(n_jobs=self.n_jobs, require="sharedmem")(units)
        for path in paths:
            if not path.given_up and not all(number in path.parts for number in numbers):
                path.given_up = STOP if self.clock.stopped else TIME

    def _judge(self, path: Path, number: int) -> None:
        """Fit a path outside a fold and note what becomes of the rows inside."""
        train, test = self.folds[number]
        begin = time.thread_time()
        weights = None if self.weights is None else self.weights[train]
        try:
            models = fit_path(
                self.template_of(path), self.X[train], self.y[train], path.lams, ordered=False, sample_weight=weights
            )
        except FitError:
            path.given_up = FAILED
            return
        if self.clock.stopped:
            return
        inside, truth = self.X[test], self.y[test]
        wrong = np.array([model.predict(inside) != truth for model in models], dtype=float)
        path.parts[number] = wrong, np.array([log_losses(model, inside, truth) for model in models])
        path.solutions[number] = [model.starts_[0].V for model in models]
        path.seconds += time.thread_time() - begin

    def _give_up(self, newcomers: Sequence[Path]) -> None:
        """Mark the newcomers that are clearly behind the best after the first folds."""
        numbers = range(min(_JUDGED_FOLDS, len(self.folds)))
        judged = [path for path in self.paths if all(number in path.parts for number in numbers)]
        if not judged:
            return
        losses = self.losses(judged, numbers)
        behind, margin = paired_lead(losses, losses.best_of_paths())
        for path, late in zip(judged, behind > _BEHIND * margin, strict=True):
            if late and path in newcomers:
                path.given_up = BEHIND

    def losses(self, paths: Sequence[Path], numbers: Sequence[int]) -> Losses:
        """Collect what rows lose in some folds that all these paths have seen, averaged where a row is seen twice."""
        rows = np.concatenate([self.folds[number][1] for number in numbers])
        unique, places, counts = np.unique(rows, return_inverse=True, return_counts=True)
        weights = np.ones(unique.size) if self.weights is None else self.weights[unique]
        counted = weights > 0

        def of_rows(kind: int) -> Array:
            seen = [np.concatenate([path.parts[number][kind] for number in numbers], axis=1) for path in paths]
            sums = np.zeros((unique.size, sum(len(path.lams) for path in paths)))
            np.add.at(sums, places, np.concatenate(seen).T)
            return (sums[counted] / counts[counted, None]).T

        main, ties = (0, 1) if self.scoring == "error" else (1, 0)
        sizes = tuple(len(path.lams) for path in paths)
        return Losses(of_rows(main), of_rows(ties), sizes, weights[counted], unique[counted])

    def fold_mean(self, losses: Array, number: int) -> Array:
        """Average what the rows of a fold lose, by their weights; NaN where they have none."""
        if self.weights is None:
            return losses.mean(axis=1)
        weights = self.weights[self.folds[number][1]]
        return losses @ weights / weights.sum() if weights.any() else np.full(len(losses), np.nan)

    def trials(self) -> list[Bunch]:
        """Write down what became of every setting."""
        return [trial for path in self.paths for trial in self._trials(path)]

    def _trials(self, path: Path) -> list[Bunch]:
        numbers = sorted(path.parts)
        errors, log_losses = (
            np.array([self.fold_mean(path.parts[number][kind], number) for number in numbers]).reshape(
                -1, len(path.lams)
            )
            for kind in (0, 1)
        )
        return [
            Bunch(
                lam=lam,
                **path.setting,
                errors=errors[:, place],
                log_losses=log_losses[:, place],
                error=float(errors[:, place].mean()) if numbers else math.nan,
                log_loss=float(log_losses[:, place].mean()) if numbers else math.nan,
                given_up=path.given_up,
                seconds=path.seconds,
            )
            for place, lam in enumerate(path.lams)
        ]
