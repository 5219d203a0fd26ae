"""Classes whose projections depend on each other: there the product of margins is the wrong density.

For every class and pair of leading directions, two measures on ranks: Spearman's correlation, and the mutual
information of a grid of equal-frequency cells, which sees dependence of any shape. Both have permutation p-values,
corrected together by Holm's method. Mutual information I (less its mean over the permutations, which removes its
bias) is put on the scale of a correlation by sqrt(1 - exp(-2 I)): for normal data that is |rho|.

Dependence need not do harm: where the classes are far apart, or where the search has put two directions side by side
to sharpen the posteriors, the product serves well. What it costs is measured as well. Each class gets the density of
its own ranks on the grid as a factor (an empirical copula, from one half of its rows for the other half), and the gain
in the left-out log-likelihood is what the factorisation loses.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context, Labels
from opnb.diagnostics.finding import Finding, Remedy, Severity, class_label, listed, many_starts
from opnb.diagnostics.probes import start_probe
from opnb.diagnostics.search import GAIN_NOTICE

LEVEL = 0.05
# Strength on the scale of a correlation. With 150 rows a class independent directions reach 0.3 by chance and by the
# search; rings reach 0.7, crossed classes 0.95.
STRENGTH_WARNING = 0.5
STRENGTH_NOTICE = 0.3
# Log-likelihood a row that the factorisation costs. On clean problems, oblique directions among them, it stays below
# 0.005; on rings and crossed classes it is 0.011 to 0.12.
COST_WARNING = 0.01
COST_NOTICE = 0.005
# Directions that agree so much in every class are one direction twice, which is another finding.
REPEATED = 0.95
_LEADING = 3
_MOST_ROWS = 200
_LEAST_ROWS = 20
_LEAST_SPREAD = 0.3  # in bandwidths: on a direction with less all densities are flat, and their product is harmless
_LEAST_PERMUTATIONS = 999
_HALVINGS = 3


@dataclass(frozen=True, eq=False)
class PairTest:
    """Dependence of one class on one pair of directions."""

    k: int
    pair: tuple[int, int]
    rank_correlation: float
    information: float
    p_rank: float
    p_information: float

    @property
    def strength(self) -> float:
        """The stronger of the two measures."""
        return max(abs(self.rank_correlation), self.information)


def dependent_classes(context: Context) -> Finding | None:
    """See whether the factorisation is wrong in some class."""
    tests = _all_tests(context, _distinct_pairs(context))
    if not tests:
        return None
    evidence = _evidence(context, tests)
    noted = (evidence["p_value"] <= LEVEL) & (evidence["strength"] >= STRENGTH_NOTICE)
    noted &= evidence["cost"] >= COST_NOTICE
    warned = noted & (evidence["strength"] >= STRENGTH_WARNING) & (evidence["cost"] >= COST_WARNING)
    severity: Severity = "warning" if warned.any() else "notice" if noted.any() else "good"
    flagged = warned if warned.any() else noted
    evidence["flagged"] = flagged
    evidence["worst"] = int(np.argmax(evidence["strength"] * (flagged if flagged.any() else 1)))
    cost = float(evidence["cost"][flagged].max()) if flagged.any() else 0.0
    remedy = _remedy(context, cost) if cost > 0 else None
    return Finding("dependent-classes", severity, *_words(evidence, severity), evidence, remedy)


def _evidence(context: Context, tests: list[PairTest]) -> dict[str, Any]:
    corrected = holm(np.array([p for test in tests for p in (test.p_rank, test.p_information)]))
    costs = {pair: factorisation_cost(context, pair) for pair in {test.pair for test in tests}}
    return {
        "classes": [context.class_names[test.k] for test in tests],
        "pairs": np.array([test.pair for test in tests]),
        "rank_correlation": np.array([test.rank_correlation for test in tests]),
        "information": np.array([test.information for test in tests]),
        "strength": np.array([test.strength for test in tests]),
        "p_value": corrected.reshape(-1, 2).min(axis=1),
        "cost": np.array([costs[test.pair] for test in tests]),
    }


def _words(evidence: dict[str, Any], severity: Severity) -> tuple[str, str]:
    if severity == "good":
        return (
            "Classes factorise",
            f"In none of {len(evidence['classes'])} tests of a class on a pair of leading directions is there a "
            f"dependence of strength {STRENGTH_NOTICE:g} that chance could not make and that costs anything.",
        )
    worst, (a, b) = evidence["worst"], evidence["pairs"][evidence["worst"]] + 1
    name = evidence["classes"][worst]
    others = sorted({evidence["classes"][i] for i in np.flatnonzero(evidence["flagged"])} - {name})
    more = f" The same holds for {listed([class_label(other) for other in others])}." if others else ""
    numbers = (
        f"Within class {name} directions {a} and {b} depend on each other: rank correlation "
        f"{evidence['rank_correlation'][worst]:+.2f}, dependence of any shape {evidence['information'][worst]:.2f} on "
        f"the scale of a correlation, p = {evidence['p_value'][worst]:.2g} after correction for "
        f"{len(evidence['classes'])} pairs."
    )
    if severity == "notice":
        return (
            "A class whose directions depend on each other",
            f"{numbers} Naive Bayes multiplies its margins all the same. Here that costs little: "
            f"{max(evidence['cost'][worst], 0):.3f} of log-likelihood a row.{more}",
        )
    return (
        "The factorisation is wrong in a class",
        f"{numbers} Naive Bayes multiplies its margins as if they were independent, so its density is wrong there, "
        f"which costs {evidence['cost'][worst]:.3f} of log-likelihood a row.{more}",
    )


def _remedy(context: Context, cost: float) -> Remedy | None:
    """Other directions where a probe finds some that make up for half the cost, else more directions."""
    m, p = context.n_components, context.X.shape[1]
    if len(context.clf.starts_) == 1 and start_probe(context).gain >= max(GAIN_NOTICE, cost / 2):
        return many_starts()
    if m == p:
        return None
    more = min(p, m + max(1, m // 2))
    return Remedy({"n_components": more}, f"Use {more} directions: what {m} cannot factorise, more may.")


def _distinct_pairs(context: Context) -> list[tuple[int, int]]:
    """Pairs of the leading directions that tell something and are not one direction twice."""
    in_bandwidths = context.Z.std(axis=0) / context.clf.bandwidths_
    alive = np.flatnonzero(in_bandwidths >= _LEAST_SPREAD).tolist()
    leading: list[int] = []
    for d in alive:
        if all(within_class_correlation(context, d, e) < REPEATED for e in leading):
            leading.append(d)
        if len(leading) == _LEADING:
            break
    return list(combinations(leading, 2))


def within_class_correlation(context: Context, d: int, e: int) -> float:
    """Absolute correlation of two directions within classes, pooled."""
    a, b = (_within(context.Z[:, j], context.labels, context.counts) for j in (d, e))
    return float(abs(a @ b) / np.maximum(np.sqrt((a @ a) * (b @ b)), 1e-300))


def _within(z: Array, labels: Labels, counts: Labels) -> Array:
    return z - (np.bincount(labels, z) / counts)[labels]


def factorisation_cost(context: Context, pair: tuple[int, int]) -> float:
    """Gain in the left-out log-likelihood a row when the classes' dependence on a pair of directions is allowed for."""
    joint = context.curves.joint_left_out
    known = np.isfinite(joint).all(axis=1)
    joint, rows = joint[known], context.rows[known]
    labels, Z = context.labels[rows], context.Z[rows][:, pair]
    rng = context.rng()
    before = _own_posterior(joint, labels)
    gains = []
    for _ in range(_HALVINGS):
        half = rng.permutation(labels.size) % 2 == 0
        allowed = joint.copy()
        for train in (half, ~half):
            for k in range(context.counts.size):
                allowed[~train, k] += _log_copula(Z[train & (labels == k)], Z[~train])
        gains.append(np.mean(_own_posterior(allowed, labels) - before))
    return float(np.mean(gains))


