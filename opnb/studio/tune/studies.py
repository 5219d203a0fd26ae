"""The studies behind the Tune page: paths, variants of a fit, shuffled labels, playback. Run by a study's `Job`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from opnb.diagnostics import (
    Alignment,
    DimensionCurve,
    align_directions,
    dimension_curve,
    permuted_labels,
    principal_angles,
)
from opnb.estimators.selection import DEFAULT_LAMS, OPNBClassifierCV
from opnb.quiet import own_warnings
from opnb.studio.visit.settings import FitSpec, in_words
from opnb.studio.work.fitting import fit_within
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import report
from opnb.views.path import Movie, PathErrors, path_errors, path_movie, playback_movie

if TYPE_CHECKING:
    from opnb.core.optimise import Iteration
    from opnb.data import Dataset
    from opnb.studio.visit.results import FitResult

RANDOM_STARTS = 11
MOST_DIRECTIONS = 10
SHUFFLES, _SHUFFLES_A_TIME = 20, 2
_FOLDS = 5
# Two starts are the same solution where neither the eye nor the objective, a row, could tell them apart.
_SAME_ANGLE, _SAME_OBJECTIVE = 3.0, 1e-3


def fits_work(specs: Sequence[FitSpec], result: FitResult, job: Job[Any]) -> tuple[FitResult, ...]:
    """Fit several settings, one after the other; the one of the result itself is not fitted again."""
    fits = []
    for number, spec in enumerate(specs):
        report(job, number / len(specs), f"Fitting {number + 1} of {len(specs)}")
        fits.append(result if spec == result.spec else fit_within(job, spec, result))
    report(job, 1.0, "Gathering")
    return tuple(fits)


def penalty_specs(spec: FitSpec) -> tuple[FitSpec, ...]:
    """Give the settings with every penalty."""
    return tuple(replace(spec, penalty=name) for name in ("frobenius", "total", "pooled"))


def likelihood_specs(spec: FitSpec) -> tuple[FitSpec, ...]:
    """Give the settings with every likelihood."""
    return tuple(replace(spec, likelihood=name) for name in ("resubstitution", "leave-one-out"))


def start_specs(spec: FitSpec) -> tuple[FitSpec, ...]:
    """Give the settings with the principal components as start, and with single random starts."""
    one = replace(spec, init="pca", n_init=1, combine="best", seed=0)
    return (one, *(replace(one, init="random", seed=seed) for seed in range(RANDOM_STARTS)))


def start_name(spec: FitSpec) -> str:
    """Name a start."""
    return in_words("init", "pca").capitalize() if spec.init == "pca" else f"Random start {spec.seed}"


@dataclass(frozen=True, eq=False)
class StartGroup:
    """Starts that led to the same solution.

    Attributes
    ----------
    fits : tuple of FitResult
        The one with the best objective first.
    angles : ndarray
        Between its directions and those of the best of all groups, in degrees.
    alignment : Alignment
        Order and signs that make its picture resemble that of the best.
    """

    fits: tuple[FitResult, ...]
    angles: NDArray[np.float64]
    alignment: Alignment

    @property
    def angle_words(self) -> str:
        """The first angles in words."""
        return ", ".join(f"{angle:.0f}°" for angle in self.angles[:3])


def start_groups(fits: Sequence[FitResult]) -> list[StartGroup]:
    """Put fits with the same directions and the same objective together, the best first."""
    ranked = sorted(fits, key=lambda fit: -fit.classifier.objective_)
    groups: list[list[FitResult]] = []
    for fit in ranked:
        same = next((group for group in groups if _same_solution(group[0], fit)), None)
        if same is None:
            groups.append([fit])
        else:
            same.append(fit)
    best = ranked[0]
    aligned = [align_directions(_columns(best), _columns(group[0])) for group in groups]
    return [
        StartGroup(tuple(group), _angles(best, group[0]), match) for group, match in zip(groups, aligned, strict=True)
    ]


def _same_solution(one: FitResult, other: FitResult) -> bool:
    apart = abs(one.classifier.objective_ - other.classifier.objective_)
    return apart < _SAME_OBJECTIVE and float(_angles(one, other).max()) < _SAME_ANGLE


def _angles(one: FitResult, other: FitResult) -> NDArray[np.float64]:
    return np.degrees(principal_angles(_columns(one), _columns(other)))


def _columns(fit: FitResult) -> NDArray[np.float64]:
    return fit.classifier.components_.T


@dataclass(frozen=True, eq=False)
class LamPath:
    """Errors along a path of lam, and the movie of its solutions."""

    errors: PathErrors
    movie: Movie


def path_work(result: FitResult, job: Job[Any]) -> LamPath:
    """Choose lam by cross-validation on the training rows."""
    data, settings = result.dataset, result.spec.settings()
    del settings["lam"]
    folds = int(np.clip(result.projected.train_counts.min(), 2, _FOLDS))
    n_starts = result.spec.n_init if result.spec.init == "random" else 1
    watch = _PathWatch(job, (folds + 1) * len(DEFAULT_LAMS) * n_starts)
    # A function, because the search copies its settings, and a job cannot be copied.
    cv = OPNBClassifierCV(**settings, cv=folds, callback=lambda iteration: watch(iteration))
    with own_warnings(UserWarning):
        # The path is for choosing: a solution short of its precision, or a class too rare for a fold, serves too.
        cv.fit(data.X_train, data.y_train)
    report(job, 1.0, "Gathering")
    errors = path_errors(cv, data.X_train, data.y_train, data.X_test, data.y_test)
    return LamPath(errors, path_movie(cv, result.projected, _all_rows(result), errors))


class _PathWatch:
    """The callback of a path: counts the searches that have begun, and ends them all with the study."""

    def __init__(self, job: Job[Any], total: int) -> None:
        self.job, self.total, self.begun = job, total, 0

    def __call__(self, iteration: Iteration) -> bool:
        self.begun += iteration.number == 0
        report(self.job, self.begun / (self.total + 1), f"Search {min(self.begun, self.total)} of {self.total}")
        return False


def _all_rows(result: FitResult) -> NDArray[np.float64]:
    return np.concatenate([result.dataset.X_train, result.dataset.X_test])


def dimension_work(result: FitResult, job: Job[Any]) -> DimensionCurve:
    """Fit more directions than are shown, and measure the model as they are added."""
    report(job, 0.0, "Fitting more directions")
    most = min(result.dataset.X.shape[1], max(result.n_directions, MOST_DIRECTIONS))
    fit = fit_within(job, replace(result.spec, n_components=most), result)
    report(job, 0.8, "Adding them one by one")
    data = fit.dataset
    held_out = {"X_test": data.X_test, "y_test": data.y_test} if len(data.test) else {}
    return dimension_curve(fit.classifier, data.X_train, data.y_train, **held_out)


@dataclass(frozen=True, eq=False)
class Shuffled:
    """A fit on shuffled labels, and what the search reached on many shuffles.

    Attributes
    ----------
    fit : FitResult
        Training labels shuffled once; held-out rows keep theirs.
    objective : float
        With the true labels.
    objectives : ndarray of shape (SHUFFLES,)
        With shuffled labels.
    """

    fit: FitResult
    objective: float
    objectives: NDArray[np.float64]

    @property
    def as_good(self) -> int:
        """How many shuffles did at least as well as the true labels."""
        return int(np.sum(self.objectives >= self.objective))


def shuffled_work(result: FitResult, job: Job[Any]) -> Shuffled:
    """Search again with shuffled labels, many times."""
    data, found = result.dataset, []
    report(job, 0.0, "Fitting shuffled labels")
    fit = fit_within(job, result.spec, result, _shuffled(data))
    for done in range(0, SHUFFLES, _SHUFFLES_A_TIME):
        report(job, (1 + done) / (1 + SHUFFLES), f"Shuffle {done + 1} of {SHUFFLES}")
        some = permuted_labels(result.classifier, data.X_train, data.y_train, _SHUFFLES_A_TIME, random_state=done)
        found.append(some)
    return Shuffled(fit, found[0].objective, np.concatenate([some.shuffled_objectives for some in found]))


def _shuffled(data: Dataset) -> Dataset:
    y = data.y.copy()
    y[data.train] = np.random.default_rng(0).permutation(y[data.train])
    return replace(data, y=y)


def playback_work(result: FitResult, job: Job[Any]) -> Movie:
    """Repeat the search that led to a fit, and record where it went."""
    watch = _Recorder(job, result)
    classifier = result.spec.classifier(callback=watch)
    with own_warnings(ConvergenceWarning):  # it was said with the fit itself
        classifier.fit(result.dataset.X_train, result.dataset.y_train)
    return playback_movie(result.classifier, result.projected, _all_rows(result), watch.snapshots)


class _Recorder:
    """Keeps the projections of the start that won; later starts are left out."""

    def __init__(self, job: Job[Any], result: FitResult) -> None:
        self.job, self.result = job, result
        self.snapshots: list[tuple[int, float, NDArray[np.float64]]] = []

    def __call__(self, iteration: Iteration) -> bool:
        clf = self.result.classifier
        done = (iteration.start + iteration.number / max(clf.n_iter_, 1)) / (clf.best_start_ + 1)
        report(self.job, done, f"Start {iteration.start + 1}, step {iteration.number}")
        if iteration.start == clf.best_start_:
            self.snapshots.append((iteration.number, iteration.objective, iteration.V.copy()))
        return iteration.start > clf.best_start_ or (
            iteration.start == clf.best_start_ and iteration.number >= clf.n_iter_
        )
