"""From a table to a picture: data and settings at the side, the projection in the middle, details below."""

import streamlit as st

from opnb.studio.data_picker import data_picker
from opnb.studio.details import details
from opnb.studio.fit_form import fit_form
from opnb.studio.picture import picture
from opnb.studio.running import notices, running_fit, wait_briefly
from opnb.studio.session import studio, write_link
from opnb.studio.workspace_panel import workspace_panel

state = studio()
with st.sidebar:
    data_picker(state)
    if state.dataset is not None:
        asked = fit_form(state)
        if asked is not None:
            state.fit(asked)
wait_briefly()
notices(state)
if state.job is not None:
    running_fit(state)
elif state.result is not None:
    picture()
    details()
elif state.dataset is not None:
    st.info("The data are ready. Press **Fit** to see them projected.", icon=":material/play_arrow:")
write_link()
with st.sidebar:
    workspace_panel(state)
