"""What is wrong with a projection, in numbers, in words, and with the settings that would mend it.

`diagnose` runs every check on a fit. Each check is a function of a `Context`; its thresholds are constants of its
module, set by simulation: at most 5 % false warnings on clean problems, at least 95 % of the faulty ones found.
`make bench BENCH="false_warnings detection starts endings harm diagnosis_cost"` prints the figures, for other seeds.
"""

from collections.abc import Callable, Iterator

from numpy.typing import ArrayLike

from opnb.diagnostics.calibration import calibration
from opnb.diagnostics.context import Context
from opnb.diagnostics.dependence import dependent_classes
from opnb.diagnostics.finding import SEVERITIES, Finding, Remedy, Severity
from opnb.diagnostics.paths import (
    Alignment,
    DimensionCurve,
    LamChoice,
    align_directions,
    dimension_curve,
    one_standard_error_lam,
    principal_angles,
)
from opnb.diagnostics.permutations import PermutedLabels, noise_separable, permuted_labels
from opnb.diagnostics.samples import discrete_projections, small_classes
from opnb.diagnostics.scale import elongated_covariance, overfit_scale
from opnb.diagnostics.search import not_converged, poor_start
from opnb.diagnostics.shown import idle_directions, shown_versus_full
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.parallel import one_blas_thread

__all__ = [
    "CHECKS",
    "QUICK_CHECKS",
    "Alignment",
    "DimensionCurve",
    "Finding",
    "LamChoice",
    "PermutedLabels",
    "Remedy",
    "Severity",
    "align_directions",
    "diagnose",
    "dimension_curve",
    "one_standard_error_lam",
    "permuted_labels",
    "principal_angles",
    "quick_findings",
]

CHECKS: dict[str, Callable[[Context], Finding | None]] = {
    "overfit-scale": overfit_scale,
    "elongated-covariance": elongated_covariance,
    "dependent-classes": dependent_classes,
    "poor-start": poor_start,
    "not-converged": not_converged,
    "noise-separable": noise_separable,
    "calibration": calibration,
    "shown-versus-full": shown_versus_full,
    "idle-directions": idle_directions,
    "small-classes": small_classes,
    "discrete-projections": discrete_projections,
}
# Those that only look: they fit nothing again and shuffle nothing.
QUICK_CHECKS = (
    "overfit-scale",
    "elongated-covariance",
    "calibration",
    "shown-versus-full",
    "idle-directions",
    "small-classes",
    "discrete-projections",
)


def diagnose(
    clf: OPNBClassifier,
    X_train: ArrayLike,
    y_train: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    codes: tuple[str, ...] | None = None,
    random_state: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> list[Finding]:
    """Say what is wrong with a fit, and what is right.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, or a fitted `OPNBClassifierCV`, whose chosen solution is then looked at.
    X_train, y_train : array-like of shape (n, n_features) and (n,)
        The rows of the fit.
    X_test, y_test : array-like, optional
        Held-out rows; without them posteriors cannot be checked.
    codes : tuple of str, optional
        Run these checks only; by default all of `CHECKS`.
    random_state : int, default=0
        Seed of permutations, samples and probes.
    progress : callable, optional
        Called before each check with its code and the share of the checks that are done. It may raise to give up.

    Returns
    -------
    list of Finding
        Warnings first, then notices, then what is good; a check that does not apply says nothing.
    """
    unknown = [code for code in codes or () if code not in CHECKS]
    if unknown:
        raise ValueError(f"There is no check {unknown[0]!r}; there are {', '.join(CHECKS)}.")
    with one_blas_thread():
        context = Context.of(clf, X_train, y_train, X_test, y_test, random_state)
        found = [check(context) for check in _announced(tuple(CHECKS if codes is None else codes), progress)]
    present = [finding for finding in found if finding is not None]
    return sorted(present, key=lambda finding: SEVERITIES.index(finding.severity))


def quick_findings(
    clf: OPNBClassifier,
    X_train: ArrayLike,
    y_train: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    random_state: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> list[Finding]:
    """Say what can be seen of a fit without another one: `diagnose` with `QUICK_CHECKS` only."""
    return diagnose(
        clf, X_train, y_train, X_test, y_test, codes=QUICK_CHECKS, random_state=random_state, progress=progress
    )


def _announced(
    codes: tuple[str, ...], progress: Callable[[str, float], None] | None
) -> Iterator[Callable[[Context], Finding | None]]:
    """Give the checks of some codes, each once it was said that it begins."""
    for number, code in enumerate(codes):
        if progress is not None:
            progress(code, number / len(codes))
        yield CHECKS[code]
