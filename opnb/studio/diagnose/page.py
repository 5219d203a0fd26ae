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
    much_smaller,
    number_of,
    remedied_spec,
    what_changed,
)
from opnb.studio.ui.charts import chart
from opnb.studio.ui.session import narrow, studio, theme
from opnb.studio.ui.study import study
from opnb.studio.ui.text import escaped
from opnb.studio.visit.drawing import picture_of, side_by_side
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import FitSpec, differences
from opnb.studio.visit.state import TriedRemedy
from opnb.studio.words import quantity
from opnb.studio.work.studies import diagnosis_key

# Icon, word and colour: never the colour alone.
_LOOKS: dict[str, tuple[str, str, Any]] = {
    "warning": (":material/warning:", "Warning", "orange"),
    "notice": (":material/info:", "Notice", "blue"),
    "good": (":material/check_circle:", "Good", "green"),
}


def diagnosis(result: FitResult) -> Findings | None:
    """Give the findings of a fit, or None while they are looked for."""
    found: Findings | None = study(diagnosis_key(result), partial(diagnose_work, result), "Looking for trouble")
    return found


def summary(result: FitResult, findings: Findings) -> None:
    """Say in a line how the fit stands."""
    counts = {name: sum(finding.severity == name for finding in findings) for name in _LOOKS}
    if counts["warning"]:
        st.warning(
            f"{quantity(counts['warning'], 'warning')} and {quantity(counts['notice'], 'notice')} on this fit.",
            icon=":material/warning:",
        )
    else:
        more = f" {quantity(counts['notice'], 'notice')} worth knowing." if counts["notice"] else ""
        st.success(f"Good news: nothing above a notice.{more}", icon=":material/check_circle:")


def cards(result: FitResult, findings: Findings) -> None:
    """Show every finding, the good ones folded away."""
    for finding in findings:
        if finding.severity != "good":
            _card(result, finding)
    good = [finding for finding in findings if finding.severity == "good"]
    if good:
        folded = st.expander(f"What is in order ({len(good)})", on_change="rerun", key=f"in-order-{result.id}")
        if folded.open:
            with folded:
                for finding in good:
                    _card(result, finding)


def _card(result: FitResult, finding: Finding) -> None:
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
                _remedy(result, finding)
        with right:
            _evidence(result, finding)


def _evidence(result: FitResult, finding: Finding) -> None:
    names = result.projected.class_names
    figure = evidence_figure(finding.code, finding.evidence, names, theme=theme(), compact=narrow())
    if figure is not None:
        chart(figure, f"evidence-{finding.code}-{result.id}", f"Picture of the finding: {finding.title}", bar=False)


def _remedy(result: FitResult, finding: Finding) -> None:
    """Offer the remedy as a new fit; the one shown stays on the list."""
    assert finding.remedy is not None
    spec = remedied_spec(result.spec, finding.remedy.settings)
    if spec is None:
        return
    st.markdown(f":material/healing: {escaped(finding.remedy.sentence, 300)}")
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
        said = [what_changed(before, after)] + ([fate(tried.title, tried.code, findings)] if findings else [])
        st.markdown(escaped(" ".join(said), 1_000))
        changes = [f"{name}: {old} → {new}" for name, old, new in differences(before.spec, after.spec)]
        st.caption(escaped("Changed: " + "; ".join(changes) + ".", 500))
        _measures(before, after)
        _pictures(before, after)


@st.fragment
def _pictures(before: FitResult, after: FitResult) -> None:
    """Draw both fits: on the same axes, or each on its own where one is so small that the other hides it."""
    same = st.segmented_control(
        "Axes", ["Same axes", "Each its own"], default="Same axes", required=True, key="remedy-axes"
    )
    picture, look = studio().picture, {"theme": theme(), "compact": narrow()}
    if same == "Each its own":
        pairs = ((before, "Before"), (after, "After"))
        figures = [picture_of(result, picture, title=title, **look) for result, title in pairs]
    else:
        figures = side_by_side((before, after), ("Before", "After"), picture, **look)
        small = much_smaller(before, after)
        if small:
            st.caption(f"The points {small} lie close together on these axes. Choose **Each its own** to see them.")
    for column, figure, key in zip(st.columns(len(figures)), figures, "ab", strict=False):
        with column:
            chart(figure, f"remedy-picture-{key}-{after.id}", "The projections before and after the remedy")


def _restore(result: FitResult) -> None:
    studio().restore(result)


def _measures(before: FitResult, after: FitResult) -> None:
    """Show every measure now, with its change; errors and losses are better when they fall."""
    with st.container(horizontal=True):
        for name, old, new in (("Held-out", before.test, after.test), ("Training", before.train, after.train)):
            if old is None or new is None:
                continue
            _metric(f"{name} error", f"{100 * new.error:.1f} %", 100 * (new.error - old.error), "{:+.1f} points", True)
            _metric(f"{name} log-loss", f"{new.log_loss:.3f}", new.log_loss - old.log_loss, "{:+.3f}", True)
        if comparable_objectives(before.spec, after.spec):
            gain = after.classifier.objective_ - before.classifier.objective_
            _metric("Objective", f"{after.classifier.objective_:.4f}", gain, "{:+.4f}", False)


def _metric(label: str, value: str, change: float, form: str, falling_is_good: bool) -> None:
    written = form.format(change)
    same = written == form.format(0.0) or written == form.format(-0.0)
    colour: Any = "off" if same else "inverse" if falling_is_good else "normal"
    st.metric(
        label, value, written, delta_color=colour, delta_arrow="off" if same else "auto", width=140 if narrow() else 170
    )
