"""What is wrong with the fit that is shown: findings, worst first, each with its picture and its remedy."""

import streamlit as st

from opnb.studio.diagnose.page import before_and_after, cards, diagnosis, summary
from opnb.studio.ui.running_fit import notices, running_fit, wait_briefly
from opnb.studio.ui.session import studio, write_link
from opnb.studio.ui.text import escaped

state = studio()
wait_briefly()
notices(state)
if state.job is not None:
    running_fit(state)
elif state.result is None:
    st.info("There is no fit to look at yet. Make one on the **Workbench**.", icon=":material/scatter_plot:")
    st.page_link("pages/workbench.py", label="Go to the Workbench", icon=":material/scatter_plot:")
else:
    result = state.result
    st.caption(f"About the fit: {escaped(state.name_of(result))}")
    above = st.container()
    findings = diagnosis(result)
    with above:
        if state.mended is not None:
            before_and_after(state.mended, result, findings)
        if findings is not None:
            summary(result, findings)
    if findings is not None:
        cards(result, findings)
write_link()
