"""OPNB+: the posteriors of many searches averaged, with their settings judged on rows that each search left out.

A single search ends in one of several optima, and one likelihood, penalty and lam must be picked by noisy
cross-validation. The ensemble picks less. The rows are cut into folds; for every setting and fold one search starts at
random from the rows outside the fold, and predicts those inside. Searches are made in the columns as they are and in
the components of a radial kernel, where a straight projection bends. Settings that fall behind are given up early. At
the end all settings that cannot be told from the best (one standard error) keep their searches, and these vote: no
search is repeated for the final model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from opnb.core.kernel import Array
from opnb.core.objective import AUTO_POINTS, LIKELIHOODS
from opnb.estimators.base import JointLogLikelihoodClassifier
from opnb.estimators.classifier import OPNBClassifier, keep_outcome, own_training_data
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.search import pose, search, starting_points
from opnb.estimators.training import validated
from opnb.estimators.validation import check_class_sizes, check_lam, check_whole_number

ENSEMBLE_LAMS = tuple(1e-4 * 8.0**i for i in range(-1, 4))
ENSEMBLE_BENDS = (1.0,)
_PENALTIES = ("frobenius", "pooled")
# Settings are given up from the second fold on, when they are this many standard errors behind the best.
_JUDGED_FOLDS, _BEHIND, _EQUAL = 2, 2.0, 1.0
# Rows of a class that a fold may hold out; of a smaller class all are needed for its density.
_LEAST_ROWS = 4


@dataclass(eq=False)
class Candidate:
    """One setting with its searches and how they did on the rows left out.

    Attributes
    ----------
    likelihood, penalty : str
    lam : float
    bend : float or None
        Of the directions, in the components of a radial kernel; None for straight ones in the columns themselves.
    members : list of OPNBClassifier
        One for every fold seen; empty again if the setting is not kept.
    wrong, judged : int
        Errors on the rows left out, and the number of those rows.
    log_loss : float
        Sum over the rows left out.
    """

    likelihood: str
    penalty: str
    lam: float
    bend: float | None = None
    members: list[OPNBClassifier] = field(default_factory=list, repr=False)
    wrong: int = 0
    judged: int = 0
    log_loss: float = 0.0

    @property
    def error(self) -> float:
        """Share of errors among the rows left out."""
        return self.wrong / max(self.judged, 1)


class OPNBEnsemble(JointLogLikelihoodClassifier):
    """Averaged posteriors of OPNB over random starts, folds and the settings that do best.

    Parameters
    ----------
    lams : sequence of float, default=None
        Weights of the penalty to choose from; None means 1e-4 * 8**i for i = -1..3.
    bends : sequence of float, default=None
        How much directions may bend: searches are also made in the components of the kernel exp(-a ||x - x'||^2) with
        a = bend / total variance of the columns. None means 1, an empty sequence straight directions alone.
    n_folds : int, default=10
        Parts into which the rows are cut. Each setting has as many searches.
    n_kept : int, default=8
        Most settings that vote.
    n_components : int, default=None
        Number of directions of every search; None means min(n_features, 20).
    max_iter : int, default=60
        Limit on the iterations of a search. The average needs no search to reach its optimum.
    scale : bool, default=True
        Whether to divide every feature by its standard deviation in the training rows.
    n_jobs : int, default=None
        Number of searches at a time, in threads. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds and starts.

    Attributes
    ----------
    candidates_ : list of Candidate
        Every setting with its errors on the rows left out.
    kept_ : list of Candidate
        Those that vote, the best first.
    n_iter_ : int
        Iterations of the longest search that votes.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when X has feature names that are all strings.

    See Also
    --------
    OPNBClassifierCV : One search with lam chosen by cross-validation; its projection can be shown.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBEnsemble(lams=[1e-3, 1e-2], n_folds=5, random_state=0).fit(X, y)
    >>> clf.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        *,
        lams: Sequence[float] | None = None,
        bends: Sequence[float] | None = None,
        n_folds: int = 10,
        n_kept: int = 8,
        n_components: int | None = None,
        max_iter: int = 60,
        scale: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.lams = lams
        self.bends = bends
        self.n_folds = n_folds
        self.n_kept = n_kept
        self.n_components = n_components
        self.max_iter = max_iter
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Search from every fold with every setting that keeps up.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_whole_number("n_folds", self.n_folds, least=2)
        check_whole_number("n_kept", self.n_kept)
        return self._refit(lambda fresh: fresh._race(X, y))

    def _race(self, X: ArrayLike, y: ArrayLike) -> None:
        checked, targets = validated(self, X, y)
        self.classes_, labels = np.unique(targets, return_inverse=True)
        counts = np.bincount(labels)
        check_class_sizes(self.classes_, counts, LIKELIHOODS[0])
        self.candidates_ = self._candidates(alone=bool(counts.min() < 2))
        random = check_random_state(self.random_state)
        folds = _fold_of_rows(labels, self.n_folds, random)
        seeds = random.randint(2**31 - 1, size=(self.n_folds, len(self.candidates_)))
        with one_blas_thread():
            racing = self.candidates_
            for fold in range(self.n_folds):
                self._run(racing, checked, targets, folds == fold, seeds[fold])
                if fold + 1 >= _JUDGED_FOLDS:
                    racing = _near_the_best(racing, _BEHIND)
        self._keep(racing)

    def _candidates(self, alone: bool) -> list[Candidate]:
        """List the settings; a class of a single row has no leave-one-out density."""
        lams = [float(lam) for lam in (ENSEMBLE_LAMS if self.lams is None else self.lams)]
        if not lams:
            raise ValueError("lams is empty: give at least one value, or None for the default grid.")
        likelihoods = LIKELIHOODS[:1] if alone else LIKELIHOODS
        for lam, likelihood in product(lams, likelihoods):
            check_lam(lam, likelihood)
        straight = [Candidate(*setting) for setting in product(likelihoods, _PENALTIES, lams)]
        # In a space of functions their squared length is the natural penalty.
        bent = product(likelihoods, _PENALTIES[:1], lams, self._checked_bends())
        return straight + [Candidate(*setting) for setting in bent]

    def _checked_bends(self) -> list[float]:
        bends = [float(bend) for bend in (ENSEMBLE_BENDS if self.bends is None else self.bends)]
        for bend in bends:
            if not 0 < bend < np.inf:
                raise ValueError(f"bends must be positive finite numbers, got {bend}.")
        return bends

    def _run(self, racing: list[Candidate], X: Array, y: NDArray, out: NDArray[np.bool_], seeds: NDArray) -> None:
        """Search with every setting outside a fold, and note what becomes of the rows inside."""
        numbers = [self.candidates_.index(candidate) for candidate in racing]
        searches = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(self._search)(candidate, X[~out], y[~out], int(seeds[number]))
            for candidate, number in zip(racing, numbers, strict=True)
        )
        for candidate, classifier in zip(racing, searches, strict=True):
            candidate.members.append(classifier)
            if out.any():
                log_posterior = classifier.predict_log_proba(X[out])
                truth = np.searchsorted(self.classes_, y[out])
                candidate.wrong += int(np.sum(log_posterior.argmax(axis=1) != truth))
                candidate.log_loss -= float(log_posterior[np.arange(truth.size), truth].sum())
                candidate.judged += truth.size

    def _search(self, candidate: Candidate, X: Array, y: NDArray, seed: int) -> OPNBClassifier:
        classifier = OPNBClassifier(
            n_components=self.n_components,
            lam=candidate.lam,
            penalty=candidate.penalty,
            likelihood=candidate.likelihood,
            init="random",
            n_bins=None if candidate.likelihood == "leave-one-out" else AUTO_POINTS,
            scale=self.scale,
            bend=candidate.bend,
            max_iter=self.max_iter,
            random_state=seed,
        )
        # A vote needs neither the order of the directions nor a search that has come to rest.
        data = own_training_data(classifier, X, y)
        problem, starts = pose(classifier, data, classifier.lam), starting_points(classifier, data.X, data.labels)
        keep_outcome(classifier, data, search(classifier, problem, starts, classifier.max_iter), ordered=False)
        return classifier

    def _keep(self, racing: list[Candidate]) -> None:
        best = sorted(_near_the_best(racing, _EQUAL), key=lambda c: (c.error, c.log_loss))
        self.kept_ = best[: self.n_kept]
        for candidate in self.candidates_:
            if candidate not in self.kept_:
                candidate.members = []
        self.n_iter_ = max(member.n_iter_ for member in self._members())

    def _members(self) -> list[OPNBClassifier]:
        return [member for candidate in self.kept_ for member in candidate.members]

    def _joint_log_likelihood(self, X: Array) -> Array:
        posteriors = [member.predict_log_proba(X) for member in self._members()]
        return logsumexp(posteriors, axis=0) - np.log(len(posteriors))


def _fold_of_rows(labels: NDArray, n_folds: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """Deal the rows of every class out to the folds; -1 for a row that is never held out."""
    folds = np.full(labels.size, -1)
    dealt = 0
    for k in range(labels.max() + 1):
        rows = random.permutation(np.flatnonzero(labels == k))
        if rows.size >= _LEAST_ROWS:
            # Classes go on where the last one ended, so that small ones do not all meet in the first fold.
            folds[rows] = (dealt + np.arange(rows.size)) % n_folds
            dealt += rows.size
    return folds


def _near_the_best(candidates: list[Candidate], width: float) -> list[Candidate]:
    """Give the settings whose error lies within `width` standard errors of the least one."""
    best = min(candidates, key=lambda c: c.error)
    # Half an error keeps a perfect score from ruling out all others by chance.
    share = (best.wrong + 0.5) / (best.judged + 1)
    margin = width * np.sqrt(share * (1 - share) / max(best.judged, 1))
    return [c for c in candidates if c.error <= best.error + margin]
