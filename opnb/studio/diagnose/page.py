"""The findings on the page: a card each, the remedy's button, and before and after."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from opnb.diagnostics import Finding
from opnb.figures import evidence_figure
from opnb.studio.diagnose.diagnosis import (
    Findings,
    comparable_objectives,
    diagnose_work,
    fate,
    in_order,
    number_of,
    remedied_spec,
    share_axes,
    what_changed,
    with_path,
)
from opnb.studio.diagnose.trials import advise_work
from opnb.studio.ui.charts import chart, sheet
from opnb.studio.ui.session import look, narrow, studio
from opnb.studio.ui.study import study
from opnb.studio.ui.text import escaped
from opnb.studio.visit.drawing import focus_of, pair_of_pictures, picture_with_marks
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import FitSpec, differences
from opnb.studio.visit.state import TriedRemedy
from opnb.studio.words import quantity
from opnb.studio.work.studies import advice_key, diagnosis_key, path_key
from opnb.views import finding_marks

# Icon, word and colour: never the colour alone.
_LOOKS: dict[str, tuple[str, str, Any]] = {
    "warning": (":material/warning:", "Warning", "orange"),
    "notice": (":material/info:", "Notice", "blue"),
    "good": (":material/check_circle:", "Good", "green"),
}
_CHECKED = ":material/check_circle:"
# A verdict's box: green only for a change that chance does not explain.
_VERDICTS: dict[str, Any] = {"better": st.success, "worse": st.warning, "noise": st.info, "same": st.info}


def diagnosis(result: FitResult) -> Findings | None:
    """Give the findings of a fit, or None while they are looked for."""
    found: Findings | None = study(diagnosis_key(result), partial(diagnose_work, result), "Looking for trouble")
    if found is None:
        return None
    path = studio().studies.outcomes.get(path_key(result))
    return with_path(found, None if path is None else path.errors, result.spec.lam)


def advice(result: FitResult, findings: Findings) -> Findings | None:
    """Give the findings with their remedies tried, and what only other fits show; None while that goes on."""
    key, work = advice_key(result, len(findings)), partial(advise_work, result, findings)
    tried: Findings | None = study(key, work, "Trying remedies on training rows", beside=True)
    return tried


def summary(findings: Findings, tried: bool) -> None:
    """Say in a line how the fit stands; good news only once everything was looked at."""
    counts = {name: sum(finding.severity == name for finding in findings) for name in _LOOKS}
    more = f"{quantity(counts['notice'], 'notice')} worth knowing." if counts["notice"] else ""
    if counts["warning"]:
        st.warning(
            f"{quantity(counts['warning'], 'warning')} and {quantity(counts['notice'], 'notice')} on this fit.",
            icon=":material/warning:",
        )
    elif not in_order(findings):
        st.info(f"No warning, but the fit is hardly better than guessing. {more}", icon=":material/info:")
    elif tried:
        st.success(f"Good news: nothing above a notice, and clearly better than guessing. {more}", icon=_CHECKED)
    else:
        st.info(f"No warning so far. {more}", icon=":material/info:")


def cards(result: FitResult, findings: Findings, tried: bool) -> None:
    """Show every finding, the good ones folded away."""
    for finding in findings:
        if finding.severity != "good":
            _card(result, finding, tried)
    good = [finding for finding in findings if finding.severity == "good"]
    if good:
        folded = st.expander(f"What is in order ({len(good)})", on_change="rerun", key=f"in-order-{result.id}")
        if folded.open:
            with folded:
                for finding in good:
                    _card(result, finding, tried)


def _card(result: FitResult, finding: Finding, tried: bool) -> None:
    icon, word, colour = _LOOKS[finding.severity]
    with st.container(border=True, key=f"finding-{finding.code}"):
        left, right = st.columns([3, 2], gap="medium")
        with left:
            st.badge(word, icon=icon, color=colour)
            st.markdown(f"##### {escaped(finding.title)}")
            number = number_of(finding)
            if number is not None:
                st.metric(number.label, number.value)
            st.markdown(escaped(finding.explanation, 2_000))
            if finding.remedy is not None:
                _remedy(result, finding, tried)
        with right:
            _evidence(result, finding)
        if finding.severity != "good":
            _in_the_picture(result, finding)


def _evidence(result: FitResult, finding: Finding) -> None:
    key = f"evidence-{finding.code}-{result.id}"
    draw = partial(evidence_figure, finding.code, finding.evidence, result.projected.class_names, **look())
    drawn = sheet(result, (key, finding.explanation), draw)  # drawn again and again while remedies are tried
    if drawn is not None:
        chart(drawn, key, f"Picture of the finding: {finding.title}", bar=False)


def _in_the_picture(result: FitResult, finding: Finding) -> None:
    """Show where the finding is in the picture, if it has a place there."""
    marks = finding_marks(finding.code, finding.evidence, result.classifier, result.projected)
    if marks is None:
        return
    focus, key = focus_of(result, studio().picture), f"place-{finding.code}-{result.id}"
    draw = partial(picture_with_marks, result, marks, height=440, focus=focus, **look())
    drawn = sheet(result, (key, finding.explanation, tuple(focus or ())), draw)
    chart(drawn, key, f"{finding.title}, marked in the projection", bar=False)
    st.caption(escaped(marks.caption, 300))


def _remedy(result: FitResult, finding: Finding, tried: bool) -> None:
    """Offer a remedy that helped on training rows as a new fit, with what it did there; say so of one that did not."""
    assert finding.remedy is not None
    spec = remedied_spec(result.spec, finding.remedy.settings)
    if spec is None:
        return
    sentence = escaped(finding.remedy.sentence, 300)
    if not tried:
        st.caption(f":material/science: {sentence} It is offered if it helps on training rows left out.")
        return
    said = "It cannot be fitted to parts of these rows." if finding.trial is None else finding.trial.sentence
    if not finding.is_advice:
        st.caption(f":material/block: Tried, and not offered: {sentence} {escaped(said, 500)}")
        return
    st.markdown(f":material/healing: {sentence} {escaped(said, 500)}")
    st.button(
        "Apply and fit again",
        icon=":material/play_arrow:",
        key=f"remedy-{finding.code}-{result.id}",
        help="Makes a new fit. This one stays in the list of fits.",
        on_click=_apply,
        args=(spec, finding.code, finding.title),
    )


def _apply(spec: FitSpec, code: str, title: str) -> None:
    studio().try_remedy(spec, code, title)


def before_and_after(tried: TriedRemedy, after: FitResult, findings: Findings | None) -> None:
    """Show what a remedy did: a sentence, numbers, and both pictures on the same axes."""
    before = tried.before
    with st.container(border=True, key="before-after"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown("#### Before and after", width="content")
            st.button(
                "Back to the fit before", icon=":material/undo:", key="undo-remedy", on_click=_restore, args=(before,)
            )
        change = what_changed(before, after)
        _VERDICTS[change.verdict.kind](escaped(change.sentence, 500))
        if findings:
            st.markdown(escaped(fate(tried.title, tried.code, findings), 500))
        changes = [f"{name}: {old} → {new}" for name, old, new in differences(before.spec, after.spec)]
        st.caption(escaped("Changed: " + "; ".join(changes) + ".", 500))
        _measures(before, after)
        _pictures(before, after)


def _pictures(before: FitResult, after: FitResult) -> None:
    """Draw both fits with boundary and margins: on the same axes where these suit both."""
    picture, shown = studio().picture, {"height": 480, **look()}
    figures = pair_of_pictures((before, after), ("Before", "After"), picture, share_axes(before, after), **shown)
    if not share_axes(before, after):
        st.caption("The two differ so much in size that each has its own axes.")
    for column, figure, title in zip(st.columns(len(figures)), figures, ("before", "after"), strict=True):
        with column:
            chart(figure, f"remedy-picture-{title}-{after.id}", f"The projection {title} the remedy")


def _restore(result: FitResult) -> None:
    studio().restore(result)


def _measures(before: FitResult, after: FitResult) -> None:
    """Show every measure now, with its change: rows never used, the rows of the fit, and what the search maximises."""
    with st.container(horizontal=True):
        for name, old, new in (("Held-out", before.test, after.test), ("Training", before.train, after.train)):
            if old is None or new is None:
                continue
            _metric(f"{name} error", f"{100 * new.error:.1f} %", 100 * (new.error - old.error), "{:+.1f} points", True)
            _metric(f"{name} log-loss", f"{new.log_loss:.3f}", new.log_loss - old.log_loss, "{:+.3f}", True)
        if comparable_objectives(before.spec, after.spec):
            gain = after.classifier.objective_ - before.classifier.objective_
            _metric("Objective", f"{after.classifier.objective_:.4f}", gain, "{:+.4f}", False)
            words = "The objective is what the search maximises on the training rows: a higher one need not err less."
        else:
            words = "Their objectives are not compared: with other settings the search maximises something else."
    st.caption(words)


def _metric(label: str, value: str, change: float, form: str, falling_is_good: bool) -> None:
    written = form.format(change)
    same = written == form.format(0.0) or written == form.format(-0.0)
    colour: Any = "off" if same else "inverse" if falling_is_good else "normal"
    st.metric(
        label, value, written, delta_color=colour, delta_arrow="off" if same else "auto", width=140 if narrow() else 170
    )
