"""One direction: margins above, points by class below, regions behind both."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from opnb.figures.images import regions_png, stretched
from opnb.figures.layers import boundary_trace, margin_traces, mark_trace, marker_size, mistakes, point_traces
from opnb.figures.palette import class_styles, find_theme, fresh_figure
from opnb.figures.text import axis_title
from opnb.views.strip import StripView, strip_view

_PIXELS = 1200


def strip_figure(
    clf: Any,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    direction: int = 0,
    **options: Any,
) -> go.Figure:
    raise NotImplementedError


def draw_strip(view: StripView, **options: Any) -> go.Figure:
    raise NotImplementedError
