"""Remedies are tried in a process: the dozens of small fits that it takes would keep every visitor's pages waiting.

The fit travels as a model file and its rows as an array; findings and trials, which are small, as JSON.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from opnb import load_model
from opnb.diagnostics import FOLD_CHECKS, Finding, Remedy, Trial, Verdict, advise
from opnb.studio.diagnose.diagnosis import CHECK_WORDS, Findings
from opnb.studio.work.process import Say, run_in_child
from opnb.studio.work.studies import Stopped, report

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.studio.work.jobs import Job

_MODEL, _ROWS, _CLASSES = "model.npz", "rows.npy", "classes.npy"
_WORDS = "Trying remedies on rows left out"


def advise_work(result: FitResult, findings: Findings, job: Job[Findings]) -> Findings:
    """Try the remedies of findings on training rows left out; run by a study's `Job`."""
    tried: list[Finding] = []

    def heard(answer: dict[str, Any]) -> None:
        if "share" in answer:
            report(job, answer["share"], answer["words"])
        else:
            tried.extend(_read(told, findings) for told in answer["findings"])

    report(job, 0.0, "Getting ready")
    with tempfile.TemporaryDirectory() as folder:
        _store(Path(folder), result)
        asked = {"folder": folder, "findings": [_asked(finding) for finding in findings]}
        run_in_child(job, say_advice, asked, heard, keep=True)
    if job.stopping and not tried:
        raise Stopped
    return tuple(tried)


def _store(folder: Path, result: FitResult) -> None:
    """Write a fit and the rows that it was made of."""
    data, clf = result.dataset, result.classifier
    clf.save(folder / _MODEL)
    np.save(folder / _ROWS, data.X_train)
    np.save(folder / _CLASSES, np.searchsorted(clf.classes_, data.y_train))


def say_advice(say: Say, folder: str, findings: list[dict[str, Any]]) -> None:
    """Try remedies, and say how far it is and what came of it; run by a process."""
    clf = load_model(Path(folder) / _MODEL)
    X, y = np.load(Path(folder) / _ROWS), clf.classes_[np.load(Path(folder) / _CLASSES)]

    last: list[dict[str, Any]] = []

    def progress(code: str, share: float) -> None:
        news = {"share": share, "words": CHECK_WORDS[code] if code in FOLD_CHECKS else _WORDS}
        if news not in last:  # it is asked at every step of every search
            last[:] = [news]
            say(news)

    given = [Finding(title="", explanation="", evidence={}, **_with_remedy(asked)) for asked in findings]
    codes = {finding.code for finding in given}
    tried = advise(clf, X, y, given, progress=progress)
    say({"findings": [_told(finding, new=finding.code not in codes) for finding in tried]})


def _asked(finding: Finding) -> dict[str, Any]:
    """Give what a trial needs of a finding."""
    return {"code": finding.code, "severity": finding.severity, "remedy": _plain(finding.remedy)}


def _told(finding: Finding, *, new: bool) -> dict[str, Any]:
    """Give what a trial adds to a finding, or all of a new one."""
    told = {"code": finding.code, "trial": None if finding.trial is None else asdict(finding.trial)}
    if new:
        told |= {"severity": finding.severity, "title": finding.title, "explanation": finding.explanation}
        told |= {"evidence": _without_arrays(finding.evidence), "remedy": _plain(finding.remedy)}
    return told


def _read(told: Mapping[str, Any], given: Findings) -> Finding:
    """Give a finding with its trial, as it was asked for or as it was told."""
    trial = told["trial"] and Trial(**{**told["trial"], "verdict": Verdict(**told["trial"]["verdict"])})
    if "evidence" not in told:
        return replace(next(finding for finding in given if finding.code == told["code"]), trial=trial)
    evidence = {name: np.array(value) if name in _ARRAYS else value for name, value in told["evidence"].items()}
    return Finding(**{**_with_remedy(told), "evidence": evidence, "trial": trial})


_ARRAYS = ("errors",)  # of what is found by trials


def _without_arrays(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if name in _ARRAYS else value for name, value in evidence.items()}


def _plain(remedy: Remedy | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    settings = {
        name: value.item() if isinstance(value, np.generic) else value for name, value in remedy.settings.items()
    }
    return {"settings": settings, "sentence": remedy.sentence, "aim": remedy.aim}


def _with_remedy(told: Mapping[str, Any]) -> dict[str, Any]:
    """Give the words of a finding with its remedy as one."""
    return {**told, "remedy": told["remedy"] and Remedy(**told["remedy"])}
