"""Good settings for the data at hand: chosen by cross-validation on the training rows, then fitted as any others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from opnb.estimators.auto import OPNBAuto
from opnb.quiet import own_warnings
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import WORDS, FitSpec, in_words
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import fit_limits
from opnb.studio.work.studies import StudyProgress

if TYPE_CHECKING:
    from opnb.core.optimise import Iteration
    from opnb.data import Dataset, Table

_MOST_SECONDS = 120.0  # for the choice; what is best by then is taken
_USUAL_SEARCHES = 150  # of a choice, for the bar
_BALANCED = ", with the classes balanced and the probabilities set right on rows left out"
_STOPPED = "The choice was stopped: these settings are the best that were known by then."


def choose_work(spec: FitSpec, table: Table, dataset: Dataset, job: Job[FitResult]) -> FitResult:
    """Choose what `OPNBAuto` chooses, fit with it, and say what was chosen; run by a `Job`.

    Number of directions, scales and priors stay as they are in `spec`.
    """
    job.progress = StudyProgress()
    auto = OPNBAuto(
        n_components=spec.n_components,
        scale=spec.scale,
        priors=spec.settings()["priors"],
        max_seconds=min(_MOST_SECONDS, fit_limits().seconds / 2),
        callback=_Watch(job),
    )
    with own_warnings():  # a search for settings need not reach its tolerance, and the fit will say if it does not
        auto.fit(dataset.X_train, dataset.y_train)
    stopped = job.stopping
    best: dict[str, Any] = auto.best_params_
    chosen = replace(spec, **best, init="pca", n_init=1, combine="best")
    return fit_work(chosen, table, dataset, job, notes=(_STOPPED if stopped else choice_words(auto),))


class _Watch:
    """The callback of the choice: counts the searches, and passes a stop on."""

    def __init__(self, job: Job[FitResult]) -> None:
        self.job, self.begun = job, 0

    def __call__(self, iteration: Iteration) -> bool:
        self.begun += iteration.number == 0
        share = self.begun / (self.begun + _USUAL_SEARCHES / 2)
        self.job.progress = StudyProgress(share, f"Trying settings on rows left out: search {self.begun:,}")
        return self.job.stopping


def choice_words(auto: OPNBAuto) -> str:
    """Say what was chosen, how well it does in the folds, and what it gained."""
    chosen = ", ".join(f"{WORDS[name]} {in_words(name, value)}" for name, value in _in_order(auto.best_params_))
    error = f"wrong on {100 * auto.error_:.1f} ± {100 * auto.error_se_:.1f} % of rows left out"
    balanced = _BALANCED if auto.best_params_["decision_priors"] is not None else ""
    told = f"Chosen by cross-validation: {chosen}{balanced}. They are {error}{_gain(auto.gain_)}. {auto.widened_}"
    return told.strip()


def _in_order(params: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, params[name]) for name in ("lam", "likelihood", "independence", "penalty", "bend")]


def _gain(gain: float) -> str:
    if math.isnan(gain):
        return ""
    points = 100 * gain
    if abs(points) < 0.05:
        return ", as many as with the paper's settings"
    return f", {abs(points):.1f} points {'fewer' if points > 0 else 'more'} than with the paper's settings"
