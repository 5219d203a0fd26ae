"""Results made by hand, and a small folder of data sets in pmlb's cache layout."""

import gzip
import json

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine

from opnb.benchmark import Results, Row

SETTINGS = json.dumps({"seed": 0, "folds": 5, "test_share": 0.25, "max_rows": 3000})
# Data sets on which OPNB beat and lost to each method, of 162.
PAPER = {
    "SVM": (75, 79),
    "OPGD": (109, 44),
    "RDA": (111, 49),
    "CCICA": (130, 29),
    "LDA": (114, 44),
    "NB": (120, 41),
    "KDDA": (140, 21),
}


def row(dataset, method, repeat=0, error=0.1, **more):
    """A finished row."""
    known = {"log_loss": 0.3, "seconds_tune": 1.0, "seconds_fit": 0.5, "n": 100, "p": 4, "K": 2, "protocol": SETTINGS}
    if more.get("status", "ok") != "ok":
        known = {"protocol": SETTINGS}
        error = float("nan")
    return Row(dataset, method, repeat, error, **{**known, **more})


def results_of(table, **more):
    """Results of one repeat from {method: [error of every data set]}."""
    return Results.from_rows(
        row(f"set {number}", method, error=error, **more)
        for method, errors in table.items()
        for number, error in enumerate(errors)
    )


def paper_results(n_datasets=162, seed=0):
    """Results with the paper's pairwise counts, over data sets that differ in every characteristic."""
    rng = np.random.default_rng(seed)
    kinds = [_kind(rng) for _ in range(n_datasets)]
    rows = [row(f"set {d:03d}", "OPNB", error=0.2, **kinds[d]) for d in range(n_datasets)]
    for method, (wins, losses) in PAPER.items():
        errors = np.repeat([0.3, 0.1, 0.2], [wins, losses, n_datasets - wins - losses])
        for d, error in enumerate(rng.permutation(errors)):
            log_loss = float("nan") if method == "SVM" else 0.5
            rows.append(row(f"set {d:03d}", method, error=float(error), log_loss=log_loss, **kinds[d]))
    return Results.from_rows(rows)


def _kind(rng):
    return {
        "n": int(rng.integers(100, 3000)),
        "p": int(rng.integers(2, 300)),
        "K": int(rng.integers(2, 20)),
        "share_binary": float(rng.random()),
        "class_variance": float(rng.random() / 10),
        "error_centroid": float(rng.random()),
        "error_1nn": float(rng.random()),
        "seconds_tune": float(rng.lognormal()),
    }


def store(folder, name, X, y):
    """Write a data set as pmlb does."""
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(target=y)
    (folder / name).mkdir()
    (folder / name / f"{name}.tsv.gz").write_bytes(gzip.compress(frame.to_csv(sep="\t", index=False).encode()))


def fill_cache(folder):
    """Two small data sets, and one whose file is damaged."""
    store(folder, "iris", *load_iris(return_X_y=True))
    store(folder, "wine", *load_wine(return_X_y=True))
    (folder / "broken").mkdir()
    (folder / "broken" / "broken.tsv.gz").write_bytes(b"no gzip")
    return folder


def without_seconds(results):
    """The part of the results that must be the same however they were computed."""
    return results.frame.drop(columns=["seconds_tune", "seconds_fit"])
