"""The web app: `streamlit run app.py`."""

import streamlit as st

from opnb.studio.session import enter

st.set_page_config(page_title="opnb", page_icon=":material/scatter_plot:", layout="wide", initial_sidebar_state=330)
pages = [
    st.Page("pages/workbench.py", title="Workbench", icon=":material/scatter_plot:", default=True),
    st.Page("pages/data.py", title="Data", icon=":material/table:"),
    st.Page("pages/diagnose.py", title="Diagnose", icon=":material/troubleshoot:"),
    st.Page("pages/tune.py", title="Tune", icon=":material/tune:"),
]
chosen = st.navigation(pages, position="top")
enter(pages)
chosen.run()
