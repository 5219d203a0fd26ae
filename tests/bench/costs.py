"""What tuning takes by the size of the data: the table of `opnb.benchmark.costs`, fitted to a results file."""

import os

import numpy as np

from opnb.benchmark import expected_seconds, read_results
from tests.bench.timing import heading, row


def costs():
    """Powers of n, p and K in the seconds of every method, and how often they are within a factor of two."""
    heading("Seconds of tuning: exp(a) n^b p^c K^d, least squares on the logarithms")
    file = os.environ.get("OPNB_RESULTS")
    if file is None:
        print("OPNB_RESULTS names no results file: left out.")
        return
    rows = read_results(file).frame.query("status == 'ok'")
    rows = rows.assign(seconds=rows["seconds_tune"] + rows["seconds_fit"])
    means = rows.groupby(["method", "dataset"])[["seconds", "n", "p", "K"]].mean()
    row("method", "a, b, c, d", "within 2: fitted", "without the set", "as shipped")
    for method, of_method in means.groupby(level="method"):
        _fit(str(method), of_method)


def _fit(method, means):
    sizes, seconds = means[["n", "p", "K"]].to_numpy(float), np.log(means["seconds"].to_numpy(float))
    design = np.column_stack([np.ones(len(sizes)), np.log(sizes)])
    hat = design @ np.linalg.pinv(design)
    off = seconds - hat @ seconds
    shipped = seconds - np.log([expected_seconds(method, *size) for size in sizes.astype(int)])
    shares = [np.mean(np.abs(e) < np.log(2)) for e in (off, off / (1 - np.diag(hat)), shipped)]
    numbers = ", ".join(f"{x:.2f}" for x in np.linalg.pinv(design) @ seconds)
    row(method, numbers, *(f"{share:.0%}" for share in shares))


SECTIONS = {"costs": costs}
