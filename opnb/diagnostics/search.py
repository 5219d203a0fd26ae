"""Whether the search ended at its end, whether another start would have ended higher, or another lam done better."""

from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Remedy, Severity, many_starts
from opnb.diagnostics.probes import carried_on, start_probe

# Gain in the objective, a row, by which a better start beats the fit. Where 20 random starts find nothing better the
# probe's gain is below 0.001; where they gain 0.03 or more it finds most of it. Simulations leave the range between
# open; 0.015 lies in its middle.
GAIN_WARNING = 0.015
GAIN_NOTICE = 0.005
# Gain in the objective, a row, of more iterations (up to 100) that says a search was still climbing: where 600
# iterations bring less than 0.005 it is below 0.005, where they bring 0.02 or more it is above 0.0075.
CLIMB_WARNING = 0.007
CLIMB_NOTICE = 0.001
# Standard errors over the folds by which the last lam tried beats one of the next two inside.
EDGE_WARNING = 2.0
_INSIDE = 2
_LAST_STEPS = 5
_RELIABLE = 3  # of the starts of a multi-start fit, how many should reach the best


def poor_start(context: Context) -> Finding | None:
    """See whether another start reaches a better objective."""
    if context.X.shape[1] == 1:
        return None
    starts = context.clf.starts_
    return _from_spread(context) if len(starts) > 1 else _from_probe(context)


def _from_spread(context: Context) -> Finding:
    """Judge a fit of several starts by how many of them agree with the best."""
    objectives = np.array([start.objective for start in context.clf.starts_])
    best = objectives.max()
    reached = int(np.sum(objectives >= best - GAIN_NOTICE))
    evidence = {"objectives": objectives, "best": best, "reached": reached, "gain": 0.0}
    spread = (
        f"{reached} of {objectives.size} starts came within {GAIN_NOTICE:g} of the best objective, {best:.4f}; the "
        f"median is {np.median(objectives):.4f} and the worst {objectives.min():.4f}."
    )
    if reached >= min(_RELIABLE, objectives.size):
        return Finding("poor-start", "good", "Several starts agree", spread, evidence)
    more = max(50, 2 * objectives.size)
    return Finding(
        "poor-start",
        "notice",
        "The best start stands nearly alone",
        f"{spread} The objective has many local optima, and a better one may remain.",
        evidence,
        Remedy({"init": "random", "n_init": more}, f"Search from {more} random starts."),
    )


def _from_probe(context: Context) -> Finding:
    """Judge a fit of one start by a quick search from a few random ones."""
    probe = start_probe(context)
    gain = probe.gain
    severity: Severity = "warning" if gain >= GAIN_WARNING else "notice" if gain >= GAIN_NOTICE else "good"
    evidence = {
        "objectives": probe.others,
        "best": float(probe.others.max()),
        "ours": probe.ours,
        "gain": gain,
        "n_rows": probe.n_rows,
        "n_starts": probe.n_starts,
    }
    remedy = None if severity == "good" else many_starts()
    return Finding("poor-start", severity, *_probe_words(evidence, severity), evidence, remedy)


def _probe_words(evidence: dict[str, Any], severity: Severity) -> tuple[str, str]:
    numbers = (
        f"A quick search from {evidence['n_starts']} random starts reached {evidence['best']:.4f}, where this fit "
        f"stands at {evidence['ours']:.4f} on the same {evidence['n_rows']:,} rows."
    )
    if severity == "good":
        return "No better start found", numbers
    return (
        "Another start does better",
        f"{numbers} A gain of {evidence['gain']:.3f} a row is left, so what the picture shows is a local optimum.",
    )


