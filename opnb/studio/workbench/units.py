"""What every direction is made of, in the units of the table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from opnb.studio.visit.results import FitResult
from opnb.studio.words import shortened
from opnb.views import composition

_MOST_DIRECTIONS = 10


def units_table(result: FitResult) -> None:
    """Show how far one unit more of every column moves a row on every direction."""
    made = composition(result.classifier, result.dataset.feature_names)
    shown = min(len(made.per_unit), _MOST_DIRECTIONS)
    order = (-abs(made.per_spread[:shown]).max(axis=0)).argsort(kind="stable")
    table = {
        "Column": [shortened(made.feature_names[j]) for j in order],
        "Mean": made.means[order],
        "Usual spread": made.spreads[order],
    } | {f"Direction {d + 1}": made.per_unit[d, order] for d in range(shown)}
    st.markdown("**In the units of the table**")
    st.dataframe(pd.DataFrame(table), hide_index=True, alt="How far one unit of a column moves a row")
    more = f" The first {shown} of {len(made.per_unit)} directions." if shown < len(made.per_unit) else ""
    sums = "A row lies at the sum of these numbers, each times the row's distance from the mean."
    bent = "The directions bend: these are averages over the rows."
    st.caption(
        f"How far one unit more of a column moves a row along a direction. {sums if made.straight else bent}{more}"
    )
    st.page_link("pages/tune.py", label="Which columns matter: Columns on the page Tune", icon=":material/tune:")
