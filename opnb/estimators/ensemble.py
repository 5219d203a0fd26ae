"""OPNB+: the searches of a choice of settings, all of which vote.

`OPNBAuto` tries settings on folds and keeps one. Here the same searches, of a few more settings, stay: every setting
predicts by the mean posterior of its fits, one a fold, and settings are weighed by stacking. The weights maximise the
likelihood of the mixture on rows left out,

    sum_i log sum_s w_s p_s(y_i | x_i),

by the steps w_s <- mean_i w_s p_si / sum_t w_t p_ti of expectation and maximisation. The few with the largest weights
are kept. No search is repeated for the final model.
"""

from pathlib import Path as FilePath
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp
from sklearn.utils import Bunch

from opnb.core.kernel import Array
from opnb.core.optimise import Callback
from opnb.errors import FitError
from opnb.estimators.base import JointLogLikelihoodClassifier
from opnb.estimators.candidates import BEND, begin_race, check_racing, variations
from opnb.estimators.model_files import ensemble_to_bytes
from opnb.estimators.race import Path, Race, Setting
from opnb.estimators.validation import check_whole_number

# Of the sets of paths that were compared on half of the data sets of the experiment these did best for their cost.
_VARIATIONS: tuple[Setting, ...] = (
    {},
    {"bend": BEND},
    {"independence": 0.0},
    {"bend": 1.0},
    {"independence": 0.01},
    {"likelihood": "resubstitution"},
)
# Bent directions are rarely better and have to earn their weight: a bent setting begins with this share of a straight.
_BENT_START = 0.3
_STEPS = 300


class OPNBEnsemble(JointLogLikelihoodClassifier):
    """Averaged posteriors of OPNB over folds and over settings that earn their weight on rows left out.

    It has no single projection to be seen: `OPNBAuto` chooses one from the same searches.

    Parameters
    ----------
    cv : int, splitter or iterable, default=5
        Number of stratified folds, drawn with `random_state`, or anything that scikit-learn accepts.
    n_kept : int, default=8
        Most settings that vote, each with one fit a fold.
    max_seconds : float, default=None
        Time after which no other combination of settings is begun. None means no limit.
    n_components, scale, priors :
        As in `OPNBClassifier`, for every setting.
    n_jobs : int, default=None
        Number of searches that run at a time, in threads. Without `max_seconds` the result does not depend on it.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    callback : callable, default=None
        Sees every iteration of every search. A true result ends the work: what is complete by then votes.

    Attributes
    ----------
    members_ : list of OPNBClassifier
        All fits that vote; those of the same setting follow one another.
    weights_ : ndarray of shape (n_members,)
        What each vote counts; they sum to one.
    settings_ : list of Bunch
        Lam, likelihood, independence, penalty and bend of every setting that votes, and its weight; the heaviest first.
    trials_ : list of Bunch
        Every setting tried, as in `OPNBAuto`.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when X has feature names that are all strings.

    See Also
    --------
    OPNBAuto : One projection, that can be seen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBEnsemble(cv=3, max_seconds=1).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        *,
        cv: Any = 5,
        n_kept: int = 8,
        max_seconds: float | None = None,
        n_components: int | None = None,
        scale: bool | str = True,
        priors: str | ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        callback: Callback | None = None,
    ) -> None:
        self.cv = cv
        self.n_kept = n_kept
        self.max_seconds = max_seconds
        self.n_components = n_components
        self.scale = scale
        self.priors = priors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback

    def fit(
        self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Search with all settings outside every fold, and weigh them by the rows inside.

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
        check_whole_number("n_kept", self.n_kept)
        check_racing(self)
        return self._refit(lambda fresh: fresh._learn(X, y, groups, sample_weight))

    def _learn(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None, sample_weight: ArrayLike | None) -> None:
        race, _ = begin_race(self, X, y, groups, sample_weight, "log-loss")
        race.enter(variations(race, _VARIATIONS))
        self.classes_, self.trials_ = np.unique(race.y), race.trials()
        complete = race.complete()
        if not complete:
            raise FitError(
                "The work was stopped before one setting had seen all folds: there is nothing that could vote."
            )
        self._keep(race, complete)

    def _keep(self, race: Race, paths: list[Path]) -> None:
        """Weigh the settings and make the models of those that vote."""
        losses = race.losses(paths, range(len(race.folds)))
        begin = np.repeat([1.0 if path.setting["bend"] is None else _BENT_START for path in paths], losses.sizes)
        weights = stacked(losses.main, losses.weights, begin)
        places = [(path, place) for path in paths for place in range(len(path.lams))]
        heaviest = np.argsort(-weights, kind="stable")[: self.n_kept]
        shares = weights[heaviest] / weights[heaviest].sum()
        chosen = [places[number] for number in heaviest]
        self.settings_ = [
            Bunch(lam=path.lams[place], **path.setting, weight=float(share))
            for (path, place), share in zip(chosen, shares, strict=True)
        ]
        self.members_ = [race.member(path, place, fold) for path, place in chosen for fold in range(len(race.folds))]
        self.weights_ = np.repeat(shares / len(race.folds), len(race.folds))

    def _joint_log_likelihood(self, X: Array) -> Array:
        columns = [np.searchsorted(self.classes_, member.classes_) for member in self.members_]
        posteriors = np.full((len(self.members_), len(X), self.classes_.size), -np.inf)
        for posterior, known, member in zip(posteriors, columns, self.members_, strict=True):
            posterior[:, known] = member.predict_log_proba(X)  # a fold may have held out all rows of a class
        return logsumexp(posteriors, axis=0, b=self.weights_[:, None, None])

    def save(self, path: str | FilePath) -> None:
        """Write the fitted model to a file that holds numbers and text only; `load_model` reads it back.

        Parameters
        ----------
        path : str or path
        """
        FilePath(path).write_bytes(ensemble_to_bytes(self))


def stacked(log_losses: Array, row_weights: Array, begin: Array) -> Array:
    """Weigh settings so that their mixture makes rows left out likely.

    Parameters
    ----------
    log_losses : ndarray of shape (n_settings, n_rows)
        Negative log posterior of the true class.
    row_weights : ndarray of shape (n_rows,)
    begin : ndarray of shape (n_settings,)
        Positive weights to begin with.

    Returns
    -------
    ndarray of shape (n_settings,)
        They sum to one. The steps are stopped at a number that keeps them short of an optimum which follows the rows.
    """
    likely = np.exp(log_losses.min(axis=0) - log_losses)  # against the best of each row, which changes nothing
    shares = row_weights / row_weights.sum()
    weights: Array = begin / begin.sum()
    for _ in range(_STEPS):
        weights = weights * (likely / (weights @ likely) @ shares)
    return weights
