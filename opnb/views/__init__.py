"""What the pictures show, as small frozen results: computed here, drawn in `opnb.figures`.

`project` runs the model over the data once; the views of single pictures come from it.
"""

from opnb.views.axes import Axis
from opnb.views.margins import Margin, MarginsView, margins_view
from opnb.views.projected import ErrorCount, Projected, project
from opnb.views.projection import Points, ProjectionView, projection_view
from opnb.views.strip import StripView, strip_view

__all__ = [
    "Axis",
    "ErrorCount",
    "Margin",
    "MarginsView",
    "Points",
    "Projected",
    "ProjectionView",
    "StripView",
    "margins_view",
    "project",
    "projection_view",
    "strip_view",
]
