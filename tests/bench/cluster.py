"""Fits in pieces on worker processes of this machine, and models whose size does not depend on the number of rows.

make bench BENCH="cluster lattice"          about 20 minutes on two processors
OPNB_BENCH_SHARE=0.01 make bench BENCH=...  a hundredth of the rows, to see that it runs
"""

import os
import re
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from opnb import OPNBClassifier
from opnb.core.densities import ClassDensities
from opnb.core.kernel import Array
from opnb.core.objective import evaluate, make_problem
from opnb.core.pieces import Piece, Whole
from opnb.core.runners import Here
from opnb.core.scattered import densities_of_pieces
from opnb.data import load_pmlb
from opnb.estimators.model_files import model_to_bytes
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.rows import training_rows
from tests.bench.timing import heading, in_turn, row

_SHARE = float(os.environ.get("OPNB_BENCH_SHARE", "1"))
_P, _M, _K = 50, 20, 5


def _rows(n, p, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, _K, n)
    means = np.random.default_rng(99).standard_normal((_K, p))
    return (rng.standard_normal((n, p)) + 0.5 * means[y]).astype(dtype), y


@contextmanager
def _workers(count, memory=0):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=count, threads_per_worker=1, memory_limit=memory, dashboard_address=None, silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(_no_threads)
        yield client


def _no_threads():
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def _peak():
    """Most memory that this process has used, in MB."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def _scattered_problem(n, p, m, pieces):
    """Make rows where they stay: nothing is sent to the workers."""
    import dask
    import dask.array as da

    sizes = [part.size for part in np.array_split(np.arange(n), pieces)]
    made = [dask.delayed(_rows)(size, p, seed) for seed, size in enumerate(sizes)]
    X = da.concatenate([da.from_delayed(r[0], (size, p), float) for r, size in zip(made, sizes, strict=True)])
    y = da.concatenate([da.from_delayed(r[1], (size,), int) for r, size in zip(made, sizes, strict=True)])
    clf = OPNBClassifier(n_components=m)
    return training_rows(clf, X, y).pose(clf, 1e-3)


def cluster():
    """One evaluation on one and two workers, a fit from Parquet in little memory, and how the cost grows."""
    _one_evaluation(int(1_000_000 * _SHARE))
    _growth()
    _from_parquet(int(10_000_000 * _SHARE), 20)


def _one_evaluation(n):
    heading(f"One value and gradient, n = {n:,}, p = {_P}, p' = {_M}, K = {_K}: over that in memory, serial")
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((_P, _M)))[0]
    X, y = _rows(n, _P)
    problem = make_problem(X, y, _K, lam=1e-3, n_bins="auto")
    row("", "ratio", "seconds", "goal")
    for count, goal in ((1, 1.3), (2, 0.8)):
        with _workers(count) as client, one_blas_thread():
            scattered = _scattered_problem(n, _P, _M, 2 * count)
            client.run(_pose, n // count)
            here, there, least = in_turn(
                6,
                lambda: evaluate(V, problem),
                lambda: scattered.at(V),  # noqa: B023
                lambda: client.run(_evaluate_own, V),
            )
        workers = f"{count} worker{'s' * (count > 1)}"
        row(workers, f"{there / here:.2f}", f"{there:.2f}", goal)
        row(f"{workers}, each a fit of its own to its share", f"{least / here:.2f}", f"{least:.2f}", "no exchange")


_own = {}  # of a worker


def _pose(n):
    """Pose a problem of the worker's own: what the machine does at best when all workers are busy."""
    _own["problem"] = make_problem(*_rows(n, _P), _K, lam=1e-3, n_bins="auto")


def _evaluate_own(V):
    evaluate(V, _own["problem"])


def _growth():
    heading("Cost of a row in one evaluation on two workers, p = 20, p' = 10")
    sizes = [int(n * _SHARE) for n in (100_000, 1_000_000, 10_000_000)]
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 10)))[0]
    row("rows", *(f"{n:,}" for n in sizes))
    with _workers(2):
        seconds = []
        for n in sizes:
            problem = _scattered_problem(n, 20, 10, max(4, n // 500_000))
            seconds += in_turn(3, lambda: problem.at(V))  # noqa: B023
    row("microseconds a row", *(f"{1e6 * s / n:.2f}" for s, n in zip(seconds, sizes, strict=True)))


def _write_parquet(folder, number, n, p):
    import pandas as pd

    X, y = _rows(n, p, seed=number, dtype=np.float32)
    pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]).assign(y=y).to_parquet(folder / f"{number:03d}.parquet")


