"""Methods over repeats, by the numbers in the figure."""

import numpy as np
import pytest

from opnb.figures import spread_figure
from opnb.views import differences, spread

VALUES = np.array([[0.10, 0.30, 0.20], [0.20, 0.10, 0.20], [0.30, np.nan, 0.20]])
NAMES = ["OPNB", "<b>%{x}", "LDA"]


def test_every_repeat_is_a_dot_and_every_mean_a_diamond():
    figure = spread_figure(spread(VALUES, NAMES, [0, 1, 2]), "error in %", scale=100)
    *dots, means = figure.data
    for place, trace in enumerate(dots):
        np.testing.assert_allclose(trace.x, 100 * VALUES[:, place])
        assert np.abs(np.asarray(trace.y) - place).max() < 0.5, "dots stay in the row of their method"
        assert list(trace.customdata) == [1, 2, 3]
    np.testing.assert_allclose(means.x, [20, 20, 20])
    np.testing.assert_allclose(means.error_x.array, [10, 100 * np.std([0.3, 0.1], ddof=1), 0], atol=1e-12)
    assert means.marker.symbol == "diamond"
    assert list(figure.layout.yaxis.ticktext) == ["OPNB", "&lt;b&gt;&#37;{x}", "LDA"]


def test_whiskers_of_errors_end_at_zero_and_those_of_differences_do_not():
    values = np.array([[0.0, 0.1], [0.0, 0.0], [0.3, 0.0]])
    means = spread_figure(spread(values, ["a", "b"], [0, 1, 2]), "error").data[-1]
    assert (np.asarray(means.x) - np.asarray(means.error_x.arrayminus)).min() == 0
    apart = differences(values, ["a", "b"], [0, 1, 2], 0, 1 / 3)
    means = spread_figure(apart, "difference").data[-1]
    np.testing.assert_allclose(means.error_x.arrayminus, means.error_x.array)


def test_a_difference_says_what_it_is_to_and_seconds_are_logarithmic():
    apart = differences(VALUES, NAMES, [0, 1, 2], 0, 1 / 3)
    figure = spread_figure(apart, "points", scale=100, theme="dark", compact=True)
    assert "less error than OPNB" in figure.layout.title.text.replace("<br>", " ")
    assert figure.layout.xaxis.zeroline
    assert spread_figure(spread(VALUES, NAMES, [0, 1, 2]), "seconds", logarithmic=True).layout.xaxis.type == "log"


def test_differences_are_paired_and_their_intervals_allow_for_shared_rows():
    apart = differences(VALUES, NAMES, [0, 1, 2], 0, 1 / 3)
    assert apart.names == ("<b>%{x}", "LDA")
    assert apart.reference == "OPNB"
    np.testing.assert_allclose(apart.values[:, 1], [0.1, 0.0, -0.1])
    np.testing.assert_allclose(apart.centres, [0.05, 0.0], atol=1e-12)
    assert np.isnan(apart.reaches[0]), "two repeats give no interval"
    # t quantile of 2 degrees of freedom, and Nadeau and Bengio's variance of the mean
    assert apart.reaches[1] == pytest.approx(4.302653 * 0.1 * np.sqrt(1 / 3 + 1 / 3), rel=1e-6)


def test_a_method_that_shares_no_repeat_has_no_difference():
    values = np.array([[0.1, np.nan], [np.nan, 0.2]])
    assert np.isnan(differences(values, ["a", "b"], [0, 1], 0, 0.3).centres).all()
