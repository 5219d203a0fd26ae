"""What stands between the heading and the picture: the figures, what a quick look found, what the picture hides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from opnb.diagnostics.finding import class_label
from opnb.studio.ui.heading import announce
from opnb.studio.ui.session import narrow, studio
from opnb.studio.ui.text import escaped
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import FitSpec
from opnb.studio.words import shortened
from opnb.studio.work.studies import diagnosis_key, quick_key
from opnb.studio.workbench.quick import Findings, in_a_line, quick_work
from opnb.views import Doubt, ErrorCount, Metrics, guessing

_WAIT = 0.4  # seconds that a quick look has before the page is done without it
_STEP = 2.0  # seconds between two looks at it
_CHANGED = "The settings have changed since this fit: the picture is the one before. Press **Fit** for the new one."
_MOST_INDEPENDENCE = 1.0


def figures(result: FitResult) -> None:
    """Say in numbers how good the fit is, beside what guessing would give."""
    last, where = (result.test, "held out") if result.test else (result.train, "training")
    name, wrong = escaped(shortened(result.dataset.name)), _per_cent(last.errors)
    announce(f"The picture of {name} is shown: {wrong} of the {where} rows are misclassified.", "picture")
    _metric("Training error", _per_cent(result.train.errors), _count(result.train.errors), 104)
    if result.test:
        _held_out(result.test)
    guess, largest = guessing(result.train, last)
    _metric(
        "Guessing",
        _per_cent(guess),
        f"{'' if narrow() else 'always '}{escaped(class_label(largest), 9)}",
        104,
        "The error of always naming the class that most training rows have.",
    )
    _metric(
        "Log-loss",
        f"{last.log_loss:.3f}",
        where,
        84,
        "Mean of −log P(true class): it also judges how sure the answers were.",
    )


def _held_out(test: Metrics) -> None:
    low, high = (100 * end for end in test.errors.interval)
    digits = 0 if high - low >= 2 else 1
    _metric(
        "Held-out error",
        _per_cent(test.errors),
        f"{'' if narrow() else _count(test.errors) + ': '}{low:.{digits}f}–{high:.{digits}f} %",
        150,
        f"With {test.errors.n:,} held-out rows the error on new rows can lie anywhere from {low:.1f} % to {high:.1f} % "
        "(Wilson's 95 % interval).",
    )


def _per_cent(errors: ErrorCount) -> str:
    return f"{100 * errors.error:.1f} %"


def _count(errors: ErrorCount) -> str:
    return f"{errors.wrong:,} of {errors.n:,}"


def _metric(label: str, value: str, below: str, width: int, help: str | None = None) -> None:
    if narrow():
        label, help, width = label.replace(" error", ""), None, 78
    st.metric(label, value, below, delta_color="off", delta_arrow="off", width=width, help=help)


def findings_line(result: FitResult) -> None:
    """Count what Diagnose would say of the fit, as far as a quick look sees it, and lead there."""
    looks, key = studio().work.looks, quick_key(result)
    _look_quietly(result)
    if looks.job is not None:
        looks.job.wait(_WAIT)
        looks.collect()
    if key in looks.failures:
        diagnose_link()
    elif _found(result) is None:
        st.fragment(_waiting, run_every=_STEP)(result)
    else:
        _said(result)


def _found(result: FitResult) -> Findings | None:
    """Give what the whole diagnosis found, if it was made, else the quick look."""
    found: Findings | None = studio().studies.outcomes.get(diagnosis_key(result))
    return studio().work.looks.outcomes.get(quick_key(result)) if found is None else found


def _look_quietly(result: FitResult) -> None:
    studio().work.looks.collect()
    studio().work.looks.ask(quick_key(result), partial(quick_work, result))


def _waiting(result: FitResult) -> None:
    """Wait for the quick look, which makes way for every fit, and begin it again where it did."""
    _look_quietly(result)
    if _found(result) is not None or quick_key(result) in studio().work.looks.failures:
        st.rerun()
    diagnose_link()


def _said(result: FitResult) -> None:
    found = _found(result) or ()
    serious = any(finding.severity == "warning" for finding in found)
    diagnose_link(in_a_line(found), ":material/warning:" if serious else ":material/troubleshoot:")


def diagnose_link(words: str = "Diagnose looks closer", icon: str = ":material/troubleshoot:") -> None:
    """Lead to the page of findings, in a line."""
    st.page_link("pages/diagnose.py", label=escaped(words, 200), icon=icon)


def doubt_lines(result: FitResult, doubts: Sequence[Doubt], changed: bool, show: Callable[..., None]) -> None:
    """Say what the picture hides, a line each, with what would help.

    Parameters
    ----------
    result : FitResult
    doubts : sequence of Doubt
    changed : bool
        Whether the settings are others than those of the fit.
    show : callable
        Changes what the picture shows; takes settings of a `PictureSpec`.
    """
    if changed:
        st.caption(f":material/history: {_CHANGED}")
    for doubt in doubts:
        with st.container(horizontal=True, vertical_alignment="center", key=f"doubt-{doubt.kind}", gap="small"):
            st.caption(f":material/visibility: {escaped(doubt.sentence, 300)}", width="content")
            _offers(result, doubt, show)


def _offers(result: FitResult, doubt: Doubt, show: Callable[..., None]) -> None:
    if doubt.kind == "far-rows":
        _offer("Show the central 98 %", show, extent="central")
    elif doubt.kind == "other-model":
        _offer("Colours of the full model", show, boundary="full")
        _offer("Fit two directions", _fit, spec=result.spec.changed(n_components=2))
    elif result.spec.independence < _MOST_INDEPENDENCE:
        more = min(max(3 * result.spec.independence, 0.1), _MOST_INDEPENDENCE)
        _offer(f"Fit with independence {more:g}", _fit, spec=result.spec.changed(independence=more))


def _offer(label: str, act: Callable[..., None], **what: object) -> None:
    if st.button(label, type="tertiary", key=f"offer-{label}", on_click=act, kwargs=what):
        st.rerun()


def _fit(spec: FitSpec) -> None:
    studio().fit(spec)
