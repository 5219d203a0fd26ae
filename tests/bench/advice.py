"""What Diagnose says of real fits, and what became of its advice on rows never used.

OPNB_DATA_DIR  data sets in the cache layout of the pmlb package
OPNB_OUT_DIR   where results go, `docs/evidence` by default; a data set that is there is not looked at again

Of the sorted names those at odd places design the thresholds, those at even places report (see docs/evidence).
"""

import csv
import os
import warnings
from pathlib import Path

import numpy as np

from opnb import OPNBAuto, OPNBClassifier
from opnb.benchmark.protocol import Protocol
from opnb.benchmark.tasks import split_of
from opnb.diagnostics import advise, diagnose
from opnb.estimators.base import log_losses
from opnb.quiet import own_warnings
from opnb.studio.visit.settings import default_spec
from tests.bench.timing import heading, row

_MOST_ROWS = 1500
_STEPS = 5
# Data sets with the same rows as another stay in its half.
_SAME_ROWS = {"heart_c": "report", "cleveland": "report", "solar_flare_2": "design"}
FITS = {
    "app": lambda: default_spec().classifier(),
    "library": OPNBClassifier,
    "auto": lambda: OPNBAuto(random_state=0),
}
CHAINS = (
    "Hill_Valley_without_noise", "Hill_Valley_with_noise", "spectf", "glass", "vehicle", "ionosphere", "sonar", "ecoli",
    "heart_c", "vowel", "wdbc", "balance_scale", "dermatology",
)  # fmt: skip
SURVEY_FIELDS = (
    "dataset", "half", "fit", "n", "p", "K", "error", "guessing", "code", "severity", "number", "remedy", "offered",
    "fold_error", "fold_error_remedy", "fold_better", "fold_worse", "fold_loss_lead", "error_remedy", "better", "worse",
    "log_loss", "log_loss_remedy",
)  # fmt: skip
CHAIN_FIELDS = ("dataset", "step", "n_held_out", "error", "standard_error", "advice", "settings")
_NUMBERS = {
    "dependent-classes": lambda e: e["cost"][e["worst"]], "idle-directions": lambda e: e["n_idle"],
    "overfit-scale": lambda e: e["optimism"], "elongated-covariance": lambda e: e["typical_variance"],
    "poor-start": lambda e: e["gain"], "not-converged": lambda e: e["gain"], "noise-separable": lambda e: e["distance"],
    "calibration": lambda e: e["excess"], "shown-versus-full": lambda e: e["share"],
    "small-classes": lambda e: min(e["counts"]), "discrete-projections": lambda e: min(e["distinct_values"][:2]),
    "guessing": lambda e: e["lead"], "outliers": lambda e: e["weight"],
    "repeated-directions": lambda e: e["correlation"], "few-directions": lambda e: e["lead"],
    "worse-than-simple": lambda e: e["lead"],
}  # fmt: skip


def _names():
    return sorted(path.name for path in Path(os.environ["OPNB_DATA_DIR"]).iterdir() if path.is_dir())


def _split(name):
    protocol = Protocol((name,), ("OPNB",), data_dir=os.environ["OPNB_DATA_DIR"], max_rows=_MOST_ROWS)
    return split_of(protocol, name, 0)


def _fitted(fit, split):
    with own_warnings():
        return FITS[fit]().fit(split.X_train, split.y_train)


def _wrong(clf, split):
    return clf.predict(split.X_test) != split.y_test


class Results:
    """A table on the disk that grows by whole data sets."""

    def __init__(self, name, fields):
        self.path = Path(os.environ.get("OPNB_OUT_DIR", "docs/evidence")) / name
        self.fields = fields
        self.rows = list(csv.DictReader(self.path.open())) if self.path.exists() else []
        self.known = {(record["dataset"], record.get("fit")) for record in self.rows}

    def add(self, records):
        new = not self.path.exists()
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, self.fields, restval="", lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerows(records)
        self.rows += [{name: str(record.get(name, "")) for name in self.fields} for record in records]


def survey():
    """How many fits carry each finding, and the share of remedies that lower the error on rows never used."""
    if "OPNB_DATA_DIR" not in os.environ:
        print("OPNB_DATA_DIR is not set: left out.")
        return
    results = Results("findings.csv", SURVEY_FIELDS)
    for place, name in enumerate(_names()):
        missing = [fit for fit in FITS if (name, fit) not in results.known]
        if missing:
            split = _split(name)
            half = _SAME_ROWS.get(name, "design" if place % 2 == 0 else "report")
            results.add([{**record, "half": half} for fit in missing for record in _survey_of(name, fit, split)])
    _summarise_survey(results.rows)


def _survey_of(name, fit, split):
    clf = _fitted(fit, split)
    wrong = _wrong(clf, split)
    with own_warnings():
        found = diagnose(clf, split.X_train, split.y_train, split.X_test, split.y_test)
        if fit == "app":  # remedies of the larger fits would cost hours
            found = advise(clf, split.X_train, split.y_train, found)
    guess = next(finding for finding in found if finding.code == "guessing").evidence["guessing"]
    shared = {"dataset": name, "fit": fit, "n": len(split.y_train), "p": split.X_train.shape[1]}
    shared |= {"K": clf.classes_.size, "error": round(float(wrong.mean()), 5), "guessing": round(guess, 5)}
    shared["log_loss"] = round(float(log_losses(clf, split.X_test, split.y_test).mean()), 5)
    kept = [finding for finding in found if finding.severity != "good"]
    return [shared | {"code": "fit"}, *(shared | _record(finding, clf, split, wrong) for finding in kept)]


