"""How unlike the training rows a row is."""

import numpy as np
import pytest
from scipy.special import logsumexp

from opnb import OPNBClassifier, load_model
from opnb.data import load_example
from opnb.errors import DataError, ModelFileError
from opnb.estimators.loading import model_from_bytes
from opnb.estimators.model_files import model_to_bytes
from opnb.estimators.novelty import RATE, Novelty, learn_novelty, log_density, novelty_of
from tests.bench.novelty import RATES, counted


@pytest.fixture(scope="module")
def data():
    return load_example("iris")


@pytest.fixture(scope="module")
def model(data):
    return OPNBClassifier(n_components=2, independence=0.1).fit(data.X, data.y)


def kernel(u):
    return (1 + np.abs(u)) * np.exp(-np.abs(u)) / 4


def test_the_score_is_the_density_without_the_rows_own_kernel(model, data):
    """Against the definition, row by row."""
    Z, h = model.transform(data.X), model.bandwidths_
    expected = []
    for i in range(len(Z)):
        joint = []
        for name, prior in zip(model.classes_, model.class_prior_, strict=True):
            others = np.flatnonzero((data.y == name) & (np.arange(len(Z)) != i))
            joint.append(np.log(prior) + np.log(kernel((Z[i] - Z[others]) / h).mean(axis=0) / h).sum())
        expected.append(logsumexp(joint))
    np.testing.assert_allclose(learn_novelty(model, data.X, data.y).scores, np.sort(expected), rtol=1e-9)


def test_the_log_density_is_the_sum_over_classes(model, data):
    joint = model.log_density_contributions(data.X).sum(axis=1) + np.log(model.class_prior_)
    np.testing.assert_allclose(log_density(model, data.X), logsumexp(joint, axis=1), rtol=1e-12)


def test_familiarity_is_a_share_of_the_training_rows():
    known = Novelty(np.arange(99.0))
    np.testing.assert_allclose(known.familiarity(np.array([-1.0, 0.0, 49.5, 200.0])), [0.01, 0.02, 0.51, 1.0])
    assert known.is_unlike(np.array([-1.0, 0.0, 1.0])).tolist() == [True, True, False]
    assert known.rate == RATE
    assert Novelty(np.zeros(9)).rate == 0.1  # so few rows tell nothing finer
    with pytest.raises(DataError, match="ascending"):
        Novelty(np.array([2.0, 1.0]))


def test_a_row_far_away_is_unlike_wherever_it_is(model, data):
    known = learn_novelty(model, data.X, data.y)
    far = data.X[:4] + np.array([[1e3], [-1e3], [1e6], [1e9]])
    assert known.is_unlike(log_density(model, far)).all()


def test_a_class_of_one_row_does_not_count():
    X = np.vstack([np.random.default_rng(0).normal(size=(30, 2)), [[9.0, 9.0]]])
    y = np.array(["a"] * 15 + ["b"] * 15 + ["c"])
    model = OPNBClassifier(n_components=1, max_iter=5, tol=1e-1).fit(X, y)
    assert learn_novelty(model, X, y).scores.size == 30


def test_a_model_file_carries_it(model, data, tmp_path):
    model.novelty_ = learn_novelty(model, data.X, data.y).scores
    model.save(tmp_path / "model.opnb")
    again = load_model(tmp_path / "model.opnb")
    np.testing.assert_array_equal(novelty_of(again).scores, model.novelty_)
    for wrong in (np.array([2.0, 1.0]), np.array([np.nan]), np.zeros((2, 2))):
        again.novelty_ = wrong
        with pytest.raises(ModelFileError, match="densities of its training rows"):
            model_from_bytes(model_to_bytes(again))
    again.novelty_ = None
    assert novelty_of(model_from_bytes(model_to_bytes(again))) is None


@pytest.mark.slow
def test_held_out_rows_are_called_unlike_at_the_nominal_rate():
    """Few splits; `make bench BENCH=novelty` has 50 of every example."""
    names = ("wine", "breast_cancer", "penguins", "gaussian", "categories")
    found = [counted(name, range(4)) for name in names]
    shares = sum(counts for counts, _ in found) / sum(n for _, n in found)
    np.testing.assert_allclose(shares, RATES, atol=0.02)
