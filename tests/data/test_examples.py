"""Examples and simulators."""

import math

import numpy as np
import pytest

from opnb.data import (
    SIMULATORS,
    PrepareOptions,
    bayes_error,
    example_names,
    example_table,
    load_example,
    prepare,
    simulate,
    simulator_names,
    true_log_densities,
)
from opnb.errors import DataError

SHAPES = {"iris": (150, 4, 3), "wine": (178, 13, 3), "breast_cancer": (569, 30, 2), "penguins": (333, 8, 3)}


@pytest.mark.parametrize("name", example_names())
def test_every_example_is_complete(name):
    data, table = load_example(name), example_table(name)
    assert np.isfinite(data.X).all()
    assert len(data.y) == len(data.X) == len(data.train) + len(data.test)
    assert len(data.feature_names) == len(data.is_binary) == data.X.shape[1]
    assert set(np.unique(data.y_train)) == set(np.unique(data.y))
    assert data.description.endswith(".")
    assert len(data.description) > 100
    assert data.provenance.endswith(".")
    assert (table.description, table.provenance) == (data.description, data.provenance)
    if name in SHAPES:
        assert (*data.X.shape, len(data.class_names)) == SHAPES[name]


def test_penguins_tell_what_was_done():
    data = load_example("penguins")
    assert "Left out 11 rows with missing values (3.2 % of 344)." in data.account
    assert "island = Dream" in data.feature_names
    imputed = load_example("penguins", options=PrepareOptions(missing="impute"))
    assert len(imputed.X) == 344


def test_an_unknown_example():
    with pytest.raises(DataError, match=r"no example 'tulips'. Choose one of: iris"):
        load_example("tulips")


@pytest.mark.parametrize("name", simulator_names())
def test_simulators_obey_their_seed(name):
    first, again, other = simulate(name, 60, 3), simulate(name, 60, 3), simulate(name, 60, 4)
    assert first.X.shape[0] == 60
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("name", simulator_names())
def test_simulated_tables_give_the_same_data(name):
    table, data = example_table(name), load_example(name)
    prepared = prepare(table, "class")
    np.testing.assert_array_equal(prepared.X, data.X)
    np.testing.assert_array_equal(prepared.y, data.y)


@pytest.mark.parametrize("name", simulator_names())
def test_every_setting_is_checked(name):
    for key, parameter in SIMULATORS[name].parameters.items():
        assert parameter.meaning
        for wrong in (parameter.high * 2 + 1, math.nan, "3", None, True):
            with pytest.raises(DataError, match=f"{key} must be"):
                simulate(name, **{key: wrong})


def test_other_wrong_calls():
    with pytest.raises(DataError, match="no simulator 'x'"):
        simulate("x")
    with pytest.raises(DataError, match=r"no setting 'depth'. Its settings: angle, overlap"):
        simulate("rotated", depth=2)
    with pytest.raises(DataError, match="n must be a whole number from 20"):
        simulate("rotated", n=3)
    with pytest.raises(DataError, match="n_classes must be a whole number"):
        simulate("gaussian", n_classes=2.5)
    with pytest.raises(DataError, match="seed must be"):
        simulate("rotated", seed=-1)


def test_the_rotated_design_has_the_papers_bayes_error():
    assert bayes_error() == pytest.approx(0.239, abs=0.005)
    assert bayes_error(overlap=0.5) < 0.1


def test_true_densities_integrate_to_one_and_follow_the_angle():
    axis = np.linspace(-9, 9, 361)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    mass = np.exp(true_log_densities(grid)).sum(axis=0) * (axis[1] - axis[0]) ** 2
    np.testing.assert_allclose(mass, 1, atol=1e-4)
    data = simulate("rotated", n=6000, seed=2)
    codes = np.searchsorted(["A", "B", "C"], data.y)
    right = np.mean(true_log_densities(data.X).argmax(axis=1) != codes)
    wrong = np.mean(true_log_densities(data.X, angle=0.0).argmax(axis=1) != codes)
    assert right == pytest.approx(0.239, abs=0.02)
    assert wrong > right + 0.1


def naive_bayes_error(X, y, bins=30):
    """Naive Bayes with histograms, on half of the rows, tested on the other half."""
    train = np.arange(len(X)) % 2 == 0
    classes = np.unique(y)
    scores = np.zeros((int((~train).sum()), len(classes)))
    for column in X.T:
        edges = np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1])
        cells = np.searchsorted(edges, column)
        for k, label in enumerate(classes):
            counts = np.bincount(cells[train & (y == label)], minlength=bins) + 0.5
            scores[:, k] += np.log(counts / counts.sum())[cells[~train]]
    return np.mean(classes[scores.argmax(axis=1)] != y[~train])


def test_naive_bayes_needs_the_turned_axes():
    data = simulate("rotated", n=20_000, seed=0)
    turn = np.array([[math.cos(math.pi / 8), -math.sin(math.pi / 8)], [math.sin(math.pi / 8), math.cos(math.pi / 8)]])
    assert naive_bayes_error(data.X @ turn, data.y) < 0.27
    assert naive_bayes_error(data.X, data.y) > 0.36


@pytest.mark.parametrize("name", ["hill-valley", "hill-valley-noise"])
def test_one_component_carries_the_terrains(name):
    X = load_example(name).X
    values = np.linalg.svd((X - X.mean(axis=0)) / X.std(axis=0), compute_uv=False) ** 2
    assert values[0] / values.sum() > 0.99
    assert X.min() > 0


def test_the_number_of_classes_and_covariates():
    data = simulate("gaussian", n=100, n_features=7, n_classes=5, separation=50)
    assert data.X.shape == (100, 7)
    assert data.class_names == ("A", "B", "C", "D", "E")
    assert simulate("noise", n=50, n_features=200).X.shape == (50, 200)
    assert simulate("answers", n=50, n_questions=6, n_levels=4).X.shape == (50, 18)
    assert simulate("decoy-plane", n=50, copies=3).X.shape == (50, 8)
    categories = simulate("categories")
    np.testing.assert_array_equal(np.isin(categories.X, (0, 1)).all(axis=0), categories.is_binary)


def test_levels_of_terrains_spread_as_far_as_asked():
    for levels in (1.0, 3.0):
        heights = np.median(simulate("hill-valley", n=2000, levels=levels).X, axis=1)
        assert np.log10(heights.max() / heights.min()) == pytest.approx(levels, abs=0.1)


def test_answers_differ_between_the_groups_in_their_sum_alone():
    data = simulate("answers", n=4000, n_levels=2, test_size=None)
    decided = data.y == "decided"
    shares = [data.X[rows].mean(axis=0) for rows in (decided, ~decided)]
    np.testing.assert_allclose(shares[0], shares[1], atol=0.06)
    spread = [data.X[rows].sum(axis=1).std() for rows in (decided, ~decided)]
    assert spread[0] > 1.8 * spread[1]


def test_answers_can_lean_instead():
    data = simulate("answers", n=4000, n_levels=2, together=0.0, lean=0.5, test_size=None)
    decided = data.y == "decided"
    assert (data.X[~decided].mean(axis=0) - data.X[decided].mean(axis=0) > 0.2).all()
    within = np.corrcoef(data.X[decided].T)
    assert np.abs(within - np.eye(8)).max() < 0.1


def test_the_decoy_plane_carries_the_variance():
    data = simulate("decoy-plane", n=2000, test_size=None)
    values, vectors = np.linalg.eigh(np.corrcoef(data.X.T))
    assert values[-2:].sum() / values.sum() > 0.55
    assert np.abs(vectors[:2, -2:]).max() < 0.2  # the other plane is no part of them
