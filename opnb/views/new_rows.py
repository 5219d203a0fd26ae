"""What a model says of rows that it was not fitted to: their classes, and how unlike the training rows they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, ks_2samp

from opnb.core.kernel import Array
from opnb.core.lattice_densities import STEP, LatticeDensities
from opnb.errors import DataError
from opnb.estimators.novelty import Novelty, log_density
from opnb.quiet import own_warnings
from opnb.views.model import fitted_model
from opnb.views.projected import ErrorCount, Flags, Labels, checked_names, thinned

DIFFERS = 0.01  # adjusted chance below which new rows are said not to look like the training rows
_INSET = 0.015  # of the part shown: a mark at its edge is seen whole
_FEWEST = 5  # rows that a comparison of distributions needs


@dataclass(frozen=True, eq=False)
class NewRows:
    """New rows as a fitted model sees them.

    Attributes
    ----------
    X : ndarray of shape (m, n_features)
        Prepared features, in the order that the model takes them.
    Z : ndarray of shape (m, n_components)
        Positions in the units of `transform`.
    log_posterior : ndarray of shape (m, n_classes)
    familiarity : ndarray of shape (m,) or None
        Share of the training rows whose density is as low; None where the model carries nothing to tell it by.
    unlike : ndarray of bool of shape (m,)
        Whether a row is called unlike the training rows.
    rate : float
        Share of rows like the training rows that is called unlike them; NaN without `familiarity`.
    rows : ndarray of int of shape (m,)
        The caller's name for each row.
    class_names : tuple of str
    """

    X: Array
    Z: Array
    log_posterior: Array
    familiarity: Array | None
    unlike: Flags
    rate: float
    rows: NDArray[np.int64]
    class_names: tuple[str, ...]

    @property
    def predicted(self) -> Labels:
        """Class index of every row."""
        return self.log_posterior.argmax(axis=1)


def new_rows(
    clf: Any,
    X: Array,
    *,
    novelty: Novelty | None = None,
    rows: ArrayLike | None = None,
    class_names: Sequence[str] | None = None,
) -> NewRows:
    """Let a fitted model predict new rows.

    Parameters
    ----------
    clf : OPNBClassifier
    X : ndarray of shape (m, n_features)
        Prepared as the training rows were; m may be 0.
    novelty : Novelty, optional
        See `opnb.estimators.novelty.learn_novelty`.
    rows : array-like of int, optional
        What to call the rows; counted from 1 by default.
    class_names : sequence of str, optional

    Returns
    -------
    NewRows
    """
    model: Any = fitted_model(clf)
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise DataError(f"New rows need the {model.n_features_in_} features of the model, got shape {X.shape}.")
    if len(X):
        with own_warnings(UserWarning):  # of names that an array does not have, and of rows that are called unlike
            Z, log_posterior, density = model.transform(X), model.predict_log_proba(X), log_density(model, X)
    else:  # the classifier refuses a table without rows
        Z, log_posterior, density = np.empty((0, len(model.components_))), np.empty((0, model.classes_.size)), X[:, 0]
    return NewRows(
        X=X,
        Z=Z,
        log_posterior=log_posterior,
        familiarity=None if novelty is None else novelty.familiarity(density),
        unlike=np.zeros(len(X), dtype=bool) if novelty is None else novelty.is_unlike(density),
        rate=float("nan") if novelty is None else novelty.rate,
        rows=np.arange(1, len(X) + 1) if rows is None else np.asarray(rows, dtype=np.int64),
        class_names=checked_names(class_names, [str(name) for name in model.classes_], "class_names"),
    )


class PlacedRows(NamedTuple):
    """New rows on a picture.

    Attributes
    ----------
    x, y : ndarray of float32 of shape (k,)
        Places; a row outside the part shown is put at its edge. y is None on a picture of one direction.
    chosen : ndarray of int of shape (k,)
        Which of the new rows they are.
    outside : ndarray of bool of shape (k,)
    n_rows : int
        How many there are in all.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32] | None
    chosen: NDArray[np.intp]
    outside: Flags
    n_rows: int


