"""Directions that add nothing, and a picture of two directions that differs from the whole model."""

from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context
from opnb.diagnostics.dependence import REPEATED, within_class_correlation
from opnb.diagnostics.finding import Finding, Remedy, Severity, listed

# Log-likelihood a row, rows left out, that a direction must add to count: a posterior moves by 0.2 %.
IDLE_GAIN = 0.002
# Share of the directions that must be idle to be worth a word: so much of the time of the fit is spent on nothing. On
# real data the last one or two of twenty are nearly always idle.
IDLE_SHARE = 0.25
# Share of rows left out that may become wrong without the directions that are called idle.
IDLE_ERROR = 0.005
# Share of rows: at most 0.15 where the classes lie in a plane, at least 0.29 where nine classes lie in nine dimensions.
DISAGREE_WARNING = 0.2
DISAGREE_NOTICE = 0.05
INDEPENDENCE = 0.1  # keeps directions apart and leaves the error where it was
_MOST_COMPARED = 8  # directions searched for repeats


def idle_directions(context: Context) -> Finding | None:
    """See whether the last directions add nothing."""
    if context.n_components == 1:
        return None
    totals = np.concatenate([[context.guessing], np.nanmean(context.curves.left_out, axis=1)])
    gains = np.diff(totals)
    idle = _trailing_idle(gains, context.curves.wrong_left_out.mean(axis=1))
    evidence = {"gains": gains, "log_likelihood_left_out": totals, "n_idle": idle}
    if idle < IDLE_SHARE * gains.size:
        text = f"Of {gains.size} directions {gains.size - idle} add to the log-likelihood of rows left out."
        return Finding("idle-directions", "good", "Most directions add something", text, evidence)
    kept = gains.size - idle
    sentence = f"Fit {kept} direction{'s' if kept > 1 else ''} only."
    return Finding(
        "idle-directions",
        "notice",
        "Directions that add little",
        _idle_words(gains, idle),
        evidence,
        Remedy({"n_components": kept}, sentence, "no worse"),
    )


def _trailing_idle(gains: Array, errors: Array) -> int:
    """Count the last directions that together bring less than `IDLE_GAIN` and do not lower the error either.

    The first always stays. Densities that are too narrow lose likelihood with every direction, useful ones among them.
    """
    idle = np.maximum.accumulate(np.cumsum(gains[::-1])) < IDLE_GAIN
    without = np.append(errors[-2::-1], 1.0)  # the error when the last 1, 2, ... directions go
    idle &= np.maximum.accumulate(without) <= errors[-1] + IDLE_ERROR
    return int(idle[:-1].sum())


def _idle_words(gains: Array, idle: int) -> str:
    m = gains.size
    which = f"Direction {m}" if idle == 1 else f"The last {idle} of {m} directions"
    return (
        f"{which} add{'s' if idle == 1 else ''} {gains[m - idle :].sum():+.4f} to the log-likelihood a row once "
        "rows are left out of their own densities."
    )


def repeated_directions(context: Context) -> Finding | None:
    """See whether the two directions shown are one direction twice, so that the picture is a line."""
    if context.n_components == 1:
        return None
    repeats = _repeats(context)
    r = within_class_correlation(context, 0, 1)
    evidence = {"correlation": r, "repeats": repeats, "independence": context.clf.independence}
    if r < REPEATED:
        text = f"Directions 1 and 2 are correlated by {r:.2f} within classes: the picture fills a plane."
        return Finding("repeated-directions", "good", "Two directions that differ", text, evidence)
    pairs = [f"{later + 1} repeats {earlier + 1}" for earlier, later in repeats]
    wanted = max(INDEPENDENCE, 10 * context.clf.independence)
    return Finding(
        "repeated-directions",
        "warning",
        "Directions that repeat each other",
        f"Of the directions, {listed(pairs)}: the model counts the same evidence more than once to sharpen its "
        f"posteriors, and the picture is a line (correlation {r:.3f} within classes). A second direction could show "
        "something new.",
        evidence,
        Remedy({"independence": wanted}, f"Ask for independent directions (weight {wanted:g}).", "no worse"),
    )


def _repeats(context: Context) -> list[tuple[int, int]]:
    """Give pairs (earlier, later) of directions that are one direction within classes."""
    found = []
    for later in range(1, min(context.n_components, _MOST_COMPARED)):
        for earlier in range(later):
            if within_class_correlation(context, earlier, later) >= REPEATED:
                found.append((earlier, later))
                break
    return found


def shown_versus_full(context: Context) -> Finding | None:
    """See how often the model on the two directions shown differs from the whole one."""
    if context.n_components <= 2:
        return None
    evidence = _disagreement(context)
    share = evidence["share"]
    severity: Severity = "warning" if share >= DISAGREE_WARNING else "notice" if share >= DISAGREE_NOTICE else "good"
    text = (
        f"The boundary drawn on directions 1 and 2 gives another class than the whole model of "
        f"{context.n_components} directions to {share:.1%} of {evidence['n_rows']:,} rows."
    )
    if severity == "good":
        return Finding("shown-versus-full", severity, "The picture shows the model", text, evidence)
    return Finding(
        "shown-versus-full",
        severity,
        "The picture is not the whole model",
        f"{text} Points on the wrong side of the line need not be errors. Show the whole model's prediction at each "
        "point, or fit two directions for the picture.",
        evidence,
        Remedy({"n_components": 2}, "Fit two directions, made to be looked at.", "no worse"),
    )


def _disagreement(context: Context) -> dict[str, Any]:
    """Compare both predictions on the held-out rows, or on the training rows if there are none."""
    if context.X_test is None:
        Z = context.Z[context.rows]
        whole = context.model.joint_log_likelihood(Z).argmax(axis=1)
    else:
        Z, whole = context.X_test @ context.clf.components_.T, context.test_log_posterior.argmax(axis=1)
    shown = context.model.joint_log_likelihood(Z[:, :2], [0, 1]).argmax(axis=1)
    differ = shown != whole
    by_class = np.bincount(whole, differ, minlength=context.counts.size)
    totals = np.maximum(np.bincount(whole, minlength=context.counts.size), 1)
    return {"share": float(differ.mean()), "n_rows": differ.size, "by_class": by_class / totals}
