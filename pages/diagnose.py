"""What is wrong with the fit that is shown: findings, worst first, each with its picture and its remedy."""

import streamlit as st

from opnb.studio.diagnose.page import advice, before_and_after, cards, diagnosis, summary
from opnb.studio.ui.running_fit import fit_shown
from opnb.studio.ui.session import studio, write_link

result = fit_shown("Diagnose", "look at", guide="wrong")
if result is not None:
    above = st.container()
    findings = diagnosis(result)
    tried = None if findings is None else advice(result, findings)
    said = tried or findings
    with above:
        if studio().mended is not None:
            before_and_after(studio().mended, result, said)
        if said is not None:
            summary(said, tried is not None)
    if said is not None:
        cards(result, said, tried is not None)
write_link()
