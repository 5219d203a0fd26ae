"""The picture as a tour: turned by hand or along a way, with the fits that come from where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from opnb.figures import Tour
from opnb.studio.ui.files import download
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.session import narrow, studio
from opnb.studio.ui.study import study
from opnb.studio.ui.tours import Prepared, told_axes, tour_element
from opnb.studio.visit.links import LONGEST
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import Mode, PictureSpec
from opnb.studio.visit.state import Studio
from opnb.studio.visit.tours import (
    as_matrix,
    axes_of,
    climb_path,
    comparable,
    fits_a_link,
    from_axes,
    other_fit_path,
    plane_of,
    tour_of,
    with_new,
)
from opnb.studio.words import file_stem, shortened
from opnb.studio.work.ways import lams_work, steps_work
from opnb.views.axes_paths import AxesPath, model_axes

_KEY = "tour"
_PREPARED = "tour prepared last"
_USES = (
    ("Climb from here", "trending_up", True, "Search from these two axes, with the settings of this fit"),
    ("Keep as a fit", "bookmark_add", False, "Make a model of these two axes, without a search"),
)
_NONE, _STEPS, _LAMS = "no other", "the steps of the search", "along λ"


def mode_switch(picture: PictureSpec, key: str) -> Mode:
    """Ask whether the picture stands still or can be turned."""
    mode: Mode = st.segmented_control(
        "Picture",
        ("still", "tour"),
        default=picture.mode,
        required=True,
        format_func=str.capitalize,
        key=f"mode-{key}",
        label_visibility="collapsed",
        help="A tour turns the axes, by hand or by itself; the boundary, the margins and the errors follow.",
    )
    return mode


def touring(result: FitResult, drawn: Callable[[], Any]) -> list[int]:
    """Show the tour of a fit; `drawn` makes the chart of where it stands. Gives the rows selected in that chart."""
    state = studio()
    above, below = st.container(), st.container()
    row = below.container(horizontal=True, vertical_alignment="bottom", key="tour-ways")
    with row:
        way = _way(state, result)
    prepared = _prepared(result, state.picture, way)
    turned = told_axes(_KEY, prepared, str(result.id))
    if turned is not None:
        state.picture = replace(state.picture, plane=axes_of(turned))
    plane = plane_of(result, state.picture)
    toured = with_new(prepared.tour, result, state.new)
    with above:
        rows = tour_element(
            prepared,
            _plain(drawn()),
            _KEY,
            f"Projection of {shortened(result.dataset.name)} where the tour rests",
            fit=str(result.id),
            axes=None if plane is None else as_matrix(plane),
            way=_to_play(result, way),
            new_rows=toured.new_text(),
            height=460 if narrow() else 520,
        )
    with row:
        _uses(state, result, toured)
    with below:
        _link_words(result, state.picture)
    return rows


def _plain(figure: Any) -> Any:
    """Leave out of a chart what the tour has beside it: the legend, and on a phone the words above, too."""
    figure.layout.showlegend = False
    if narrow():
        figure.layout.title = None
        figure.layout.margin.t = 8
    return figure


def _to_play(result: FitResult, way: AxesPath | None) -> str | None:
    """Name the way to be played when it comes: the one asked for, else the climb that led to a fit."""
    last = way or next(iter(climb_path(result)), None)
    return None if last is None else last.name


def _prepared(result: FitResult, picture: PictureSpec, way: AxesPath | None) -> Prepared:
    """Make the tour, or give the one made last."""
    asked = (result.id, picture.extent, None if way is None else (way.name, len(way.axes)))
    last = st.session_state.get(_PREPARED)
    if last is None or last[0] != asked:
        made = tour_of(result, picture, [] if way is None else [way], title=shortened(result.dataset.name))
        last = st.session_state[_PREPARED] = (asked, Prepared.of(made))
    prepared: Prepared = last[1]
    return prepared


def _way(state: Studio, result: FitResult) -> AxesPath | None:
    """Ask for a way beside those that every tour has, and give it once it is there."""
    others = {f"from {state.name_of(fit)}": fit for fit in comparable(result, state.fits)}
    chosen = st.selectbox(
        "Another way",
        [_NONE, _STEPS, _LAMS, *others],
        format_func=lambda name: shortened(name, 60).capitalize(),
        key=f"way-{result.id}",
        width=320,
        help="Ways that every tour has: the pairs of directions, and from principal components to this fit.",
    )
    if chosen in others:
        other = others[chosen]
        return other_fit_path(result, other, (state.name_of(result), state.name_of(other)))
    searches = {_STEPS: steps_work, _LAMS: lams_work}
    if chosen not in searches:
        return None
    return study((chosen, result.id), partial(searches[chosen], result), f"Following {chosen}")


def _uses(state: Studio, result: FitResult, toured: Tour) -> None:
    """Offer what can be done with the axes at which the tour stands."""
    plane = plane_of(result, state.picture) or axes_of(model_axes(result.classifier)[:, :2])
    for label, icon, search, words in _USES:
        if st.button(label, icon=f":material/{icon}:", disabled=len(plane) != 2, help=words, key=label):
            state.fit(from_axes(result.spec, plane, search=search))
            st.rerun()  # the page shows the fit under way, and this is but a part of it
    download("Tour (HTML)", toured.html, f"{file_stem(result.dataset.name)}-tour.html", "text/html")
    guide_button("touring")


def _link_words(result: FitResult, picture: PictureSpec) -> None:
    plane = plane_of(result, picture)
    if plane is None:
        return
    if fits_a_link(plane):
        st.caption("The link under **Take away** leads to these axes, and the report shows them.")
    else:
        st.caption(f"Axes of more than {LONGEST:,} characters are too long for a link: keep them as a fit.")
