"""Figures as the dictionaries they are sent as, and Plotly's objects only for who looks into them.

A page that draws a figure sends it and forgets it. To make Plotly's objects of it, copy them and write the copies takes
as long as all the rest of the page; their text can be written without them.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.utils import PlotlyJSONEncoder

Trace = dict[str, Any]
_CLOSE = (",", ":")
_TYPES = {"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4"} | {
    "float32": "f4",
    "float64": "f8",
}


class Figure(go.Figure):
    """A figure that is not made yet: the first look at any part of it makes it an ordinary one.

    Its properties must be written as Plotly would store them: they are not checked. What is changed later is.
    """

    def __getattr__(self, name: str) -> Any:
        parts = self.__dict__.pop("_sketch", None)
        if parts is None:
            raise AttributeError(name)
        self.__class__ = go.Figure
        go.Figure.__init__(self, data=parts["data"], layout=parts["layout"], _validate=False)
        for part in (self, self.layout, *self.data):
            part._validate = True
        return getattr(self, name)


def sketch(traces: Sequence[Trace], layout: dict[str, Any]) -> go.Figure:
    """Give a figure of traces and layout, of which None are no part."""
    figure = Figure.__new__(Figure)
    figure.__dict__["_sketch"] = {"data": [_given(one) for one in traces], "layout": _given(layout)}
    return figure


def _given(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value is not None}


def parts_of(figure: go.Figure) -> dict[str, Any]:
    """Give `data`, `layout` and, where there are any, `frames` of a figure: its own, not to be changed."""
    sketched = figure.__dict__.get("_sketch")
    if sketched is not None:
        return dict(sketched)
    # The public way to them copies every number.
    parts = {"data": figure._data, "layout": figure._layout}
    frames = [frame._props for frame in figure.frames]
    return parts | {"frames": frames} if frames else parts


def parts_json(parts: dict[str, Any]) -> str:
    """Write the parts of a figure as `to_json` of a figure does; not to be put into HTML as it is."""
    try:
        return json.dumps(parts, default=_written, allow_nan=False, separators=_CLOSE)
    except ValueError:  # numbers outside arrays that JSON does not have: Plotly writes null
        return str(PlotlyJSONEncoder(default=_written, separators=_CLOSE).encode(parts))


def _written(value: Any) -> Any:
    """Write numbers of NumPy's: arrays as plotly.js reads them soonest."""
    if not isinstance(value, np.ndarray):
        return value.tolist()
    value = _small(value) if value.dtype.kind in "iu" and value.size else value
    kind = _TYPES.get(str(value.dtype))
    if kind is None or not value.size:
        return value.tolist()
    written = {"dtype": kind, "bdata": base64.b64encode(value.tobytes()).decode("ascii")}
    return written | ({"shape": str(value.shape)[1:-1]} if value.ndim > 1 else {})


def _small(value: NDArray[Any]) -> NDArray[Any]:
    """Give whole numbers of 64 bits, which plotly.js does not read, in as few as they need."""
    if value.dtype.itemsize < 8:
        return value
    low, high = value.min(), value.max()
    for bits in (8, 16, 32):
        range_of = np.iinfo(f"{value.dtype.kind}{bits // 8}")
        if range_of.min <= low and high <= range_of.max:
            return value.astype(range_of.dtype)
    return value
