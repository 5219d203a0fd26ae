"""Settings that race: every path of lambdas is judged on rows left out, and goes on as long as it leads.

The unit of work is one path in one fold (`fit_path`). The first path always runs through all folds. Those that enter
later run in two folds, and the one that leads there, if it is not the first path, runs in the rest: a choice that leans
towards the first seldom takes another, and errs as rarely so as when all that kept up ran on.
"""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils import Bunch

from opnb.core.kernel import Array
from opnb.core.optimise import Callback, Iteration
from opnb.core.weights import check_priors, class_shares, weights_in_objective
from opnb.errors import FitError
from opnb.estimators.base import losses_of
from opnb.estimators.choice import Losses, paired_lead
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.odds import brier_losses, moved_priors, moves_and_sharpness, revised_by_others, shortened
from opnb.estimators.selection import fit_path, of_classes_there
from opnb.estimators.validation import Fold

# Folds after which paths that do not lead are given up.
_JUDGED_FOLDS = 2
Setting = dict[str, Any]
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
    may_win : bool
        Whether it can be chosen; if not, it is only there to be compared with.
    parts : dict of int to Part
        What became of the rows that a fold leaves out, for every fold seen.
    revised : dict of tuple of int to tuple of ndarray
        See `Race.losses`, for the folds that have been asked for.
    solutions : dict of int to list of ndarray
        For every fold seen, one projection a lam.
    after : dict of int to ndarray
        For every fold the projection of a larger lam from which the path goes on, if it does.
    given_up : str
        Why it has not seen all folds: "behind", "time", "stop", "failed", or "" if it has.
    seconds : float
        Spent in its searches.
    """

    setting: Setting
    lams: tuple[float, ...]
    may_win: bool = True
    parts: dict[int, "Part"] = field(default_factory=dict, repr=False)
    revised: dict[tuple[int, ...], tuple[Array, Array]] = field(default_factory=dict, repr=False)
    solutions: dict[int, list[Array]] = field(default_factory=dict, repr=False)
    after: dict[int, Array] = field(default_factory=dict, repr=False)
    given_up: str = ""
    seconds: float = 0.0


class Part(NamedTuple):
    """What a path does on the rows that a fold leaves out.

    Attributes
    ----------
    wrong, log_losses : ndarray of shape (n_lams, n_held_out)
    scores : ndarray of shape (n_lams, n_held_out, n_classes)
        Log posteriors, in single precision: they are many, and only weighed against each other.
    """

    wrong: Array
    log_losses: Array
    scores: NDArray[np.float32]

    def before(self, larger: "Part") -> "Part":
        """Put what became of the same rows under larger lams behind this."""
        return Part(
            np.concatenate([self.wrong, larger.wrong]),
            np.concatenate([self.log_losses, larger.log_losses]),
            np.concatenate([self.scores, larger.scores]),
        )


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
        Positive.
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
        """Let paths see two folds, and the leader the rest, as far as there is time; the very first sees all."""
        everywhere = range(len(self.folds))
        if not self.paths:
            first, *newcomers = newcomers
            self.paths.append(first)
            self.see(self.paths, everywhere, must=True)
        self.paths.extend(newcomers)
        self.see(newcomers, everywhere[:_JUDGED_FOLDS])
        if len(self.folds) > _JUDGED_FOLDS:
            self._give_up(newcomers)
        self.see([path for path in newcomers if not path.given_up], everywhere[_JUDGED_FOLDS:])

    def complete(self) -> list[Path]:
        """List the paths that have seen all folds and can be chosen."""
        return [path for path in self.paths if path.may_win and len(path.parts) == len(self.folds)]

    def template_of(self, path: Path) -> OPNBClassifier:
        """Give an unfitted classifier with the settings of a path."""
        shared = self.template.get_params(deep=False)
        return OPNBClassifier(**{**shared, **path.setting, "callback": self.clock.watch})

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """The class of every row, as a number."""
        return np.unique(self.y, return_inverse=True)[1]

    @cached_property
    def counts(self) -> Array:
        """What every row counts, one on average."""
        counted = weights_in_objective(self.labels, self.weights, self.priors)
        return np.ones(self.labels.size) if counted is None else counted

    @cached_property
    def priors(self) -> Array | None:
        """The class probabilities that were asked for; None are the classes' shares."""
        return check_priors(self.template.priors, int(self.labels.max()) + 1)

    def odds(self, path: Path, place: int) -> Setting:
        """Learn class probabilities and sharpness for the lam at `place` of a path, from all folds that it has seen."""
        if not path.parts:
            return {"decision_priors": None, "sharpness": 1.0}
        numbers = sorted(path.parts)
        rows = np.concatenate([self.folds[number][1] for number in numbers])
        scores = np.concatenate([path.parts[number].scores[place] for number in numbers]).astype(float)
        weights = np.concatenate(self._weights_of_folds(numbers))
        moves, sharpness = moves_and_sharpness(scores, self.labels[rows], weights)
        n_classes = scores.shape[1]
        shares = class_shares(self.labels, n_classes, self.weights) if self.priors is None else self.priors
        return {
            "decision_priors": tuple(map(shortened, moved_priors(shares, moves))),
            "sharpness": shortened(sharpness),
        }

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

    def lengthened(self, path: Path, lams: tuple[float, ...]) -> Path | None:
        """Go on from a path to smaller lams in all folds; None if not all could be done."""
        after = {number: of_fold[0] for number, of_fold in path.solutions.items()}
        further = Path(path.setting, lams, after=after)
        self.see([further], range(len(self.folds)), must=True)
        if further.given_up:
            return None
        return Path(
            path.setting,
            (*lams, *path.lams),
            path.may_win,
            {number: further.parts[number].before(part) for number, part in path.parts.items()},
            solutions={number: further.solutions[number] + of_fold for number, of_fold in path.solutions.items()},
            seconds=path.seconds + further.seconds,
        )

    def _judge(self, path: Path, number: int) -> None:
        """Fit a path outside a fold and note what becomes of the rows inside."""
        train, test = self.folds[number]
        begin = time.thread_time()
        weights = None if self.weights is None else self.weights[train]
        try:
            template = of_classes_there(self.template_of(path), self.y, train)
            data, after = (self.X[train], self.y[train]), path.after.get(number)
            models = fit_path(template, *data, path.lams, ordered=False, sample_weight=weights, after=after)
        except FitError:
            path.given_up = FAILED
            return
        if self.clock.stopped:
            return
        scores = self._scores(models, test)
        wrong, log_losses = (
            np.array([losses_of(of_lam, self.labels[test], scoring) for of_lam in scores])
            for scoring in ("error", "log-loss")
        )
        with np.errstate(over="ignore"):  # a posterior of e^-1e40 is none
            path.parts[number] = Part(wrong, log_losses, scores.astype(np.float32))
        path.solutions[number] = [model.starts_[0].V for model in models]
        path.seconds += time.thread_time() - begin

    def _give_up(self, newcomers: Sequence[Path]) -> None:
        """Mark the newcomers that do not lead after the first folds."""
        numbers = range(_JUDGED_FOLDS)
        judged = [path for path in self.paths if path.may_win and all(number in path.parts for number in numbers)]
        for path in newcomers:
            if not path.may_win:
                path.given_up = path.given_up or BEHIND
        if not judged:
            return
        losses = self.losses(judged, numbers)
        behind, _ = paired_lead(losses, losses.best_of_paths())
        for path, late in zip(judged, behind > 0, strict=True):
            if late and path in newcomers:
                path.given_up = BEHIND

    def _scores(self, models: Sequence[OPNBClassifier], rows: NDArray) -> Array:
        """Give log posteriors of rows under models, of shape (n_models, n_rows, n_classes), for all classes."""
        known = np.searchsorted(np.unique(self.y), models[0].classes_)
        scores = np.full((len(models), rows.size, int(self.labels.max()) + 1), -np.inf)  # of a class not learnt from
        for of_model, model in zip(scores, models, strict=True):
            of_model[:, known] = model.predict_log_proba(self.X[rows])
        return scores

    def losses(self, paths: Sequence[Path], numbers: Sequence[int]) -> Losses:
        """Collect what rows lose in some folds that all these paths have seen, averaged where a row is seen twice.

        Posteriors are revised by what the other folds teach (see `opnb.estimators.odds`), as the final ones will be. By
        error a choice goes by their squared distance from the truth, which varies less than errors do: on half of the
        data sets of the experiment and on half of another collection it chose better.
        """
        revised = [self._revised(path, tuple(numbers)) for path in paths]
        rows, chooses = self._each_once(numbers, np.concatenate([of_path for of_path, _ in revised]))
        _, judges = self._each_once(numbers, np.concatenate([of_path for _, of_path in revised]))
        weights = np.ones(rows.size) if self.weights is None else self.weights[rows]
        return Losses(chooses, judges, tuple(len(path.lams) for path in paths), weights, rows)

    def plain_losses(self, path: Path) -> tuple[NDArray, Array]:
        """Give the rows that a path has been judged on, and what they lose as they are, of shape (n_lams, n_rows)."""
        numbers = sorted(path.parts)
        parts = [path.parts[number] for number in numbers]
        lost = [part.wrong if self.scoring == "error" else part.log_losses for part in parts]
        return self._each_once(numbers, np.concatenate(lost, axis=1))

    def _each_once(self, numbers: Sequence[int], lost: Array) -> tuple[NDArray[np.intp], Array]:
        """Give the rows of folds, each once, and what they lose, averaged where a row is seen twice."""
        seen = np.concatenate([self.folds[number][1] for number in numbers])
        rows, places, counts = np.unique(seen, return_inverse=True, return_counts=True)
        sums = np.zeros((rows.size, len(lost)))
        np.add.at(sums, places, lost.T)
        return rows, (sums / counts[:, None]).T

    def _revised(self, path: Path, numbers: tuple[int, ...]) -> tuple[Array, Array]:
        """Give what a choice goes by and what judges it, of shape (n_lams, n_rows), for the rows of some folds."""
        if numbers not in path.revised:
            rows, weights = [self.folds[number][1] for number in numbers], self._weights_of_folds(numbers)
            truth = self.labels[np.concatenate(rows)]
            chooses, judges = [], []
            for place in range(len(path.lams)):
                scores = [path.parts[number].scores[place].astype(float) for number in numbers]
                revised = np.concatenate(revised_by_others(scores, rows, self.labels, weights))
                judges.append(losses_of(revised, truth, self.scoring))
                chooses.append(brier_losses(revised, truth) if self.scoring == "error" else judges[-1])
            path.revised[numbers] = np.array(chooses), np.array(judges)
        return path.revised[numbers]

    def _weights_of_folds(self, numbers: Sequence[int]) -> list[Array]:
        """Give what the rows that folds leave out count, a row that is seen again and again as much as another."""
        seen = np.bincount(np.concatenate([self.folds[number][1] for number in numbers]), minlength=self.labels.size)
        return [(self.counts / np.maximum(seen, 1))[self.folds[number][1]] for number in numbers]

    def fold_mean(self, losses: Array, number: int) -> Array:
        """Average what the rows of a fold lose, by their weights."""
        weights = None if self.weights is None else self.weights[self.folds[number][1]]
        return np.average(losses, axis=1, weights=weights)

    def trials(self) -> list[Bunch]:
        """Write down what became of every setting."""
        return [trial for path in self.paths for trial in self._trials(path)]

    def _trials(self, path: Path) -> list[Bunch]:
        parts = [(path.parts[number], number) for number in sorted(path.parts)]
        means = [[self.fold_mean(kind, number) for kind in (part.wrong, part.log_losses)] for part, number in parts]
        errors, log_losses = np.array(means).reshape(-1, 2, len(path.lams)).swapaxes(0, 1)
        return [
            Bunch(
                lam=lam,
                **path.setting,
                errors=errors[:, place],
                log_losses=log_losses[:, place],
                error=float(errors[:, place].mean()) if parts else math.nan,
                log_loss=float(log_losses[:, place].mean()) if parts else math.nan,
                given_up=path.given_up,
                seconds=path.seconds,
            )
            for place, lam in enumerate(path.lams)
        ]
