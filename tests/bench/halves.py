"""The experiment in two halves: data sets that helped to design the methods of this package, and those that judge."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from opnb.benchmark import read_results
from tests.bench.timing import heading, row

EVIDENCE = Path(__file__).parents[2] / "docs" / "evidence" / "experiment.csv"
# The same rows as a data set at an odd place: it stays with that one.
_WITH_DESIGN = ("solar_flare_2", "allhyper")
FEW_ROWS = 300
# Data sets of the experiment of version 0.1: they were known when OPNB-auto was first thought of.
FIRST_ROUND = (
    "GAMETES_Epistasis_2_Way_20atts_0.4H_EDM_1_1", "Hill_Valley_with_noise", "Hill_Valley_without_noise",
    "balance_scale", "car", "contraceptive", "dermatology", "diabetes", "ecoli", "german", "glass", "heart_c",
    "hepatitis", "ionosphere", "iris", "kr_vs_kp", "letter", "mfeat_karhunen", "mfeat_zernike", "monk2",
    "movement_libras", "optdigits", "penguins", "prnn_crabs", "prnn_synth", "ring", "satimage", "segmentation",
    "sonar", "soybean", "spambase", "spectf", "splice", "texture", "tic_tac_toe", "vehicle", "vowel", "waveform_40",
    "wdbc", "wine_quality_red", "wine_recognition", "yeast",
)  # fmt: skip
PAIRS = (
    ("OPNB-auto", "SVM"),
    ("OPNB-auto", "OPNB"),
    ("OPNB+", "OPNB-auto"),
    ("OPNB+", "SVM"),
    ("OPNB+", "OPNB"),
    ("OPNB", "SVM"),
    ("OPNB-auto", "RF"),
    ("OPNB-auto", "HGB"),
)


def is_design(names):
    """Say which of all sorted names are design sets: those at odd places, and those with the same rows."""
    return {name: place % 2 == 0 or name in _WITH_DESIGN for place, name in enumerate(sorted(names))}


def means(results, methods):
    """Mean error, log-loss and seconds by data set and method, over the splits that all of these methods have."""
    fine = results[(results["status"] == "ok") & results["method"].isin(methods)]
    fine = fine.assign(seconds=fine["seconds_tune"] + fine["seconds_fit"])
    common = fine.groupby(["dataset", "repeat"])["method"].transform("nunique") == len(methods)
    return fine[common].groupby(["dataset", "method"])[["error", "log_loss", "seconds", "n"]].mean().unstack()


def decided(first, second):
    """Count the data sets on which the first has the smaller error, and those on which the second has."""
    return int((first < second - 1e-12).sum()), int((first > second + 1e-12).sum())


def against(first, second):
    """Wins, losses, ties, the share of wins among the decided with its 95 % interval, and the sign test."""
    wins, losses = decided(first, second)
    if wins + losses == 0:
        return "0 : 0"
    test = binomtest(wins, wins + losses)
    low, high = test.proportion_ci(method="exact")
    ties = len(first) - wins - losses
    share = f"{wins / (wins + losses):.0%} ({low:.0%} to {high:.0%})"
    return f"{wins} : {losses} ({ties}), {share}, p = {test.pvalue:.2g}"


def halves():
    """Errors, log-loss, wins and seconds on the report half, on its small data sets, and on the design half."""
    file = Path(os.environ.get("OPNB_RESULTS", EVIDENCE))
    results = read_results(file).frame
    methods = os.environ.get("OPNB_METHODS", "OPNB,OPNB-LOO,OPNB-auto,SVM").split(",")
    table = means(results, methods)
    design = pd.Series(is_design(results["dataset"].unique()))[table.index].to_numpy()
    few = table["n"].max(axis=1).to_numpy() < FEW_ROWS
    _told("report half", table[~design], methods)
    _told(f"report half below {FEW_ROWS} rows", table[~design & few], methods)
    _told("design half", table[design], methods)


def _told(name, table, methods):
    heading(f"{name}: {len(table)} data sets on which all of {', '.join(methods)} have been run")
    if table.empty:
        return
    row("method", "mean error", "log-loss", "seconds, median", "of SVM's, median")
    base = table["seconds"].get("SVM", pd.Series(np.nan, index=table.index))
    for method in methods:
        seconds = table["seconds"][method]
        figures = (table["error"][method].mean(), table["log_loss"][method].mean(), seconds.median())
        row(method, *(f"{figure:.3f}" for figure in figures), f"{(seconds / base).median():.2f}")
    for first, second in PAIRS:
        if {first, second} <= set(methods):
            print(f"  {first} against {second}: {against(table['error'][first], table['error'][second])}")


SECTIONS = {"halves": halves}