def _record(finding, clf, split, wrong):
    number = _NUMBERS[finding.code](finding.evidence)
    record = {"code": finding.code, "severity": finding.severity, "number": f"{number:.4g}"}
    trial = finding.trial
    if trial is None:
        return record
    mended = finding.remedy.applied_to(clf)
    with own_warnings():
        mended.fit(split.X_train, split.y_train)
    now = _wrong(mended, split)
    loss = log_losses(mended, split.X_test, split.y_test).mean()
    return record | {
        "remedy": " ".join(f"{key}={value}" for key, value in finding.remedy.settings.items()),
        "offered": int(finding.is_advice),
        "fold_error": round(trial.error_before, 5),
        "fold_error_remedy": round(trial.error_after, 5),
        "fold_better": trial.verdict.better,
        "fold_worse": trial.verdict.worse,
        "fold_loss_lead": round(trial.loss_lead, 2),
        "error_remedy": round(float(now.mean()), 5),
        "better": int(np.sum(wrong & ~now)),
        "worse": int(np.sum(now & ~wrong)),
        "log_loss_remedy": round(float(loss), 5),
    }


def _summarise_survey(rows):
    for fit in FITS:
        n_fits = sum(one["code"] == "fit" and one["fit"] == fit for one in rows)
        heading(f"Findings of {n_fits} fits of real data, settings of the {fit}")
        row("code", "warnings", "notices")
        for code in _NUMBERS:
            told = [one["severity"] for one in rows if one["code"] == code and one["fit"] == fit]
            if told:
                row(code, told.count("warning"), told.count("notice"))
        carrying = {one["dataset"] for one in rows if one["fit"] == fit and one["severity"] == "warning"}
        row("fits with a warning", len(carrying), f"of {n_fits}")
    heading("Remedies on rows never used: error lower, equal, higher")
    for half in ("design", "report"):
        for offered in ("1", "0"):
            tried = [one for one in rows if one["half"] == half and one["offered"] == offered]
            _row_of_remedies(f"{half}, {'offered' if offered == '1' else 'tried and not offered'}", tried)
    for code in _NUMBERS:
        _row_of_remedies(f"offered: {code}", [one for one in rows if one["code"] == code and one["offered"] == "1"])


def _row_of_remedies(name, tried):
    if tried:
        change = np.array([int(one["better"]) - int(one["worse"]) for one in tried])
        surer = np.mean([float(one["log_loss_remedy"]) < float(one["log_loss"]) for one in tried])
        counts = [int((change > 0).sum()), int((change == 0).sum()), int((change < 0).sum())]
        row(name, *counts, f"log-loss lower in {surer:.0%}")


def chains():
    """Follow the first advice up to five times: the end is at most a standard error above the best on the way."""
    if "OPNB_DATA_DIR" not in os.environ:
        print("OPNB_DATA_DIR is not set: left out.")
        return
    results = Results("chains.csv", CHAIN_FIELDS)
    for name in CHAINS:
        if (name, None) not in results.known:
            results.add(_chain(name, _split(name)))
    heading("Held-out error along chains of first advice (app's settings): first, best, last")
    kept = 0
    for name in CHAINS:
        steps = [record for record in results.rows if record["dataset"] == name]
        errors = np.array([float(record["error"]) for record in steps])
        allowed = errors.min() + float(steps[int(errors.argmin())]["standard_error"])
        kept += errors[-1] <= allowed
        said = " > ".join(record["advice"] for record in steps if record["advice"])
        numbers = (f"{error:.3f}" for error in (errors[0], errors.min(), errors[-1]))
        row(name, *numbers, "" if errors[-1] <= allowed else "TOO HIGH", said)
    row("ends at most a standard error above the best", f"{kept} of {len(CHAINS)}", "goal 12 of 13")


def follow(clf, X, y, X_test, y_test):
    """Give the fits of a chain, each with the finding whose remedy led on from it (None at the end)."""
    for _ in range(_STEPS):
        with own_warnings():
            findings = advise(clf, X, y, diagnose(clf, X, y, X_test, y_test))
        first = next((finding for finding in findings if finding.is_advice), None)
        yield clf, first
        if first is None:
            return
        clf = first.remedy.applied_to(clf)
        with own_warnings():
            clf.fit(X, y)
    yield clf, None


def _chain(name, split):
    records = []
    steps = follow(_fitted("app", split), split.X_train, split.y_train, split.X_test, split.y_test)
    for step, (clf, finding) in enumerate(steps):
        wrong = _wrong(clf, split)
        error, n = float(wrong.mean()), wrong.size
        remedy = {} if finding is None else finding.remedy.settings
        records.append(
            {
                "dataset": name,
                "step": step,
                "n_held_out": n,
                "error": round(error, 5),
                "standard_error": round(float(np.sqrt(error * (1 - error) / n)), 5),
                "advice": "" if finding is None else finding.code,
                "settings": " ".join(f"{key}={value}" for key, value in remedy.items()),
            }
        )
    return records


SECTIONS = {f.__name__: f for f in (survey, chains)}
warnings.simplefilter("ignore")
