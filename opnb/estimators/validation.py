"""Settings and data that make no sense, refused with the reason and the remedy."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.core.objective import LIKELIHOODS
from opnb.core.penalties import PENALTIES

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
_LARGEST_WHOLE = 2.0**53
# Powers between which posteriors stay numbers.
_LEAST_SHARPNESS, _MOST_SHARPNESS = 1e-3, 1e3


def check_class_sizes(classes: NDArray, counts: NDArray, likelihood: str) -> None:
    """Refuse a single class, and leave-one-out with a class of one row."""
    if classes.size < 2:
        raise ValueError(
            f"y holds only one class, {_named(classes[0])}; a classifier needs at least two classes to tell apart."
        )
    if likelihood == "leave-one-out" and counts.min() < 2:
        raise ValueError(
            f"Class {_named(classes[counts.argmin()])} has one row, so it has no leave-one-out density. "
            "Drop that class, or use likelihood='resubstitution'."
        )


def _named(label: Any) -> str:
    """Write a class as its user would."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def check_distinct(targets: NDArray) -> None:
    """Refuse numbers as classes that are too large to be told apart."""
    if targets.dtype.kind == "f" and np.abs(targets).max() > _LARGEST_WHOLE:
        raise ValueError(
            "y holds whole numbers beyond 2**53, of which neighbours cannot be told apart. Give the classes as text."
        )


def check_folds(classes: NDArray, labels: NDArray, folds: Sequence[Fold], likelihood: str) -> None:
    """Refuse folds that leave one class to learn from, and with leave-one-out ones that leave a single row of any."""
    for train, _ in folds:
        counts = np.bincount(labels[train], minlength=classes.size)
        if np.count_nonzero(counts) < min(classes.size, 2):
            k = int(np.flatnonzero(counts == 0)[0])
            raise ValueError(
                f"Class {_named(classes[k])} has {_rows(np.sum(labels == k))}, and a fold of the cross-validation "
                "leaves none of them to learn from, so that a single class remains. Give it more rows, use fewer "
                "folds, or folds that keep classes together."
            )
        if likelihood == "leave-one-out" and (counts == 1).any():
            k = int(np.flatnonzero(counts == 1)[0])
            raise ValueError(
                f"Class {_named(classes[k])} has {_rows(np.sum(labels == k))}, and a fold of the cross-validation "
                "leaves one of them to learn from, which has no leave-one-out density. Drop that class, use fewer "
                "folds, or use likelihood='resubstitution'."
            )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def check_parameters(estimator: Any) -> None:
    """Refuse settings that make no sense, with the reason."""
    _check_choice(estimator, "penalty", PENALTIES)
    _check_choice(estimator, "likelihood", LIKELIHOODS)
    _check_choice(estimator, "combine", ("best", "average"))
    check_scale(estimator.scale)
    check_independence(estimator.independence)
    check_bend(estimator.bend)
    check_sharpness(estimator.sharpness)
    if isinstance(estimator.init, str):
        _check_choice(estimator, "init", ("pca", "random"))
    check_whole_number("n_init", estimator.n_init)
    check_whole_number("max_iter", estimator.max_iter, least=0)
    if estimator.n_init > 1 and not (isinstance(estimator.init, str) and estimator.init == "random"):
        raise ValueError(f"n_init={estimator.n_init} needs init='random': any other start gives the same every time.")
    if estimator.n_components is not None:
        check_whole_number("n_components", estimator.n_components)
    if estimator.n_bins is not None and estimator.n_bins != "auto":
        check_whole_number("n_bins", estimator.n_bins, least=2)
    if not (_is_finite(estimator.tol) and estimator.tol > 0):
        raise ValueError(f"tol must be positive, got {estimator.tol!r}.")


def check_independence(independence: Any) -> None:
    """Refuse anything but a finite number that is not negative."""
    if not (_is_finite(independence) and independence >= 0):
        raise ValueError(f"independence must be a finite number that is not negative, got {independence!r}.")


def check_bend(bend: Any) -> None:
    """Refuse anything but None and a positive finite number."""
    if bend is not None and not (_is_finite(bend) and not isinstance(bend, bool) and bend > 0):
        raise ValueError(f"bend must be None, for straight directions, or a positive finite number, got {bend!r}.")


def check_sharpness(sharpness: Any) -> None:
    """Refuse anything but a number that leaves posteriors apart and finite."""
    known = _is_finite(sharpness) and not isinstance(sharpness, bool)
    if not (known and _LEAST_SHARPNESS <= sharpness <= _MOST_SHARPNESS):
        raise ValueError(
            f"sharpness must be a number from {_LEAST_SHARPNESS:g} to {_MOST_SHARPNESS:g}, got {sharpness!r}."
        )


def check_scale(scale: Any) -> None:
    """Refuse anything but True, False and "robust"."""
    if not (isinstance(scale, (bool, np.bool_)) or (isinstance(scale, str) and scale == "robust")):
        raise ValueError(f"scale must be True, False or 'robust', got {scale!r}.")


def check_lam(lam: Any, likelihood: str) -> None:
    """Refuse a weight with which the objective has no optimum."""
    if not (_is_finite(lam) and lam >= 0):
        raise ValueError(f"lam must be a finite number that is not negative, got {lam!r}.")
    if lam == 0 and likelihood == "resubstitution":
        raise ValueError(
            "lam must be positive with likelihood='resubstitution': without a penalty the scale of the projection "
            "grows without bound until every point has a density of its own, a perfect and useless fit. "
            "Use a small lam such as 1e-4, or likelihood='leave-one-out'."
        )


def _check_choice(estimator: Any, name: str, choices: Sequence[str]) -> None:
    check_choice(name, getattr(estimator, name), choices)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")


def check_whole_number(name: str, value: Any, least: int = 1) -> None:
    """Refuse anything but a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def check_start(given: Any, shape: tuple[int, int]) -> Array:
    """Give a projection to start from as an array, or refuse it."""
    V = np.asarray(given, dtype=float)
    if V.shape != shape:
        raise ValueError(f"init must have shape (n_features, n_components) = {shape}, got {V.shape}.")
    if not np.isfinite(V).all():
        raise ValueError("init holds NaN or infinity.")
    return V
