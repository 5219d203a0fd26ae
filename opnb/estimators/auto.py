"""OPNBAuto: one projection, with its settings chosen by cross-validation.

A combination of settings is a path of lambdas, each solution starting the next (see `opnb.estimators.selection`). The
paths race over the folds (see `opnb.estimators.race`), and the choice leans towards those that come first (see
`opnb.estimators.choice`).

Few paths race: folds tell settings apart badly, most of all on few rows, and more paths are more chances to be misled.
The choice goes by the squared distance of posteriors from the truth, after these have been revised by what the other
folds teach (see `opnb.estimators.odds`), since it varies less than the errors do.
"""

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from opnb.core.kernel import Array
from opnb.core.optimise import Callback
from opnb.estimators.candidates import BEND, INDEPENDENCE, PAPER, begin_race, check_racing, directions_of, variations
from opnb.estimators.choice import Losses, honest_losses, mean_and_error, paired_lead
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.race import Path, Race, Setting
from opnb.estimators.selection import DEFAULT_LAMS, SCORINGS, finish, fit_path
from opnb.estimators.validation import check_choice

PAPER_LAM = 1e-3
# What is tried, the preferred first. Two directions are a picture, so they are kept apart, which costs hardly an error.
_APART: Setting = {"independence": INDEPENDENCE}
_BENT: Setting = {**_APART, "bend": BEND}
_CHANGES: tuple[Setting, ...] = ({}, _APART, {"penalty": "pooled"}, _BENT)
_CHANGES_OF_A_PICTURE: tuple[Setting, ...] = ({"independence": 1.0}, _APART, _BENT)
# The grid grows by so many lambdas on the side of a choice at its edge, at most so often.
_WIDER_BY, _WIDENINGS = 3, 2


