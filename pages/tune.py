"""Other settings for the fit that is shown: the path of smoothness, penalties, starts, directions, playback."""

import streamlit as st

from opnb.studio.tune.page import tuning
from opnb.studio.ui.running_fit import notices, running_fit, wait_briefly
from opnb.studio.ui.session import studio, write_link
from opnb.studio.ui.text import escaped

state = studio()
wait_briefly()
notices(state)
if state.job is not None:
    running_fit(state)
elif state.result is None:
    st.info("There is no fit to tune yet. Make one on the **Workbench**.", icon=":material/scatter_plot:")
    st.page_link("pages/workbench.py", label="Go to the Workbench", icon=":material/scatter_plot:")
else:
    st.caption(f"About the fit: {escaped(state.name_of(state.result))}")
    tuning(state.result)
write_link()
