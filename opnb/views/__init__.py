"""What the pictures show, as small frozen results: computed here, drawn in `opnb.figures`.

`project` runs the model over the data once; the views of single pictures come from it.
"""

from opnb.views.axes import Axis
from opnb.views.class_scores import ClassScores, class_scores
from opnb.views.column_path import ColumnPath, column_path
from opnb.views.columns import ColumnImportance, Composition, column_importance, composition
from opnb.views.description import describe_projection
from opnb.views.doubts import Doubt, doubts
from opnb.views.flips import Flip, flips
from opnb.views.margins import Margin, MarginsView, margins_view
from opnb.views.marks import Marks, finding_marks
from opnb.views.matrix import ScatterMatrixView, scatter_matrix_view
from opnb.views.measures import (
    HistoryView,
    LoadingsView,
    Metrics,
    guessing,
    history_view,
    loadings_view,
    metrics,
)
from opnb.views.orienting import oriented
from opnb.views.path import Movie, PathErrors, path_errors, path_movie, playback_movie, still
from opnb.views.projected import ErrorCount, Projected, project
from opnb.views.projection import Points, ProjectionView, joint_ranges, projection_view
from opnb.views.reasons import Reasons, nearest_rows, reasons
from opnb.views.spread import Spread, differences, spread
from opnb.views.strip import StripView, strip_view

__all__ = [
    "Axis",
    "ClassScores",
    "ColumnImportance",
    "ColumnPath",
    "Composition",
    "Doubt",
    "ErrorCount",
    "Flip",
    "HistoryView",
    "LoadingsView",
    "Margin",
    "MarginsView",
    "Marks",
    "Metrics",
    "Movie",
    "PathErrors",
    "Points",
    "Projected",
    "ProjectionView",
    "Reasons",
    "ScatterMatrixView",
    "Spread",
    "StripView",
    "class_scores",
    "column_importance",
    "column_path",
    "composition",
    "describe_projection",
    "differences",
    "doubts",
    "finding_marks",
    "flips",
    "guessing",
    "history_view",
    "joint_ranges",
    "loadings_view",
    "margins_view",
    "metrics",
    "nearest_rows",
    "oriented",
    "path_errors",
    "path_movie",
    "playback_movie",
    "project",
    "projection_view",
    "reasons",
    "scatter_matrix_view",
    "spread",
    "still",
    "strip_view",
]
