"""What the two kernel methods on raw covariates share: their bandwidths, and columns of two kinds."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from opnb.comparators.base import ClassDensityClassifier, Labels, Setting, by_class, check_positive
from opnb.comparators.columns import Columns, class_deviations, split_columns
from opnb.core.kernel import Array


@dataclass(frozen=True)
class ClassValues:
    """The training rows of one class.

    Attributes
    ----------
    continuous, deviations : ndarray of shape (n_k, n_continuous) and (n_continuous,)
        Values, and their standard deviations in the class.
    high : ndarray of shape (n_k, n_binary)
        1 where a binary column has its higher value, else 0.
    """

    continuous: Array
    deviations: Array
    high: Array


class MixedColumnClassifier(ClassDensityClassifier):
    """A classifier by kernel densities that treats continuous and binary columns each in their way."""

    _tuned: ClassVar[tuple[str, ...]] = ("factor", "alpha")

    def __init__(self, *, factor: float = 1.0, alpha: float = 0.1, is_binary: str | ArrayLike = "auto") -> None:
        self.factor = factor
        self.alpha = alpha
        self.is_binary = is_binary

    def _check_setting(self, setting: Setting, n_features: int) -> None:
        check_positive("factor", setting["factor"])
        check_positive("alpha", setting["alpha"], largest=0.5)

    def _class_values(self, X: Array, labels: Labels) -> tuple[Columns, list[ClassValues]]:
        """Tell the columns apart and split the rows by class."""
        columns = split_columns(X, self.is_binary)
        self.binary_columns_ = columns.binary
        groups = by_class(X[:, columns.continuous], labels)
        high = by_class(columns.high(X), labels)
        return columns, list(map(ClassValues, groups, class_deviations(groups), high))
