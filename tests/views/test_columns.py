"""Which columns matter: shuffled ones, the path to fewer, directions in the table's units, and scores by class."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score

from opnb.data import FeatureColumn
from opnb.errors import DataError
from opnb.views import class_scores, column_importance, column_path, composition, project
from opnb.views.column_path import ColumnPath, column_weights, path_counts
from tests.figures.fits import iris_fit, quick_fit


@pytest.fixture(scope="module")
def noisy():
    """Two columns and a category of three levels that tell the classes, and three columns of noise."""
    rng = np.random.default_rng(1)
    y = np.arange(180) % 3
    X = rng.normal(size=(180, 7))
    X[:, 0] += 2.5 * (y == 0)
    X[:, 1] += 2.5 * (y == 1)
    level = np.where(rng.random(180) < 0.9, y, rng.integers(0, 3, 180))
    X[:, 5:7] = level[:, None] == [1, 2]
    names = ("u", "v", "noise 1", "noise 2", "noise 3")
    columns = (
        *(FeatureColumn(name, (j,)) for j, name in enumerate(names)),
        FeatureColumn("c", (5, 6), ("x", "y", "z")),
    )
    return X, y, columns


def test_columns_that_tell_the_classes_cost_most_when_shuffled(noisy):
    X, y, columns = noisy
    clf = quick_fit(X[:120], y[:120], n_components=3)
    found = column_importance(clf, X[120:], y[120:], columns, shuffles=10)
    assert {column.name for column in found.columns[:3]} == {"u", "v", "c"}
    assert (np.diff(found.rise) <= 0).all()
    assert found.error == pytest.approx(1 - clf.score(X[120:], y[120:]))
    assert found.errors.shape == found.log_losses.shape == (6, 10)
    assert (found.rise[:3] > 2 * found.spread[3:].max()).all()


def test_the_features_of_a_category_are_shuffled_together(noisy):
    X, y, columns = noisy
    seen = []

    class Spy:
        best_estimator_ = quick_fit(X[:60], y[:60], n_components=2)

    predict = type(Spy.best_estimator_).predict
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            type(Spy.best_estimator_), "predict", lambda self, rows: (seen.append(rows[:, 5:7]), predict(self, rows))[1]
        )
        column_importance(Spy(), X[60:], y[60:], columns[5:], shuffles=3)
    assert max(pair.sum(axis=1).max() for pair in seen) == 1, "no row has two levels"


def test_shuffling_is_the_same_in_one_piece_and_in_many(noisy, monkeypatch):
    X, y, columns = noisy
    clf = quick_fit(X[:60], y[:60], n_components=2)
    whole = column_importance(clf, X, y, columns, shuffles=4)
    monkeypatch.setattr("opnb.views.columns._MOST_CELLS", 1)
    pieces = column_importance(clf, X, y, columns, shuffles=4)
    np.testing.assert_array_equal(whole.errors, pieces.errors)
    with pytest.raises(DataError, match="no rows to measure by"):
        column_importance(clf, X[:0], y[:0])


def test_directions_in_the_units_of_the_table_give_the_positions():
    clf, X, *_ = iris_fit()
    made = composition(clf)
    np.testing.assert_allclose((X - made.means) @ made.per_unit.T, clf.transform(X), atol=1e-9)
    np.testing.assert_allclose((made.per_spread**2).sum(axis=1), 1)


def test_bent_directions_are_described_by_their_slopes(noisy):
    X, y, columns = noisy
    clf = quick_fit(X, y, n_components=2, bend=1.0, max_iter=5)
    made = composition(clf)
    assert not made.straight
    np.testing.assert_allclose(made.per_unit * made.spreads, clf.slopes_)
    assert column_weights(clf, columns).shape == (6,)


@pytest.mark.parametrize("n", [1, 2, 12, 13, 40, 300])
def test_a_path_goes_from_all_columns_to_one(n):
    counts = path_counts(n)
    assert counts[0] == n
    assert counts[-1] == 1
    assert (np.diff(counts) < 0).all()
    assert set(range(1, min(n, 12) + 1)) <= set(counts)
    assert len(counts) <= 25


def test_the_path_leaves_noise_out_first_and_its_errors_are_those_of_its_fits(noisy):
    X, y, columns = noisy
    shares = []

    def make(width):
        return OPNBLike(width)

    class OPNBLike:
        def __init__(self, width):
            self.width = width

        def fit(self, X, y):
            assert X.shape[1] == self.width
            return quick_fit(X, y, n_components=min(2, self.width), max_iter=8)

    path = column_path(make, X[:120], y[:120], columns, X[120:], y[120:], progress=shares.append)
    assert path.counts == (6, 5, 4, 3, 2, 1)
    assert set(path.columns[3]) == {"u", "v", "c"}
    for fewer, more in zip(path.columns[1:], path.columns[:-1], strict=True):
        assert set(fewer) < set(more)
    assert path.fold_errors.shape == (6, 5)
    assert shares == sorted(shares)
    assert len(shares) == 36
    clf = quick_fit(X[:120][:, [0, 1, 5, 6]], y[:120], n_components=2, max_iter=8)
    assert path.test[3].error == pytest.approx(1 - clf.score(X[120:][:, [0, 1, 5, 6]], y[120:]))
    weights = column_weights(clf, (FeatureColumn("u", (0,)), FeatureColumn("c", (2, 3))))
    assert weights[1] ** 2 == pytest.approx(((clf.components_[:, 2:] / clf.bandwidths_[:, None]) ** 2).sum())


def test_the_choice_of_a_path_is_the_fewest_columns_within_a_standard_error():
    errors = np.array([[0.1, 0.2], [0.1, 0.1], [0.05, 0.15], [0.13, 0.15], [0.4, 0.5]])
    path = ColumnPath((5, 4, 3, 2, 1), ((),) * 5, errors, ())
    assert path.best == 2, "of equals the one with fewest columns"
    assert path.fewest == 3


def test_scores_by_class_are_those_of_scikit_learn():
    clf, X, y, X_test, y_test = iris_fit()
    projected = project(clf, X, y, X_test, y_test)
    scores = class_scores(projected)
    confusion = confusion_matrix(y_test, clf.predict(X_test))
    assert scores.held_out
    np.testing.assert_allclose(scores.recall, np.diag(confusion) / confusion.sum(axis=1))
    np.testing.assert_allclose(scores.precision, np.diag(confusion) / confusion.sum(axis=0))
    assert scores.taken.tolist() == confusion.sum(axis=0).tolist()
    posterior = clf.predict_proba(X_test)
    for k, curve in enumerate(scores.roc):
        assert curve.area == pytest.approx(roc_auc_score(y_test == k, posterior[:, k]))
    for k, curve in enumerate(scores.calibration):
        assert curve.sizes.sum() == len(y_test)
        assert (curve.sizes * curve.stated).sum() == pytest.approx(posterior[:, k].sum())
        assert (curve.sizes * curve.observed).sum() == pytest.approx((y_test == k).sum())
        assert ((curve.low <= curve.observed) & (curve.observed <= curve.high)).all()


def test_a_class_without_held_out_rows_has_no_curve():
    clf, X, y, X_test, y_test = iris_fit()
    rows = y_test != 2
    scores = class_scores(project(clf, X, y, X_test[rows], y_test[rows]))
    assert scores.roc[2].true_positive.size == 0
    assert np.isnan(scores.roc[2].area)
    assert np.isnan(scores.recall[2])
    assert not class_scores(project(clf, X, y)).held_out
