"""What is wrong with a fit, as a study; the remedy as settings of a new fit; and what the remedy changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from opnb.diagnostics import Finding, Verdict, diagnose, edge_finding
from opnb.studio.visit.settings import BOUNDS, FitSpec
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import report

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.views import PathErrors

Findings = tuple[Finding, ...]
_SMALL = 0.33  # of the other's width: what common axes still show

# What each check looks at, while it does.
CHECK_WORDS: Mapping[str, str] = {
    "overfit-scale": "Leaving rows out of their own densities",
    "elongated-covariance": "Looking at the shape of the data",
    "dependent-classes": "Looking for dependence within classes",
    "poor-start": "Trying other starts",
    "not-converged": "Carrying the search on",
    "noise-separable": "Shuffling the labels",
    "calibration": "Checking the posteriors",
    "few-directions": "Fitting more directions to parts of the training rows",
    "worse-than-simple": "Comparing with simple methods",
}


def diagnose_work(result: FitResult, job: Job[Findings]) -> Findings:
    """Run every check on a fit, worst first; run by a study's `Job`."""
    data = result.dataset
    X_test, y_test = (data.X_test, data.y_test) if len(data.test) else (None, None)

    def progress(code: str, share: float) -> None:
        report(job, share, CHECK_WORDS.get(code, "Counting"))

    report(job, 0.0, "Getting ready")
    return tuple(diagnose(result.classifier, data.X_train, data.y_train, X_test, y_test, progress=progress))


def with_path(findings: Findings, errors: PathErrors | None, lam: float) -> Findings:
    """Add what a path of lambdas shows of a fit, where Tune has made one and the fit has the best of them."""
    if errors is None or not np.isclose(errors.choice.lams[errors.choice.best_index], lam):
        return findings
    edge = edge_finding(errors.choice.lams, errors.fold_errors, lam)
    return findings if edge is None else (*findings, edge)


@dataclass(frozen=True)
class Number:
    """The one number of a finding, with what it counts."""

    label: str
    value: str


_NUMBERS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "overfit-scale": ("Of the gain, gone when rows are left out", lambda e: f"{100 * max(e['optimism'], 0):,.0f} %"),
    "elongated-covariance": (
        "Variance on the first principal direction",
        lambda e: f"{100 * e['variance_shares'][0]:.1f} %",
    ),
    "dependent-classes": (
        "Strongest dependence within a class (0 to 1)",
        lambda e: f"{e['strength'][e['worst']]:.2f}",
    ),
    "poor-start": ("Gain in the objective from another start", lambda e: f"{e['gain']:+.3f}"),
    "not-converged": ("Gain in the objective from more steps", lambda e: f"{e['gain']:+.4f}"),
    "noise-separable": ("True above shuffled labels, in deviations", lambda e: f"{e['distance']:,.1f}"),
    "calibration": ("Calibration error on held-out rows", lambda e: f"{e['ece']:.3f}"),
    "shown-versus-full": ("Rows on which picture and model differ", lambda e: f"{100 * e['share']:.1f} %"),
    "idle-directions": ("Directions that add nothing", lambda e: str(e["n_idle"])),
    "small-classes": ("Rows of the smallest class", lambda e: f"{min(e['counts']):,}"),
    "discrete-projections": (
        "Fewest different values on a direction",
        lambda e: f"{min(e['distinct_values'][:2]):,}",
    ),
    "guessing": ("Rows wrong, where guessing has", lambda e: f"{100 * e['error']:.1f} / {100 * e['guessing']:.1f} %"),
    "outliers": ("Rows far from all others", lambda e: f"{e['n_far']:,}"),
    "repeated-directions": ("Correlation of the two directions shown", lambda e: f"{e['correlation']:.2f}"),
    "edge-of-grid": ("Error at the end of the grid", lambda e: f"{100 * e['errors'][e['best']]:.1f} %"),
    "few-directions": (
        "Rows left out that are wrong, with more directions",
        lambda e: f"{100 * e['error']:.1f} → {100 * e['error_other']:.1f} %",
    ),
    "worse-than-simple": (
        "Rows left out that are wrong, with a simple method",
        lambda e: f"{100 * e['error']:.1f} → {100 * e['error_other']:.1f} %",
    ),
}


def number_of(finding: Finding) -> Number | None:
    """Give the number that decides a finding."""
    if finding.code not in _NUMBERS:
        return None
    label, write = _NUMBERS[finding.code]
    return Number(label, write(finding.evidence))


def remedied_spec(spec: FitSpec, settings: Mapping[str, Any]) -> FitSpec | None:
    """Apply a remedy's settings within the app's bounds; None where they change nothing."""
    changed = {("seed" if name == "random_state" else name): value for name, value in settings.items()}
    for name, value in changed.items():
        if name in BOUNDS and value is not None:
            low, high = BOUNDS[name]
            changed[name] = type(value)(min(max(value, low), high))
    mended = replace(spec, **changed)
    return None if mended == spec else mended


@dataclass(frozen=True)
class Change:
    """What a new fit of the same data did to the errors.

    Attributes
    ----------
    sentence : str
        The errors, and how many rows became right or wrong.
    verdict : Verdict
        On the same rows.
    """

    sentence: str
    verdict: Verdict


def what_changed(before: FitResult, after: FitResult) -> Change:
    """Compare two fits on the held-out rows, or on the training rows where there are none."""
    part, old, new = ("held-out", before.test, after.test)
    if old is None or new is None:
        part, old, new = ("training", before.train, after.train)
    verdict = _verdict(before, after, part == "held-out")
    went = "fell" if new.error < old.error else "rose" if new.error > old.error else "stayed"
    change = f"stayed at {100 * new.error:.1f} %" if went == "stayed" else ""
    change = change or f"{went} from {100 * old.error:.1f} % to {100 * new.error:.1f} %"
    return Change(f"The {part} error {change}, counted on {new.errors.n:,} rows. {verdict}", verdict)


def _verdict(before: FitResult, after: FitResult, held_out: bool) -> Verdict:
    """Count the rows that became right and those that became wrong."""
    rows = before.projected.is_test == held_out
    was, now = (fit.projected.predicted[rows] == fit.projected.labels[rows] for fit in (before, after))
    return Verdict(int((~was & now).sum()), int((was & ~now).sum()))


def fate(title: str, code: str, findings: Findings) -> str:
    """Say what became of a finding in the diagnosis of the new fit."""
    left = next((finding for finding in findings if finding.code == code), None)
    if left is None or left.severity == "good":
        return f"“{title}” no longer holds."
    if left.severity == "notice":
        return f"“{title}” has become a notice."
    return f"“{title}” is still a warning: the remedy did not cure it."


def share_axes(before: FitResult, after: FitResult) -> bool:
    """Tell whether one pair of axes suits both fits: neither's points lie so close together that it would hide them."""
    for d in range(min(before.n_directions, after.n_directions, 2)):
        spans = [float(np.ptp(fit.projected.Z[:, d])) for fit in (before, after)]
        if min(spans) < _SMALL * max(spans):
            return False
    return True


def in_order(findings: Findings) -> bool:
    """Tell whether nothing is wrong and the error is clearly below guessing."""
    return all(
        finding.severity != "warning" and (finding.code, finding.severity) != ("guessing", "notice")
        for finding in findings
    )


def comparable_objectives(first: FitSpec, second: FitSpec) -> bool:
    """Tell whether two fits had the same objective, so that its values can be compared."""
    names = ("data", "n_components", "lam", "penalty", "likelihood", "scale", "independence", "bend", "priors")
    return all(getattr(first, name) == getattr(second, name) for name in names)
