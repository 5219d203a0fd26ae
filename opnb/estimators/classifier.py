"""The scikit-learn estimator: find the projection on which kernel naive Bayes classifies best."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from opnb.core.densities import joint_log_likelihood
from opnb.core.kernel import Array
from opnb.core.lattice_densities import LatticeDensities
from opnb.core.optimise import Callback, Trace
from opnb.core.posterior import log_posterior
from opnb.core.weights import check_priors
from opnb.estimators.base import JointLogLikelihoodClassifier, ProjectionMixin
from opnb.estimators.model_files import model_to_bytes
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.rows import TrainingRows, training_rows
from opnb.estimators.search import HISTORY_FIELDS, Outcome, Start, search
from opnb.estimators.validation import check_lam, check_parameters
from opnb.quiet import warn

# Standard deviations beyond which two classes' densities cannot be told apart in double precision.
_FARTHEST = 1e12


class OPNBClassifier(ProjectionMixin, JointLogLikelihoodClassifier):
    """Kernel naive Bayes on the linear projection that suits it best.

    The directions maximise the penalised log-likelihood of the classes given the projected points, where each class
    has the product of its kernel densities along the directions (Hofmeyr, Kamper and Melonas).

    Parameters
    ----------
    n_components : int, default=None
        Number of directions; None means min(n_features, 20).
    lam : float, default=1e-3
        Weight of the penalty. The larger, the smoother the densities.
    penalty : {"frobenius", "total", "pooled"}, default="frobenius"
        Squared size of the projection, or the variance of the projected data, in total or within classes. The last
        two suit data in which few directions carry most of the variance.
    init : {"pca", "random"}, array-like of shape (n_features, n_components) or callable, default="pca"
        Where the search starts. A callable gets the scaled X, the class numbers and the number of directions; an array
        sets the number of directions where `n_components` does not.
    n_init : int, default=1
        Number of starts when init="random"; more than one with another start is refused. Every start is kept in
        `starts_`.
    combine : {"best", "average"}, default="best"
        Predict with the start of the best objective, or average the posteriors of all starts.
    likelihood : {"resubstitution", "leave-one-out"}, default="resubstitution"
        Whether a point's own kernel counts in its class's density (the paper) or is left out.
    n_bins : int, "auto" or None, default="auto"
        Least number of lattice points a direction for the kernel sums of the fit; None sums exactly. "auto" bins from
        1,000 rows on, which is twice as fast, and sums exactly with fewer rows or with leave-one-out. Predictions do
        not depend on it: they are exact to at least five digits.
    scale : bool or "robust", default=True
        Whether to divide every feature by its standard deviation in the training data. "robust" centres at the median
        and divides by the range of the middle half (as wide as a standard deviation if the feature is normal), which a
        few gross outliers cannot move.
    max_iter : int, default=100
        Limit on the iterations of a start. 0 searches nothing: the model has the directions of `init`, which may be an
        array of one's own.
    tol : float, default=1e-5
        Tolerance on the largest entry of the gradient.
    independence : float, default=0.0
        Weight of the squared correlations of the directions within classes. Naive Bayes takes them for independent,
        yet two equal directions often pay: they count the same evidence twice. About 0.1 keeps them apart; 0 is the
        paper's method.
    bend : float, default=None
        How much directions may bend: they are straight in the leading components of the kernel exp(-a ||x - x'||^2)
        with a = bend / total variance of the scaled features, so that a small value bends little; 1 is a good one.
        None means straight in the features themselves.
    priors : None, "uniform" or array-like of shape (n_classes,), default=None
        Probabilities of the classes, in the objective and in the posteriors; None means their shares in the rows.
    decision_priors : None, "uniform" or array-like of shape (n_classes,), default=None
        Probabilities of the classes in the posteriors alone, where these should be others than those that the search
        goes by. `OPNBAuto` learns some from rows left out. None means those of `priors`.
    sharpness : float, default=1.0
        Power to which posteriors are raised before they are made to sum to one. Directions are never quite independent
        within classes, so their product is surer than it should be: below one takes that back. Classes predicted stay
        the same. `OPNBAuto` learns it from rows left out.
    n_jobs : int, default=None
        Number of starts that run at a time, in threads. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.
    callback : callable, default=None
        Called with every `Iteration` (number, objective and its parts, V, start); a true result stops the fit and
        keeps what was reached.
    verbose : int, default=0
        Print the objective every `verbose` iterations.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions of unit length in the space of scaled features, in the order in which they add to the likelihood;
        with `bend` in the space of `columns_`, of shape (n_components, n_columns).
    slopes_ : ndarray of shape (n_components, n_features)
        How directions change with each scaled feature: `components_` if they are straight. If they bend, the root mean
        square of the slope where the training rows are, with the sign of its mean, every direction of unit length.
    columns_ : RadialColumns or None
        The columns in which bent directions are straight.
    bandwidths_ : ndarray of shape (n_components,)
        Bandwidth of the kernel on every direction.
    objective_, log_likelihood_ : float
        With and without the penalty, at the solution, an observation, summed exactly.
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Probabilities of the classes in the posteriors.
    sharpness_ : float
        Power to which posteriors are raised.
    mean_, scale_ : ndarray of shape (n_features,)
        What every feature is centred and divided by.
    history_ : list of Bunch
        One record an iteration, the start included: objective, log_likelihood, penalty, class_term, mixture_term,
        dependence (what `independence` weighs), gradient_norm, seconds. With a binned fit these are the binned values.
    starts_ : list of Bunch
        One record a start: objective, log_likelihood, n_iter, converged, seconds, seed, V.
    n_iter_ : int
    densities_ : list of ClassDensities or LatticeDensities
        The model on the directions, and beside it those of the other starts where posteriors are averaged. From 20,000
        rows on, and with Dask, log densities are kept on a lattice, off by no more than their `errors` on each
        direction (a few millionths), so that the size of a model does not depend on the number of rows;
        `n_bins=None` keeps exact ones.
    sample_ : Bunch or None
        With densities on a lattice, 5,000 rows for pictures (X, y): they go into model files, too, unless you set this
        to None.
    converged_ : bool
        Whether the search came to rest: the gradient met `tol`, or a step gained less than tol / 1000 of the
        objective. It says nothing about other optima.
    stopped_ : bool
        Whether the callback stopped the fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when X has feature names that are all strings.

    See Also
    --------
    OPNBClassifierCV : Chooses lam by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> round(clf.score(X, y), 2)
    0.98
    """

    def __init__(
        self,
        *,
        n_components: int | None = None,
        lam: float = 1e-3,
        penalty: str = "frobenius",
        init: str | ArrayLike | Callable[[Array, NDArray, int], Array] = "pca",
        n_init: int = 1,
        combine: str = "best",
        likelihood: str = "resubstitution",
        n_bins: int | str | None = "auto",
        scale: bool | str = True,
        max_iter: int = 100,
        tol: float = 1e-5,
        independence: float = 0.0,
        bend: float | None = None,
        priors: str | ArrayLike | None = None,
        decision_priors: str | ArrayLike | None = None,
        sharpness: float = 1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.lam = lam
        self.penalty = penalty
        self.init = init
        self.n_init = n_init
        self.combine = combine
        self.likelihood = likelihood
        self.n_bins = n_bins
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.independence = independence
        self.bend = bend
        self.priors = priors
        self.decision_priors = decision_priors
        self.sharpness = sharpness
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the projection and the class densities on it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Or a Dask array or data frame: its partitions stay where they are (extra `cluster`), y and weights are
            collections with the same partitions. Leave-one-out, `bend`, exact sums and the robust scale need all rows
            in one memory.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            What rows count: a weight of two is the row twice (with leave-one-out, where a row is left out with its
            whole weight, it is not), a weight of zero is no row.

        Returns
        -------
        self
        """
        check_parameters(self)
        check_lam(self.lam, self.likelihood)
        self._refit(lambda fresh: _learn(fresh, X, y, sample_weight))
        self.warn_if_it_gave_up()
        return self

    def warn_if_it_gave_up(self) -> None:
        """Warn with `ConvergenceWarning` if the search ended short of its tolerance."""
        if not (self.converged_ or self.stopped_) and self.max_iter > 0:
            warn(
                f"The search gave up after {self.n_iter_} iterations ({self._message}), short of tol={self.tol:g}. "
                "The model can be used; raise max_iter or lam for one that no longer moves.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def scaled(self, X: ArrayLike) -> Array:
        """Centre and scale rows as the training rows were; with `bend`, give their columns, too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_samples, n_columns)
            What `components_` multiply.
        """
        return self._scaled(self._validated(X))

    def _scaled(self, X: Array) -> Array:
        with np.errstate(over="ignore"):
            scaled = np.clip((X - self.mean_) / self.scale_, -np.finfo(float).max, np.finfo(float).max)
        far = np.abs(scaled).max(axis=1, initial=0.0) > _FARTHEST
        if far.any():
            warn(
                f"{far.sum()} of {len(X)} rows lie more than {_FARTHEST:g} standard deviations from the training rows: "
                "what is predicted for them means nothing. Are their units those of the training rows?",
                stacklevel=4,
            )
        return scaled if self.columns_ is None else self.columns_.apply(scaled)

    @property
    def slopes_(self) -> Array:
        """How directions change with each scaled feature."""
        return self.components_ if self.columns_ is None else self.columns_.slopes(self.components_)

    def _joint_log_likelihood(self, X: Array) -> Array:
        return self.sharpness_ * joint_log_likelihood(self.densities_, self._scaled(X))

    def marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        """Evaluate the class densities along one direction.

        Parameters
        ----------
        direction : int
            Index into `components_`.
        grid : array-like of shape (m,)
            Positions in the units of `transform`.

        Returns
        -------
        ndarray of shape (n_classes, m)
            Each row integrates to one; class shares are not applied. Zero on a direction of infinite bandwidth.
        """
        log_densities = self.log_marginal_densities(direction, grid)
        return np.exp(log_densities) if np.isfinite(self.bandwidths_[direction]) else np.zeros_like(log_densities)

    def log_marginal_densities(self, direction: int, grid: ArrayLike) -> Array:
        """Evaluate the logarithms of the class densities along one direction, finite at any distance from the data.

        Parameters
        ----------
        direction : int
            Index into `components_`.
        grid : array-like of shape (m,)
            Positions in the units of `transform`.

        Returns
        -------
        ndarray of shape (n_classes, m)
            On a direction of infinite bandwidth, where classes cannot be told apart, a common constant.
        """
        # The check itself takes longer than the densities, of which pictures ask many.
        if not hasattr(self, "densities_"):
            check_is_fitted(self)
        (direction,) = self._checked_directions([direction])
        return self.densities_[0].log_densities(direction, np.asarray(grid, dtype=float).ravel())

    def log_density_contributions(self, X: ArrayLike) -> Array:
        """Give what every direction says about every class at each row: naive Bayes is their sum.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components, n_classes)
            Log densities on each direction. Summed over the directions, plus the logarithm of `class_prior_`, they are
            the joint log-likelihood; the difference of two classes, times `sharpness_`, splits their log-odds by
            direction. Of averaged starts, those of the best.
        """
        densities, Z = self.densities_[0], self.transform(X)
        return np.stack([densities.log_densities(d, np.ascontiguousarray(z)).T for d, z in enumerate(Z.T)], axis=1)

    def predict_log_proba_on(self, Z: ArrayLike, directions: Sequence[int]) -> Array:
        """Give log posteriors of the model restricted to some directions.

        Parameters
        ----------
        Z : array-like of shape (m, len(directions))
            Projected points, in the units of `transform`.
        directions : sequence of int
            Indices into `components_`.

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        check_is_fitted(self)
        chosen = self._checked_directions(directions)
        positions = np.asarray(Z, dtype=float)
        if positions.ndim != 2 or positions.shape[1] != len(chosen):
            raise ValueError(f"Z must have one column for each of the {len(chosen)} directions, got {positions.shape}.")
        return log_posterior(self.sharpness_ * self.densities_[0].joint_log_likelihood(positions, chosen))

    def _checked_directions(self, directions: Sequence[int]) -> list[int]:
        m = self._n_features_out
        for direction in directions:
            if not -m <= direction < m:
                raise ValueError(f"direction {direction} is out of range: the model has {m} directions, from 0.")
        return [int(direction) % m for direction in directions]

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a file that holds numbers and text only.

        `load_model` reads it back and predicts the same. Loading can run no code, so a file from a stranger is safe.
        A callable `init` and the `callback` are not written. An attribute `recipe_` (plain values that say how a table
        becomes X, see `opnb.data.Recipe.to_dict`) is, if it was set, and so is `novelty_` (the `scores` of
        `opnb.estimators.novelty.learn_novelty`, by which new rows are told from the training rows).

        Parameters
        ----------
        path : str or path
        """
        Path(path).write_bytes(model_to_bytes(self))


def _learn(classifier: OPNBClassifier, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
    with one_blas_thread():
        rows = training_rows(classifier, X, y, sample_weight)
        check_priors(classifier.decision_priors, rows.classes.size, "decision_priors")  # not after a long search
        problem = rows.pose(classifier, classifier.lam)
        keep_outcome(classifier, rows, search(classifier, problem, rows.starts(classifier), classifier.max_iter))


def keep_outcome(classifier: OPNBClassifier, rows: TrainingRows, outcome: Outcome, *, ordered: bool = True) -> None:
    """Set the fitted attributes of a classifier.

    Parameters
    ----------
    classifier : OPNBClassifier
    rows : TrainingRows
    outcome : Outcome
    ordered : bool, default=True
        Whether to order the directions by what they add; predictions do not need it.
    """
    clf, problem, best = classifier, outcome.problem, outcome.best
    trace = outcome.traces[best]
    clf.classes_ = rows.classes
    decisive = check_priors(clf.decision_priors, clf.classes_.size, "decision_priors")
    priors = problem.priors if decisive is None else decisive
    clf.class_prior_ = rows.shares if priors is None else priors
    clf.sharpness_ = float(clf.sharpness)
    clf.mean_, clf.scale_, clf.columns_ = rows.scaling.mean, rows.scaling.scale, rows.columns
    order, clf.log_likelihood_ = np.arange(trace.V.shape[1]), trace.last.log_likelihood
    if ordered:
        order, clf.log_likelihood_ = rows.ordered(trace.V, problem, trace.last.log_likelihood)
    averaged = [t for number, t in enumerate(outcome.traces) if number != best] if clf.combine == "average" else []
    found = [trace.V[:, order], *(other.V for other in averaged)]
    clf.densities_ = [rows.densities(V, problem).with_priors(priors) for V in found]
    clf.sample_ = rows.sample() if ordered and isinstance(clf.densities_[0], LatticeDensities) else None
    clf.components_, clf.bandwidths_ = clf.densities_[0].components, clf.densities_[0].bandwidths
    last = trace.last
    clf.objective_ = clf.log_likelihood_ - clf.lam * last.penalty - clf.independence * last.dependence
    clf.history_ = [Bunch(**{name: getattr(iteration, name) for name in HISTORY_FIELDS}) for iteration in trace.history]
    clf.starts_ = [_start_record(start, t) for start, t in zip(outcome.starts, outcome.traces, strict=False)]
    clf.best_start_ = best
    clf.n_iter_, clf.converged_, clf.stopped_ = trace.n_iter, trace.converged, trace.stopped
    clf._message = trace.message


def _start_record(start: Start, trace: Trace) -> Bunch:
    last = trace.last
    return Bunch(
        objective=last.objective,
        log_likelihood=last.log_likelihood,
        n_iter=trace.n_iter,
        converged=trace.converged,
        seconds=last.seconds,
        seed=start.seed,
        V=trace.V,
    )
