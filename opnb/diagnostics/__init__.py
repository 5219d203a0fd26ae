"""What is wrong with a projection, in numbers, in words, and with the settings that would mend it.

`diagnose` runs the checks that look at a fit, `advise` those that need others beside it, and tries every remedy on
training rows left out: what does not help there is no advice. Each check is a function of a `Context`; its thresholds
are constants of its module, set by simulation: at most 5 % false warnings on clean problems, at least 95 % of the
faulty ones found.
`make bench BENCH="false_warnings detection starts endings harm diagnosis_cost"` prints the figures, for other seeds,
and `BENCH="survey chains"` what becomes of advice on real data.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from numpy.typing import ArrayLike

from opnb.diagnostics.alternatives import few_directions, worse_than_simple
from opnb.diagnostics.calibration import calibration
from opnb.diagnostics.context import Context
from opnb.diagnostics.dependence import dependent_classes
from opnb.diagnostics.finding import SEVERITIES, Finding, Remedy, Severity, Trial
from opnb.diagnostics.guessing import guessing
from opnb.diagnostics.outliers import outliers
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
from opnb.diagnostics.search import edge_finding, edge_of_grid, not_converged, poor_start
from opnb.diagnostics.shown import idle_directions, repeated_directions, shown_versus_full
from opnb.diagnostics.trials import try_remedy
from opnb.diagnostics.verdict import Verdict
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.parallel import one_blas_thread

__all__ = [
    "CHECKS",
    "FOLD_CHECKS",
    "QUICK_CHECKS",
    "Alignment",
    "DimensionCurve",
    "Finding",
    "LamChoice",
    "PermutedLabels",
    "Remedy",
    "Severity",
    "Trial",
    "Verdict",
    "advise",
    "align_directions",
    "diagnose",
    "dimension_curve",
    "edge_finding",
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
    "guessing": guessing,
    "outliers": outliers,
    "repeated-directions": repeated_directions,
    "edge-of-grid": edge_of_grid,
}
# Those that fit other settings and other methods to folds of the training rows.
FOLD_CHECKS: dict[str, Callable[..., Finding | None]] = {
    "few-directions": few_directions,
    "worse-than-simple": worse_than_simple,
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
    "guessing",
    "outliers",
    "repeated-directions",
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
        Run these checks only, those of `FOLD_CHECKS` among them; by default all of `CHECKS`.
    random_state : int, default=0
        Seed of permutations, samples and probes.
    progress : callable, optional
        Called before each check with its code and the share of the checks that are done. It may raise to give up.

    Returns
    -------
    list of Finding
        Warnings first, then notices, then what is good; a check that does not apply says nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import diagnose
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> [finding.severity for finding in diagnose(clf, X, y, codes=("guessing",))]
    ['good']
    """
    unknown = [code for code in codes or () if code not in _ALL]
    if unknown:
        raise ValueError(f"There is no check {unknown[0]!r}; there are {', '.join(_ALL)}.")
    with one_blas_thread():
        context = Context.of(clf, X_train, y_train, X_test, y_test, random_state)
        found = [check(context) for check in _announced(tuple(CHECKS if codes is None else codes), progress)]
    return _sorted([finding for finding in found if finding is not None])


def advise(
    clf: OPNBClassifier,
    X_train: ArrayLike,
    y_train: ArrayLike,
    findings: Sequence[Finding],
    *,
    random_state: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> list[Finding]:
    """Try what findings ask for on training rows left out, and look for what only other fits can show.

    Parameters
    ----------
    clf, X_train, y_train, random_state : as in `diagnose`
    findings : sequence of Finding
        Of this fit, from `diagnose`.
    progress : callable, optional
        Called again and again with what is being tried (a finding's code) and the share that is done. It may raise to
        give up.

    Returns
    -------
    list of Finding
        Those given and those of `FOLD_CHECKS`, by severity; of equals those with the best advice first. Every remedy
        that was tried has its `trial`; `Finding.is_advice` tells whether it helps.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import advise, diagnose
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> findings = diagnose(clf, X, y, codes=("idle-directions",))
    >>> len(advise(clf, X, y, findings)) >= len(findings)
    True
    """
    tell = progress or (lambda code, share: None)
    with one_blas_thread():
        context = Context.of(clf, X_train, y_train, None, None, random_state)
        known = {finding.code for finding in findings}
        late = [code for code in FOLD_CHECKS if code not in known]
        steps = len(late) + sum(finding.remedy is not None for finding in findings)
        done = iter(range(steps + 1))

        def watch(code: str) -> Callable[[], None]:
            return partial(tell, code, next(done, steps) / (steps + 1))

        looked = [FOLD_CHECKS[code](context, watch(code)) for code in late]
        every = [*findings, *(finding for finding in looked if finding is not None)]
        return _sorted(_tried(context, every, watch))


def _tried(context: Context, findings: Sequence[Finding], watch: Callable[[str], Callable[[], None]]) -> list[Finding]:
    """Try every remedy once, however many findings ask for it."""
    trials: dict[str, Trial | None] = {}
    result = []
    for finding in findings:
        remedy = finding.remedy
        if remedy is not None and finding.trial is None:
            name = repr((sorted(remedy.settings.items()), remedy.aim))
            if name not in trials:
                trials[name] = try_remedy(context, remedy, watch(finding.code))
            finding = replace(finding, trial=trials[name])
        result.append(finding)
    return result


def _sorted(findings: list[Finding]) -> list[Finding]:
    """Sort by severity; of equals, advice that lowers the error most comes first, then other advice."""

    def place(finding: Finding) -> tuple[int, int, float]:
        trial = finding.trial
        if trial is None or not finding.is_advice:
            return SEVERITIES.index(finding.severity), 2, 0.0
        return SEVERITIES.index(finding.severity), int(not trial.errs_less), trial.error_after - trial.error_before

    return sorted(findings, key=place)


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
    """Say what can be seen of a fit without another one: `diagnose` with `QUICK_CHECKS` only.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import quick_findings
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> {finding.severity for finding in quick_findings(clf, X, y)} <= {"good", "notice", "warning"}
    True
    """
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
        yield _ALL[code]


_ALL = CHECKS | FOLD_CHECKS
