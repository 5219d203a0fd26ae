"""L-BFGS on the objective, with a record of every iteration and a way to stop.

The objective is not concave: the result is a local optimum that depends on the start. SciPy's L-BFGS-B minimises -L.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from opnb.core.kernel import Array
from opnb.core.objective import Evaluation, PenalisedProblem
from opnb.errors import FitError

# L-BFGS-B also stops when the relative gain of a step is below tol * _GAIN: it then moves nothing that a user can see.
_GAIN = 1e-3
# The binned objective has kinks at which a line search can fail short of an optimum. A fresh start from there helps.
_RESTARTS = 2


@dataclass(frozen=True)
class Iteration:
    """One iteration of one start: the objective with its parts, and the projection reached.

    objective = log_likelihood - lam * penalty - independence * dependence, with the dependence of
    `opnb.core.independence` (0 where independence is 0), and log_likelihood = class_term - mixture_term.
    """

    start: int
    number: int
    objective: float
    log_likelihood: float
    penalty: float
    class_term: float
    mixture_term: float
    gradient_norm: float
    seconds: float
    V: Array = field(repr=False)
    dependence: float = 0.0


Callback = Callable[[Iteration], bool | None]


@dataclass(frozen=True)
class Trace:
    """The outcome of one search.

    Attributes
    ----------
    V : ndarray of shape (n_features, n_components)
    history : tuple of Iteration
        The start (number 0) and every iteration.
    converged, stopped : bool
        Whether the tolerance was met; whether the callback ended the search. Neither: it gave up.
    message : str
        Why the search ended.
    """

    V: Array
    history: tuple[Iteration, ...]
    converged: bool
    stopped: bool
    message: str

    @property
    def last(self) -> Iteration:
        """The iteration reached."""
        return self.history[-1]

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return self.last.number


class _Recorder:
    """Evaluates the objective for SciPy and writes the history."""

    def __init__(
        self, problem: PenalisedProblem, shape: tuple[int, ...], callback: Callback | None, start_number: int
    ) -> None:
        self.problem, self.shape, self.callback = problem, shape, callback
        self.start_number = start_number
        self.started = time.perf_counter()
        self.history: list[Iteration] = []
        self.stopped = False

    def __call__(self, x: Array) -> tuple[float, Array]:
        V = x.reshape(self.shape)
        with np.errstate(over="ignore", invalid="ignore"):  # told below, in words
            evaluation = self.problem.at(V)
        if not (np.isfinite(evaluation.value) and np.isfinite(evaluation.gradient).all()):
            raise FitError(
                f"The objective left the finite numbers at iteration {len(self.history)}: "
                f"the scale of the projection grows without bound. Raise lam (now {self.problem.lam:g})."
            )
        self.latest, self.latest_x = evaluation, x.copy()
        return -evaluation.value, -evaluation.gradient.ravel()

    def record(self, x: Array) -> None:
        """Write an accepted iterate into the history and let the callback see it."""
        if not (x == self.latest_x).all():
            self(x)
        self.history.append(self._iteration(x.reshape(self.shape).copy(), self.latest))
        if self.callback is not None and self.callback(self.history[-1]):
            self.stopped = True
            raise StopIteration

    def _iteration(self, V: Array, evaluation: Evaluation) -> Iteration:
        return Iteration(
            start=self.start_number,
            number=len(self.history),
            objective=evaluation.value,
            log_likelihood=evaluation.log_likelihood,
            penalty=evaluation.penalty,
            class_term=evaluation.class_term,
            mixture_term=evaluation.mixture_term,
            gradient_norm=math.sqrt(np.vdot(evaluation.gradient, evaluation.gradient)),
            seconds=time.perf_counter() - self.started,
            V=V,
            dependence=evaluation.dependence,
        )


def maximise(
    problem: PenalisedProblem,
    start: Array,
    *,
    max_iter: int,
    tol: float,
    callback: Callback | None = None,
    start_number: int = 0,
) -> Trace:
    """Climb from `start` to a local optimum of the objective.

    Parameters
    ----------
    problem : Problem or ScatteredProblem
    start : ndarray of shape (n_features, n_components)
    max_iter : int
        Limit on the iterations.
    tol : float
        Tolerance on the largest entry of the gradient.
    callback : callable, optional
        Sees every `Iteration`; a true result stops the search, and what was reached is kept.
    start_number : int, default=0
        Number of this start among several, handed to the callback.
    """
    recorder = _Recorder(problem, start.shape, callback, start_number)
    x = np.array(start, dtype=float).ravel()
    try:
        recorder(x)
        recorder.record(x)
    except StopIteration:
        return _trace(recorder, False, "Stopped by the callback.")
    converged, message = False, ""
    for _ in range(1 + _RESTARTS):
        before = recorder.history[-1].number
        converged, message = _climb(recorder, max_iter - before, tol)
        failed_search = not converged and not recorder.stopped and recorder.history[-1].number < max_iter
        if not failed_search or recorder.history[-1].number == before:
            break
    return _trace(recorder, converged, message)


def _climb(recorder: _Recorder, max_iter: int, tol: float) -> tuple[bool, str]:
    """Run L-BFGS once from the last iterate."""
    result = minimize(
        recorder,
        recorder.history[-1].V.ravel(),
        jac=True,
        method="L-BFGS-B",
        # SciPy hands the iterate to a parameter of any other name than intermediate_result.
        callback=lambda xk: recorder.record(xk),
        options={"maxiter": max_iter, "maxfun": 20 * (max_iter + 1), "gtol": tol, "ftol": tol * _GAIN},
    )
    return bool(result.success), str(result.message)


def _trace(recorder: _Recorder, converged: bool, message: str) -> Trace:
    last = recorder.history[-1]
    return Trace(last.V, tuple(recorder.history), converged, recorder.stopped, message)
