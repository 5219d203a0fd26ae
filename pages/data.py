"""Bring a table, see what was found in it, and decide what is done with it."""

import streamlit as st

from opnb.studio.data.preparation import account, preparation, preview
from opnb.studio.data.reading import reading_settings, unread_file
from opnb.studio.data.ways_in import described, ways_in
from opnb.studio.ui.heading import heading
from opnb.studio.ui.intake import ask_what_it_is
from opnb.studio.ui.session import studio

state = studio()
heading("Data", "Bring a table, see what was found in it, and decide what is done with it.", guide="table")
ways_in(state)
ask_what_it_is(state, "data")
working = state.working
if state.unread is not None:
    st.divider()
    unread_file(state, state.unread)
elif working is not None:
    st.divider()
    described(state)
    reading_settings(state, working)
    preview(working)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("Preparation")
        preparation(state, working)
    with right:
        if state.dataset is not None and not working.error:
            account(state)
            st.page_link("pages/workbench.py", label="See the picture", icon=":material/scatter_plot:")
