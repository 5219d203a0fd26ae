"""Numbers for the tuning views."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from opnb import OPNBClassifier, OPNBClassifierCV
from opnb.diagnostics import (
    align_directions,
    dimension_curve,
    one_standard_error_lam,
    permuted_labels,
    principal_angles,
)
from tests.diagnostics import problems

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::opnb.errors.EdgeOfGridWarning"),
]


def test_the_dimension_curve_ends_at_the_whole_model():
    X, y, X_test, y_test, settings = problems.many_groups(0)
    clf = OPNBClassifier(**settings).fit(X, y)
    curve = dimension_curve(clf, X, y, X_test, y_test)
    assert curve.n_components.tolist() == list(range(1, 10))
    assert curve.log_likelihood[-1] == pytest.approx(clf.log_likelihood_, abs=1e-9)
    assert curve.error[-1] == pytest.approx(1 - clf.score(X, y))
    assert curve.test_error[-1] == pytest.approx(1 - clf.score(X_test, y_test))
    on_two = clf.predict_log_proba_on(clf.transform(X_test)[:, :2], [0, 1])
    truth = np.searchsorted(clf.classes_, y_test)
    assert curve.test_log_likelihood[1] == pytest.approx(on_two[np.arange(truth.size), truth].mean())
    assert np.all(curve.log_likelihood_left_out <= curve.log_likelihood)
    assert dimension_curve(clf, X, y).test_error is None


def test_principal_angles_of_known_subspaces():
    E = np.eye(4)
    assert principal_angles(E[:, :2], E[:, :2][:, ::-1] * 7) == pytest.approx([0, 0], abs=1e-7)
    assert principal_angles(E[:, :1], E[:, :1] + E[:, 1:2]) == pytest.approx([np.pi / 4])
    assert principal_angles(E[:, :2], E[:, [0, 2]]) == pytest.approx([0, np.pi / 2], abs=1e-7)
    repeated = np.column_stack([E[:, 0], E[:, 0]])
    assert principal_angles(repeated, E[:, :2]) == pytest.approx([0], abs=1e-7)


def test_alignment_undoes_order_signs_and_rotation():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(6, 3)))[0]
    shuffled = V[:, [2, 0, 1]] * (-1, 1, -1)
    found = align_directions(V, shuffled)
    assert shuffled[:, found.order] * found.signs == pytest.approx(V)
    assert found.angles == pytest.approx(np.zeros(3), abs=1e-6)
    assert found.rotation == pytest.approx(np.eye(3), abs=1e-9)
    turned = V @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    found = align_directions(V, turned)
    assert turned[:, found.order] * found.signs @ found.rotation == pytest.approx(V, abs=1e-9)
    with pytest.raises(ValueError, match="equal shapes"):
        align_directions(V, V[:, :2])


def test_alignment_survives_repeated_and_empty_directions():
    V = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    found = align_directions(V, V)
    assert sorted(found.order.tolist()) == [0, 1, 2]
    assert np.isfinite(found.rotation).all()


def test_true_labels_stand_out_and_noise_does_not():
    X, y, *_, settings = problems.three_gaussians(0)
    clf = OPNBClassifier(**settings).fit(X, y)
    result = permuted_labels(clf, X, y, 5, max_iter=20)
    assert result.share_as_good == 0
    assert result.distance > 5
    assert result.shuffled_objectives.shape == (5,)
    assert result.n_rows == len(y)
    X, y, *_, settings = problems.noise_flat(0)
    noise = permuted_labels(OPNBClassifier(**settings).fit(X, y), X, y, 9, max_iter=20, max_rows=200)
    assert abs(noise.distance) < 4
    assert noise.n_rows == pytest.approx(200, abs=2)


def test_one_run_with_the_true_labels_is_the_fit():
    X, y, *_, settings = problems.three_gaussians(0)
    clf = OPNBClassifier(**settings).fit(X, y)
    result = permuted_labels(clf, X, y, 2)
    assert result.objective == pytest.approx(clf.objective_, abs=1e-9)
    assert result.log_likelihood == pytest.approx(clf.log_likelihood_, abs=1e-9)


def test_one_standard_error_takes_the_largest_lam_within_reach():
    X, y = load_iris(return_X_y=True)
    cv = OPNBClassifierCV(lams=[1e-3, 1e-2, 1e-1, 1.0], n_components=2, cv=3).fit(X, y)
    cv.cv_errors_ = np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.1], [0.1, 0.1, 0.11], [0.5, 0.5, 0.5]])
    cv.lam_ = 1e-2
    choice = one_standard_error_lam(cv)
    assert choice.lam == 1e-2
    cv.cv_errors_[1] = [0.05, 0.1, 0.15]
    choice = one_standard_error_lam(cv)
    assert choice.lam == 1e-1
    assert choice.best_index == 1
    assert choice.index == 2
    assert choice.standard_errors[1] == pytest.approx(0.05 / np.sqrt(3))
