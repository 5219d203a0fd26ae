"""A Dask cluster of two workers on this machine, each a process with one thread."""

from contextlib import contextmanager


@contextmanager
def two_workers(folder):
    """Give the cluster; its files are in a folder, and its dashboard, which Dask insists on, at any port."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        local_directory=str(folder),
        memory_limit=0,
        silence_logs=50,
    ) as running:
        yield running