def _from_parquet(n, p):
    import dask.dataframe as dd

    heading(f"A fit of {n:,} x {p} rows from Parquet, each of two workers held to 1 GB")
    with tempfile.TemporaryDirectory() as name:
        folder, pieces = Path(name), max(2, n // 250_000)
        for number in range(pieces):
            _write_parquet(folder, number, n // pieces, p)
        with _workers(2, "1GB") as client:
            frame = dd.read_parquet(str(folder / "*.parquet"))
            started = time.perf_counter()
            clf = OPNBClassifier(max_iter=20).fit(frame[[f"x{j}" for j in range(p)]], frame["y"])
            seconds = time.perf_counter() - started
            peaks = client.run(_peak)
    row("seconds, and an iteration", f"{seconds:.0f}", f"{seconds / max(clf.n_iter_, 1):.1f}")
    row("peak memory of the workers, MB", *(f"{peak:.0f}" for peak in peaks.values()), "limit 1,000")
    row("model file, MB", f"{len(model_to_bytes(clf)) / 1e6:.2f}", "goal 5")


def lattice():
    """Densities on a lattice against exact ones: posteriors, speed, and the size of a model file."""
    heading("Posteriors of densities on a lattice against exact ones, held-out rows of data sets")
    names = sorted(path.name for path in Path(os.environ.get("OPNB_DATA_DIR", "")).glob("*") if path.is_dir())
    worst = {name: _off(name) for name in names}
    for name, off in sorted(worst.items(), key=lambda item: -item[1])[:5]:
        row(name, f"{off:.1e}", "goal 1e-4")
    row(f"largest of {len(worst)}, median", f"{max(worst.values()):.1e}", f"{np.median(list(worst.values())):.1e}")
    n = int(1_000_000 * _SHARE)
    heading(f"A model of {n:,} rows, p = {_P}, p' = {_M}, K = {_K}")
    X, y = _rows(n, _P)
    clf = OPNBClassifier(max_iter=3).fit(X, y)
    problem = make_problem((X - clf.mean_) / clf.scale_, y, _K, lam=1e-3)
    exact = ClassDensities.from_projection((clf.components_ / clf.bandwidths_[:, None]).T, problem)
    new = (_rows(10_000, _P, seed=1)[0] - clf.mean_) / clf.scale_ @ clf.components_.T
    ours, theirs = in_turn(
        3, lambda: clf.densities_[0].joint_log_likelihood(new), lambda: exact.joint_log_likelihood(new)
    )
    row("10,000 predictions over exact ones", f"{ours / theirs:.4f}", "goal 1")
    row("model file, MB", f"{len(model_to_bytes(clf)) / 1e6:.2f}", "goal 5")
    row("told error of a log density, largest", f"{clf.densities_[0].errors.max():.1e}")


def _off(name) -> float:
    """Largest difference of posteriors on held-out rows, of a fit of at most 3,000 rows."""
    data = load_pmlb(name)
    rows = np.random.default_rng(0).permutation(len(data.y))[:4000]
    train, test = rows[: 3 * len(rows) // 4], rows[3 * len(rows) // 4 :]
    clf = OPNBClassifier(max_iter=15).fit(data.X[train], data.y[train])
    Z = clf.transform(data.X[test])
    exact, on_lattice = _posteriors(clf, Z, clf.scaled(data.X[train]), np.searchsorted(clf.classes_, data.y[train]))
    return float(np.abs(exact - on_lattice).max())


def _posteriors(clf, Z: Array, X: Array, labels):
    from opnb.core.posterior import log_posterior

    V, p = (clf.components_ / clf.bandwidths_[:, None]).T, X.shape[1]
    whole = Whole.of(np.zeros(p), np.ones(p), np.bincount(labels))
    on_lattice = densities_of_pieces(V, [Piece(X, labels, None, (labels.size,))], whole, None, Here())
    return [np.exp(log_posterior(d.joint_log_likelihood(Z))) for d in (clf.densities_[0], on_lattice)]


SECTIONS = {"cluster": cluster, "lattice": lattice}
warnings.simplefilter("ignore")
