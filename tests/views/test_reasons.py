"""Why a row is given its class: sums that add up, and changes that are verified by predicting them."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import Table, feature_columns, prepare
from opnb.data.feature_columns import FeatureColumn
from opnb.errors import DataError
from opnb.views import flips, nearest_rows, project, reasons
from tests.figures.fits import blobs, blobs_fit, iris_fit, quick_fit


@cache
def mixed_fit():
    """Three classes told by a number, a category of three levels, and a count."""
    rng = np.random.default_rng(0)
    n = 90
    kind = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "length": rng.normal(size=n) + 2 * (kind == 1),
            "colour": np.array(["blue", "green", "red"])[np.where(rng.random(n) < 0.8, kind, rng.integers(0, 3, n))],
            "legs": rng.integers(0, 5, n) + 3 * (kind == 2),
            "kind": np.array(["a", "b", "c"])[kind],
        }
    )
    data = prepare(Table.from_frame(frame, "mixed"), "kind")
    return data, quick_fit(data.X_train, data.y_train, n_components=3)


@pytest.fixture
def mixed():
    return mixed_fit()


def test_a_category_is_one_column(mixed):
    data, _ = mixed
    assert [(column.name, column.places, len(column.levels)) for column in data.columns] == [
        ("length", (0,), 0),
        ("colour", (1, 2), 3),
        ("legs", (3,), 0),
    ]
    assert sorted(place for column in data.columns for place in column.places) == list(range(data.X.shape[1]))


def test_without_a_recipe_every_feature_is_a_column():
    assert feature_columns(["u", "v"]) == (FeatureColumn("u", (0,)), FeatureColumn("v", (1,)))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_category_is_read_and_changed_as_a_whole(mixed, level):
    data, _ = mixed
    column = data.columns[1]
    row = column.changed(data.X[0], [float(level)])[0]
    assert column.value(row) == level
    assert row[1:3].sum() == (level > 0)
    assert row[[0, 3]].tolist() == data.X[0][[0, 3]].tolist()
    assert column.written(float(level)) == ("blue", "green", "red")[level]


@given(row=st.integers(0, 37), other=st.sampled_from([None, 0, 1, 2]))
@settings(max_examples=40, deadline=None)
def test_directions_add_up_to_the_log_odds_and_columns_to_the_positions(row, other):
    clf, _, _, X_test, _ = iris_fit()
    found = reasons(clf, X_test[row], other=other)
    log_posterior = clf.predict_log_proba(X_test[row : row + 1])[0]
    assert found.predicted == log_posterior.argmax()
    assert found.predicted != found.other
    assert found.start_odds == 0
    assert found.log_odds == pytest.approx(log_posterior[found.predicted] - log_posterior[found.other], abs=1e-9)
    np.testing.assert_allclose(found.parts.sum(axis=1), clf.transform(X_test[row : row + 1])[0], atol=1e-9)
    assert found.posterior.sum() == pytest.approx(1, abs=1e-9)
    joint = np.log(clf.class_prior_) + found.log_densities.sum(axis=0)
    np.testing.assert_allclose(
        joint - joint[found.predicted], log_posterior - log_posterior[found.predicted], atol=1e-9
    )


def test_the_parts_of_a_category_are_taken_together(mixed):
    data, clf = mixed
    found = reasons(clf, data.X_test[0], columns=data.columns)
    scaled = (data.X_test[0] - clf.mean_) / clf.scale_
    np.testing.assert_allclose(found.parts[:, 1], clf.components_[:, 1:3] @ scaled[1:3], atol=1e-12)
    np.testing.assert_allclose(found.parts.sum(axis=1), found.positions, atol=1e-9)
    assert np.isnan(found.means).tolist() == [False, True, False]


def test_directions_add_up_to_what_is_said_when_that_is_sharpened():
    X, y = blobs(120, 3)
    plain, blunt = (quick_fit(X, y, n_components=2, sharpness=power) for power in (1.0, 0.25))
    found, as_it_is = reasons(blunt, X[5]), reasons(plain, X[5])
    log_posterior = blunt.predict_log_proba(X[5:6])[0]
    assert found.log_odds == pytest.approx(log_posterior[found.predicted] - log_posterior[found.other], abs=1e-9)
    assert found.log_odds == pytest.approx(found.prior_odds + found.direction_odds.sum(), abs=1e-9)
    assert found.log_odds == pytest.approx(as_it_is.log_odds / 4, rel=1e-9)
    np.testing.assert_array_equal(found.log_densities, as_it_is.log_densities)


def test_averaged_starts_have_a_term_of_their_own():
    X, y = blobs(120, 3)
    clf = quick_fit(X, y, n_components=2, init="random", n_init=3, combine="average", random_state=0)
    found = reasons(clf, X[5])
    log_posterior = clf.predict_log_proba(X[5:6])[0]
    assert found.start_odds != 0
    assert found.log_odds == pytest.approx(log_posterior[found.predicted] - log_posterior[found.other], abs=1e-9)


def test_bent_directions_add_up_to_the_log_odds_and_have_no_parts_by_column():
    X, y = blobs(60, 3)
    clf = quick_fit(X, y, n_components=2, bend=1.0, max_iter=5)
    found = reasons(clf, X[0])
    log_posterior = clf.predict_log_proba(X[:1])[0]
    assert found.parts is None
    assert found.log_odds == pytest.approx(log_posterior[found.predicted] - log_posterior[found.other], abs=1e-9)
    for flip in flips(clf, X[0], X=X):
        assert clf.predict(flip.row[None])[0] == flip.becomes != found.predicted


@pytest.mark.parametrize(
    ("row", "words"),
    [(np.zeros(3), "5 values, one a feature"), (np.array([0, 0, np.nan, 0, 0]), "no finite number for 'feature 3'")],
)
def test_a_row_that_cannot_be_explained_is_refused(row, words):
    clf, *_ = blobs_fit(120, 3)
    with pytest.raises(DataError, match=words):
        reasons(clf, row)
    with pytest.raises(DataError, match="no class number 9"):
        reasons(clf, np.zeros(5), other=9)


def test_the_nearest_rows_are_nearest_in_bandwidths_and_never_the_row_itself():
    clf, X, y, X_test, y_test = iris_fit()
    projected = project(clf, X, y, X_test, y_test)
    places, distances = nearest_rows(clf, X[7], projected, count=4, leave_out=7)
    apart = np.linalg.norm((clf.transform(X) - clf.transform(X[7:8])) / clf.bandwidths_, axis=1)
    apart[7] = np.inf
    assert sorted(places) == sorted(np.argsort(apart, kind="stable")[:4])
    np.testing.assert_allclose(distances, np.sort(apart)[:4])
    assert nearest_rows(clf, X_test[0], projected)[0].max() < len(X), "only training rows"


@given(row=st.integers(0, 21))
@settings(max_examples=15, deadline=None)
def test_every_change_is_verified_by_predicting_it(row):
    data, clf = mixed_fit()
    x = data.X_test[row]
    own = clf.predict(x[None])[0]
    for flip in flips(clf, x, columns=data.columns, X=data.X_train):
        assert clf.predict(flip.row[None])[0] == clf.classes_[flip.becomes] != own
        elsewhere = [j for j in range(x.size) if j not in flip.column.places]
        assert (flip.row[elsewhere] == x[elsewhere]).all()
        assert flip.column.value(flip.row) == flip.after != flip.before
        if flip.column.name == "colour":
            assert set(flip.row[1:3]) <= {0.0, 1.0}
            assert flip.row[1:3].sum() <= 1
        if flip.column.name == "legs":
            assert flip.after == round(flip.after)


@given(row=st.integers(0, 37))
@settings(max_examples=12, deadline=None)
def test_no_smaller_change_is_found_by_looking_closer(row):
    clf, X, _, X_test, _ = iris_fit()
    x = X_test[row]
    own = clf.predict(x[None])[0]
    for flip in flips(clf, x, X=X):
        column = flip.column
        # Rounding to two digits of the change may go beyond the edge by a tenth of it.
        nearer = x[column.places[0]] + np.linspace(-0.9, 0.9, 301) * abs(flip.after - flip.before)
        inside = (nearer >= X[:, column.places[0]].min()) & (nearer <= X[:, column.places[0]].max())
        assert (clf.predict(column.changed(x, nearer[inside])) == own).all()


def test_the_smallest_change_comes_first_and_a_column_once(mixed):
    data, clf = mixed
    for x in data.X_test[:4]:
        found = flips(clf, x, columns=data.columns, X=data.X_train)
        assert [flip.size for flip in found] == sorted(flip.size for flip in found)
        assert len({flip.column.name for flip in found}) == len(found)


def test_changes_without_the_training_rows_stay_near_the_mean(mixed):
    data, clf = mixed
    found = [flip for x in data.X_test[:6] for flip in flips(clf, x, columns=data.columns)]
    numbers = [flip for flip in found if not flip.column.levels]
    assert numbers
    for flip in numbers:
        place = flip.column.places[0]
        assert abs(flip.after - clf.mean_[place]) <= 3.3 * clf.scale_[place]
