"""What is wrong with the fit that is shown: findings, worst first, each with its picture and its remedy."""

import streamlit as st

from opnb.studio.diagnose.page import before_and_after, cards, diagnosis, summary
from opnb.studio.ui.running_fit import fit_shown
from opnb.studio.ui.session import studio, write_link

result = fit_shown("look at")
if result is not None:
    above = st.container()
    findings = diagnosis(result)
    with above:
        if studio().mended is not None:
            before_and_after(studio().mended, result, findings)
        if findings is not None:
            summary(result, findings)
    if findings is not None:
        cards(result, findings)
write_link()
