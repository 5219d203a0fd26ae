"""Whether the posteriors mean what they say on rows the fit has not seen.

The expected calibration error compares confidence and accuracy of the predicted class in bins of equal size. Its
value under perfect calibration is not zero: it is simulated by drawing right and wrong from the stated confidences.
"""

from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.core.posterior import log_posterior
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Remedy, Severity

# Calibration error beyond what perfect calibration gives: up to 0.1 on clean simulated problems (kernel densities blur
# the narrow margins of "rotated"), above 0.2 on noise that was separated.
EXCESS_WARNING = 0.15
EXCESS_NOTICE = 0.03
LEVEL_WARNING = 0.01
LEVEL_NOTICE = 0.05
_DRAWS = 999
_ROWS_A_BIN = 20
_MOST_BINS = 10
_LEAST_ROWS = 20


def calibration(context: Context) -> Finding | None:
    """See whether held-out rows are right as often as the model says."""
    if context.test_labels is None or context.test_labels.size < _LEAST_ROWS:
        return None
    posterior = log_posterior(context.clf.sharpness_ * context.test_log_posterior)
    confidence = np.exp(posterior.max(axis=1))
    right = posterior.argmax(axis=1) == context.test_labels
    evidence = reliability(confidence, right, context.rng())
    severity = _severity(evidence["excess"], evidence["p_value"])
    remedy = _remedy(context, evidence["overconfidence"]) if severity == "warning" else None
    return Finding("calibration", severity, *_words(evidence, severity), evidence, remedy)


def _severity(excess: float, p_value: float) -> Severity:
    if excess >= EXCESS_WARNING and p_value <= LEVEL_WARNING:
        return "warning"
    return "notice" if excess >= EXCESS_NOTICE and p_value <= LEVEL_NOTICE else "good"


def _words(evidence: dict[str, Any], severity: Severity) -> tuple[str, str]:
    stated, true = evidence["mean_confidence"], evidence["accuracy"]
    numbers = (
        f"On {evidence['n_rows']:,} held-out rows the model is {stated:.1%} sure of its predictions on average and "
        f"right in {true:.1%}; calibration error {evidence['ece']:.3f}, where perfect calibration would give "
        f"{evidence['ece_expected']:.3f} (p = {evidence['p_value']:.2g})."
    )
    if severity == "good":
        return "Posteriors hold on held-out rows", numbers
    return (
        "Posteriors are too sure" if evidence["overconfidence"] > 0 else "Posteriors are too cautious",
        f"{numbers} Use the predicted classes, but do not read the posteriors as probabilities.",
    )


def _remedy(context: Context, overconfidence: float) -> Remedy:
    clf = context.clf
    if overconfidence <= 0:
        return Remedy({"lam": clf.lam / 10}, f"Lower lambda to {clf.lam / 10:g}: sharper densities are surer.")
    if clf.likelihood == "resubstitution" and context.counts.min() > 1:
        return Remedy(
            {"likelihood": "leave-one-out", "lam": 5 * clf.lam},
            f"Leave rows out of their own densities during the fit and raise lambda to {5 * clf.lam:g}: "
            "smoother densities are less sure.",
        )
    return Remedy({"lam": 10 * clf.lam}, f"Raise lambda to {10 * clf.lam:g}: smoother densities are less sure.")


def reliability(confidence: Array, right: Array, rng: np.random.Generator) -> dict[str, Any]:
    """Measure calibration in bins of equal size, with intervals and a p-value.

    Parameters
    ----------
    confidence : ndarray of shape (n,)
        Posterior of the predicted class.
    right : ndarray of bool of shape (n,)
    rng : Generator
    """
    order = np.argsort(confidence, kind="stable")
    confidence, right = confidence[order], right[order].astype(float)
    n = confidence.size
    n_bins = int(np.clip(n // _ROWS_A_BIN, 1, _MOST_BINS))
    edges = np.arange(n_bins) * n // n_bins
    sizes = np.diff(np.append(edges, n))
    stated, accuracy = (np.add.reduceat(v, edges) / sizes for v in (confidence, right))
    ece = float(np.sum(sizes * np.abs(stated - accuracy)) / n)
    drawn = np.add.reduceat((rng.random((_DRAWS, n)) < confidence).astype(float), edges, axis=1) / sizes
    null = np.sum(sizes * np.abs(stated - drawn), axis=1) / n
    low, high = wilson_interval(accuracy, sizes)
    return {
        "bin_confidence": stated,
        "bin_accuracy": accuracy,
        "bin_low": low,
        "bin_high": high,
        "bin_sizes": sizes,
        "ece": ece,
        "ece_expected": float(null.mean()),
        "excess": ece - float(null.mean()),
        "p_value": float((1 + np.sum(null >= ece)) / (1 + _DRAWS)),
        "mean_confidence": float(confidence.mean()),
        "accuracy": float(right.mean()),
        "overconfidence": float(confidence.mean() - right.mean()),
        "n_rows": n,
    }


def wilson_interval(share: Array, n: Array, z: float = 1.96) -> tuple[Array, Array]:
    """Give Wilson's interval of a share of n."""
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return centre - half, centre + half
