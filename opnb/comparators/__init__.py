"""The methods OPNB is compared with, as scikit-learn estimators, and their tuning.

`METHODS` names the eight methods of the paper's experiment (`PAPER_METHODS`), OPNB-auto, and what users
would pick today (RF, HGB, KNN, LR), with their grids; `tune` chooses a setting of any of them by cross-validation.
"""

from opnb.comparators.class_ica import ClassConditionalICA
from opnb.comparators.gaussian_projection import OptimalGaussianProjection
from opnb.comparators.kernel_discriminant import KernelDensityDiscriminant
from opnb.comparators.linear_discriminant import ReducedLinearDiscriminant, completed_directions
from opnb.comparators.naive_bayes import KDENaiveBayes
from opnb.comparators.registry import METHODS, PAPER_METHODS, USUAL_METHODS
from opnb.comparators.regularised_discriminant import RegularisedDiscriminant
from opnb.comparators.support_vectors import support_vector_machine
from opnb.comparators.tuning import Method, SharesWork, Tuned, predict_one_by_one, tune

__all__ = [
    "METHODS",
    "PAPER_METHODS",
    "USUAL_METHODS",
    "ClassConditionalICA",
    "KDENaiveBayes",
    "KernelDensityDiscriminant",
    "Method",
    "OptimalGaussianProjection",
    "ReducedLinearDiscriminant",
    "RegularisedDiscriminant",
    "SharesWork",
    "Tuned",
    "completed_directions",
    "predict_one_by_one",
    "support_vector_machine",
    "tune",
]
