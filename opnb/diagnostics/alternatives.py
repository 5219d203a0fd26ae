"""What the fit could have been: with more directions, or as one of the simple methods everybody has.

Both are judged on training rows left out, fold by fold beside the fit's own settings (`trials`).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Remedy, Severity, Trial
from opnb.diagnostics.trials import Watch, compare, folds_of, try_remedy

# What must be gained on rows left out: of the error, and in standard deviations of chance.
GAIN_WARNING, GAIN_NOTICE = 0.05, 0.02
LEAD_WARNING, LEAD_NOTICE = 3.0, 2.0
SIMPLE: Mapping[str, Any] = {
    "the nearest class centre": NearestCentroid(),
    "Gaussian naive Bayes": GaussianNB(),
    "linear discriminants": LinearDiscriminantAnalysis(),
}
_MOST_DIRECTIONS = 20


def _severity(trial: Trial) -> Severity:
    gain, lead = trial.error_before - trial.error_after, trial.verdict.lead
    if gain >= GAIN_WARNING and lead >= LEAD_WARNING:
        return "warning"
    return "notice" if gain >= GAIN_NOTICE and lead >= LEAD_NOTICE else "good"


def _numbers(trial: Trial) -> dict[str, Any]:
    return {
        "error": trial.error_before,
        "error_other": trial.error_after,
        "lead": float(trial.verdict.lead),
        "n_rows": trial.n_rows,
        "n_folds": trial.n_folds,
    }


def few_directions(context: Context, watch: Watch = lambda: None) -> Finding | None:
    """See whether more directions would lower the error."""
    remedy = more_directions(context)
    trial = None if remedy is None else try_remedy(context, remedy, watch)
    if remedy is None or trial is None:
        return None
    m, more, severity = context.n_components, remedy.settings["n_components"], _severity(trial)
    evidence = {**_numbers(trial), "n_components": m, "more": more}
    if severity == "good":
        text = f"{more} directions instead of {m}: {trial.error_after:.1%} of training rows left out wrong instead of "
        text += f"{trial.error_before:.1%}."
        return Finding("few-directions", severity, "More directions would not help much", text, evidence, trial=trial)
    text = (
        f"{more} directions lower the error on training rows left out from {trial.error_before:.1%} to "
        f"{trial.error_after:.1%}. What tells the {context.counts.size} classes apart does not fit on {m}."
    )
    return Finding("few-directions", severity, "Too few directions", text, evidence, remedy, trial)


def more_directions(context: Context) -> Remedy | None:
    """Give twice the directions, or as many as the classes may need; None where there are no more."""
    m, most = context.n_components, min(context.X.shape[1], _MOST_DIRECTIONS)
    if m >= most or not isinstance(context.clf.init, str):
        return None
    more = min(most, max(2 * m, context.counts.size - 1))
    return Remedy({"n_components": more}, f"Use {more} directions.")


def worse_than_simple(context: Context, watch: Watch = lambda: None) -> Finding | None:
    """See whether a simple method does clearly better on training rows left out."""
    folds = folds_of(context)
    trials = {}
    for name, estimator in SIMPLE.items():
        watch()
        trials[name] = compare(context, "better", partial(folds.simple, estimator=estimator), watch)
    best = min(trials, key=lambda name: trials[name].error_after)
    trial = trials[best]
    evidence = {
        **_numbers(trial),
        "names": [f"this fit, {context.n_components} directions", *trials],
        "errors": np.array([trial.error_before, *(one.error_after for one in trials.values())]),
    }
    severity = _severity(trial)
    if severity == "good":
        text = f"The best of {len(trials)}, {best}, is wrong on {trial.error_after:.1%} of training rows left out, "
        text += f"this fit on {trial.error_before:.1%}."
        return Finding("worse-than-simple", severity, "No simple method is clearly better", text, evidence)
    text = (
        f"On training rows left out {best} is wrong on {trial.error_after:.1%}, this fit on {trial.error_before:.1%}: "
        f"{trial.verdict} The classes can be told apart more simply than this projection shows."
    )
    remedy = _instead(context, best)
    return Finding("worse-than-simple", severity, "A simple method does better", text, evidence, remedy)


def _instead(context: Context, best: str) -> Remedy | None:
    """Look where the simple method looks: at all columns, or across the long directions."""
    more = more_directions(context)
    if best == "Gaussian naive Bayes" and more is not None:
        return more
    if context.clf.penalty == "frobenius":
        return Remedy(
            {"penalty": "pooled"}, "Penalise by the within-class covariance: directions of little variance get cheap."
        )
    return more
