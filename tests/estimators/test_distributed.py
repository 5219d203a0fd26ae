"""Fits of Dask collections against fits of the same rows in memory; tasks run in this thread unless a test says so."""

import numpy as np
import pytest

from opnb import OPNBClassifier, OPNBClassifierCV
from opnb.core.objective import evaluate
from opnb.errors import DataError
from opnb.estimators.rows import training_rows

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("opnb.estimators.distributed")
da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def rows(n=1500, p=4, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.standard_normal((n, p)) * [1.0, 10.0, 0.1, 3.0][:p] + 2.0 * rng.standard_normal((n_classes, p))[y] + 100.0
    return X, y


def scattered(*arrays, size=400):
    return [da.from_array(array, chunks=(size, *array.shape[1:])) for array in arrays]


SETTINGS = {"n_components": 2, "max_iter": 30, "n_bins": 100}


@pytest.mark.parametrize("memory", [1.0, np.inf])
def test_value_and_gradient_are_those_in_memory(memory, monkeypatch):
    monkeypatch.setattr(distributed, "cluster_memory", lambda: memory)
    X, y = rows()
    clf = OPNBClassifier(**SETTINGS, penalty="total", independence=0.1)
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 2)))[0]
    here, there = training_rows(clf, X, y).pose(clf, 0.01), training_rows(clf, *scattered(X, y)).pose(clf, 0.01)
    assert there.keep == (memory > 1.0)
    one, other = evaluate(V, here), there.at(V)
    assert other.value == pytest.approx(one.value, rel=1e-12)
    assert np.linalg.norm(one.gradient - other.gradient) <= 1e-12 * np.linalg.norm(one.gradient)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_fit_is_that_of_the_rows_in_memory(weighted):
    X, y = rows()
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float) if weighted else None
    here = OPNBClassifier(**SETTINGS, penalty="pooled").fit(X, y, sample_weight=weights)
    names = np.array(["a", "b", "c"])[y]
    there = OPNBClassifier(**SETTINGS, penalty="pooled").fit(
        *scattered(X, names), sample_weight=None if weights is None else scattered(weights)[0]
    )
    np.testing.assert_allclose([there.mean_, there.scale_], [here.mean_, here.scale_], rtol=1e-10)
    np.testing.assert_allclose(there.class_prior_, here.class_prior_)
    assert there.history_[-1].objective == pytest.approx(here.history_[-1].objective, rel=1e-6)
    assert there.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), atol=2e-3)
    assert there.sample_.X.shape == (np.count_nonzero(weights) if weighted else 1500, 4)


def test_frames_keep_the_names_of_their_columns_and_single_precision_stays():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y = rows(n=600)
    frame = pd.DataFrame(X.astype(np.float32), columns=list("abcd")).assign(kind=np.array(["x", "y", "z"])[y])
    collection = dd.from_pandas(frame, npartitions=3)
    clf = OPNBClassifier(**SETTINGS).fit(collection[list("abcd")], collection["kind"])
    assert clf.feature_names_in_.tolist() == list("abcd")
    assert clf.sample_.X.dtype == np.float32
    assert clf.score(frame[list("abcd")], frame["kind"]) > 0.8


def test_rows_and_classes_of_parquet_files_stay_side_by_side(tmp_path):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y = rows(n=600)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=y, weight=1.0 + np.arange(600) % 3)
    for number, part in enumerate(np.array_split(np.arange(600), 12)):
        frame.iloc[part].to_parquet(tmp_path / f"{number:02d}.parquet")
    read = dd.read_parquet(str(tmp_path / "*.parquet"))
    assert read["kind"].optimize().npartitions < read.npartitions, "what Dask would make of it"
    there = OPNBClassifier(**SETTINGS).fit(read[list("abcd")], read["kind"], sample_weight=read["weight"])
    here = OPNBClassifier(**SETTINGS).fit(frame[list("abcd")], frame["kind"], sample_weight=frame["weight"])
    assert there.history_[-1].objective == pytest.approx(here.history_[-1].objective, rel=1e-6)


