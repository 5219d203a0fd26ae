"""Rows of a Dask collection: plain tasks on stored partitions, whatever scheduler runs them.

Partitions stay where they were read. A worker that dies takes its partitions with it, and Dask makes them again from
the collection. Without a client of `dask.distributed` the tasks run in threads of this process.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import dask
import numpy as np
from sklearn.utils.validation import validate_data

from opnb.core.kernel import Array
from opnb.core.runners import add_arrays, fold
from opnb.errors import DataError
from opnb.estimators.base import log_losses
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.pieces import RowsInPieces

# Positions and derivatives are kept between the exchanges of an evaluation where they and the rows take no more than
# this share of the workers' memory; Dask begins to move things to the disk at 60 %.
_SHARE_OF_MEMORY = 0.5


class _OneThread:
    """A function of the core as a task: a worker has as many tasks at a time as it has threads."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "part_of_result")

    def __call__(self, *arguments: Any) -> Any:
        with one_blas_thread():
            return self.function(*arguments)


class OnDask:
    """Makes tasks of calls; see `opnb.core.runners.Runner`.

    A call on what is stored is made where it lies. Left alone, Dask evens out queues by copying rows from worker to
    worker, and small workers have no room for copies.
    """

    def __init__(self) -> None:
        self._homes: dict[str, list[str]] = {}  # workers by the key of what they store

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """See `Runner`."""
        homes = [home for given in arguments for home in self._homes.get(getattr(given, "key", ""), [])]
        # If none of them lives any more, another worker makes again what they stored.
        at_home = dask.annotate(workers=homes, allow_other_workers=True) if homes else nullcontext()
        with at_home:
            return dask.delayed(_OneThread(function), pure=False, traverse=False)(*arguments)

    def hold(self, value: Any) -> Any:
        """See `Runner`."""
        return dask.delayed(value, pure=False, traverse=False)

    def result(self, promise: Any) -> Any:
        """See `Runner`."""
        return dask.compute(promise)[0]

    def stored(self, promises: list[Any]) -> list[Any]:
        """See `Runner`."""
        stored = list(dask.persist(*promises))
        self._homes |= _homes(stored)
        return stored

    def spread(self, promises: list[Any]) -> list[Any]:
        """See `Runner`.

        Dask places the first tasks before it knows how long they take, now and then most of them on one worker, where
        the pieces would stay. Here every thread gets as many; what users have stored is left where it is.
        """
        client = _client()
        if client is None:
            return self.stored(promises)
        threads = _threads(client)
        loose = [number for number, promise in enumerate(promises) if not _is_stored(promise)]
        stored = dict(enumerate(promises))
        for place, home in enumerate(threads):
            share = loose[place :: len(threads)]
            if share:
                there = client.persist([stored[number] for number in share], workers=[home], allow_other_workers=True)
                stored.update(zip(share, there, strict=True))
        return self.stored(list(stored.values()))


def _is_stored(promise: Any) -> bool:
    from distributed import futures_of

    return bool(futures_of(promise))


def _threads(client: Any) -> list[str]:
    """Give the addresses of the workers of a client, each as often as it has threads."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    most = max((worker["nthreads"] for worker in workers.values()), default=0)
    return [home for turn in range(most) for home, worker in workers.items() if turn < worker["nthreads"]]


def _homes(stored: list[Any]) -> dict[str, list[str]]:
    """Give the workers that store each of some promises, once they do; none without a client."""
    client = _client()
    if client is None:
        return {}
    from distributed import futures_of, wait

    futures = futures_of(stored)
    wait(futures)
    return {key: list(workers) for key, workers in client.who_has(futures).items()}


def _client() -> Any:
    """Give the current client of a cluster; None without one, when threads of this process do the work."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def rows_of_collection(settings: Any, X: Any, y: Any, sample_weight: Any = None, n_parts: int = 1) -> RowsInPieces:
    """Take the rows of a Dask collection, dealt into parts; sets the names of the features on the estimator."""
    partitions = _partitions(X, y, sample_weight)
    _note_features(settings, X)
    return RowsInPieces.of(settings, partitions, OnDask(), n_parts, _SHARE_OF_MEMORY * cluster_memory())


def judge_collection(classifier: Any, X: Any, y: Any) -> tuple[int, int, float]:
    """Give how many rows of a Dask collection a fitted classifier sees, how many it gets wrong, and its log-loss."""
    run = OnDask()
    model = run.hold(classifier)
    sums = [run.call(judge_partition, model, rows, classes) for rows, classes, _ in _partitions(X, y, None)]
    n, wrong, losses = run.result(fold(run, add_arrays, sums))
    return int(n), int(wrong), float(losses / max(n, 1.0))


def judge_partition(classifier: Any, X: Any, y: Any) -> Array:
    """Sum rows, errors and log-losses of a partition, of shape (3,)."""
    targets = np.asarray(y)
    if not targets.size:
        return np.zeros(3)
    wrong = classifier.predict(X) != targets
    return np.array([targets.size, wrong.sum(), log_losses(classifier, X, targets).sum()], dtype=float)


def cluster_memory() -> float:
    """Give the memory that the workers of the current client may use together, in bytes; infinite where none is set."""
    client = _client()
    if client is None:
        return float("inf")
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return float(sum(worker["memory_limit"] or float("inf") for worker in workers))


def _partitions(X: Any, y: Any, weights: Any) -> list[tuple[Any, Any, Any]]:
    """Give the partitions of rows, classes and weights side by side, as promises."""
    rows = _promises(X)
    along = [_promises(_divided_like(X, given, name)) for given, name in ((y, "y"), (weights, "sample_weight"))]
    for promises, name in zip(along, ("y", "sample_weight"), strict=True):
        if promises and len(promises) != len(rows):
            raise DataError(f"X has {len(rows)} partitions and {name} has {len(promises)}: divide both alike.")
    return list(zip(rows, along[0], along[1] or [None] * len(rows), strict=True))


def _promises(collection: Any) -> list[Any]:
    if collection is None:
        return []
    if hasattr(collection, "simplify"):
        # Only what is asked for is read, as in Dask's own optimisation; but that would also join the partitions of
        # Parquet files, of few columns more than of many, and rows and classes would no longer be side by side.
        return list(collection.simplify().to_delayed(optimize_graph=False))
    if getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    return list(np.ravel(collection.to_delayed()))


def _divided_like(X: Any, given: Any, name: str) -> Any:
    """Divide an array along the rows as X is; anything but arrays must be divided so already."""
    if given is None:
        return None
    if not hasattr(given, "to_delayed"):
        raise DataError(
            f"X is a Dask collection, and {name} is not. Give {name} as one with the same partitions, such as a column "
            "of the same frame."
        )
    known = hasattr(X, "chunks") and hasattr(given, "chunks") and not np.isnan(X.chunks[0] + given.chunks[0]).any()
    return given.rechunk({0: X.chunks[0]}) if known else given


def _note_features(settings: Any, X: Any) -> None:
    """Set the names and the number of the features on the estimator."""
    if len(X.shape) != 2:
        raise DataError("X must have two dimensions: rows and features.")
    names = X._meta if hasattr(X, "columns") else np.empty((0, X.shape[1]))
    validate_data(settings, names, skip_check_array=True)
