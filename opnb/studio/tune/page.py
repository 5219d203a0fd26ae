"""The views of the Tune page, one at a time: a view that is not looked at costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from opnb.diagnostics import edge_finding
from opnb.figures import comparison_figure, dimension_figure, draw_movie, draw_still, evidence_figure, path_figure
from opnb.studio.tune.columns import columns
from opnb.studio.tune.studies import (
    MOST_DIRECTIONS,
    RANDOM_STARTS,
    SHUFFLES,
    LamPath,
    Shuffled,
    StartGroup,
    dimension_work,
    fits_work,
    likelihood_specs,
    path_work,
    penalty_specs,
    playback_work,
    shuffled_work,
    start_groups,
    start_name,
    start_specs,
)
from opnb.studio.ui.charts import chart
from opnb.studio.ui.session import look, narrow, studio, theme
from opnb.studio.ui.study import study
from opnb.studio.visit.drawing import compute, draw, focus_of
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import FitSpec, in_words
from opnb.studio.work.studies import path_key
from opnb.views import ProjectionView, still

_ACROSS, _ACROSS_NARROW = 4, 2


def tuning(result: FitResult) -> None:
    """Show the view of the fit's settings that the user chooses."""
    views: dict[str, Callable[[FitResult], None]] = {
        "Smoothness": _path,
        "Penalties": _penalties,
        "Likelihoods": _likelihoods,
        "Starts": _starts,
        "Directions": _directions,
        "Columns": columns,
        "Shuffled labels": _shuffles,
        "Playback": _playback,
    }
    chosen = st.segmented_control(
        "What to try", list(views), default="Smoothness", required=True, key="tune-view", persist_state="session"
    )
    views[chosen or "Smoothness"](result)


def _path(result: FitResult) -> None:
    st.caption(
        "The error for every smoothness λ, by cross-validation on the training rows, and the projection as λ changes. "
        "Drag the slider below the points, or play it."
    )
    path: LamPath | None = study(path_key(result), partial(path_work, result), "Following the path of λ")
    if path is None:
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        figure = path_figure(path.errors, result.spec.lam, **look())
        chart(figure, "path-errors", "Cross-validated error against smoothness", bar=False)
        choice = path.errors.choice
        least = float(choice.lams[choice.best_index])
        _fit_button("Fit the least error", result.spec.changed(lam=least), result)
        _fit_button("Fit the one-standard-error choice", result.spec.changed(lam=choice.lam), result)
        st.caption("The one-standard-error choice is the smoothest λ whose error cannot be told from the least one.")
        end = edge_finding(choice.lams, path.errors.fold_errors, least)
        if end is not None and end.remedy is not None:
            st.caption(end.explanation)
    with right:
        chart(draw_movie(path.movie, **look()), "path-movie", "The projection along the path of λ", bar=False)


def _fit_button(label: str, spec: FitSpec, result: FitResult) -> None:
    st.button(
        f"{label} (λ = {spec.lam:.2g})",
        icon=":material/play_arrow:",
        key=f"tune-{label}",
        disabled=spec == result.spec,
        on_click=_ask,
        args=(spec,),
        width="stretch",
    )


def _ask(spec: FitSpec) -> None:
    studio().fit(spec)


def _penalties(result: FitResult) -> None:
    st.caption("The same fit with each penalty, every picture on axes of its own.")
    _variants(result, "penalty", penalty_specs(result.spec))


def _likelihoods(result: FitResult) -> None:
    st.caption("The same fit with rows counted in their own densities, and with every row left out of its own.")
    _variants(result, "likelihood", likelihood_specs(result.spec))


def _variants(result: FitResult, name: str, specs: tuple[FitSpec, ...]) -> None:
    """Show fits that differ in one setting side by side."""
    key = (name, specs)
    fits: tuple[FitResult, ...] | None = study(key, partial(fits_work, specs, result), f"Trying every {name}")
    if fits is None:
        return
    titles = [in_words(name, getattr(fit.spec, name)).capitalize() for fit in fits]
    _panels(fits, titles, f"Fits by {name}")
    for column, fit, title in zip(st.columns(len(fits)), fits, titles, strict=True):
        with column:
            _numbers(fit)
            _adopt(fit, title)


def _panels(fits: Sequence[FitResult], titles: Sequence[str], alt: str) -> None:
    """Draw fits in one figure where they have two directions, else in a figure each."""
    picture = studio().picture
    computed = [compute(fit, picture) for fit in fits]
    planes = [one for one in computed if isinstance(one, ProjectionView)]
    if len(planes) == len(fits):
        figure = comparison_figure(planes, titles, focus=focus_of(fits[0], picture), same_axes=False, **look())
        chart(figure, "panels", alt, bar=False)
        return
    for number, (column, one) in enumerate(zip(st.columns(len(computed)), computed, strict=True)):
        with column:
            chart(draw(one, title=titles[number], **look()), f"panel-{number}", alt)


