"""Why a row is given its class, in numbers that add up.

With classes k (predicted) and l (the other), naive Bayes on m directions is a sum:

    log P(k | x) - log P(l | x) = log(pi_k / pi_l) + sum_d [log f_kd(z_d) - log f_ld(z_d)],

and a position is one as well: z_d = sum_j v_dj (x_j - mean_j) / scale_j. A log density does not split by columns, so
the two sums are shown one after the other and never mixed. Where the posteriors of several starts are averaged, the
sum is that of the best start, and one more term has what the others change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.data.feature_columns import FeatureColumn, feature_columns
from opnb.errors import DataError
from opnb.views.model import fitted_model
from opnb.views.projected import Projected, checked_names, fitted_names


@dataclass(frozen=True, eq=False)
class Reasons:
    """What a model says of one row.

    Attributes
    ----------
    row : ndarray of shape (n_features,)
        As prepared for the model.
    columns : tuple of FeatureColumn
    class_names : tuple of str
    log_posterior : ndarray of shape (n_classes,)
        Of the full model.
    predicted, other : int
        The class it is given, and the one that is compared with it.
    sharpness : float
        Of the posteriors: by this much all log-odds are multiplied.
    prior_odds : float
        log(pi_k / pi_l), times the sharpness.
    direction_odds : ndarray of shape (n_components,)
        What every direction adds to the log-odds: the difference of its log densities, times the sharpness.
    start_odds : float
        What averaging over other starts adds; exactly 0 for a single start.
    log_densities : ndarray of shape (n_components, n_classes)
    positions : ndarray of shape (n_components,)
    parts : ndarray of shape (n_components, n_columns), or None
        What every column adds to every position; None where directions are not straight.
    means : ndarray of shape (n_columns,)
        Of the training rows; NaN for categories.
    """

    row: Array
    columns: tuple[FeatureColumn, ...]
    class_names: tuple[str, ...]
    log_posterior: Array
    predicted: int
    other: int
    sharpness: float
    prior_odds: float
    direction_odds: Array
    start_odds: float
    log_densities: Array
    positions: Array
    parts: Array | None
    means: Array

    @property
    def log_odds(self) -> float:
        """Log-odds of the class predicted against the other: the sum of its parts."""
        return self.prior_odds + float(self.direction_odds.sum()) + self.start_odds

    @property
    def posterior(self) -> Array:
        """Probability of every class."""
        return np.exp(self.log_posterior)

    @property
    def heaviest(self) -> list[int]:
        """Directions by how much they add to the log-odds, most first, whatever the sign."""
        return [int(d) for d in np.argsort(-np.abs(self.direction_odds), kind="stable")]


def reasons(
    clf: Any,
    row: ArrayLike,
    *,
    columns: Sequence[FeatureColumn] | None = None,
    class_names: Sequence[str] | None = None,
    other: int | None = None,
) -> Reasons:
    """Say why a row is given its class.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, or a fitted search with a `best_estimator_`.
    row : array-like of shape (n_features,)
        Prepared as the training rows were.
    columns : sequence of FeatureColumn, optional
        Which features belong together (see `Dataset.columns`); by default each is a column.
    class_names : sequence of str, optional
        By default the classes as text.
    other : int, optional
        Number of the class to compare with; by default the runner-up, or the first where that is the class itself.

    Returns
    -------
    Reasons

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import reasons
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> reasons(clf, X[0]).direction_odds.shape
    (2,)
    """
    model: Any = fitted_model(clf)
    x = checked_row(model, row)
    names = checked_names(class_names, [str(label) for label in model.classes_], "class_names")
    known = tuple(columns or feature_columns(fitted_names(model)))
    log_posterior = model.predict_log_proba(x[None])[0]
    first, second = _two_classes(log_posterior, other)
    log_densities = model.log_density_contributions(x[None])[0]
    log_prior = np.log(model.class_prior_)
    prior_odds = float(model.sharpness_ * (log_prior[first] - log_prior[second]))
    direction_odds = model.sharpness_ * (log_densities[:, first] - log_densities[:, second])
    return Reasons(
        row=x,
        columns=known,
        class_names=names,
        log_posterior=log_posterior,
        predicted=first,
        other=second,
        sharpness=model.sharpness_,
        prior_odds=prior_odds,
        direction_odds=direction_odds,
        start_odds=_start_odds(model, log_posterior[first] - log_posterior[second], prior_odds + direction_odds.sum()),
        log_densities=log_densities,
        positions=model.transform(x[None])[0],
        parts=position_parts(model, x, known),
        means=np.array([np.nan if column.levels else model.mean_[column.places[0]] for column in known]),
    )


def checked_row(model: Any, row: ArrayLike) -> Array:
    """Give a row as numbers; refuse one of another length, or with values that are no finite numbers."""
    x = np.asarray(row, dtype=np.float64)
    if x.shape != (model.n_features_in_,):
        raise DataError(f"The row must have {model.n_features_in_} values, one a feature, not the shape {x.shape}.")
    if not np.isfinite(x).all():
        place = int(np.flatnonzero(~np.isfinite(x))[0])
        raise DataError(f"The row has no finite number for '{fitted_names(model)[place]}'. Fill it in first.")
    return x


def _two_classes(log_posterior: Array, other: int | None) -> tuple[int, int]:
    # A stable sort puts the class first that `predict` would take of equals.
    order = [int(k) for k in np.argsort(-log_posterior, kind="stable")]
    if other is not None and not 0 <= other < len(order):
        raise DataError(f"There is no class number {other}: the model has {len(order)}, from 0.")
    runner_up = order[min(1, len(order) - 1)]
    return order[0], runner_up if other is None or other == order[0] else other


def _start_odds(model: Any, log_odds: float, best_start: float) -> float:
    return float(log_odds - best_start) if len(model.densities_) > 1 else 0.0


def position_parts(model: Any, row: Array, columns: Sequence[FeatureColumn]) -> Array | None:
    """Split positions by columns: weight times distance from the mean.

    Parameters
    ----------
    model : OPNBClassifier
    row : ndarray of shape (n_features,)
    columns : sequence of FeatureColumn

    Returns
    -------
    ndarray of shape (n_components, n_columns), or None
        None for directions that are not straight: their positions are no such sum.
    """
    if model.columns_ is not None:
        return None
    by_feature = model.components_ * model.scaled(row[None])[0]
    return np.column_stack([by_feature[:, list(column.places)].sum(axis=1) for column in columns])


def nearest_rows(
    clf: Any, row: ArrayLike, projected: Projected, *, count: int = 5, leave_out: int | None = None
) -> tuple[NDArray[np.intp], Array]:
    """Find the training rows that the model takes for the most like one.

    Parameters
    ----------
    clf : OPNBClassifier
    row : array-like of shape (n_features,)
    projected : Projected
    count : int, default=5
    leave_out : int, optional
        Place of the row itself among the projected ones, if it is one of them.

    Returns
    -------
    places : ndarray of int
        Among the projected rows, the nearest first.
    distances : ndarray
        Over all directions, in bandwidths.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import nearest_rows, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> rows, distances = nearest_rows(clf, X[0], project(clf, X, y), leave_out=0)
    >>> len(rows)
    5
    """
    model = fitted_model(clf)
    candidates = np.flatnonzero(~projected.is_test)
    candidates = candidates[candidates != leave_out] if leave_out is not None else candidates
    apart = (projected.Z[candidates] - model.transform(checked_row(model, row)[None])) / model.bandwidths_
    distances = np.sqrt((apart**2).sum(axis=1))
    order = np.argsort(distances, kind="stable")[:count]
    return candidates[order], distances[order]
