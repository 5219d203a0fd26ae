"""From a table to a picture: data and settings at the side, the projection in the middle, details below."""

import streamlit as st

from opnb.studio.ui.intake import ask_what_it_is
from opnb.studio.ui.running_fit import collect_fit, running_fit
from opnb.studio.ui.session import studio, write_link
from opnb.studio.workbench.data_box import about, data_picker, whose_picture
from opnb.studio.workbench.details import details
from opnb.studio.workbench.fit_form import fit_form
from opnb.studio.workbench.model_file import opened_model
from opnb.studio.workbench.picture import picture
from opnb.studio.workbench.workspace_panel import workspace_panel

state = studio()
with st.sidebar:
    data_picker(state)
    fit_form()
about(state)
whose_picture(state)
ask_what_it_is(state, "bench")
collect_fit()
if state.job is not None:
    running_fit(state)
elif state.new.model is not None:
    opened_model()
elif state.result is not None:
    picture()
    details()
elif state.dataset is not None:
    st.info("The data are ready. Press **Fit** to see them projected.", icon=":material/play_arrow:")
write_link()
with st.sidebar:
    workspace_panel(state)
