"""The settings that race when they are chosen by cross-validation, and the race that they enter."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from opnb.core.weights import check_sample_weight
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.race import Clock, Path, Race, Setting
from opnb.estimators.search import default_components
from opnb.estimators.selection import DEFAULT_LAMS, draw_folds
from opnb.estimators.training import validated
from opnb.estimators.validation import Fold, check_class_sizes, check_folds, check_parameters

INDEPENDENCE, BEND = 0.1, 0.3
PAPER: Setting = {"likelihood": "resubstitution", "independence": 0.0, "penalty": "frobenius", "bend": None}
_LIKELIHOODS = ("leave-one-out", "resubstitution")  # the preferred first


def check_racing(estimator: Any) -> None:
    """Refuse parameters of an estimator that chooses settings, with the reason."""
    seconds = estimator.max_seconds
    if seconds is not None and not (
        isinstance(seconds, Real) and not isinstance(seconds, bool) and float(seconds) >= 0
    ):
        raise ValueError(f"max_seconds must be None or a number that is not negative, got {seconds!r}.")
    check_parameters(_template(estimator))


def begin_race(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None,
    scoring: str,
) -> tuple[Race, np.random.RandomState]:
    """Check the data, draw the folds, and give an empty race with the stream of random numbers that drew them.

    Rows of weight zero are not there: folds are drawn for all rows, and raced on without these.
    """
    rows, targets = validated(estimator, X, y)
    weights = None if sample_weight is None else check_sample_weight(sample_weight, len(rows))
    random = check_random_state(estimator.random_state)
    check_class_sizes(*np.unique(targets, return_counts=True), "resubstitution")
    folds = draw_folds(estimator.cv, rows, targets, groups, random)
    if weights is not None and not weights.all():
        there = weights > 0
        rows, targets, weights, folds = rows[there], targets[there], weights[there], _among(folds, there)
        check_class_sizes(*np.unique(targets, return_counts=True), "resubstitution")
    check_folds(*np.unique(targets, return_inverse=True), folds, "resubstitution")
    clock = Clock(estimator.max_seconds, estimator.callback)
    return Race(_template(estimator), rows, targets, weights, folds, scoring, clock, estimator.n_jobs), random


def _among(folds: Sequence[Fold], there: NDArray[np.bool_]) -> list[Fold]:
    """Give the folds of the rows that are there, by their numbers among these; a fold that leaves out none is none."""
    numbers = np.cumsum(there) - 1
    parts = ((numbers[train[there[train]]], numbers[test[there[test]]]) for train, test in folds)
    return [(train, test) for train, test in parts if test.size]


def _template(estimator: Any) -> OPNBClassifier:
    return OPNBClassifier(n_components=estimator.n_components, scale=estimator.scale, priors=estimator.priors)


def directions_of(race: Race) -> int:
    """Give the number of directions that are searched for."""
    return int(race.template.n_components or default_components(race.X.shape[1]))


def variations(race: Race, changes: Sequence[Setting]) -> list[Path]:
    """Make paths of what is good on most data, changed in some ways; what makes no sense for the data is left out.

    Parameters
    ----------
    race : Race
    changes : sequence of dict
        What to set otherwise, the preferred first.
    """
    n_directions = directions_of(race)
    # There are no more bent columns than rows.
    may_bend = n_directions < min(len(train) for train, _ in race.folds)
    usual: Setting = {**PAPER, "likelihood": _likelihood(race)}
    settings: list[Setting] = []
    for change in changes:
        setting = {**usual, **change}
        if n_directions == 1:
            setting["independence"] = 0.0  # a single direction has nothing to be independent of
        if (setting["bend"] is None or may_bend) and setting not in settings:
            settings.append(setting)
    return [Path(setting, DEFAULT_LAMS) for setting in settings]


def _likelihood(race: Race) -> str:
    """Choose the likelihood; leave-one-out needs two rows of every class wherever there is one."""
    parts = [race.labels, *(race.labels[train] for train, _ in race.folds)]
    alone = any((np.bincount(part) == 1).any() for part in parts)
    return _LIKELIHOODS[alone]