def not_converged(context: Context) -> Finding:
    """See whether the search ended before the objective was flat."""
    clf = context.clf
    objective = np.array([record.objective for record in clf.history_])
    norms = np.array([record.gradient_norm for record in clf.history_])
    last = float(objective[-1] - objective[max(-1 - _LAST_STEPS, -objective.size)])
    evidence: dict[str, Any] = {
        "objective": objective,
        "gradient_norm": norms,
        "last_steps_gain": last,
        "n_iter": clf.n_iter_,
        "stopped": clf.stopped_,
        "gain": 0.0,
        "more_iterations": 0,
    }
    if clf.converged_:
        text = f"The tolerance {clf.tol:g} was met after {clf.n_iter_} iterations."
        return Finding("not-converged", "good", "The search converged", text, evidence)
    evidence["gain"], evidence["more_iterations"] = carried_on(context, context.V)
    gain = evidence["gain"]
    severity: Severity = "warning" if gain >= CLIMB_WARNING else "notice" if gain >= CLIMB_NOTICE else "good"
    limit = max(500, 5 * clf.max_iter)
    remedy = None if severity == "good" else Remedy({"max_iter": limit}, f"Allow {limit} iterations.")
    return Finding("not-converged", severity, *_search_words(context, evidence, severity), evidence, remedy)


def _search_words(context: Context, evidence: dict[str, Any], severity: Severity) -> tuple[str, str]:
    clf = context.clf
    why = "was stopped" if clf.stopped_ else "reached its limit" if clf.n_iter_ >= clf.max_iter else "stalled"
    still = severity == "warning"
    return (
        "The search was still climbing" if still else "The search ended just short of its tolerance",
        f"The search {why} after {clf.n_iter_} iterations. Its last {min(_LAST_STEPS, clf.n_iter_)} steps raised the "
        f"objective by {evidence['last_steps_gain']:.4f} a row and left a gradient of norm "
        f"{evidence['gradient_norm'][-1]:.2g}; {evidence['more_iterations']} more iterations raise it by "
        f"{evidence['gain']:.4f}. "
        + ("The directions still move: do not read them yet." if still else "Little would change."),
    )


def edge_of_grid(context: Context) -> Finding | None:
    """See whether the best lam of a search is the first or the last of those tried."""
    cv = context.searched
    return None if cv is None else edge_finding(cv.lams_, cv.cv_errors_, cv.lam_)


def edge_finding(lams: Array, fold_errors: Array, lam: float) -> Finding | None:
    """Judge a path of lambdas by their errors in folds.

    Parameters
    ----------
    lams : ndarray of shape (n_lams,)
        Ascending.
    fold_errors : ndarray of shape (n_lams, n_folds)
    lam : float
        The one that was taken; only where it is the first or the last is there anything to say.

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.diagnostics import edge_finding
    >>> lams, errors = np.array([0.001, 0.01, 0.1]), np.array([[0.3, 0.3], [0.2, 0.2], [0.1, 0.1]])
    >>> edge_finding(lams, errors, 0.01) is None
    True
    """
    best, last = int(np.argmin(np.abs(lams - lam))), lams.size - 1
    if last <= _INSIDE:
        return None
    evidence: dict[str, Any] = {"lams": lams, "errors": fold_errors.mean(axis=1), "best": best, "lead": 0.0}
    if 0 < best < last:
        text = f"The best of {lams.size} values is {lam:g}; {lams[0]:g} to {lams[-1]:g} were tried."
        return Finding("edge-of-grid", "good", "The best smoothness lies inside the grid", text, evidence)
    step = 1 if best == 0 else -1
    ahead = fold_errors[[best + step, best + 2 * step]] - fold_errors[best]
    errors = np.maximum(ahead.std(axis=1, ddof=1) / np.sqrt(ahead.shape[1]), 1e-9)
    evidence["lead"] = float((ahead.mean(axis=1) / errors).max())
    side, further, next_lam = ("smallest", "smaller", lam / 10) if best == 0 else ("largest", "larger", 10 * lam)
    severity: Severity = "warning" if evidence["lead"] >= EDGE_WARNING else "notice"
    return Finding(
        "edge-of-grid",
        severity,
        "The best smoothness lies at the end of what was tried",
        f"Lambda {lam:g} is the {side} of {lams.size} values tried and the best: error {evidence['errors'][best]:.3f} "
        f"in the folds, {evidence['errors'][best + step]:.3f} one step inside. Try {further} ones.",
        evidence,
        Remedy({"lam": next_lam}, f"Set lambda to {next_lam:g}, beyond what was tried."),
    )