def test_many_rows_of_single_precision_in_memory_are_summed_as_one_piece(monkeypatch):
    monkeypatch.setattr("opnb.estimators.rows.ROWS_FOR_LATTICE", 1000)
    X, y = rows()
    single = X.astype(np.float32)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    clf = OPNBClassifier(**SETTINGS)
    assert training_rows(clf, single, y).pieces[0].X is single
    here = clf.fit(single.astype(float), y, sample_weight=weights)
    there = OPNBClassifier(**SETTINGS).fit(single, y, sample_weight=weights)
    assert there.history_[-1].objective == pytest.approx(here.history_[-1].objective, rel=1e-6)
    np.testing.assert_allclose(there.predict_proba(single), here.predict_proba(single), atol=2e-3)
    # What needs all rows at once has them in double precision, as ever.
    assert isinstance(OPNBClassifier(**{**SETTINGS, "n_bins": None}).fit(single, y).score(single, y), float)


def test_random_starts_callback_and_stop_are_as_always():
    X, y = scattered(*rows(n=600))
    seen = []
    clf = OPNBClassifier(n_components=2, init="random", n_init=2, random_state=0, callback=seen.append)
    clf.fit(X, y)
    assert {iteration.start for iteration in seen} == {0, 1}
    assert len(clf.starts_) == 2
    stopped = OPNBClassifier(n_components=2, callback=lambda iteration: iteration.number == 2).fit(X, y)
    assert stopped.stopped_
    assert stopped.n_iter_ == 2


@pytest.mark.slow
def test_lam_is_chosen_on_folds_that_stay_where_they_are():
    X, y = rows(n=900)
    search = OPNBClassifierCV(lams=[1e-3, 1e-2, 0.3], cv=3, n_components=2, max_iter=20, random_state=1)
    search.fit(*scattered(X, y, size=300))
    assert search.cv_errors_.shape == search.cv_log_losses_.shape == (3, 3)
    assert search.n_features_in_ == 4
    here = OPNBClassifierCV(lams=[1e-3, 1e-2, 0.3], cv=3, n_components=2, max_iter=20, random_state=1).fit(X, y)
    # The folds differ, the rows do not.
    np.testing.assert_allclose(search.cv_errors_.mean(axis=1), here.cv_errors_.mean(axis=1), atol=0.03)
    np.testing.assert_allclose(search.cv_log_losses_.mean(axis=1), here.cv_log_losses_.mean(axis=1), atol=0.05)
    assert search.score(X, y) == pytest.approx(here.score(X, y), abs=0.03)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"likelihood": "leave-one-out"}, "left out of its class only where all rows are in one memory"),
        ({"bend": 1.0}, "Directions that bend"),
        ({"n_bins": None}, "Exact sums"),
        ({"scale": "robust"}, "robust scale"),
        ({"init": lambda X, y, m: X}, "Give init as an array"),
    ],
)
def test_what_needs_all_rows_at_once_is_refused_in_words(settings, words):
    with pytest.raises(DataError, match=words):
        OPNBClassifier(**settings).fit(*scattered(*rows(n=300)))


def test_rows_that_do_not_fit_together_are_refused_in_words():
    X, y = rows(n=300)
    there = scattered(X, y, size=100)
    with pytest.raises(DataError, match="y is not"):
        OPNBClassifier().fit(there[0], y)
    with pytest.raises(ValueError, match="contains NaN"):
        OPNBClassifier().fit(scattered(np.where(X > 105, np.nan, X), size=100)[0], there[1])
    with pytest.raises(DataError, match="have no class"):
        OPNBClassifier().fit(there[0], scattered(np.where(y == 1, np.nan, y), size=100)[0])
    with pytest.raises(ValueError, match="only one class"):
        OPNBClassifier().fit(there[0], scattered(np.zeros(300), size=100)[0])
    with pytest.raises(ValueError, match="give cv as a number"):
        OPNBClassifierCV(cv=[(np.arange(10), np.arange(10))]).fit(*there)
