"""How long a method takes to be tuned and fitted, told from the size of the data before it has been seen at work.

seconds = exp(a) * n^b * p^c * K^d for n rows, p columns and K classes. The four numbers of a method are least squares
on the logarithms over the rows of the experiment in the README; `make bench BENCH=costs` fits them anew to any results
file and says how far off they are.
"""

from collections.abc import Iterable

import numpy as np

_COSTS: dict[str, tuple[float, float, float, float]] = {
    "OPNB": (-7.0, 0.7, 0.5, 0.3),
    "OPNB-LOO": (-7.0, 0.7, 0.5, 0.3),
    "OPNB+": (-6.0, 0.9, 0.5, 0.3),
    "SVM": (-7.08, 1.41, -0.02, 0.12),
    "OPGD": (-7.91, 1.14, 0.41, 0.27),
    "RDA": (-7.72, 0.17, 0.59, 0.36),
    "CCICA": (-5.03, 0.4, 0.59, 0.88),
    "LDA": (-9.16, 0.38, 0.26, 0.97),
    "NB": (-9.34, 0.56, 0.55, 0.42),
    "KDDA": (-9.73, 0.81, 0.32, 0.2),
}


def expected_seconds(method: str, n: int, p: int, n_classes: int) -> float:
    """Expect so many seconds of a processor for tuning and the final fit.

    Parameters
    ----------
    method : str
        A name in `BENCHMARK_METHODS`; one that was never timed is taken for the dearest of the paper's.
    n, p, n_classes : int
        Rows, columns and classes of the data before they are split.
    """
    constant, *powers = _COSTS.get(method, _COSTS["SVM"])
    return float(np.exp(constant + np.dot(powers, np.log([n, p, n_classes]))))


def cheap_first(methods: Iterable[str], n: int, p: int, n_classes: int) -> list[str]:
    """Sort methods by what they will take, so that the first answers come soon."""
    return sorted(methods, key=lambda method: expected_seconds(method, n, p, n_classes))