def _numbers(fit: FitResult) -> None:
    """Give the errors of a fit in two lines."""
    held_out = f"held out **{100 * fit.test.error:.1f} %**, " if fit.test else ""
    st.markdown(f"Error: {held_out}training {100 * fit.train.error:.1f} %")


def _adopt(fit: FitResult, name: str) -> None:
    """Make a fit that is there already the one that is shown; nothing is computed again."""
    shown = fit.spec == studio().spec
    st.button(
        "This is the fit shown" if shown else f"Adopt: {name.lower()}",
        icon=":material/check:" if shown else ":material/move_up:",
        key=f"adopt-{fit.id}",
        disabled=shown,
        on_click=studio().add,
        args=(fit,),
        width="stretch",
    )


def _starts(result: FitResult) -> None:
    st.caption(
        f"The same fit from the principal components and from {RANDOM_STARTS} random starts, best objective first. "
        "Starts that led to the same solution stand together. Angles are those to the directions of the best one."
    )
    specs = start_specs(result.spec)
    fits: tuple[FitResult, ...] | None = study(("starts", specs), partial(fits_work, specs, result), "Trying starts")
    if fits is None:
        return
    groups = start_groups(fits)
    across = _ACROSS_NARROW if narrow() else _ACROSS
    for row in range(0, len(groups), across):
        for column, group in zip(st.columns(across), groups[row : row + across], strict=False):
            with column, st.container(border=True):
                _start(group, len(fits))


def _start(group: StartGroup, total: int) -> None:
    fit, others = group.fits[0], group.fits[1:]
    name = start_name(fit.spec)
    st.markdown(f"**{name}**" + (f" and {len(others)} more of {total}" if others else ""))
    match = group.alignment
    picture = draw_still(still(fit.projected, name, match.order, match.signs), theme=theme())
    chart(picture, f"start-{fit.id}", f"{name}: its points", bar=False)
    st.markdown(f"Objective **{fit.classifier.objective_:.4f}**")
    _numbers(fit)
    same = f" The same: {', '.join(start_name(other.spec).lower() for other in others)}." if others else ""
    st.caption(f"Angles to the best: {group.angle_words}.{same}")
    _adopt(fit, name)


def _directions(result: FitResult) -> None:
    st.caption(
        f"A fit with up to {MOST_DIRECTIONS} directions, measured as they are added one by one in the order of what "
        "they bring."
    )
    key = ("dimensions", result.spec)
    curve = study(key, partial(dimension_work, result), "Adding directions")
    if curve is None:
        return
    chart(dimension_figure(curve, **look()), "dimensions", "Error and log-likelihood by number of directions")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = curve.n_components.tolist()
        count = st.selectbox("Directions", options, min(2, len(options)) - 1, key="dimension-count", width=140)
        spec = result.spec.changed(n_components=int(count))
        st.button("Fit so many", icon=":material/play_arrow:", key="fit-dimensions", on_click=_ask, args=(spec,))


def _shuffles(result: FitResult) -> None:
    st.caption(
        "The same search where there is nothing to find: the classes of the training rows are shuffled. A separation "
        "that looks as good there is no evidence of anything."
    )
    key = ("shuffled", result.spec)
    found: Shuffled | None = study(key, partial(shuffled_work, result), "Shuffling the labels")
    if found is None:
        return
    say = st.success if found.as_good == 0 else st.warning
    icon = ":material/check_circle:" if found.as_good == 0 else ":material/warning:"
    say(f"Shuffled labels did as well as the true ones in {found.as_good} of {SHUFFLES} trials.", icon=icon)
    _panels((result, found.fit), ("True labels", "Shuffled labels"), "The fit with true and with shuffled labels")
    evidence = {"objective": found.objective, "shuffled_objectives": found.objectives}
    chart(evidence_figure("noise-separable", evidence, **look()), "shuffles", "Objectives of the shuffles", bar=False)


def _playback(result: FitResult) -> None:
    st.caption("The search from its start to its end. Play it, drag the slider, or click beside its handle to step.")
    movie = study(("playback", result.id), partial(playback_work, result), "Recording the search")
    if movie is not None:
        chart(draw_movie(movie, **look()), f"playback-{result.id}", "The search, step by step", bar=False)
