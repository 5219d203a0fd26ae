"""SVM: scikit-learn's SVC (libsvm, one-versus-one) in the paper's terms.

The kernel is exp(-a ||x - x'||^2) on columns divided by their standard deviations in the training rows; `a`
is `svc__gamma` and the cost is `svc__C` of the pipeline.
"""

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

SCALES = tuple(2.0 ** (2 * i + 1) for i in range(-8, 2))
COSTS = tuple(2.0 ** (2 * i + 1) for i in range(-3, 8))


def support_vector_machine() -> Pipeline:
    """Make the unfitted pipeline."""
    return make_pipeline(StandardScaler(), SVC(kernel="rbf", cache_size=500))
