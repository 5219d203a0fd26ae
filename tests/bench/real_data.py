"""Figures on real data, where a folder with them is given by the environment.

OPNB_DATA_DIR       data sets in the cache layout of the pmlb package
OPNB_REFERENCE_DIR  recorded outcomes of the authors' program with their splits, and small problems with known values
"""

import csv
import json
import os
from collections import defaultdict
from pathlib import Path

import numpy as np

from opnb import OPNBClassifier
from opnb.core.objective import value_and_gradient
from tests.bench.timing import heading, row


def _folder(variable):
    folder = os.environ.get(variable)
    if folder is None:
        print(f"{variable} is not set: left out.")
    return None if folder is None else Path(folder)


def fixtures():
    """Small problems with values from a slow direct computation."""
    heading("Small problems with known values: absolute error of the value, relative error of the gradient")
    folder = _folder("OPNB_REFERENCE_DIR")
    for case in json.loads((folder / "fixtures.json").read_text()) if folder else ():
        value, gradient = value_and_gradient(np.array(case["V"]), np.array(case["X"]), np.array(case["y"]))
        known = np.array(case["gradient"])
        error = np.abs(gradient - known).max() / np.abs(known).max()
        row(case["name"], f"{abs(value - case['value']):.1e}", f"{error:.1e}")


def authors():
    """The authors' program at its defaults, on their splits."""
    heading("Against the authors' program: objective reached (ours less theirs), test error (ours, theirs)")
    folder = _folder("OPNB_REFERENCE_DIR")
    if folder is None:
        return
    recorded = defaultdict(list)
    with (folder / "authors_default.csv").open() as file:
        for record in csv.DictReader(file):
            recorded[record["dataset"]].append(record)
    outcomes = []
    for name, records in recorded.items():
        ours = np.array([_refit(folder, name, record) for record in records])
        theirs = np.array([[float(record["objective"]), float(record["test_error"])] for record in records])
        gain = (ours - theirs)[:, 0].mean()
        row(name, f"{gain:+.4f}", f"{ours[:, 1].mean():.4f}", f"{theirs[:, 1].mean():.4f}")
        outcomes.append((gain, ours[:, 1].mean(), theirs[:, 1].mean()))
    gains, ours, theirs = np.array(outcomes).T
    row("mean over the sets", f"{gains.mean():+.4f}", f"{ours.mean():.4f}", f"{theirs.mean():.4f}")
    row("least gain; sets on which ours is higher", f"{gains.min():+.4f}", f"{(gains > 0).sum()} of {len(gains)}")


def _refit(folder, name, record):
    with np.load(folder / "splits" / f"{name}.npz") as data:
        X, y, train = data["X"], data["y"], data["train"][int(record["split"])]
    held_out = np.setdiff1d(np.arange(len(y)), train)
    classifier = OPNBClassifier().fit(X[train], y[train])
    return classifier.objective_, 1 - classifier.score(X[held_out], y[held_out])


def auto():
    """What n_bins="auto" costs in the final objective, evaluated exactly."""
    heading('Final objective with n_bins="auto" less that of exact sums (both evaluated exactly)')
    folder = _folder("OPNB_DATA_DIR")
    if folder is None:
        return
    from opnb.data import load_pmlb, paper_policy

    losses = {}
    for name in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        data = load_pmlb(name, data_dir=folder)
        policy = paper_policy(data.X, data.y, seed=0)
        fitted = [OPNBClassifier(n_bins=n_bins).fit(policy.X, policy.y) for n_bins in ("auto", None)]
        losses[name] = fitted[0].objective_ - fitted[1].objective_
        row(name, f"n = {len(policy.X):,}", f"{losses[name]:+.5f}")
    row("worst of all", f"{min(losses.values()):+.5f}", "goal -0.005")


SECTIONS = {f.__name__: f for f in (fixtures, authors, auto)}
