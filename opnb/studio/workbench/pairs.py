"""All pairs of directions to look through: the best first, each a small picture that opens as the large one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from opnb.figures.thumbnails import pair_thumbnails
from opnb.studio.ui.gallery import Tile, gallery
from opnb.studio.ui.session import studio
from opnb.studio.visit.drawing import focus_of
from opnb.studio.visit.results import FitResult
from opnb.studio.words import quantity, shortened
from opnb.studio.workbench.picture import show
from opnb.views.pairs import Pair, PairsView, pairs_view

_AT_FIRST = 24
_LAST = "pairs drawn last"


def all_pairs(result: FitResult) -> None:
    """Show every pair of directions, ranked, and what each direction separates."""
    if result.n_directions == 1:
        st.info("With one direction there are no pairs to show.")
        return
    view = _viewed(result)
    part = "held-out" if view.held_out else "training"
    less = f" of the first {len(view.directions)} directions" if len(view.directions) < view.n_directions else ""
    st.caption(
        f"{quantity(len(view.pairs), 'pair')}{less}, the one that tells the classes apart best first: below each, the "
        f"error of the model on these two directions alone, on {part} rows. Click one to open it above."
    )
    shown = view.pairs
    if len(shown) > _AT_FIRST and not st.toggle(f"Show all {len(shown)} pairs", key="all-pairs"):
        shown = shown[:_AT_FIRST]
    picked = gallery(_tiles(result, view, shown), "pairs", "Pairs of directions")
    if picked is not None:
        show(directions=view.pairs[picked].directions)
        st.rerun()
    st.dataframe(_directions(view), hide_index=True, alt="What every direction separates")


def _viewed(result: FitResult) -> PairsView:
    """Compute the pairs, or give those computed last."""
    extent = studio().picture.extent
    asked = (result.id, extent)
    last: tuple[tuple[int, str], PairsView] | None = st.session_state.get(_LAST)
    if last is None or last[0] != asked:
        last = st.session_state[_LAST] = (asked, pairs_view(result.classifier, result.projected, extent=extent))
    return last[1]


def _tiles(result: FitResult, view: PairsView, pairs: tuple[Pair, ...]) -> list[Tile]:
    picture = studio().picture
    now = sorted(picture.fitting(result.n_directions))
    pictures = pair_thumbnails(view, pairs, focus_of(result, picture))
    return [
        Tile(
            number,
            source,
            f"{pair.directions[0] + 1} × {pair.directions[1] + 1}: {100 * pair.errors.error:.1f} %",
            f"Show directions {pair.directions[0] + 1} and {pair.directions[1] + 1}: error {pair.errors.error:.1%}",
            sorted(pair.directions) == now,
        )
        for number, (pair, source) in enumerate(zip(pairs, pictures, strict=True))
    ]


def _directions(view: PairsView) -> pd.DataFrame:
    heaviest = [", ".join(shortened(name, 24) for name, _ in one.axis.heaviest[:3]) for one in view.directions]
    return pd.DataFrame(
        {
            "Direction": [one.axis.direction + 1 for one in view.directions],
            "Heaviest columns": heaviest,
            "Tells apart": [shortened(one.separates) for one in view.directions],
            "Error of it alone": [f"{100 * one.errors.error:.1f} %" for one in view.directions],
        }
    )
