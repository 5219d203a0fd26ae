"""Bandwidths that the data's scale dwarfs, and the elongated clouds that invite them.

With the resubstitution likelihood a row's own kernel counts in its class. Where a direction spans very many
bandwidths the other kernels are far away, the row vouches for itself, and the likelihood rises without any learning.
Leaving each row out shows how much of the gain over guessing was of that kind.
"""

from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.core.kernel_sums import log_sums_at
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Remedy, Severity

# Share of the gain over guessing that goes when rows are left out of their own densities. Clean simulated problems
# stay below 0.13; hill and valley, a vanishing lambda and heavy tails lie above 1.5.
OPTIMISM_WARNING = 0.5
OPTIMISM_NOTICE = 0.2
# The typical variance of a principal direction, as a share of the mean variance. On the simulator "elongated" the
# default penalty does as well as the pooled one down to 0.05 and loses 0.05 to 0.1 of accuracy at 0.01; clean problems
# lie above 0.4.
TYPICAL_VARIANCE_WARNING = 0.02
TYPICAL_VARIANCE_NOTICE = 0.1
_SHOWN = 2  # directions whose margins are searched for modes
_MOST_EIGENVALUES = 50
_MOST_ALONE = 2_000  # rows that a picture can ring


def overfit_scale(context: Context) -> Finding:
    """See whether density estimates pick out single rows."""
    full = context.curves.resubstituted[-1], context.curves.left_out[-1]
    known = np.isfinite(full[1])
    counted, left_out = float(full[0][known].mean()), float(full[1][known].mean())
    gain = counted - context.guessing
    optimism = (counted - left_out) / max(gain, 1e-12)
    alone = (context.own_share > 0.5).mean(axis=1)
    evidence = {
        "log_likelihood": counted,
        "log_likelihood_left_out": left_out,
        "log_likelihood_guessing": context.guessing,
        "optimism": optimism,
        "modes": margin_modes(context),
        "share_alone": alone,
        "alone": [np.flatnonzero(share > 0.5)[:_MOST_ALONE] for share in context.own_share[:_SHOWN]],
        "bandwidths_spanned": np.ptp(context.Z, axis=0) / context.clf.bandwidths_,
        **_held_out_gap(context),
    }
    severity = _severity(optimism, OPTIMISM_NOTICE, OPTIMISM_WARNING)
    return Finding(
        "overfit-scale",
        severity,
        *_scale_words(evidence, severity),
        evidence,
        _scale_remedy(context) if severity != "good" else None,
    )


def _severity(value: float, notice: float, warning: float) -> Severity:
    return "warning" if value >= warning else "notice" if value >= notice else "good"


def _scale_words(evidence: dict[str, Any], severity: Severity) -> tuple[str, str]:
    counted, left_out, guess = (evidence[f"log_likelihood{suffix}"] for suffix in ("", "_left_out", "_guessing"))
    numbers = (
        f"The log-likelihood a row is {counted:.3f} when each row's own kernel counts and {left_out:.3f} when it is "
        f"left out; guessing by class shares alone gives {guess:.3f}."
    )
    if severity == "good":
        return "Bandwidths suit the data", f"{numbers} The fit does not live on rows that vouch for themselves."
    worst = int(np.argmax(evidence["share_alone"]))
    return (
        "Densities pick out single rows",
        f"{numbers} So {_portion(evidence['optimism'])} what the fit seems to have learnt is rows that vouch for "
        f"themselves. On direction {worst + 1} the data span {evidence['bandwidths_spanned'][worst]:,.0f} "
        f"bandwidths, {evidence['share_alone'][worst]:.0%} of the rows owe most of their density to their own kernel, "
        f"and a class margin has up to {int(evidence['modes'].max())} peaks. Expect worse results on new rows.",
    )


def _portion(optimism: float) -> str:
    return "all of" if optimism >= 1 else f"{optimism:.0%} of"


def _scale_remedy(context: Context) -> Remedy:
    clf = context.clf
    if clf.penalty == "frobenius" and typical_variance(context.variances) < TYPICAL_VARIANCE_NOTICE:
        return _pooled()
    if clf.likelihood == "resubstitution" and context.counts.min() > 1:
        return Remedy(
            {"likelihood": "leave-one-out"},
            "Leave each row out of its own density during the fit, so that no row can vouch for itself.",
        )
    return Remedy({"lam": 10 * clf.lam}, f"Raise lambda from {clf.lam:g} to {10 * clf.lam:g}: smoother densities.")


