"""Optimal projections for naive Bayes.

The public names are loaded when they are first used, so that `import opnb` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opnb.comparators import (
        ClassConditionalICA,
        KDENaiveBayes,
        KernelDensityDiscriminant,
        OptimalGaussianProjection,
        RegularisedDiscriminant,
    )
    from opnb.errors import DataError
    from opnb.estimators.auto import OPNBAuto
    from opnb.estimators.classifier import OPNBClassifier
    from opnb.estimators.loading import load_model
    from opnb.estimators.selection import OPNBClassifierCV

__all__ = [
    "ClassConditionalICA",
    "DataError",
    "KDENaiveBayes",
    "KernelDensityDiscriminant",
    "OPNBAuto",
    "OPNBClassifier",
    "OPNBClassifierCV",
    "OptimalGaussianProjection",
    "RegularisedDiscriminant",
    "load_model",
]

__version__ = "1.0.0rc1"  # the only place: pyproject.toml reads it from here

_HOME = {
    "ClassConditionalICA": "opnb.comparators",
    "KDENaiveBayes": "opnb.comparators",
    "KernelDensityDiscriminant": "opnb.comparators",
    "OptimalGaussianProjection": "opnb.comparators",
    "RegularisedDiscriminant": "opnb.comparators",
    "DataError": "opnb.errors",
    "OPNBAuto": "opnb.estimators.auto",
    "OPNBClassifier": "opnb.estimators.classifier",
    "OPNBClassifierCV": "opnb.estimators.selection",
    "load_model": "opnb.estimators.loading",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'opnb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
