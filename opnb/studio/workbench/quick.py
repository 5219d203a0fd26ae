"""A quick look at a fit that nobody asked for: what it finds, and how that is said in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opnb.diagnostics import Finding, quick_findings
from opnb.studio.words import quantity
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import report

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult

Findings = tuple[Finding, ...]


def quick_work(result: FitResult, job: Job[Findings]) -> Findings:
    """Run the checks that ask for no other fit; run by a quiet `Job`, which ends between two of them."""
    data = result.dataset
    held_out = (data.X_test, data.y_test) if len(data.test) else (None, None)

    def progress(code: str, share: float) -> None:
        report(job, share, code)

    return tuple(quick_findings(result.classifier, data.X_train, data.y_train, *held_out, progress=progress))


def in_a_line(findings: Sequence[Finding]) -> str:
    """Count what was found, and name the worst of it."""
    worst = findings[0].title if findings else ""
    counts = {name: sum(finding.severity == name for finding in findings) for name in ("warning", "notice")}
    said = [quantity(count, name) for name, count in counts.items() if count]
    if not said:
        return "A quick look finds nothing wrong. Diagnose looks closer"
    first = "" if sum(counts.values()) == 1 else ", the first"
    return f"Diagnose has {' and '.join(said)}{first}: {worst}"
