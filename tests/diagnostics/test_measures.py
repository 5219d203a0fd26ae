"""The statistics behind the findings, against slow or known answers."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from opnb.diagnostics.calibration import reliability, wilson_interval
from opnb.diagnostics.context import sampled_rows
from opnb.diagnostics.dependence import grid_information, holm, permutation_null, rank_measures
from opnb.diagnostics.samples import distinct_values
from opnb.diagnostics.scale import _peaks, typical_variance


def test_holm_matches_its_definition():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.9, 0.8])) == pytest.approx([1.0, 1.0])


def test_rank_correlation_is_spearmans():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50))
    ranks = np.argsort(np.argsort(b[np.argsort(a)]))
    assert rank_measures(ranks[None, :])[0][0] == pytest.approx(spearmanr(a, b).statistic)


def test_grid_information_of_equal_and_of_independent_cells():
    cells = np.arange(60) % 3
    assert grid_information(cells, cells[None, :], 3) == pytest.approx([np.log(3)])
    assert grid_information(cells, (np.arange(60) // 3 % 3)[None, :], 3)[0] == pytest.approx(0.0, abs=0.01)


def test_the_null_has_the_right_spread():
    rank, information = permutation_null(100, 999)
    assert rank.std() == pytest.approx(1 / np.sqrt(99), rel=0.1)
    assert abs(rank.mean()) < 0.02
    # Twice the information times n is chi-squared with (cells - 1)^2 = 9 degrees of freedom, nearly.
    assert 200 * information.mean() == pytest.approx(9, rel=0.15)


def test_stratified_rows_keep_every_class():
    labels = np.repeat([0, 1, 2], [9000, 900, 3])
    rows = sampled_rows(labels, 500, np.random.default_rng(0))
    counts = np.bincount(labels[rows])
    assert counts[2] == 3
    assert counts[1] == pytest.approx(45, abs=2)
    assert np.unique(rows).size == rows.size
    assert np.array_equal(sampled_rows(labels, 10_000, np.random.default_rng(0)), np.arange(9903))


def test_calibrated_confidences_have_a_fair_p_value():
    rng = np.random.default_rng(1)
    p_values = []
    for _ in range(100):
        confidence = rng.uniform(0.5, 1, 200)
        p_values.append(reliability(confidence, rng.random(200) < confidence, rng)["p_value"])
    assert np.mean(np.array(p_values) <= 0.05) <= 0.12
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.1)


def test_overconfidence_is_measured():
    rng = np.random.default_rng(0)
    result = reliability(np.full(400, 0.95), rng.random(400) < 0.7, rng)
    assert result["ece"] == pytest.approx(0.25, abs=0.06)
    assert result["overconfidence"] > 0.15
    assert result["p_value"] <= 0.01
    assert result["bin_sizes"].sum() == 400
    assert np.all(result["bin_low"] <= result["bin_accuracy"])
    assert np.all(result["bin_accuracy"] <= result["bin_high"])


def test_wilson_interval_of_a_known_share():
    low, high = wilson_interval(np.array([0.5]), np.array([100]))
    assert low == pytest.approx([0.4038], abs=1e-3)
    assert high == pytest.approx([0.5962], abs=1e-3)


def test_distinct_values_ignore_rounding():
    Z = np.column_stack([np.repeat([0.0, 1.0], 5) + 1e-9 * np.arange(10), np.arange(10.0), np.zeros(10)])
    assert distinct_values(Z).tolist() == [2, 10, 1]


def test_peaks_are_counted_at_the_ends_too():
    assert _peaks(np.array([0.0, 1.0, 0.0, 2.0, 1.0])) == 2
    assert _peaks(np.array([3.0, 1.0, 2.0])) == 2
    assert _peaks(np.array([1.0])) == 1
    assert _peaks(np.array([0.0, 1.0, 1.0, 0.0])) == 1


def test_typical_variance_takes_the_middle():
    assert typical_variance(np.array([3.9, 0.05, 0.03, 0.02])) == pytest.approx(0.03)
    assert typical_variance(np.ones(5)) == 1.0
