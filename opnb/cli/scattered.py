"""Fitting a model to files that no memory holds, on the workers of a Dask scheduler or of this machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opnb.cli.tables import preparation_of
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    from opnb.data.scattered import ScatteredDataset
    from opnb.estimators.classifier import OPNBClassifier

_CONNECT_SECONDS, _WORKER_SECONDS = 20, 120
_PATTERN = "*?["


def add_scattered(parser: argparse.ArgumentParser) -> None:
    """Describe the options for files that are read in pieces."""
    group = parser.add_argument_group("files in pieces: Parquet or CSV, by a pattern such as 'rows/*.parquet'")
    group.add_argument("--scheduler", help="Dask scheduler whose workers do the work, e.g. tcp://host:8786")
    group.add_argument("--workers", type=int, help="without a scheduler: processes of this machine (its processors)")
    group.add_argument("--memory-limit", help="without a scheduler: memory of each process, e.g. 1GB (its share)")


def is_in_pieces(options: argparse.Namespace) -> bool:
    """Whether the table is to be read in pieces."""
    asked = options.scheduler or options.workers or options.memory_limit
    return bool(asked) or any(sign in options.table for sign in _PATTERN)


@needs("cluster")
def fit_in_pieces(options: argparse.Namespace, fitted: Callable[[Any, Any], OPNBClassifier]) -> OPNBClassifier:
    """Fit a model as the options say, print its outcome, and give it with what its file needs.

    Parameters
    ----------
    options : argparse.Namespace
    fitted : callable
        Fits a classifier to rows and classes.
    """
    import pandas as pd

    from opnb.data.scattered import prepare_in_pieces, read_in_pieces
    from opnb.estimators.novelty import learn_novelty

    if options.report is not None or options.auto:
        raise DataError("Rows in pieces have no report, and --auto needs all rows at once. Leave these options out.")
    with _workers(options):
        frame = read_in_pieces(options.table, options.delimiter, options.decimal)
        data = prepare_in_pieces(frame, options.target, preparation_of(options, None))
        print(*data.account, sep="\n")
        train, test = data.split(options.test_size, options.seed)
        classifier = fitted(train.X, train.y)
        print(f"Objective {classifier.objective_:.6f} after {classifier.n_iter_} iterations.")
        _print_errors("Training", classifier, train)
        _print_errors("Held-out", classifier, test)
    classifier.recipe_ = data.recipe.to_dict()
    sample = pd.DataFrame(classifier.sample_.X, columns=list(data.feature_names))
    classifier.novelty_ = learn_novelty(classifier, sample, classifier.sample_.y).scores
    return classifier


def _print_errors(name: str, classifier: OPNBClassifier, data: ScatteredDataset | None) -> None:
    if data is not None:
        from opnb.estimators.distributed import judge_collection

        n, wrong, loss = judge_collection(classifier, data.X, data.y)
        print(f"{name} error {wrong / max(n, 1):.3f} ({wrong:,} of {n:,}), log-loss {loss:.4f}.")


@contextmanager
def _workers(options: argparse.Namespace) -> Iterator[None]:
    """Use the workers of a scheduler, or those of a cluster on this machine that ends with the work."""
    from distributed import Client, LocalCluster

    if options.scheduler:
        try:
            client = Client(options.scheduler, timeout=_CONNECT_SECONDS)
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except (OSError, ValueError, TimeoutError) as fault:
            raise DataError(
                f"The Dask scheduler {options.scheduler!r} does not answer, or has no workers "
                f"({type(fault).__name__}). Start them with 'dask scheduler' and 'dask worker {options.scheduler}'."
            ) from None
        with client:
            yield
        return
    memory = options.memory_limit or "auto"
    with (
        LocalCluster(
            n_workers=options.workers, threads_per_worker=1, memory_limit=memory, dashboard_address=None
        ) as cluster,
        Client(cluster),
    ):
        yield
