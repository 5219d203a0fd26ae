"""Advice is tried before it is given: other settings against those of the fit, on training rows left out.

Both are fitted outside each of five folds and judged inside it, row by row. After two folds a remedy that is not ahead
is given up. Held-out rows are never looked at: they judge afterwards what came of the advice.

A trial costs as much as four fits; at most `MOST_ROWS` rows take part, and of many starts `MOST_STARTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from opnb.core.kernel import Array
from opnb.core.optimise import Iteration
from opnb.diagnostics.context import Context, sampled_rows
from opnb.diagnostics.finding import Aim, Remedy, Trial
from opnb.diagnostics.verdict import Verdict
from opnb.estimators.base import log_losses
from opnb.estimators.classifier import OPNBClassifier
from opnb.quiet import own_warnings

MOST_ROWS = 1500
MOST_STARTS = 5
_FOLDS, _FIRST_FOLDS = 5, 2
Watch = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Judged:
    """What rows left out became under some settings.

    Attributes
    ----------
    wrong, loss : ndarray of shape (n_rows,)
        Whether they were misclassified, and the negative log posterior of their class.
    """

    wrong: Array
    loss: Array

    def and_then(self, other: Judged) -> Judged:
        """Append the rows of another fold."""
        return Judged(np.concatenate([self.wrong, other.wrong]), np.concatenate([self.loss, other.loss]))


class Folds:
    """The training rows of a fit in folds, and what its own settings do there.

    Parameters
    ----------
    context : Context
    """

    def __init__(self, context: Context) -> None:
        rows = sampled_rows(context.labels, MOST_ROWS, context.rng())
        # Scaled rows serve as well as raw ones: every fit scales them again.
        self.X, self.y = context.X[rows], context.labels[rows]
        self.clf, self.seed = context.clf, context.seed
        n_folds = int(min(_FOLDS, np.bincount(self.y).max()))
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=context.seed)
        with own_warnings():  # small classes are another finding's business
            self.folds = list(splitter.split(self.X, self.y))
        self._own: dict[int, Judged] = {}

    @property
    def size(self) -> int:
        """Number of folds."""
        return len(self.folds)

    def own(self, number: int, watch: Watch) -> Judged:
        """Judge the fit's own settings in a fold."""
        if number not in self._own:
            self._own[number] = self.other(number, {}, watch)
        return self._own[number]

    def other(self, number: int, settings: dict[str, Any], watch: Watch) -> Judged:
        """Judge other settings in a fold."""
        return self._judged(number, self.fitted(number, settings, watch))

    def simple(self, number: int, estimator: Any) -> Judged:
        """Judge a classifier of another kind in a fold."""
        train, _ = self.folds[number]
        with own_warnings():
            return self._judged(number, clone(estimator).fit(self.X[train], self.y[train]))

    def fitted(self, number: int, settings: dict[str, Any], watch: Watch) -> OPNBClassifier:
        """Fit the settings of the fit, some of them changed, outside a fold."""
        train, _ = self.folds[number]
        # The rows are in the columns of a bent fit already.
        shared = {**self.clf.get_params(deep=False), "bend": None, **settings}
        if shared["init"] == "random":
            shared["n_init"] = min(shared["n_init"], MOST_STARTS)
        if shared["random_state"] is None:
            shared["random_state"] = self.seed

        def go_on(iteration: Iteration) -> bool:
            watch()
            return False

        with own_warnings():
            return OPNBClassifier(**{**shared, "callback": go_on, "verbose": 0}).fit(self.X[train], self.y[train])

    def _judged(self, number: int, model: Any) -> Judged:
        _, test = self.folds[number]
        with own_warnings():
            wrong = model.predict(self.X[test]) != self.y[test]
            # Nearest centroids have no posteriors in every version of scikit-learn, and none are asked of them.
            loss = log_losses(model, self.X[test], self.y[test]) if hasattr(model, "predict_log_proba") else wrong
        return Judged(wrong.astype(float), np.asarray(loss, dtype=float))


def folds_of(context: Context) -> Folds:
    """Give the folds of a fit, made once."""
    return context.once("folds", lambda: Folds(context))


def try_remedy(context: Context, remedy: Remedy, watch: Watch = lambda: None) -> Trial | None:
    """Try a remedy in the folds; None where it cannot be fitted there, as a class of one row cannot be left out."""
    settings, folds = dict(remedy.settings), folds_of(context)
    try:
        return compare(context, remedy.aim, lambda number: folds.other(number, settings, watch), watch)
    except ValueError:  # scikit-learn's way of refusing rows and settings
        return None


def compare(context: Context, aim: Aim, judge: Callable[[int], Judged], watch: Watch = lambda: None) -> Trial:
    """Compare what a judge says fold by fold with the fit's own settings; give up early what is not ahead."""
    folds = folds_of(context)
    before = after = None
    for number in range(folds.size):
        own, other = folds.own(number, watch), judge(number)
        before, after = (
            (own, other) if before is None or after is None else (before.and_then(own), after.and_then(other))
        )
        trial = _trial(aim, before, after, number + 1)
        if number + 1 == _FIRST_FOLDS and trial.is_behind:
            break
    return trial


def _trial(aim: Aim, before: Judged, after: Judged, n_folds: int) -> Trial:
    n = before.wrong.size
    errors = before.wrong.mean(), after.wrong.mean()
    saved = before.loss - after.loss
    spread = saved.std(ddof=1) / np.sqrt(n) if n > 1 else 0.0
    return Trial(
        aim=aim,
        error_before=float(errors[0]),
        error_after=float(errors[1]),
        verdict=Verdict(int(np.sum(before.wrong > after.wrong)), int(np.sum(after.wrong > before.wrong))),
        loss_before=float(before.loss.mean()),
        loss_after=float(after.loss.mean()),
        loss_lead=float(saved.mean() / spread) if spread > 0 else 0.0,
        n_rows=n,
        n_folds=n_folds,
    )
