"""How long a method takes to be tuned and fitted, told from the size of the data before it has been seen at work.

seconds = exp(a) * n^b * p^c * K^d for n rows, p columns and K classes. The four numbers of a method are least squares
on the logarithms over the rows of the experiment in the README; `make bench BENCH=costs` fits them anew to any results
file and says how far off they are.
"""

from collections.abc import Iterable

import numpy as np

_COSTS: dict[str, tuple[float, float, float, float]] = {
    "OPNB": (-4.72, 0.5, 0.35, 0.24),
    "OPNB-LOO": (-6.97, 0.86, 0.39, 0.26),
    # From 22 data sets below 1,000 rows.
    "OPNB-auto": (-2.28, 0.53, 0.06, 0.06),
    "SVM": (-7.13, 1.41, -0.01, 0.12),
    "OPGD": (-8.15, 1.15, 0.51, 0.14),
    "RDA": (-7.32, 0.13, 0.52, 0.44),
    "CCICA": (-5.32, 0.44, 0.65, 0.78),
    "LDA": (-8.65, 0.35, 0.1, 1.14),
    "NB": (-9.27, 0.55, 0.56, 0.38),
    "KDDA": (-9.19, 0.72, 0.27, 0.36),
}


def expected_seconds(method: str, n: int, p: int, n_classes: int) -> float:
    """Expect so many seconds of a processor for tuning and the final fit.

    Parameters
    ----------
    method : str
        A name in `BENCHMARK_METHODS`; one that was never timed is taken for the dearest of the paper's.
    n, p, n_classes : int
        Rows, columns and classes of the data before they are split.

    Examples
    --------
    >>> from opnb.benchmark import expected_seconds
    >>> expected_seconds("LDA", 1000, 10, 3) < expected_seconds("SVM", 1000, 10, 3)
    True
    """
    constant, *powers = _COSTS.get(method, _COSTS["SVM"])
    return float(np.exp(constant + np.dot(powers, np.log([n, p, n_classes]))))


def cheap_first(methods: Iterable[str], n: int, p: int, n_classes: int) -> list[str]:
    """Sort methods by what they will take, so that the first answers come soon.

    Examples
    --------
    >>> from opnb.benchmark import cheap_first
    >>> cheap_first(["SVM", "LDA"], n=1000, p=10, n_classes=3)
    ['LDA', 'SVM']
    """
    return sorted(methods, key=lambda method: expected_seconds(method, n, p, n_classes))