def _pooled() -> Remedy:
    return Remedy(
        {"penalty": "pooled"},
        "Penalise by the within-class covariance: scale then costs most where the data have most of it.",
    )


def _held_out_gap(context: Context) -> dict[str, float]:
    """Training less held-out log-likelihood and held-out less training error, with standard errors."""
    if context.X_test is None or context.test_labels is None:
        return {}
    posterior = context.test_log_posterior
    test = posterior[np.arange(len(posterior)), context.test_labels]
    wrong = posterior.argmax(axis=1) != context.test_labels
    train, train_wrong = context.curves.resubstituted[-1], context.curves.wrong[-1]
    return {
        "log_likelihood_gap": float(train.mean() - test.mean()),
        "log_likelihood_gap_se": _standard_error(train, test),
        "error_gap": float(wrong.mean() - train_wrong.mean()),
        "error_gap_se": _standard_error(wrong.astype(float), train_wrong.astype(float)),
    }


def _standard_error(a: Array, b: Array) -> float:
    return float(np.sqrt(a.var() / a.size + b.var() / b.size))


def margin_modes(context: Context) -> Array:
    """Count the peaks of every class's density on the leading directions, of shape (directions, n_classes).

    The density is looked at between and on the class's own values, where every peak of a kernel sum shows.
    """
    model = context.model
    modes = np.zeros((min(_SHOWN, context.n_components), model.counts.size))
    for d in range(len(modes)):
        positions = context.X @ context.V[:, d]
        for k in range(model.counts.size):
            members = np.sort(positions[context.labels == k])
            values = np.unique(members)
            places = np.sort(np.concatenate([values, (values[1:] + values[:-1]) / 2]))
            heights = np.empty_like(places)
            log_sums_at(members, places, heights)
            modes[d, k] = _peaks(heights)
    return modes


def _peaks(heights: Array) -> int:
    rising = np.sign(np.diff(heights))
    rising = rising[rising != 0]
    starts_high = rising.size == 0 or rising[0] < 0
    return int(np.sum((rising[:-1] > 0) & (rising[1:] < 0)) + starts_high + (rising.size > 0 and rising[-1] > 0))


def typical_variance(variances: Array) -> float:
    """Variance of the middle principal direction (the lower of two) over the mean variance."""
    return float(np.sort(variances)[(variances.size - 1) // 2] / max(variances.mean(), 1e-300))


def elongated_covariance(context: Context) -> Finding | None:
    """See whether few directions carry nearly all variance, which makes their scale cheap."""
    variances = context.variances
    if variances.size < 2:
        return None
    shares = variances / max(variances.sum(), 1e-300)
    typical = typical_variance(variances)
    few = int(np.searchsorted(np.cumsum(shares), 0.95) + 1)
    positive = variances[variances > 1e-12 * variances[0]]
    evidence = {
        "variance_shares": shares[:_MOST_EIGENVALUES],
        "condition_number": float(positive[0] / positive[-1]),
        "typical_variance": typical,
        "directions_for_95": few,
        "penalty": context.clf.penalty,
        "first_direction": context.first_direction,
        "first_variance": float(variances[0]),
    }
    mended = context.clf.penalty != "frobenius"
    severity = _severity(-typical, -TYPICAL_VARIANCE_NOTICE, -TYPICAL_VARIANCE_WARNING)
    if severity == "warning" and mended:
        severity = "notice"
    words = _elongated_words(evidence, severity, mended, shares.size)
    remedy = None if severity == "good" or mended else _pooled()
    return Finding("elongated-covariance", severity, *words, evidence, remedy)


def _elongated_words(evidence: dict[str, Any], severity: Severity, mended: bool, p: int) -> tuple[str, str]:
    few, first = evidence["directions_for_95"], evidence["variance_shares"][0]
    numbers = (
        f"The first principal direction carries {first:.1%} of the variance of the scaled features, and {few} of "
        f"{p} directions carry 95 %; the condition number is {_large(evidence['condition_number'])}."
    )
    if severity == "good":
        return "No direction dwarfs the others", numbers
    if mended:
        return "An elongated cloud, allowed for", f"{numbers} The penalty {evidence['penalty']!r} allows for that."
    return (
        "Few directions carry nearly all variance",
        f"{numbers} The penalty looks only at the length of a direction, so a small bandwidth is cheap along the long "
        f"axes and dear across them: the typical direction has {_share(evidence['typical_variance'])} of the "
        "mean variance. What separates the classes may lie there, out of reach.",
    )


def _share(value: float) -> str:
    return f"{value:.1%}" if value >= 1e-3 else "less than 0.1%"


def _large(value: float) -> str:
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"
