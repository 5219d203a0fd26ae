"""What a diagnosis says: a finding, and the change of settings that would mend it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from opnb.diagnostics.verdict import Verdict
from opnb.estimators.base import single_fit
from opnb.estimators.classifier import OPNBClassifier

_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
Severity = Literal["good", "notice", "warning"]
SEVERITIES: tuple[Severity, ...] = ("warning", "notice", "good")
# What a change of settings is for: fewer errors (or better posteriors), or a simpler model that errs no more.
Aim = Literal["better", "no worse"]
# Standard errors by which the log-loss must fall for a remedy that makes no fewer errors to be offered.
LOSS_LEAD = 2.0


@dataclass(frozen=True)
class Remedy:
    """A change of fit settings.

    Attributes
    ----------
    settings : mapping
        Keyword arguments of `OPNBClassifier` that change; the others stay.
    sentence : str
        What the change does, in plain words.
    aim : {"better", "no worse"}
        What it is for, which is what a trial looks at.
    """

    settings: Mapping[str, Any]
    sentence: str
    aim: Aim = "better"

    def applied_to(self, clf: OPNBClassifier) -> OPNBClassifier:
        """Give an unfitted classifier with the settings of `clf` and this change."""
        return clone(single_fit(clf)).set_params(**self.settings)


def many_starts() -> Remedy:
    """Search as the paper does where one start may not do."""
    return Remedy(
        {"init": "random", "n_init": 20, "random_state": 0}, "Search from 20 random starts and keep the best."
    )


@dataclass(frozen=True)
class Trial:
    """What other settings did on training rows left out, beside those of the fit.

    Attributes
    ----------
    aim : {"better", "no worse"}
    error_before, error_after : float
    verdict : Verdict
        The same rows, one by one.
    loss_before, loss_after : float
        Mean log-loss.
    loss_lead : float
        By how much it fell, in standard errors of the difference.
    n_rows, n_folds : int
        What was judged; fewer folds than usual when it was given up.
    """

    aim: Aim
    error_before: float
    error_after: float
    verdict: Verdict
    loss_before: float
    loss_after: float
    loss_lead: float
    n_rows: int
    n_folds: int

    @property
    def errs_less(self) -> bool:
        """Whether it makes fewer errors, and more than chance would."""
        return self.verdict.kind == "better"

    @property
    def helps(self) -> bool:
        """Whether to offer it."""
        no_worse = self.verdict.better >= self.verdict.worse
        surer = no_worse and self.loss_lead >= LOSS_LEAD
        return no_worse if self.aim == "no worse" else self.errs_less or surer

    @property
    def is_behind(self) -> bool:
        """Whether to give up before all folds were seen."""
        return self.verdict.lead < -1 or (self.verdict.lead <= 0 and self.loss_lead < 1)

    @property
    def sentence(self) -> str:
        """Say what it did there."""
        where = f"{self.n_folds} folds of the training rows"
        errors = (
            f"Tried on {where}: {self._share(self.error_after)} of rows left out wrong instead of "
            f"{self._share(self.error_before)}. {self.verdict}"
        )
        if self.aim == "no worse" or self.errs_less or not self.helps:
            return errors
        return f"{errors} But posteriors are better: log-loss {self.loss_after:.2f} instead of {self.loss_before:.2f}."

    def _share(self, error: float) -> str:
        return f"{100 * error:.1f} ± {100 * np.sqrt(error * (1 - error) / self.n_rows):.1f} %"


@dataclass(frozen=True, eq=False)
class Finding:
    """One thing a diagnosis has to say about a fit.

    Attributes
    ----------
    code : str
        Which check speaks, such as "overfit-scale".
    severity : {"good", "notice", "warning"}
        Nothing found; worth knowing; real trouble.
    title : str
    explanation : str
        Plain words, with the numbers.
    evidence : mapping
        Numbers and small arrays, ready for a picture.
    remedy : Remedy or None
    trial : Trial or None
        What the remedy did on training rows left out, once `advise` has tried it.
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    evidence: Mapping[str, Any] = field(repr=False)
    remedy: Remedy | None = None
    trial: Trial | None = None

    @property
    def is_advice(self) -> bool:
        """Whether its remedy was tried and helps."""
        return self.remedy is not None and self.trial is not None and self.trial.helps


def listed(words: list[str], most: int = 4) -> str:
    """Join words for a sentence, the first few by name."""
    shown = words[:most] + ([f"{len(words) - most} more"] if len(words) > most else [])
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def class_label(name: str) -> str:
    """Call a class by its name; one that is called by a number is "class 0", so that nobody takes it for a count."""
    return f"class {name}" if _NUMBER.fullmatch(name) else name
