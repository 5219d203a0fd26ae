"""Figures as dictionaries: what is written is what Plotly writes, and who looks into one finds Plotly's objects."""

import json
import pickle

import numpy as np
import plotly.graph_objects as go
import pytest

from opnb.figures.palette import find_theme, make_figure, trace, with_more
from opnb.figures.sketch import Figure, parts_json, parts_of, sketch


def _written(figure):
    return json.loads(parts_json(parts_of(figure)))


@pytest.mark.parametrize(
    "values",
    [
        np.arange(5),
        np.array([-1, 300]),
        np.array([70_000]),
        np.array([2**40]),
        np.array([200], dtype=np.uint64),
        np.array([1, 2], dtype=np.uint8),
        np.array([0.5, np.nan, np.inf]),
        np.array([0.5], dtype=np.float32),
        np.array([[1.0, 2.0], [3.0, 4.0]]).T,
        np.array([]),
        np.array(["a", "b"]),
        np.array(["a", 1], dtype=object),
        np.array([True, False]),
        [1, np.int64(2), np.float32(0.5)],
        [1.0, float("nan"), float("inf")],
    ],
)
def test_numbers_are_written_as_plotly_writes_them(values):
    traces = [{"type": "scatter", "y": [0.0], "customdata": values}]
    layout = {"height": 300, "template": {"layout": {"width": 400}}}
    assert _written(sketch(traces, layout)) == json.loads(go.Figure(traces, layout).to_json())


def test_a_figure_that_was_looked_into_is_an_ordinary_one():
    figure = make_figure([trace("bar", y=[1, 2], name=None)], find_theme("dark"), height=200)
    assert type(figure) is Figure
    assert isinstance(figure, go.Figure)
    before = _written(figure)
    assert figure.layout.height == 200
    assert type(figure) is go.Figure
    assert _written(figure) == before == json.loads(figure.to_json())
    figure.layout.height = 250
    assert _written(figure)["layout"]["height"] == 250
    with pytest.raises(ValueError, match="height"):
        figure.layout.height = "high"  # what is changed later is checked


def test_frames_are_written():
    figure = go.Figure(go.Bar(y=[1]), frames=[go.Frame(name="a", data=[go.Bar(y=np.array([2]))])])
    assert _written(figure) == json.loads(figure.to_json())


def test_more_traces_leave_the_figure_as_it_was():
    figure = make_figure([trace("bar", y=[1, 2])], find_theme("light"), height=200)
    more = with_more(figure, [trace("scatter", y=[3.0])])
    assert len(parts_of(figure)["data"]) == 1
    assert [one.type for one in more.data] == ["bar", "scatter"]
    assert more.layout.height == 200


def test_a_figure_goes_to_another_process_and_has_no_other_attributes():
    figure = make_figure([trace("bar", y=[1, 2])], find_theme("light"), height=200)
    assert not hasattr(figure, "of_no_figure")
    again = pickle.loads(pickle.dumps(make_figure([trace("bar", y=[1, 2])], find_theme("light"), height=200)))
    assert again.to_dict() == figure.to_dict()
