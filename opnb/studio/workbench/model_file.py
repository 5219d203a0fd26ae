"""A model file that is open: its picture without training rows, its weights and densities, and what it predicts."""

from __future__ import annotations

import streamlit as st

from opnb.estimators.classifier import OPNBClassifier
from opnb.figures import loadings_figure, margins_figure
from opnb.studio.ui.charts import chart, selected_rows
from opnb.studio.ui.session import look, narrow, studio, theme
from opnb.studio.ui.text import escaped
from opnb.studio.visit.arrivals import ModelFile
from opnb.studio.visit.drawing import compute_model, draw, with_new_rows
from opnb.studio.visit.intake import close_model
from opnb.studio.visit.settings import PictureSpec
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity, shortened
from opnb.studio.workbench.new_rows import new_rows_panel
from opnb.studio.workbench.why import follow_clicks, why_clicked_row
from opnb.views.bare import bare_projected

_MOST_MARGINS = 30
_VIEWS = ("New rows", "Weights", "Densities")


@st.fragment
def opened_model() -> None:
    """Show the model that is open."""
    state = studio()
    file = state.new.model
    if file is None:
        return
    clicked = selected_rows(st.session_state.get("model-picture"), file.name)
    follow_clicks(file.name, clicked)
    _about(state, file)
    computed = compute_model(file, _directions(file, state.revision))
    figure = draw(computed, **look())
    with_new_rows(figure, computed, state.new.drawn(None), theme=theme(), chosen=state.new.chosen)
    if narrow():
        figure.layout.dragmode = False  # a finger on the picture scrolls the page
    chart(figure, "model-picture", f"Regions and densities of the model {shortened(file.name)}", selects=file.name)
    why_clicked_row(state, clicked)
    chosen = st.segmented_control(
        "More about this model", _VIEWS, default=_VIEWS[0], required=True, key="model-views", persist_state="session"
    )
    if chosen == "Weights":
        chart(loadings_figure(file.classifier, file.recipe.feature_names, **look()), "model-weights", "Weights")
    elif chosen == "Densities":
        _densities(file)
    else:
        new_rows_panel(state)


def _about(state: Studio, file: ModelFile) -> None:
    model = file.classifier
    counts = model.densities_[0].counts
    st.header(f"Model file {escaped(file.name)}")
    st.caption(
        f"Fitted to {quantity(int(counts.sum()), 'row')} of {quantity(counts.size, 'class', 'classes')} with "
        f"{quantity(len(file.recipe.ingredients), 'column')}; {quantity(len(model.components_), 'direction')}. "
        f"{_rows_words(model)}, so no points and no errors are shown; regions, curves and weights are the model's own."
    )
    st.button("Close this model", icon=":material/close:", on_click=close_model, args=(state,), key="close-model")


def _rows_words(model: OPNBClassifier) -> str:
    """Say which of the training rows a file has."""
    if model.sample_ is None:
        return "The training rows are not in the file"
    return f"Of the training rows only a sample of {quantity(len(model.sample_.y), 'row')} is in the file"


def _directions(file: ModelFile, revision: int) -> PictureSpec:
    count = len(file.classifier.components_)
    if count < 3:
        return PictureSpec()
    options = list(range(count))

    def name(direction: int) -> str:
        return f"Direction {direction + 1}"

    with st.container(horizontal=True):
        across = st.selectbox("Across", options, 0, format_func=name, key=f"model-across-{revision}", width=132)
        up = st.selectbox("Up", options, 1, format_func=name, key=f"model-up-{revision}", width=132)
    if across == up:
        st.caption("Choose two different directions.")
        return PictureSpec((across, (across + 1) % count))
    return PictureSpec((across, up))


def _densities(file: ModelFile) -> None:
    figure = margins_figure(
        file.classifier,
        projected=bare_projected(file.classifier, file.recipe.feature_names),
        directions=list(range(min(len(file.classifier.components_), _MOST_MARGINS))),
        **look(),
    )
    chart(figure, "model-densities", "Class densities along every direction")
