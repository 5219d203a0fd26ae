"""SVM: scikit-learn's SVC (libsvm, one-versus-one) in the paper's terms.

The kernel is exp(-a ||x - x'||^2) on columns divided by their standard deviations in the training rows; `a`
is `svc__gamma` and the cost is `svc__C` of the pipeline. All costs of one `a` share its kernel matrix: libsvm would
compute it anew for each, which is most of its time where there are many columns.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from opnb.comparators.base import Setting

SCALES = tuple(2.0 ** (2 * i + 1) for i in range(-8, 2))
COSTS = tuple(2.0 ** (2 * i + 1) for i in range(-3, 8))
_CACHE = 500  # megabytes


def support_vector_machine() -> Pipeline:
    """Make the unfitted pipeline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb.comparators import support_vector_machine
    >>> X, y = load_iris(return_X_y=True)
    >>> support_vector_machine().fit(X, y).score(X, y) > 0.9
    True
    """
    return make_pipeline(StandardScaler(), SVC(kernel="rbf", cache_size=_CACHE))


def predict_on_kernels(
    estimator: Pipeline, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
) -> Sequence[NDArray]:
    """Predict under every setting, with one kernel matrix for those that differ in the cost alone."""
    scaler = StandardScaler().fit(X)
    rows, new = scaler.transform(X), scaler.transform(X_new)
    apart, apart_new = euclidean_distances(rows, squared=True), euclidean_distances(new, rows, squared=True)
    predictions: dict[int, NDArray] = {}
    for scale in sorted({setting["svc__gamma"] for setting in settings}):
        kernel, kernel_new = np.exp(-scale * apart), np.exp(-scale * apart_new)
        for number, setting in enumerate(settings):
            if setting["svc__gamma"] == scale:
                machine = SVC(kernel="precomputed", C=setting["svc__C"], cache_size=_CACHE)
                predictions[number] = machine.fit(kernel, y).predict(kernel_new)
    return [predictions[number] for number in range(len(settings))]
