"""Errors class by class: which are taken for which, precision and recall, ROC and calibration curves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from opnb.figures import calibration_figure, confusion_figure, roc_figure
from opnb.studio.ui.charts import chart, sheet
from opnb.studio.ui.session import look, studio
from opnb.studio.visit.drawing import focus_of
from opnb.studio.visit.results import FitResult
from opnb.studio.words import shortened
from opnb.views import ClassScores

_PERCENT = "%.1f %%"


def class_errors(result: FitResult) -> None:
    """Show the errors of a fit class by class."""
    parts = [("Held-out rows", result.test), ("Training rows", result.train)]
    shown = [(title, measured) for title, measured in parts if measured is not None]
    for column, (title, measured) in zip(st.columns(len(shown)), shown, strict=True):
        with column:
            draw = partial(confusion_figure, measured, title=title, **look())
            key = f"confusion-{title}"
            chart(sheet(result, key, draw), key, f"{title}: true and predicted class")
    _scores(result, result.class_scores)


def _scores(result: FitResult, scores: ClassScores) -> None:
    """Show the scores of every class on the rows that tell most."""
    rows = "held-out" if scores.held_out else "training"
    st.caption(f"Every class against all others, on the {rows} rows.")
    config = {
        "Precision": st.column_config.NumberColumn(
            format=_PERCENT, help="Of the rows taken for the class, those in it."
        ),
        "Recall": st.column_config.NumberColumn(format=_PERCENT, help="Of the rows of the class, those taken for it."),
        "Area under ROC": st.column_config.NumberColumn(
            format="%.3f", help="Chance that a row of the class gets a higher probability of it than another row."
        ),
    }
    st.dataframe(_table(scores), hide_index=True, column_config=config, alt="Precision and recall of every class")
    focus = focus_of(result, studio().picture)
    shown = None if focus is None else tuple(focus)
    left, right = st.columns(2, gap="medium")
    curves: tuple[tuple[Any, str, Callable[..., Any], str], ...] = (
        (left, "roc", roc_figure, "ROC curve of every class"),
        (right, "calibration", calibration_figure, "Stated probabilities against what is true"),
    )
    for place, key, figure, alt in curves:
        with place:
            drawn = sheet(result, (key, shown), partial(figure, scores, focus=focus, **look()))
            chart(drawn, key, alt, bar=False)


def _table(scores: ClassScores) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Class": [shortened(name) for name in scores.class_names],
            "Rows": scores.counts,
            "Taken for it": scores.taken,
            "Precision": 100 * scores.precision,
            "Recall": 100 * scores.recall,
            "Area under ROC": [curve.area for curve in scores.roc],
        }
    )
