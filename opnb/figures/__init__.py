"""Figures: results in, `plotly.graph_objects.Figure` out."""

from opnb.figures.projection import draw_projection, projection_figure
from opnb.figures.strip import draw_strip, strip_figure

__all__ = ["draw_projection", "draw_strip", "projection_figure", "strip_figure"]
