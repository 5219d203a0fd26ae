"""Pictures of a search under way."""

import numpy as np
import pytest

from opnb.figures.sketch import parts_of
from opnb.studio.ui.live import moving_picture, objective_curve
from opnb.studio.visit.settings import default_spec
from opnb.studio.work.fitting import FitProgress


@pytest.fixture
def progress():
    seen = FitProgress(default_spec(), np.array(["a", "b", "a", "b"]))
    seen.points, seen.objectives = np.arange(8.0).reshape(4, 2), {0: [-2.0, -1.5], 1: [-3.0]}
    return seen


def test_points_on_the_way_have_a_trace_a_class(progress):
    figure = moving_picture(progress, "dark")
    assert [one["name"] for one in parts_of(figure)["data"]] == ["a", "b"]
    assert figure.data[1].x.tolist() == [2.0, 6.0]


def test_one_direction_is_spread_by_chance_alone(progress):
    progress.points = progress.points[:, :1]
    figure = moving_picture(progress, "light")
    assert figure.data[0].x.tolist() == [0.0, 4.0]
    assert np.abs(figure.data[0].y).max() <= 1


def test_the_start_under_way_stands_out(progress):
    before, now = objective_curve(progress, "light").data
    assert before.y.tolist() == [-2.0, -1.5]
    assert now.line.width > before.line.width
