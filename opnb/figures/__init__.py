"""Figures: results in, `plotly.graph_objects.Figure` out."""

from opnb.figures.projection import draw_projection, projection_figure

__all__ = ["draw_projection", "projection_figure"]
