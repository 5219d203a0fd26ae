import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from opnb.comparators import (
    ClassConditionalICA,
    KDENaiveBayes,
    KernelDensityDiscriminant,
    OptimalGaussianProjection,
    ReducedLinearDiscriminant,
    RegularisedDiscriminant,
)
from opnb.errors import DataError
from tests.comparators.samples import HOSTILE, gaussian_classes, mixed_columns

ESTIMATORS = [
    KDENaiveBayes(),
    KernelDensityDiscriminant(),
    RegularisedDiscriminant(),
    ReducedLinearDiscriminant(),
    OptimalGaussianProjection(),
    ClassConditionalICA(random_state=0),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


@pytest.mark.slow
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each_estimator
@pytest.mark.parametrize("sample", HOSTILE, ids=lambda s: s.__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_hostile_data_give_finite_posteriors_that_beat_guessing(estimator, sample):
    X, y = sample()
    clf = clone(estimator).fit(X, y)
    far = X[:3] + np.array([[1e6], [-1e160], [1e300]])
    log_proba = clf.predict_log_proba(np.vstack([X, far]))
    assert not np.isnan(log_proba).any()
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0)
    assert clf.score(X, y) > np.bincount(y).max() / len(y)


@each_estimator
def test_labels_may_be_strings_and_columns_named(estimator):
    X, y = mixed_columns()
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = clone(estimator).fit(frame, np.array(["no", "yes"])[y])
    plain = clone(estimator).fit(X, y)
    assert list(named.feature_names_in_) == list("abcde")
    assert (named.predict(frame) == np.array(["no", "yes"])[plain.predict(X)]).all()
    np.testing.assert_allclose(named.predict_proba(frame), plain.predict_proba(X), atol=1e-12)


@each_estimator
def test_a_column_that_never_varies_changes_nothing(estimator):
    X, y = gaussian_classes()
    padded = np.column_stack([X, np.full(len(X), 0.1)])
    elsewhere = padded.copy()
    elsewhere[:, -1] = 7.0
    if isinstance(estimator, OptimalGaussianProjection):
        # By default it takes as many directions as columns, and a fifth one in four dimensions is another model.
        estimator = clone(estimator).set_params(n_components=X.shape[1])
    expected = clone(estimator).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(clone(estimator).fit(padded, y).predict_proba(elsewhere), expected, atol=2e-3)


@each_estimator
def test_nothing_but_constants_is_told_by_the_class_shares(estimator):
    X, y = np.ones((10, 2)), np.repeat([0, 1], [3, 7])
    posteriors = clone(estimator).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(posteriors, np.tile([0.3, 0.7], (10, 1)))


@each_estimator
def test_survives_pickling(estimator):
    X, y = gaussian_classes(n=60)
    clf = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict_proba(X), clf.predict_proba(X))


def test_column_that_is_the_class_is_used_or_refused():
    X, y = gaussian_classes()
    X = np.column_stack([X, y * 0.1])
    for estimator in (KDENaiveBayes(), KernelDensityDiscriminant(), RegularisedDiscriminant(lam=0.0)):
        assert estimator.fit(X, y).score(X, y) > 0.99
    with pytest.raises(DataError, match=r"Column 4 .*constant within each"):
        ReducedLinearDiscriminant().fit(X, y)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KDENaiveBayes(factor=0), "factor must be a positive"),
        (KDENaiveBayes(alpha=0.6), "alpha must be a positive finite number of at most 0.5"),
        (KDENaiveBayes(is_binary=[True]), "is_binary must be 'auto' or one truth value"),
        (KDENaiveBayes(is_binary=[True] * 4), "is_binary marks column 0"),
        (KernelDensityDiscriminant(factor=np.nan), "factor must be"),
        (RegularisedDiscriminant(lam=1.5), "lam must lie between 0 and 1"),
        (ReducedLinearDiscriminant(n_components=3), "from 1 to 2"),
        (OptimalGaussianProjection(n_components=5), "from 1 to 4"),
        (ClassConditionalICA(n_components=0), "from 1 to 4"),
        (ClassConditionalICA(n_components=True), "from 1 to 4"),
    ],
)
def test_bad_parameters_are_named(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*gaussian_classes())
