"""Directions that add nothing, and a picture of two directions that differs from the whole model."""

from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context
from opnb.diagnostics.dependence import REPEATED, within_class_correlation
from opnb.diagnostics.finding import Finding, Remedy, Severity, listed

# Log-likelihood a row, rows left out, that a direction must add to count: a posterior moves by 0.2 %.
IDLE_GAIN = 0.002
# Share of rows: at most 0.15 where the classes lie in a plane, at least 0.29 where nine classes lie in nine dimensions.
DISAGREE_WARNING = 0.2
DISAGREE_NOTICE = 0.05
_MOST_COMPARED = 8  # directions searched for repeats


def idle_directions(context: Context) -> Finding | None:
    """See whether directions add nothing, or repeat each other."""
    if context.n_components == 1:
        return None
    totals = np.concatenate([[context.guessing], np.nanmean(context.curves.left_out, axis=1)])
    gains = np.diff(totals)
    idle = _trailing_idle(gains)
    repeats = _repeats(context)
    evidence = {"gains": gains, "log_likelihood_left_out": totals, "n_idle": idle, "repeats": repeats}
    if not idle and not repeats:
        text = f"The last of {gains.size} directions adds {gains[-1]:.3f} to the log-likelihood a row."
        return Finding("idle-directions", "good", "Every direction adds something", text, evidence)
    kept = gains.size - idle
    remedy = Remedy({"n_components": kept}, f"Fit {kept} direction{'s' if kept > 1 else ''} only.") if idle else None
    title = "Directions that add little" if idle else "Directions that repeat each other"
    return Finding("idle-directions", "notice", title, _idle_words(gains, idle, repeats), evidence, remedy)


def _trailing_idle(gains: Array) -> int:
    """Count the last directions that together bring less than `IDLE_GAIN`; the first always stays."""
    idle = np.maximum.accumulate(np.cumsum(gains[::-1])) < IDLE_GAIN
    return int(idle[:-1].sum())


def _repeats(context: Context) -> list[tuple[int, int]]:
    """Give pairs (earlier, later) of directions that are one direction within classes."""
    found = []
    for later in range(1, min(context.n_components, _MOST_COMPARED)):
        for earlier in range(later):
            if within_class_correlation(context, earlier, later) >= REPEATED:
                found.append((earlier, later))
                break
    return found


def _idle_words(gains: Array, idle: int, repeats: list[tuple[int, int]]) -> str:
    sentences, m = [], gains.size
    if idle:
        which = f"Direction {m}" if idle == 1 else f"The last {idle} of {m} directions"
        sentences.append(
            f"{which} add{'s' if idle == 1 else ''} {gains[m - idle :].sum():+.4f} to the log-likelihood a row once "
            "rows are left out of their own densities."
        )
    if repeats:
        pairs = [f"{later + 1} repeats {earlier + 1}" for earlier, later in repeats]
        sentences.append(
            f"Of the directions, {listed(pairs)}: the model counts the same evidence more than once to sharpen its "
            "posteriors, and a picture of the two is a line."
        )
    return " ".join(sentences)


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
        Remedy({"n_components": 2}, "Fit two directions, made to be looked at."),
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
