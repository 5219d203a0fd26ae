import json

import numpy as np
import pytest

from opnb.benchmark import BENCHMARK_METHODS, Protocol, Task, run_task
from opnb.benchmark.tasks import split_of
from opnb.comparators import METHODS, Method
from opnb.errors import DataError


def protocol(cache, **changes):
    return Protocol(
        **{"datasets": ["iris"], "methods": ["LDA", "RDA"], "data_dir": str(cache), "repeats": 2, **changes}
    )


def test_tasks_are_every_combination_once(cache):
    tasks = protocol(cache, datasets=["iris", "wine"]).tasks()
    assert len(set(tasks)) == len(tasks) == 2 * 2 * 2
    assert tasks[0] == Task(0, "iris", "LDA")
    assert {task.repeat for task in tasks[:4]} == {0}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"datasets": []}, "datasets: name at least one"),
        ({"datasets": ["iris", "iris"]}, "'iris' is named more than once"),
        ({"methods": ["OPNB", "XGB"]}, "there is no 'XGB'. Choose from"),
        ({"repeats": 0}, "repeats must be a whole number from 1"),
        ({"folds": 1}, "folds must be a whole number from 2"),
        ({"seed": -1}, "seed must be"),
        ({"max_rows": 10**6}, "max_rows must be a whole number from 40 to 3,000"),
        ({"test_share": 0.9}, "test_share must lie"),
        ({"timeout": 0.0}, "timeout must be a positive"),
    ],
)
def test_bad_settings_are_named(cache, change, words):
    with pytest.raises(DataError, match=words):
        protocol(cache, **change)


def test_seeds_depend_on_everything_they_are_about(cache):
    first = protocol(cache)
    about = [("split", "iris", 0), ("split", "iris", 1), ("split", "wine", 0), ("folds", "iris", 0), ("split", "iris0")]
    seeds = [first.seed_for(*what) for what in about] + [protocol(cache, seed=1).seed_for(*about[0])]
    assert len(set(seeds)) == len(seeds)
    assert first.seed_for(*about[0]) == 1829148704  # for ever: results files are continued by later versions
    assert protocol(cache, repeats=9, methods=["NB"]).seed_for(*about[0]) == seeds[0]


def test_splits_and_folds_are_shared_stratified_and_disjoint(cache):
    split = split_of(protocol(cache), "iris", 0)
    other = split_of(protocol(cache), "iris", 1)
    assert split.X_test.shape == (38, 4)
    assert split.X_train.shape == (112, 4)
    assert set(np.bincount(split.y_test)) <= {12, 13}
    assert len(split.folds) == 5
    assert sorted(np.concatenate([test for _, test in split.folds])) == list(range(112))
    assert not np.array_equal(split.X_test, other.X_test)
    stacked = np.vstack([split.X_train, split.X_test])
    assert np.unique(stacked, axis=0).shape == (150, 4)
    np.testing.assert_array_equal(np.sort(stacked, axis=0), np.sort(np.vstack([other.X_train, other.X_test]), axis=0))


def test_fewer_rows_can_be_asked_for(cache):
    split = split_of(protocol(cache, max_rows=60), "iris", 0)
    assert split.about.n == 60
    assert split.about.class_variance == 0


def test_a_row_says_what_was_done(cache):
    row = run_task(protocol(cache), Task(0, "wine", "RDA"))
    assert (row.dataset, row.method, row.repeat, row.status, row.message) == ("wine", "RDA", 0, "ok", "")
    assert (row.n, row.p, row.K, row.share_binary) == (178, 13, 3, 0.0)
    assert 0 <= row.error < 0.1
    assert 0 < row.log_loss < 1
    assert 0 < row.seconds_fit < row.seconds_tune < 60
    assert set(json.loads(row.params)) == {"lam"}
    assert 0 <= row.error_centroid < 0.1
    assert 0 <= row.error_1nn < 0.2
    shares = np.array([59, 71, 48]) / 178
    assert row.class_variance == pytest.approx(shares.var())


@pytest.mark.parametrize("method", ["LDA", "KNN"])  # of which the second knows no logarithms of posteriors
def test_error_and_log_loss_are_those_of_the_tuned_method(cache, method):
    from sklearn.metrics import log_loss

    from opnb.comparators import tune

    chosen = protocol(cache)
    row = run_task(chosen, Task(1, "iris", method))
    split = split_of(chosen, "iris", 1)
    fitted = tune(METHODS[method], split.X_train, split.y_train, split.folds).estimator
    assert row.error == pytest.approx(1 - fitted.score(split.X_test, split.y_test))
    assert row.log_loss == pytest.approx(log_loss(split.y_test, fitted.predict_proba(split.X_test)))


def test_a_method_without_posteriors_has_no_log_loss(cache, monkeypatch):
    few = {"svc__gamma": [0.1], "svc__C": [1.0]}
    machine = METHODS["SVM"]
    small = Method(machine.name, machine.description, machine.estimator, lambda X, y: few, machine.simplest)
    monkeypatch.setitem(BENCHMARK_METHODS, "SVM", small)
    row = run_task(protocol(cache), Task(0, "iris", "SVM"))
    assert row.error < 0.2
    assert np.isnan(row.log_loss)


def test_a_failure_is_a_row(cache, monkeypatch):
    def break_down(X, y):
        raise MemoryError("no\nroom")

    broken = Method("LDA", "", METHODS["LDA"].estimator, break_down, ())
    monkeypatch.setitem(BENCHMARK_METHODS, "LDA", broken)
    row = run_task(protocol(cache), Task(0, "iris", "LDA"))
    assert (row.status, row.message, row.n) == ("failed", "MemoryError: no room", 150)
    assert np.isnan(row.error)
    row = run_task(protocol(cache), Task(0, "broken", "RDA"))
    assert row.status == "failed"
    assert "damaged" in row.message
    assert row.n is None


def test_one_numerical_thread(cache, monkeypatch):
    from threadpoolctl import threadpool_info

    seen = []

    def look(X, y):
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return METHODS["LDA"].grid(X, y)

    watched = Method("LDA", "", METHODS["LDA"].estimator, look, METHODS["LDA"].simplest)
    monkeypatch.setitem(BENCHMARK_METHODS, "LDA", watched)
    assert run_task(protocol(cache), Task(0, "iris", "LDA")).status == "ok"
    assert set(seen) == {1}


def test_searches_that_gave_up_are_told(cache, monkeypatch):
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    def warn(X, y):
        for _ in range(2):
            warnings.warn("gave up", ConvergenceWarning, stacklevel=1)
        warnings.warn("something else", UserWarning, stacklevel=1)
        return METHODS["LDA"].grid(X, y)

    monkeypatch.setitem(
        BENCHMARK_METHODS, "LDA", Method("LDA", "", METHODS["LDA"].estimator, warn, METHODS["LDA"].simplest)
    )
    assert run_task(protocol(cache), Task(0, "iris", "LDA")).message == "2 searches ended before convergence"


def test_leave_one_out_is_a_method():
    estimator = BENCHMARK_METHODS["OPNB-LOO"].seeded(3)
    assert estimator.likelihood == "leave-one-out"
    assert set(BENCHMARK_METHODS) >= set(METHODS)
