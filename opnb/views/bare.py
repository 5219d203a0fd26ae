"""A model without its training rows, as a model file holds it: its directions can still be drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.views.model import fitted_model
from opnb.views.new_rows import training_positions
from opnb.views.projected import Labels, Projected, checked_names, fitted_names


@dataclass(frozen=True, eq=False)
class BareProjected(Projected):
    """No points at all, but where the training points lay on every direction by itself.

    Attributes
    ----------
    along : ndarray of shape (n_components, n)
        Positions; which of them belong to one row is not known.
    counts : ndarray of int of shape (n_classes,)
        Training rows of every class.
    """

    along: Array = field(kw_only=True)
    counts: Labels = field(kw_only=True)

    def positions(self, direction: int, *, training: bool = False) -> Array:
        """Positions of the training points on a direction."""
        return self.along[direction]

    @property
    def train_counts(self) -> Labels:
        """Training points of each class."""
        return self.counts


def bare_projected(clf: Any, feature_names: Sequence[str] | None = None) -> BareProjected:
    """Give what the pictures of a model without its rows need.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, or read from a model file.
    feature_names : sequence of str, optional

    Returns
    -------
    BareProjected
    """
    model: Any = fitted_model(clf)
    return BareProjected(
        Z=np.empty((0, len(model.components_))),
        labels=np.empty(0, dtype=np.intp),
        is_test=np.empty(0, dtype=bool),
        rows=np.empty(0, dtype=np.int64),
        log_posterior=np.empty((0, model.classes_.size)),
        class_names=tuple(str(name) for name in model.classes_),
        feature_names=checked_names(feature_names, fitted_names(model), "feature_names"),
        along=training_positions(model),
        counts=np.asarray(model.densities_[0].counts, dtype=np.intp),
    )
