"""The methods that a benchmark may name: the registry's, and OPNB with the leave-one-out likelihood."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from opnb.comparators import METHODS, Method
from opnb.errors import DataError
from opnb.estimators.classifier import OPNBClassifier

# The registry has the last word, should it come to name the variant itself.
BENCHMARK_METHODS: dict[str, Method] = {
    "OPNB-LOO": replace(
        METHODS["OPNB"],
        name="OPNB-LOO",
        description="OPNB with the leave-one-out likelihood",
        estimator=partial(OPNBClassifier, likelihood="leave-one-out"),
    ),
    **METHODS,
}


def check_methods(names: Iterable[str]) -> None:
    """Refuse a method that is not there."""
    unknown = [name for name in names if name not in BENCHMARK_METHODS]
    if unknown:
        raise DataError(f"methods: there is no {unknown[0]!r}. Choose from {', '.join(sorted(BENCHMARK_METHODS))}.")
