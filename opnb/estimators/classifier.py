"""The scikit-learn estimator: find the projection on which kernel naive Bayes classifies best."""

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from opnb.core.densities import ClassDensities, greedy_order
from opnb.core.initialisation import pca_start, random_start
from opnb.core.kernel import Array
from opnb.core.objective import Problem, make_problem
from opnb.core.optimise import Callback, Iteration, Trace, maximise
from opnb.estimators.base import JointLogLikelihoodClassifier
from opnb.estimators.parallel import one_blas_thread
from opnb.estimators.validation import check_class_sizes, check_lam, check_parameters, check_start

_LARGEST_DEFAULT = 20
HISTORY_FIELDS = (
    "objective",
    "log_likelihood",
    "penalty",
    "class_term",
    "mixture_term",
    "gradient_norm",
    "seconds",
)


@dataclass(frozen=True)
class Start:
    """Where one search begins, and the seed that gave it."""

    V: Array
    seed: int | None


class OPNBClassifier(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    JointLogLikelihoodClassifier,
):
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
        Where the search starts. A callable gets the scaled X, the class numbers and the number of directions.
    n_init : int, default=1
        Number of starts when init="random". Every start is kept in `starts_`.
    combine : {"best", "average"}, default="best"
        Predict with the start of the best objective, or average the posteriors of all starts.
    likelihood : {"resubstitution", "leave-one-out"}, default="resubstitution"
        Whether a point's own kernel counts in its class's density (the paper) or is left out.
    n_bins : int, "auto" or None, default="auto"
        Least number of lattice points a direction for the kernel sums of the fit; None sums exactly. "auto" bins from
        1,000 rows on, which is twice as fast, and sums exactly with fewer rows or with leave-one-out. Predictions are
        always exact.
    scale : bool, default=True
        Whether to divide every feature by its standard deviation in the training data.
    max_iter : int, default=100
        Limit on the iterations of a start.
    tol : float, default=1e-5
        Tolerance on the largest entry of the gradient.
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
        Directions of unit length in the space of scaled features, in the order in which they add to the likelihood.
    bandwidths_ : ndarray of shape (n_components,)
        Bandwidth of the kernel on every direction.
    objective_, log_likelihood_ : float
        With and without the penalty, at the solution, an observation, summed exactly.
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
    mean_, scale_ : ndarray of shape (n_features,)
        What every feature is centred and divided by.
    history_ : list of Bunch
        One record an iteration, the start included: objective, log_likelihood, penalty, class_term, mixture_term,
        gradient_norm, seconds. With a binned fit these are the binned values.
    starts_ : list of Bunch
        One record a start: objective, log_likelihood, n_iter, converged, seconds, seed, V.
    n_iter_ : int
    converged_, stopped_ : bool
        Whether the tolerance was met; whether the callback stopped the fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
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
        scale: bool = True,
        max_iter: int = 100,
        tol: float = 1e-5,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the projection and the class densities on it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_parameters(self)
        check_lam(self.lam, self.likelihood)
        Xs, labels = self._validated_training_data(X, y)
        with one_blas_thread():
            problem = self._problem(Xs, labels, self.lam)
            starts = self._starting_points(Xs, labels)
            traces = self._search(problem, starts, self.max_iter)
            self._keep(problem, starts, traces)
        self.warn_if_it_gave_up()
        return self

    def _problem(self, Xs: Array, labels: NDArray, lam: float) -> Problem:
        return make_problem(
            Xs,
            labels,
            self.classes_.size,
            lam=lam,
            penalty=self.penalty,
            likelihood=self.likelihood,
            n_bins=self.n_bins,
        )

    def warn_if_it_gave_up(self) -> None:
        """Warn with `ConvergenceWarning` if the search ended short of its tolerance."""
        if not (self.converged_ or self.stopped_):
            warnings.warn(
                f"The search gave up after {self.n_iter_} iterations ({self._message}), short of tol={self.tol:g}. "
                "The model can be used; raise max_iter or lam for one that no longer moves.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _validated_training_data(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, NDArray]:
        """Check the data, set what predictions need of them, and give scaled X and class numbers."""
        checked, targets = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(targets)
        self.classes_, labels = np.unique(targets, return_inverse=True)
        counts = np.bincount(labels)
        check_class_sizes(self.classes_, counts, self.likelihood)
        self.class_prior_ = counts / counts.sum()
        self.mean_ = checked.mean(axis=0)
        Xs = checked - self.mean_
        self.scale_ = np.ones(checked.shape[1])
        if self.scale:
            deviation = np.sqrt(np.einsum("ij,ij->j", Xs, Xs) / (len(Xs) - 1))
            # The deviation of a constant feature is rounding, not zero: dividing by it would blow up noise.
            varies = (np.ptp(checked, axis=0) > 0) & (deviation > 0)
            self.scale_[varies] = deviation[varies]
            Xs[:, ~varies] = 0.0
            Xs /= self.scale_
        return Xs, labels

    def _take_training_data(self, other: "OPNBClassifier") -> None:
        """Take over what `_validated_training_data` set on another estimator."""
        names = ("classes_", "class_prior_", "mean_", "scale_", "n_features_in_", "feature_names_in_")
        self.__dict__.update({name: value for name, value in vars(other).items() if name in names})

    def _starting_points(self, Xs: Array, labels: NDArray) -> list[Start]:
        """Make the projections from which the searches begin."""
        p = Xs.shape[1]
        m = min(p, _LARGEST_DEFAULT) if self.n_components is None else int(self.n_components)
        if m > p:
            raise ValueError(f"n_components={m} must be at most the number of features, {p}. Lower it, or use None.")
        if isinstance(self.init, str) and self.init == "random":
            # Plain integers, so that a single start can be repeated by its seed.
            seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_init)
            return [Start(random_start(p, m, np.random.default_rng(seed)), int(seed)) for seed in seeds]
        if isinstance(self.init, str):
            return [Start(pca_start(Xs, m), None)]
        given = self.init(Xs, labels, m) if callable(self.init) else self.init
        return [Start(check_start(given, (p, m)), None)]

    def _search(self, problem: Problem, starts: Sequence[Start], max_iter: int) -> list[Trace]:
        """Run every start. After a stop by the callback the starts that have not begun are left out."""
        stop = threading.Event()

        def run(number: int, start: Start) -> Trace | None:
            if stop.is_set():
                return None

            def watch(iteration: Iteration) -> bool:
                self._print(number, iteration)
                if self.callback is not None and self.callback(iteration):
                    stop.set()
                return stop.is_set()

            return maximise(problem, start.V, max_iter=max_iter, tol=self.tol, callback=watch, start_number=number)

        if len(starts) == 1:  # a path of lambdas is many short searches: no machinery around each
            return [trace for trace in [run(0, starts[0])] if trace is not None]
        jobs = (delayed(run)(number, start) for number, start in enumerate(starts))
        traces = Parallel(n_jobs=self.n_jobs, require="sharedmem")(jobs)
        return [trace for trace in traces if trace is not None]

    def _print(self, number: int, iteration: Iteration) -> None:
        if self.verbose and iteration.number % self.verbose == 0:
            print(f"start {number}  iteration {iteration.number:4d}  objective {iteration.objective:.6f}")

    def _keep(self, problem: Problem, starts: Sequence[Start], traces: Sequence[Trace], ordered: bool = True) -> None:
        """Set the fitted attributes from the outcome of every start."""
        best = max(range(len(traces)), key=lambda number: traces[number].last.objective)
        trace = traces[best]
        order, self.log_likelihood_ = np.arange(trace.V.shape[1]), trace.last.log_likelihood
        if ordered:
            order, self.log_likelihood_ = greedy_order(trace.V, problem)
        averaged = [t for number, t in enumerate(traces) if number != best] if self.combine == "average" else []
        self._models = [
            ClassDensities.from_projection(trace.V[:, order], problem),
            *(ClassDensities.from_projection(other.V, problem) for other in averaged),
        ]
        self.components_, self.bandwidths_ = self._models[0].components, self._models[0].bandwidths
        self.objective_ = self.log_likelihood_ - self.lam * trace.last.penalty
        self.history_ = [
            Bunch(**{name: getattr(iteration, name) for name in HISTORY_FIELDS}) for iteration in trace.history
        ]
        self.starts_ = [_start_record(start, t) for start, t in zip(starts, traces, strict=False)]
        self.best_start_ = best
        self.n_iter_, self.converged_, self.stopped_ = trace.n_iter, trace.converged, trace.stopped
        self._message = trace.message

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _scaled(self, X: Array) -> Array:
        return (X - self.mean_) / self.scale_

    def transform(self, X: ArrayLike) -> Array:
        """Project points onto the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._scaled(self._validated(X)) @ self.components_.T

    def _joint_log_likelihood(self, X: Array) -> Array:
        Xs = self._scaled(X)
        joints = [model.joint_log_likelihood(Xs @ model.components.T) for model in self._models]
        if len(joints) == 1:
            return joints[0]
        posteriors = [joint - logsumexp(joint, axis=1, keepdims=True) for joint in joints]
        return logsumexp(posteriors, axis=0) - np.log(len(posteriors))

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
        check_is_fitted(self)
        (direction,) = self._checked_directions([direction])
        return self._models[0].log_densities(direction, np.asarray(grid, dtype=float).ravel())

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
        joint = self._models[0].joint_log_likelihood(positions, chosen)
        return joint - logsumexp(joint, axis=1, keepdims=True)

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
        becomes X, see `opnb.data.Recipe.to_dict`) is, if it was set.

        Parameters
        ----------
        path : str or path
        """
        from opnb.estimators.model_files import save_model  # it needs this module

        save_model(self, path)


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