class OPNBAuto(OPNBClassifier):
    """OPNB with all its settings chosen by cross-validation; one projection comes out.

    Chosen together are lam, whether directions are kept independent, the penalty, and whether directions are straight
    or bent. A point's own kernel is left out of its density, unless a class is too small for that. After two folds only
    the best of the later settings goes on. Where the folds cannot tell settings apart the simpler are taken: bent
    directions only where they are clearly better. Class probabilities that balance the classes, and how sure to be, are
    learnt on the rows left out.

    Parameters
    ----------
    scoring : {"error", "log-loss"}, default="error"
        What the model is for: few wrong classes, or much probability for the true one. The choice goes by what rows
        left out tell of it: the squared distance of their posteriors from the truth, which varies less than the share
        of wrong classes does, or the log-loss.
    cv : int, splitter or iterable, default=5
        Number of stratified folds, drawn with `random_state`, or anything that scikit-learn accepts.
    max_seconds : float, default=None
        Time after which no other combination of settings is begun. The first is always judged, and the chosen one
        fitted. None means no limit.
    n_components, scale, priors :
        As in `OPNBClassifier`, for every setting.
    n_jobs : int, default=None
        Number of searches that run at a time, in threads. Without `max_seconds` the result does not depend on it.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the draws for `error_`.
    callback : callable, default=None
        Sees every iteration of every search. A true result ends the work at once, with the best of what is known.

    Attributes
    ----------
    best_estimator_ : OPNBClassifier
        Fitted to all rows with the chosen settings. All its fitted attributes are those of this estimator too.
    best_params_ : dict
        The chosen lam, likelihood, independence, penalty, bend, decision_priors and sharpness.
    trials_ : list of Bunch
        Every setting tried: likelihood, independence, penalty, bend, lam; errors and log_losses by fold, with their
        means error and log_loss (NaN where no fold was seen); given_up ("behind", "time", "stop" or "failed" where not
        all folds were seen, else ""); seconds of the processor for all lambdas of its path.
    error_, error_se_ : float
        What the whole procedure, with its choice, scores on new rows, and the standard error of that: the error, or
        the log-loss if that is the scoring. Random halves of the rows left out choose by the same rule, and the other
        halves judge the choice, with class probabilities and sharpness from the other folds. Their models learnt from
        part of the rows, so it errs on the careful side.
    gain_ : float
        By how much `error_` is lower than the score of the paper's settings (resubstitution, no independence, lam =
        1e-3 or the nearest that was tried) on the same rows; NaN if there was no time for them.
    widened_ : str
        A sentence that says how the grid of lambdas was widened because the choice lay at its edge; "" if it was not.

    See Also
    --------
    OPNBClassifierCV : Chooses lam alone.
    OPNBClassifier : A single fit, whose other attributes this estimator has too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBAuto
    >>> X, y = load_iris(return_X_y=True)
    >>> auto = OPNBAuto(n_components=2, cv=3).fit(X, y)
    >>> auto.error_ < 0.1
    True
    """

    def __init__(
        self,
        *,
        scoring: str = "error",
        cv: Any = 5,
        max_seconds: float | None = None,
        n_components: int | None = None,
        scale: bool | str = True,
        priors: str | ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        callback: Callback | None = None,
    ) -> None:
        self.scoring = scoring
        self.cv = cv
        self.max_seconds = max_seconds
        self.n_components = n_components
        self.scale = scale
        self.priors = priors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback

    def fit(  # type: ignore[override]  # scikit-learn's searches have groups there
        self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the settings and fit with them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        groups : array-like of shape (n_samples,), default=None
            Rows that belong together, for a `cv` that keeps them so, such as `GroupKFold`.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `OPNBClassifier.fit`; held-out rows count by their weights, too.

        Returns
        -------
        self
        """
        check_choice("scoring", self.scoring, SCORINGS)
        check_racing(self)
        self._refit(lambda fresh: fresh._choose(X, y, groups, sample_weight))
        self.best_estimator_.warn_if_it_gave_up()
        return self

    def _choose(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None, sample_weight: ArrayLike | None) -> None:
        race, random = begin_race(self, X, y, groups, sample_weight, self.scoring)
        race.enter(_paths(race))
        path, place = self._settle(race)
        if not race.clock.stopped:
            best = _walked(race, path, place, X, y, sample_weight)
        if race.clock.stopped:
            path, place = _chosen(race)
            best = _of_a_fold(race, path, place, X, y, sample_weight)
        self._judge(race, random)
        self.trials_ = race.trials()
        learnt = {"decision_priors": best.decision_priors, "sharpness": best.sharpness}
        self.best_params_ = {"lam": path.lams[place], **path.setting, **learnt}
        self._adopt(best.set_params(callback=self.callback))

    def _settle(self, race: Race) -> tuple[Path, int]:
        """Choose a path and the place of its lam, with a wider grid while the choice lies at the edge."""
        self.widened_ = ""
        path, place = _chosen(race)
        for _ in range(_WIDENINGS):
            if race.clock.is_over or (wider := _wider(path, place, race)) is None:
                break
            race.paths[race.paths.index(path)] = wider
            self.widened_ = _told(wider)
            # Only lam is chosen anew: the ends of the other paths have no such neighbours to be judged with.
            path, place = wider, race.losses([wider], range(len(race.folds))).choose()
        return path, place

    def _judge(self, race: Race, random: np.random.RandomState) -> None:
        """Estimate the error of the procedure, and its gain over the paper's settings."""
        self.error_ = self.error_se_ = self.gain_ = math.nan
        losses = _known(race)[1]
        if losses is None:
            return
        of_rows, squares = honest_losses(losses, random)
        self.error_, self.error_se_ = mean_and_error(of_rows, squares, losses.weights)
        self.gain_ = _gain(race, losses, of_rows)

    def _adopt(self, best: OPNBClassifier) -> None:
        """Take over the fitted attributes of the chosen solution, so that every method works on them."""
        self.best_estimator_ = best
        self.__dict__.update({name: value for name, value in vars(best).items() if name.endswith("_")})


def _paths(race: Race) -> list[Path]:
    """List the settings to try, in the order in which they are preferred."""
    is_picture = directions_of(race) == 2
    paths = variations(race, _CHANGES_OF_A_PICTURE if is_picture else _CHANGES)
    if any(path.setting == PAPER for path in paths):
        return paths
    # For what the choice gains over it.
    return [*paths, Path(PAPER, (PAPER_LAM,), may_win=not is_picture)]


def _nearest(lams: Sequence[float], lam: float) -> int:
    """Give the place of the value that is nearest in ratio."""
    return int(np.abs(np.log(lams) - math.log(lam)).argmin())


def _known(race: Race) -> tuple[list[Path], Losses | None]:
    """Give the paths that have seen all folds and what the rows lost; after an early stop what the first has seen.

    Once everything is to stop, a model has to do with directions that a fold has found: straight ones, as bent ones are
    made of the rows that they were found on.
    """
    complete = [path for path in race.complete() if path.setting["bend"] is None or not race.clock.stopped]
    if complete:
        return complete, race.losses(complete, range(len(race.folds)))
    first = race.paths[0]
    return [first], race.losses([first], sorted(first.parts)) if first.parts else None


def _chosen(race: Race) -> tuple[Path, int]:
    """Choose a path and the place of its lam from what is known."""
    known, losses = _known(race)
    if losses is None:
        return known[0], _nearest(DEFAULT_LAMS, PAPER_LAM)
    return _place(known, losses.choose())


def _place(paths: Sequence[Path], setting: int) -> tuple[Path, int]:
    """Find the path of a setting, and the place of its lam there."""
    for path in paths:
        if setting < len(path.lams):
            return path, setting
        setting -= len(path.lams)
    raise IndexError("there is no such setting")


def _wider(path: Path, place: int, race: Race) -> Path | None:
    """Try a wider grid if the chosen lam is the first or last of its path and clearly better than its neighbour."""
    neighbour = {0: 1, len(path.lams) - 1: len(path.lams) - 2}.get(place)
    if neighbour is None or len(path.parts) < len(race.folds):
        return None
    losses = race.losses([path], range(len(race.folds)))
    # Where nothing is left to smooth, the smaller is better by ever less, and a third of all grids would be widened.
    (_, behind), (_, margin) = paired_lead(losses, [place, neighbour])
    if not behind > margin:
        return None
    ratio = path.lams[1] / path.lams[0]
    if place == 0:
        return race.lengthened(path, tuple(path.lams[0] / ratio**step for step in range(_WIDER_BY, 0, -1)))
    # The walk begins at the largest lam, so that larger ones make it another.
    wider = Path(path.setting, (*path.lams, *(path.lams[-1] * ratio**step for step in range(1, _WIDER_BY + 1))))
    race.see([wider], range(len(race.folds)), must=True)
    return None if wider.given_up else wider


def _told(path: Path) -> str:
    """Say how far the grid of a path reaches now."""
    side = "smallest" if path.lams[0] < DEFAULT_LAMS[0] else "largest"
    reach = f"{path.lams[0]:.2g} to {path.lams[-1]:.2g}"
    return (
        f"The best lam was the {side} that was tried, so more were: for these settings the grid reaches from {reach}."
    )


def _gain(race: Race, losses: Losses, of_rows: Array) -> float:
    """Compare what rows lose with the paper's settings on the folds in which these were tried."""
    paper = next((path for path in race.paths if path.setting == PAPER and path.parts), None)
    if paper is None:
        return math.nan
    rows, lost = race.plain_losses(paper)
    _, here, there = np.intersect1d(losses.rows, rows, return_indices=True)
    difference = lost[_nearest(paper.lams, PAPER_LAM), there] - of_rows[here]
    return float(np.average(difference, weights=losses.weights[here]))


def _settled(race: Race, path: Path, place: int) -> OPNBClassifier:
    """Give an unfitted classifier with the settings of a choice."""
    return race.template_of(path).set_params(lam=path.lams[place], **race.odds(path, place))


def _walked(
    race: Race, path: Path, place: int, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> OPNBClassifier:
    """Fit as in the folds, where every solution starts the next, and bring the last to the tolerance."""
    model = fit_path(_settled(race, path, place), X, y, path.lams[place:], sample_weight=sample_weight)[0]
    finish(model, X, y, sample_weight)
    return model


def _of_a_fold(
    race: Race, path: Path, place: int, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> OPNBClassifier:
    """Give a model of all rows with the directions that a fold has found, if any was finished."""
    model = _settled(race, path, place)
    if path.solutions:
        model.set_params(init=path.solutions[min(path.solutions)][place])
    return model.fit(X, y, sample_weight)
