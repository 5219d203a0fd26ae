"""The least page with our kind of chart, run by Streamlit: a box of directions and 3,000 points to select from."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

# The simulated problem of the bench and its address ask for six directions; the first page asks for nothing.
shown = st.selectbox("Up", range(6), index=1, format_func=lambda number: f"Direction {number + 1}")
points = np.random.default_rng(shown).normal(size=(3_000, 2)).astype(np.float32)
layout = go.Layout(yaxis_title=f"XV<sub>{shown + 1}</sub>", template="plotly_white")
figure = go.Figure(go.Scattergl(x=points[:, 0], y=points[:, 1], mode="markers"), layout)
st.plotly_chart(figure, key="chart", theme=None, on_select="rerun")
