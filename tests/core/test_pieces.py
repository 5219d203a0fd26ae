"""Rows in pieces against the same rows at once: the very objective, up to the order of sums."""

import numpy as np
import pytest

from opnb.core import pieces, scattered
from opnb.core.independence import with_ridge
from opnb.core.objective import evaluate, make_problem
from opnb.core.penalties import penalty_matrix, within_covariance
from opnb.core.pieces import Piece, Whole
from opnb.core.runners import Here
from opnb.core.scattered import ScatteredProblem
from opnb.errors import FitError
from tests.core.problems import problem


def cut(X, y, weights, n_pieces):
    rows = np.array_split(np.arange(len(y)), n_pieces)
    return [
        Piece(X[part], y[part].astype(np.uint8), None if weights is None else weights[part], (part.size,))
        for part in rows
    ]


def in_pieces(X, y, *, n_pieces=3, weights=None, priors=None, keep=True, penalty="frobenius", independence=0.0):
    n_classes, p = y.max() + 1, X.shape[1]
    sums = None if weights is None else np.bincount(y, weights)
    whole = Whole.of(np.zeros(p), np.ones(p), np.bincount(y), sums, priors)
    return ScatteredProblem(
        cut(X, y, weights, n_pieces),
        whole,
        Here(),
        lam=0.01,
        n_bins=100,
        C=penalty_matrix(X, y, n_classes, penalty, weights),
        independence=independence,
        within=with_ridge(within_covariance(X, y, n_classes, weights)),
        keep=keep,
    )


def assert_equal(one, other):
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert one.class_term == pytest.approx(other.class_term, rel=1e-12)
    assert np.linalg.norm(one.gradient - other.gradient) <= 1e-12 * np.linalg.norm(other.gradient)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(("n_classes", "n_pieces"), [(2, 1), (3, 20), (9, 4)])
def test_value_and_gradient_are_those_of_all_rows_at_once(n_classes, n_pieces, keep, monkeypatch):
    monkeypatch.setattr(pieces, "BLOCK", 70)
    V, X, y = problem(n=400, n_classes=n_classes)
    at_once = evaluate(V, make_problem(X, y, n_classes, lam=0.01, n_bins=100))
    assert_equal(in_pieces(X, y, n_pieces=n_pieces, keep=keep).at(V), at_once)


@pytest.mark.parametrize("priors", [None, np.array([0.2, 0.3, 0.5])])
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_priors_penalties_and_independence_count_in_pieces_too(weighted, priors):
    V, X, y = problem(n=400)
    weights = np.random.default_rng(0).uniform(0.1, 2.0, y.size) if weighted else None
    given = {"penalty": "pooled", "independence": 0.2, "priors": priors}
    at_once = evaluate(V, make_problem(X, y, 3, lam=0.01, n_bins=100, sample_weight=weights, **given))
    assert_equal(in_pieces(X, y, weights=weights, **given).at(V), at_once)


@pytest.mark.parametrize(("away", "keep"), [(0.0, False), (50.0, True), (1e6, False), (1e6, True)])
def test_rows_are_scaled_on_the_way_and_parts_held_out(away, keep):
    V, X, y = problem(n=300)
    X = X + away  # near enough to zero for products to be scaled, or not
    centre, scale = X.mean(axis=0), X.std(axis=0)
    learnt = np.arange(300) % 3 != 0
    at_once = evaluate(V, make_problem((X[learnt] - centre) / scale, y[learnt], 3, lam=0.0, n_bins=100))
    order = np.argsort(~learnt, kind="stable")
    piece = Piece(X[order], y[order], None, (int(learnt.sum()), 300))
    whole = Whole.of(centre, 1 / scale, np.bincount(y[learnt]), held_out=1)
    assert (whole.room_for(piece.X) is None) == (away < 1e6)
    terms, gradient = scattered.likelihood_and_gradient(V, [piece], whole, 100, Here(), keep)
    assert terms[0] == pytest.approx(at_once.value, rel=1e-12)
    np.testing.assert_allclose(gradient, at_once.gradient, atol=1e-12)


def test_a_direction_of_thousands_of_bandwidths_has_the_likelihood_of_exact_sums():
    V, X, y = problem(n=400)
    wide = V * 200.0
    exact = evaluate(wide, make_problem(X, y, 3, lam=0.01))
    on_lattice = in_pieces(X, y).at(wide)
    assert np.ptp(X @ wide, axis=0).max() > 2000
    assert on_lattice.value == pytest.approx(exact.value, rel=1e-3)
    assert np.isfinite(on_lattice.gradient).all()


def test_a_direction_too_wide_for_a_lattice_is_refused_in_words():
    V, X, y = problem(n=400)
    with pytest.raises(FitError, match=r"Direction \d spans .* bandwidths, too many for the lattice"):
        in_pieces(X, y).at(V * 1e7)
    with pytest.raises(FitError, match="left the finite numbers"):
        in_pieces(X, y).at(V * np.nan)
