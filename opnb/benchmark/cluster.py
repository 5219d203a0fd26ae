"""The same tasks on other machines, through a Dask scheduler.

Every worker needs this package and, under the same path, the data sets. A worker that dies is Dask's matter: its
tasks go to others. Start workers with one thread each (`dask worker --nthreads 1`).
"""

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import Any

from opnb.benchmark.boxes import run_in_own_box
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.rows import Row, unfinished
from opnb.benchmark.tasks import run_task, warm_up
from opnb.errors import DataError, needs

_CONNECT_SECONDS = 20
_WORKER_SECONDS = 120
_RETRIES = 3


def run_on_cluster(protocol: Protocol, tasks: Sequence[Task], address: str) -> Generator[Row]:
    """Do tasks on the workers of a Dask scheduler; rows come as they are ready, each once.

    Parameters
    ----------
    protocol : Protocol
    tasks : sequence of Task
    address : str
        Of the scheduler, e.g. "tcp://host:8786".

    Yields
    ------
    Row
    """
    with _connected(address) as client:
        _warm_workers(client, protocol, address)
        work = partial(run_task if protocol.timeout is None else run_in_own_box, protocol)
        # Keys that are new in every run: the scheduler would else answer with the rows of an earlier one.
        sent = client.map(work, tasks, pure=False, retries=_RETRIES)
        waiting = dict(zip(sent, tasks, strict=True))
        del sent
        for future in _as_completed(client, list(waiting)):
            row = _row(client, future, protocol, waiting.pop(future))
            future.release()
            yield row


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    with needs("cluster"):
        from distributed import Client
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as fault:
        raise DataError(
            f"The Dask scheduler {address!r} does not answer ({type(fault).__name__}). Start one with 'dask scheduler' "
            "and give its address as tcp://host:8786."
        ) from None
    try:
        yield client
    finally:
        client.close()


def _warm_workers(client: Any, protocol: Protocol, address: str) -> None:
    """Compile once on every machine, and find out at once whether the workers can do the tasks at all."""
    try:
        client.wait_for_workers(1, timeout=_WORKER_SECONDS)
    except TimeoutError:
        raise DataError(f"The scheduler {address} has no workers. Start some: dask worker {address}.") from None
    workers = client.scheduler_info(n_workers=-1)["workers"]
    one_a_host = {about["host"]: worker for worker, about in workers.items()}
    try:
        client.gather(
            [
                client.submit(
                    warm_up, protocol.methods, workers=worker, allow_other_workers=True, pure=False, retries=_RETRIES
                )
                for worker in one_a_host.values()
            ]
        )
    except Exception as fault:
        raise DataError(
            f"The workers of {address} cannot do the tasks ({type(fault).__name__}: {fault}). Install the same version "
            "of opnb for all of them."
        ) from None


def _as_completed(client: Any, futures: list[Any]) -> Iterator[Any]:
    from distributed import as_completed

    yield from as_completed(futures, loop=client.loop)


def _row(client: Any, future: Any, protocol: Protocol, task: Task) -> Row:
    try:
        return future.result()
    except Exception as fault:
        if isinstance(fault, CancelledError) or client.status != "running":
            raise DataError(
                "The Dask scheduler went away. The rows that had arrived are kept; continue with --resume."
            ) from None
        return unfinished(protocol, task, "failed", f"{type(fault).__name__}: {fault}")
