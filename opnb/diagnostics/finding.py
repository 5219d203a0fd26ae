"""What a diagnosis says: a finding, and the change of settings that would mend it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sklearn.base import clone

from opnb.estimators.base import single_fit
from opnb.estimators.classifier import OPNBClassifier

_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
Severity = Literal["good", "notice", "warning"]
SEVERITIES: tuple[Severity, ...] = ("warning", "notice", "good")


@dataclass(frozen=True)
class Remedy:
    """A change of fit settings.

    Attributes
    ----------
    settings : mapping
        Keyword arguments of `OPNBClassifier` that change; the others stay.
    sentence : str
        What the change does, in plain words.
    """

    settings: Mapping[str, Any]
    sentence: str

    def applied_to(self, clf: OPNBClassifier) -> OPNBClassifier:
        """Give an unfitted classifier with the settings of `clf` and this change."""
        return clone(single_fit(clf)).set_params(**self.settings)


def many_starts() -> Remedy:
    """Search as the paper does where one start may not do."""
    return Remedy(
        {"init": "random", "n_init": 20, "random_state": 0}, "Search from 20 random starts and keep the best."
    )


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
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    evidence: Mapping[str, Any] = field(repr=False)
    remedy: Remedy | None = None


def listed(words: list[str], most: int = 4) -> str:
    """Join words for a sentence, the first few by name."""
    shown = words[:most] + ([f"{len(words) - most} more"] if len(words) > most else [])
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def class_label(name: str) -> str:
    """Call a class by its name; one that is called by a number is "class 0", so that nobody takes it for a count."""
    return f"class {name}" if _NUMBER.fullmatch(name) else name
