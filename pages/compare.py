"""Other methods on the same data: errors over repeated splits, the planes they look at, their confusions."""

import streamlit as st

from opnb.studio.compare.page import comparing
from opnb.studio.ui.heading import heading
from opnb.studio.ui.intake import summary
from opnb.studio.ui.running_fit import collect_fit
from opnb.studio.ui.session import studio, write_link
from opnb.studio.ui.text import escaped

state = studio()
about = "" if state.dataset is None else f"About the data: {escaped(state.dataset.name)}, {summary(state)}"
heading("Compare", about, guide="comparing")
collect_fit()
if state.dataset is None:
    st.info("There are no data to compare methods on yet. Bring some on the **Data** page.", icon=":material/table:")
    st.page_link("pages/data.py", label="Go to the Data page", icon=":material/table:")
else:
    comparing()
write_link()