def placed_rows(
    new: NewRows, directions: Sequence[int], ranges: Sequence[tuple[float, float]], *, max_points: int = 2_000
) -> PlacedRows:
    """Put new rows on a picture of one or two directions, at most about `max_points` of them."""
    chosen = thinned(new.predicted, max_points)
    places, outside = [], np.zeros(chosen.size, dtype=bool)
    for direction, (low, high) in zip(directions, ranges, strict=True):
        z = new.Z[chosen, direction]
        outside |= (z < low) | (z > high)
        inset = _INSET * (high - low)
        places.append(np.clip(z, low + inset, high - inset).astype(np.float32))
    return PlacedRows(places[0], places[1] if len(places) > 1 else None, chosen, outside, len(new.rows))


class Interval(NamedTuple):
    """An error with the interval in which the true one lies with a probability of 95 %."""

    errors: ErrorCount
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.errors.error:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f} %)"


def error_interval(wrong: int, n: int, level: float = 0.95) -> Interval:
    """Give an error with its exact (Clopper-Pearson) interval, which covers at least with probability `level`."""
    tail = (1 - level) / 2
    low = float(beta.ppf(tail, wrong, n - wrong + 1)) if wrong else 0.0
    high = float(beta.ppf(1 - tail, wrong + 1, n - wrong)) if wrong < n else 1.0
    return Interval(ErrorCount(wrong, n), low, high)


def error_of(new: NewRows, labels: Labels) -> Interval | None:
    """Count the errors among the rows whose class is known (not negative); None without any."""
    known = labels >= 0
    if not known.any():
        return None
    return error_interval(int((new.predicted != labels)[known].sum()), int(known.sum()))


class Shift(NamedTuple):
    """How far new rows lie from the training rows on one direction.

    Attributes
    ----------
    direction : int
    distance : float
        Largest difference of the two distribution functions (Kolmogorov-Smirnov), from 0 to 1.
    chance : float
        Of a distance as large if both were drawn from one distribution, adjusted for the number of directions (Holm).
    """

    direction: int
    distance: float
    chance: float

    @property
    def differs(self) -> bool:
        """Whether the rows are said to differ."""
        return self.chance < DIFFERS


def shifts(clf: Any, new: NewRows, reference: Array | None = None) -> tuple[Shift, ...]:
    """Compare new rows with the training rows, direction by direction.

    Parameters
    ----------
    clf : OPNBClassifier
    new : NewRows
    reference : ndarray of shape (n, n_components), optional
        Positions to compare with; by default those of the training rows, which the model carries.

    Returns
    -------
    tuple of Shift
        One for each direction; empty with fewer than five rows on either side.
    """
    known = training_positions(clf).T if reference is None else reference
    if min(len(known), len(new.Z)) < _FEWEST:
        return ()
    # The exact chance is slow for many rows, and warns where it cannot be had.
    tests = [ks_2samp(one, other, method="asymp") for one, other in zip(known.T, new.Z.T, strict=True)]
    chances = _holm(np.array([test.pvalue for test in tests]))
    return tuple(
        Shift(number, float(test.statistic), float(chance))
        for number, (test, chance) in enumerate(zip(tests, chances, strict=True))
    )


def training_positions(clf: Any) -> Array:
    """Give training positions on every direction, (n_components, n), each direction in an order of its own.

    A model of very many rows keeps a sample of them.
    """
    model: Any = fitted_model(clf)
    densities = model.densities_[0]
    if isinstance(densities, LatticeDensities):
        return _sampled_positions(model)
    bandwidths = np.where(np.isfinite(densities.bandwidths), densities.bandwidths, 0.0)
    return densities.members * bandwidths[:, None]


def _sampled_positions(model: Any) -> Array:
    """Give the positions of the rows that a model keeps, or without them the ends of its lattices."""
    if model.sample_ is not None:
        # Not `transform`: the sample has no names of columns, of whose lack it would warn.
        return (model.components_ @ ((model.sample_.X - model.mean_) / model.scale_).T).astype(float)
    densities: LatticeDensities = model.densities_[0]
    points = np.diff(densities.first) - 1
    bandwidths = np.where(np.isfinite(densities.bandwidths), densities.bandwidths, 0.0)
    return np.stack([densities.low, densities.low + points], axis=1) * STEP * bandwidths[:, None]


def _holm(chances: Array) -> Array:
    """Adjust chances so that the probability of calling anything different by mistake is bounded."""
    order = np.argsort(chances, kind="stable")
    steps = np.maximum.accumulate(chances[order] * np.arange(chances.size, 0, -1))
    adjusted = np.empty_like(chances)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
