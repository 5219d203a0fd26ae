"""The web app: `streamlit run app.py`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from opnb.studio.logs import set_up_logs
from opnb.studio.serving import health
from opnb.studio.serving.guard import Guard
from opnb.studio.ui import page_head, plotly_file
from opnb.studio.ui.gate import let_in
from opnb.studio.ui.session import enter, leave
from opnb.studio.work.cluster import check_installed

if __name__ == "__main__":  # Streamlit runs this file so for every visitor
    # A picture of ours: browsers fetch named icons for the tab from another company's server.
    icon = str(Path(__file__).parent / "docs" / "icon.svg")
    st.set_page_config(page_title="opnb", page_icon=icon, layout="wide", initial_sidebar_state=330)
    let_in()
    pages = [
        st.Page("pages/workbench.py", title="Workbench", icon=":material/scatter_plot:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/table:"),
        st.Page("pages/diagnose.py", title="Diagnose", icon=":material/troubleshoot:"),
        st.Page("pages/tune.py", title="Tune", icon=":material/tune:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/leaderboard:"),
        st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
        st.Page("pages/benchmark.py", title="Benchmark", icon=":material/speed:"),
    ]
    chosen = st.navigation(pages, position="top")
    enter(pages)
    chosen.run()
    leave()
else:  # the server imports it once
    check_installed()
    set_up_logs()
    app = st.App(
        __file__,
        routes=[*health.routes(), *plotly_file.routes()],
        middleware=[Middleware(Guard), Middleware(page_head.InHead)],
        lifespan=health.lifespan,
    )
