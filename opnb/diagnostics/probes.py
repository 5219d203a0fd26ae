"""Short searches on few rows: what another start or other labels would have given, for a fraction of a fit.

Two results are compared only where both had the same rows, the same settings and the same number of iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opnb.core.initialisation import random_start
from opnb.core.kernel import Array
from opnb.core.objective import Problem, make_problem, resolve_n_bins
from opnb.core.optimise import Trace, maximise
from opnb.core.weights import check_priors
from opnb.diagnostics.context import Context, Labels, sampled_rows
from opnb.estimators.parallel import one_blas_thread

# Rows of a probe, by the number of features: with fewer, any labels would separate.
_LEAST_ROWS, _ROWS_A_FEATURE, _MOST_ROWS = 300, 3, 1000
_STARTS = 6
WORK = 3e6  # kernel sums of a whole probe: a few hundredths of a second
_OVERHEAD = 5000  # what one evaluation costs besides its sums, in sums
_LEAST_ITERATIONS = 6
_MOST_MORE = 100  # iterations for which a fit goes on to see whether it still climbs
_LONG = 3  # the best start goes on for so many times the iterations of the others


def probe_problem(context: Context, rows: Labels, labels: Labels | None = None) -> Problem:
    """Pose the fit's problem on some rows, with other labels if they are given."""
    clf = context.clf
    # A fit on a lattice is probed on one, though a sample is small: twice as fast, and the fit had the same kinks.
    leave_out = clf.likelihood == "leave-one-out"
    n_bins = None if clf.n_bins is None else resolve_n_bins("auto", len(context.X), leave_out)
    return make_problem(
        np.ascontiguousarray(context.X[rows]),
        (context.labels if labels is None else labels)[rows],
        context.counts.size,
        lam=clf.lam,
        penalty=clf.penalty,
        likelihood=clf.likelihood,
        n_bins=n_bins,
        independence=clf.independence,
        priors=check_priors(clf.priors, context.counts.size),
    )


def probe_rows(context: Context) -> Labels:
    """Rows for a probe: all of a small fit, else a stratified sample."""
    most = int(np.clip(_ROWS_A_FEATURE * context.X.shape[1], _LEAST_ROWS, _MOST_ROWS))
    return sampled_rows(context.labels, most, context.rng())


def iterations_within(problem: Problem, n_components: int, n_searches: int, work: float, least: int, most: int) -> int:
    """How many iterations a search may take so that all of them stay within the work, in kernel sums."""
    one = _OVERHEAD + problem.classes.labels.size * n_components * problem.classes.n_classes
    return int(np.clip(work / (one * n_searches), min(least, most), most))


def search(problem: Problem, starts: Sequence[Array], max_iter: int, tol: float) -> list[Trace]:
    """Climb from every start."""
    with one_blas_thread():
        return [maximise(problem, start, max_iter=max_iter, tol=tol) for start in starts]


@dataclass(frozen=True, eq=False)
class StartProbe:
    """Objectives on the same rows: of the fit carried on, and of random starts (only the best, if on all rows)."""

    ours: float
    others: Array
    n_rows: int
    n_starts: int = _STARTS

    @property
    def gain(self) -> float:
        """By how much the best random start beats the fit."""
        return float(self.others.max() - self.ours)


def start_probe(context: Context) -> StartProbe:
    """Give what a few random starts reach beside the fit, searched once."""
    return context.once("start probe", lambda: probe_starts(context, context.V))


def probe_starts(context: Context, V: Array) -> StartProbe:
    """Search from a few random starts, and carry the fit's projection on as far as the best of them.

    On a sample of the rows a search can beat the fit by fitting the sample. So what wins there has to win on all rows.
    """
    rows, rng, clf = probe_rows(context), context.rng(), context.clf
    problem = probe_problem(context, rows)
    p, m = V.shape
    short = iterations_within(problem, m, _STARTS + 2 * _LONG, WORK, _LEAST_ITERATIONS, clf.max_iter)
    traces = search(problem, [random_start(p, m, rng) for _ in range(_STARTS)], short, clf.tol)
    objectives = np.array([trace.last.objective for trace in traces])
    best = int(objectives.argmax())
    longer, own = search(problem, [traces[best].V, V], min(clf.max_iter, _LONG * short), clf.tol)
    objectives[best] = longer.last.objective
    probe = StartProbe(own.last.objective, objectives, rows.size)
    on_sample = rows.size < context.labels.size
    return _on_all_rows(context, V, longer.V) if on_sample and probe.gain > 0 else probe


def _on_all_rows(context: Context, V: Array, other: Array) -> StartProbe:
    problem, limit = _more_iterations(context, V, 2)
    ours, others = search(problem, [V, other], limit, context.clf.tol)
    return StartProbe(ours.last.objective, np.array([others.last.objective]), context.labels.size)


def _more_iterations(context: Context, V: Array, n_searches: int) -> tuple[Problem, int]:
    """Pose the problem on all rows, with the number of iterations that is affordable there."""
    problem = probe_problem(context, np.arange(context.labels.size))
    return problem, iterations_within(problem, V.shape[1], n_searches, WORK, _LEAST_ITERATIONS, _MOST_MORE)


def carried_on(context: Context, V: Array) -> tuple[float, int]:
    """Gain in the objective when the fit goes on, on all its rows, and the number of iterations that it took."""
    problem, limit = _more_iterations(context, V, 1)
    (trace,) = search(problem, [V], limit, context.clf.tol)
    return trace.last.objective - trace.history[0].objective, trace.n_iter