def _own_posterior(joint: Array, labels: Labels) -> Array:
    return joint[np.arange(labels.size), labels] - np.logaddexp.reduce(joint, axis=1)


def _log_copula(members: Array, Z: Array) -> Array:
    """Log density of the members' ranks on a grid, at the ranks of Z among the members."""
    n = len(members)
    if n < _LEAST_ROWS // 2:
        return np.zeros(len(Z))
    cells = _cells(n)
    edges = np.sort(members, axis=0)[np.arange(1, cells) * n // cells].T
    a, b = (np.searchsorted(edge, column) for edge, column in zip(edges, members.T, strict=True))
    table = np.bincount(a * cells + b, minlength=cells**2)
    expected = n / cells**2
    # Shrunk towards independence by as much as one row a cell.
    log_density = np.log((table + 1.0) / (expected + 1.0))
    a, b = (np.searchsorted(edge, column) for edge, column in zip(edges, Z.T, strict=True))
    return log_density[a * cells + b]


def _cells(n: int) -> int:
    return int(np.clip(np.sqrt(n / 5), 3, 6))


def _all_tests(context: Context, pairs: list[tuple[int, int]]) -> list[PairTest]:
    rng, tests = context.rng(), []
    large = np.flatnonzero(context.counts >= _LEAST_ROWS)
    # So many that the least p-value can survive the correction.
    n_permutations = max(_LEAST_PERMUTATIONS, math.ceil(2 * 2 * large.size * len(pairs) / LEVEL))
    for k in large if pairs else ():
        members = np.flatnonzero(context.labels == k)
        # A random order also breaks ties at random, so that they make no dependence.
        members = rng.permutation(members)[:_MOST_ROWS]
        ranks = np.argsort(np.argsort(context.Z[members], axis=0, kind="stable"), axis=0)
        tests += [_test(int(k), pair, ranks[:, pair[0]], ranks[:, pair[1]], n_permutations) for pair in pairs]
    return tests


def _test(k: int, pair: tuple[int, int], a: Labels, b: Labels, n_permutations: int) -> PairTest:
    """Measure two sets of ranks 0..n-1 against the same ranks shuffled."""
    null = permutation_null(a.size, n_permutations)
    rank, information = (float(measure[0]) for measure in rank_measures(b[np.argsort(a)][None, :]))
    excess = max(information - float(null[1].mean()), 0.0)
    return PairTest(
        k,
        pair,
        rank,
        float(np.sqrt(-np.expm1(-2 * excess))),
        _p_value(abs(rank), np.abs(null[0])),
        _p_value(information, null[1]),
    )


@lru_cache(maxsize=128)
def permutation_null(n: int, n_permutations: int) -> tuple[Array, Array]:
    """Both measures of n ranks shuffled many times: without ties this depends on n alone, so it is kept."""
    rng = np.random.default_rng(n)
    return rank_measures(rng.permuted(np.tile(np.arange(n, dtype=np.int32), (n_permutations, 1)), axis=1))


def rank_measures(b: NDArray) -> tuple[Array, Array]:
    """Rank correlation and mutual information of 0..n-1 with every row of `b`, of shape (r, n)."""
    n = b.shape[1]
    centred = np.arange(n) - (n - 1) / 2
    cells = _cells(n)
    place = np.arange(n) * cells // n
    return b @ centred / (centred @ centred), grid_information(place, place[b], cells)


def _p_value(observed: float, null: Array) -> float:
    return float((1 + np.sum(null >= observed - 1e-12)) / (1 + null.size))


def grid_information(a: Labels, b: NDArray, cells: int) -> Array:
    """Mutual information in nats of cell numbers `a`, of shape (n,), with every row of `b`, of shape (r, n)."""
    r, n = b.shape
    cell = a * cells + b + (np.arange(r) * cells**2)[:, None]
    joint = np.bincount(cell.ravel(), minlength=r * cells**2).reshape(r, cells, cells) / n
    expected = joint.sum(axis=2, keepdims=True) * joint.sum(axis=1, keepdims=True)
    return np.sum(joint * np.log(np.where(joint > 0, joint / expected, 1.0)), axis=(1, 2))


def holm(p_values: Array) -> Array:
    """Correct p-values for their number by Holm's step-down method."""
    order = np.argsort(p_values)
    stepped = np.maximum.accumulate(p_values[order] * np.arange(p_values.size, 0, -1))
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
