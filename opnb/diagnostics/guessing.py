"""Whether a fit knows more than the most frequent class."""

import numpy as np

from opnb.diagnostics.calibration import wilson_interval
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Severity
from opnb.diagnostics.verdict import Verdict

# Rows gained over guessing, in standard deviations of chance.
LEAD_GOOD = 2.0
LEAD_WARNING = 1.0


def guessing(context: Context) -> Finding:
    """See whether the fit errs less than naming the largest class for every row.

    Held-out rows decide; without any, training rows that are left out of their own class's density.
    """
    if context.test_labels is not None:
        labels, predicted, part = context.test_labels, context.test_log_posterior.argmax(axis=1), "held-out"
    else:
        labels, part = context.labels[context.rows], "training"
        predicted = context.curves.joint_left_out.argmax(axis=1)
    wrong, guessed_wrong = predicted != labels, labels != context.counts.argmax()
    verdict = Verdict(int(np.sum(guessed_wrong & ~wrong)), int(np.sum(wrong & ~guessed_wrong)))
    low, high = wilson_interval(wrong.mean(), np.array(wrong.size))
    evidence = {
        "error": float(wrong.mean()),
        "guessing": float(guessed_wrong.mean()),
        "low": float(low),
        "high": float(high),
        "lead": float(verdict.lead),
        "n_rows": wrong.size,
    }
    lead = verdict.lead
    severity: Severity = "good" if lead >= LEAD_GOOD else "warning" if lead < LEAD_WARNING else "notice"
    numbers = (
        f"{evidence['error']:.1%} of {wrong.size:,} {part} rows are wrong ({low:.1%} to {high:.1%} with 95 % "
        f"confidence); naming the largest class every time gives {evidence['guessing']:.1%}."
    )
    if severity == "good":
        return Finding("guessing", severity, "Clearly better than guessing", numbers, evidence)
    title = "No better than guessing" if severity == "warning" else "Hardly better than guessing"
    text = (
        f"{numbers} So few rows cannot tell the fit from a guess. Do not read the picture as knowledge of the classes."
    )
    return Finding("guessing", severity, title, text, evidence)
