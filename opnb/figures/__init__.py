"""Figures: results in, `plotly.graph_objects.Figure` out.

A `*_figure` computes and draws; a `draw_*` draws a result of `opnb.views` that the caller has already.
"""

from opnb.errors import needs

with needs("plot"):
    import plotly  # noqa: F401  # said here once, for all that follows

from opnb.figures.class_scores import calibration_figure, roc_figure
from opnb.figures.columns import column_path_figure, importance_figure
from opnb.figures.comparison import comparison_figure
from opnb.figures.display import OPNBDisplay
from opnb.figures.evidence import evidence_figure
from opnb.figures.export import NoBrowserError, figure_html, figure_png, figure_svg
from opnb.figures.margins import draw_margins, draw_scatter_matrix, margins_figure, scatter_matrix_figure
from opnb.figures.marks import draw_marks
from opnb.figures.measures import confusion_figure, draw_loadings, history_figure, loadings_figure
from opnb.figures.methods import spread_figure
from opnb.figures.paths import dimension_figure, draw_movie, draw_still, path_figure
from opnb.figures.projection import draw_projection, projection_figure
from opnb.figures.reasons import log_odds_figure, parts_figure, place_ring, posterior_figure, row_density_figure
from opnb.figures.strip import draw_strip, strip_figure
from opnb.figures.touring import Tour, tour

__all__ = [
    "NoBrowserError",
    "OPNBDisplay",
    "Tour",
    "calibration_figure",
    "column_path_figure",
    "comparison_figure",
    "confusion_figure",
    "dimension_figure",
    "draw_loadings",
    "draw_margins",
    "draw_marks",
    "draw_movie",
    "draw_projection",
    "draw_scatter_matrix",
    "draw_still",
    "draw_strip",
    "evidence_figure",
    "figure_html",
    "figure_png",
    "figure_svg",
    "history_figure",
    "importance_figure",
    "loadings_figure",
    "log_odds_figure",
    "margins_figure",
    "parts_figure",
    "path_figure",
    "place_ring",
    "posterior_figure",
    "projection_figure",
    "roc_figure",
    "row_density_figure",
    "scatter_matrix_figure",
    "spread_figure",
    "strip_figure",
    "tour",
]
