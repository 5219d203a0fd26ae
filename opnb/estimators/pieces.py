"""Rows in pieces, wherever the pieces are: what a search asks of them, as sums over rows.

Every piece is checked once and kept as it was given; from then on only sums over rows travel. Who does the work is left
to a `opnb.core.runners.Runner`.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_array
from sklearn.utils.multiclass import check_classification_targets

from opnb.core.densities import joint_log_likelihood, order_at
from opnb.core.exact import Indices
from opnb.core.independence import with_ridge
from opnb.core.initialisation import principal_directions
from opnb.core.kernel import Array
from opnb.core.lattice_densities import LatticeDensities
from opnb.core.objective import AUTO_POINTS
from opnb.core.penalties import covariance_divisor
from opnb.core.pieces import Piece, Whole
from opnb.core.posterior import log_posterior
from opnb.core.runners import Runner, add_up, fold
from opnb.core.scattered import ScatteredProblem, densities_of_pieces
from opnb.core.weights import check_priors, check_sample_weight
from opnb.errors import DataError
from opnb.estimators.moments import Moments, merged, moments_by_class
from opnb.estimators.sampling import rows_of_quotas, sample_quotas
from opnb.estimators.search import SearchSettings, Start, starts_of
from opnb.estimators.training import Scaling
from opnb.estimators.validation import check_class_sizes, check_distinct


@dataclass(frozen=True, eq=False)
class RowsInPieces:
    """Rows in pieces; see `opnb.estimators.rows.TrainingRows`.

    Attributes
    ----------
    pieces : sequence of Piece, or of promises of them
    run : Runner
        Who does the work.
    classes : ndarray of shape (n_classes,)
    moments : tuple of tuple of (Moments or None)
        Of every part and class; None where a part has no row of a class.
    scale : bool
        As in `OPNBClassifier`.
    weighted : bool
        Whether rows have weights.
    row_bytes : int
        What a row takes in memory.
    memory : float
        Bytes that rows, and what is kept of them between the exchanges of an evaluation, may take.
    held_out : int or None
        The part from which nothing is learnt.
    """

    pieces: Sequence[Any]
    run: Runner
    classes: NDArray
    moments: tuple[tuple[Moments | None, ...], ...]
    scale: bool
    weighted: bool
    row_bytes: int
    memory: float
    held_out: int | None = None

    @classmethod
    def of(
        cls,
        settings: Any,
        partitions: Sequence[tuple[Any, Any, Any]],
        run: Runner,
        n_parts: int = 1,
        memory: float = 0.0,
    ) -> "RowsInPieces":
        """Check the rows of partitions and deal them into parts at random, every class evenly.

        Parameters
        ----------
        settings : OPNBClassifier
        partitions : sequence of (X, y, weights), or of promises of them
        run : Runner
        n_parts : int, default=1
        memory : float, default=0.0
            Bytes that rows and what is kept of them may take.
        """
        refuse_what_needs_all_rows(settings)
        seed = int(settings.random_state) if isinstance(settings.random_state, int | np.integer) else 0
        read = [run.call(read_partition, *part, n_parts, (seed, number)) for number, part in enumerate(partitions)]
        read = run.spread(read)
        described = run.result([run.call(describe, rows) for rows in read])
        read = [rows for rows, about in zip(read, described, strict=True) if about.n]
        described = [about for about in described if about.n]
        if not described:
            raise DataError("There are no rows to learn from. Look at the files, and at weights that are all zero.")
        classes = np.unique(np.concatenate([about.classes for about in described]))
        held = run.hold(classes)
        pieces = run.stored([run.call(number_classes, rows, held) for rows in read])
        moments = tuple(
            tuple(merged([about.moments[part].get(name) for about in described]) for name in classes.tolist())
            for part in range(n_parts)
        )
        weighted, row_bytes = described[0].weighted, max(about.row_bytes for about in described)
        rows = cls(pieces, run, classes, moments, bool(settings.scale), weighted, row_bytes, memory)
        check_class_sizes(classes, rows.counts, settings.likelihood)
        return rows

    def without(self, part: int) -> "RowsInPieces":
        """Give the same rows with a part held out; classes that have no other rows are refused."""
        rows = replace(self, held_out=part)
        if any(moment is None for moment in rows.by_class):
            missing = self.classes[[moment is None for moment in rows.by_class]][0]
            raise DataError(f"Class {missing!r} has too few rows for the folds. Use fewer folds, or drop that class.")
        return rows

    @cached_property
    def by_class(self) -> list[Moments]:
        """Moments of the rows of every class that are learnt from."""
        learnt = [part for number, part in enumerate(self.moments) if number != self.held_out]
        return [merged(of_class) for of_class in zip(*learnt, strict=True)]  # type: ignore[misc]

    @property
    def counts(self) -> Indices:
        """Rows of every class."""
        return np.array([moment.n for moment in self.by_class], dtype=np.intp)

    @property
    def weights(self) -> Array | None:
        """Weights of the rows of every class; None if rows have none."""
        return np.array([moment.weight for moment in self.by_class]) if self.weighted else None

    @property
    def shares(self) -> Array:
        """See `TrainingRows`."""
        sums = self.counts if self.weights is None else self.weights
        return sums / sums.sum()

    @cached_property
    def scaling(self) -> Scaling:
        """See `TrainingRows`."""
        whole = merged(self.by_class)
        assert whole is not None
        varies = whole.varies
        spread = whole.deviation(self.weighted) if self.scale else np.ones_like(whole.mean)
        return Scaling(whole.mean, np.where(varies & (spread > 0), spread, 1.0), varies)

    @property
    def columns(self) -> None:
        """See `TrainingRows`."""

    def whole(self, priors: Array | None = None) -> Whole:
        """Give what every piece has to know."""
        scaling = self.scaling
        factor = np.where(scaling.varies, 1.0 / scaling.scale, 0.0)
        return Whole.of(scaling.mean, factor, self.counts, self.weights, priors, self.held_out)

    @cached_property
    def products(self) -> tuple[Array, Array]:
        """Cross products of the scaled rows, around their mean and around those of their classes."""
        run, whole = self.run, self.whole()
        means = np.stack([whole.scaled(moment.mean[None, :])[0] for moment in self.by_class])
        held, around = run.hold(whole), run.hold(means)
        total, within = run.result(
            fold(run, add_up, [run.call(cross_products, piece, held, around) for piece in self.pieces])
        )
        return total, within

    def starts(self, settings: SearchSettings) -> list[Start]:
        """See `TrainingRows`."""
        return starts_of(settings, self.scaling.varies, lambda m: principal_directions(self.products[0], m))

    def pose(self, settings: SearchSettings, lam: float) -> ScatteredProblem:
        """See `TrainingRows`."""
        priors = check_priors(settings.priors, self.classes.size)
        whole = self.whole(priors)
        size = float(self.counts.sum() if self.weights is None else self.weights.sum())
        total = self.products[0] / covariance_divisor(size, 1)
        within = self.products[1] / covariance_divisor(size, self.classes.size)
        return ScatteredProblem(
            self.pieces,
            whole,
            self.run,
            lam,
            AUTO_POINTS if settings.n_bins == "auto" else settings.n_bins,  # type: ignore[arg-type]
            C={"frobenius": None, "total": total, "pooled": within}[settings.penalty],
            independence=settings.independence,
            within=with_ridge(within),
            priors=whole.shares if self.weighted or priors is not None else None,
            keep=self._keeps(settings),
        )

    def _keeps(self, settings: SearchSettings) -> bool:
        """Whether there is memory for the positions of all rows beside the rows."""
        n_components = settings.n_components or self.scaling.mean.size
        needed = self.counts.sum() * (self.row_bytes + 8.0 * (n_components + max(self.classes.size, 8)))
        return bool(needed <= self.memory)

    def ordered(self, V: Array, problem: ScatteredProblem, log_likelihood: float) -> tuple[Indices, float]:
        """See `TrainingRows`: by what directions add at the rows of the sample."""
        X, labels = self._sampled
        densities = self.densities(V, problem)
        return order_at(densities, problem.whole.scaled(X) @ densities.components.T, labels), log_likelihood

    def densities(self, V: Array, problem: ScatteredProblem) -> LatticeDensities:
        """See `TrainingRows`."""
        return densities_of_pieces(V, self.pieces, problem.whole, problem.priors, self.run)

    @cached_property
    def _sampled(self) -> tuple[NDArray, Indices]:
        run, whole, quotas = self.run, self.whole(), sample_quotas(self.counts)
        held = run.hold(whole)
        parts = [run.call(sampled_rows, piece, held, quotas, number) for number, piece in enumerate(self.pieces)]
        found = run.result(parts)
        X, labels = np.concatenate([X for X, _ in found]), np.concatenate([labels for _, labels in found])
        chosen = rows_of_quotas(labels, quotas, np.random.default_rng(0))
        return X[chosen], labels[chosen].astype(np.intp)

    def sample(self) -> Bunch:
        """See `TrainingRows`."""
        X, labels = self._sampled
        return Bunch(X=X, y=self.classes[labels])

    def judged(self, models: Sequence[Sequence[LatticeDensities]], part: int) -> tuple[Array, Array]:
        """Error and log-loss of models on the rows of a part, each of shape (n_models,)."""
        run, whole = self.run, self.whole()
        held, voting = run.hold(whole), run.hold(models)
        sums = fold(run, add_up, [run.call(judge, piece, held, voting, part) for piece in self.pieces])
        weight, wrong, losses = run.result(sums)
        return wrong / weight, losses / weight


@dataclass(frozen=True, eq=False)
class _Read:
    """A partition in memory: rows, classes as they were given, weights, and where the parts end."""

    X: NDArray
    y: NDArray
    weights: Array | None
    ends: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _About:
    """What is known of a partition: its classes, and the moments of every part by class."""

    classes: NDArray
    moments: list[dict[Any, Moments]]
    row_bytes: int
    weighted: bool
    n: int


def read_partition(X: Any, y: Any, weights: Any, n_parts: int, seed: tuple[int, int]) -> _Read:
    """Check a partition and deal its rows into parts; single precision stays, rows of weight zero are left out."""
    rows = check_array(X, dtype=[np.float64, np.float32], order="C", ensure_min_samples=0)
    _give_back_memory()
    targets = _checked_targets(y, len(rows))
    weights = None if weights is None else _checked_weights(weights, len(rows))
    there = np.arange(len(rows)) if weights is None else np.flatnonzero(weights)
    dealt = _dealt(targets, there, n_parts, np.random.default_rng(seed))
    ends = tuple(np.cumsum([part.size for part in dealt]).tolist())
    if n_parts == 1 and there.size == len(rows):
        return _Read(rows, targets, weights, ends)
    chosen = np.concatenate(dealt)
    return _Read(rows[chosen], targets[chosen], None if weights is None else weights[chosen], ends)


def _give_back_memory() -> None:
    """Have Arrow, which reads files, let go of what it keeps in store: several times a partition."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


def _checked_targets(y: Any, n: int) -> NDArray:
    targets = np.asarray(y)
    targets = targets.ravel() if targets.ndim == 2 and targets.shape[1] == 1 else targets
    if targets.shape != (n,):
        raise DataError(f"A partition has {n:,} rows of X and y of shape {targets.shape}: divide both alike.")
    missing = targets != targets if targets.dtype.kind in "fO" else np.zeros(n, dtype=bool)
    if targets.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in targets], dtype=bool)
    if missing.any():
        raise DataError(f"{missing.sum():,} rows of a partition have no class: leave out rows whose y is missing.")
    if n:
        check_distinct(targets)
        check_classification_targets(targets)
    return targets


def _checked_weights(weights: Any, n: int) -> Array:
    given = np.asarray(weights, dtype=float).ravel()
    # A partition may weigh nothing, which all rows together may not.
    return check_sample_weight(given, n) if given.shape != (n,) or given.any() else given


def _dealt(targets: NDArray, there: Indices, n_parts: int, rng: np.random.Generator) -> list[Indices]:
    """Deal rows at random, those of each class evenly; which part begins is random, too."""
    if n_parts == 1:
        return [there]
    shuffled = rng.permutation(there)
    by_class = shuffled[np.argsort(np.unique(targets[shuffled], return_inverse=True)[1], kind="stable")]
    part = (np.arange(by_class.size) + rng.integers(n_parts)) % n_parts
    return [np.sort(by_class[part == number]) for number in range(n_parts)]


def describe(read: _Read) -> _About:
    """Measure the parts of a partition."""
    parts = [slice(start, end) for start, end in zip((0, *read.ends), read.ends, strict=False)]
    moments = [
        moments_by_class(read.X[part], read.y[part], None if read.weights is None else read.weights[part])
        for part in parts
    ]
    row_bytes = read.X.shape[1] * read.X.itemsize + (1 if read.weights is None else 9)
    return _About(np.unique(read.y), moments, row_bytes, read.weights is not None, len(read.X))


def number_classes(read: _Read, classes: NDArray) -> Piece:
    """Make a piece of a partition: classes as the smallest numbers that hold them."""
    _give_back_memory()
    labels = np.searchsorted(classes, read.y).astype(np.min_scalar_type(classes.size - 1))
    return Piece(read.X, labels, read.weights, read.ends)


def cross_products(piece: Piece, whole: Whole, class_means: Array) -> tuple[Array, Array]:
    """Give X' X of a piece's scaled rows, and the same around the means of the classes."""
    total, within = np.zeros((2, whole.centre.size, whole.centre.size))
    for rows in piece.blocks(whole.learns_from):
        scaled = whole.scaled(piece.X[rows])
        away = scaled - class_means[piece.labels[rows]]
        if piece.weights is not None:
            root = np.sqrt(piece.weights[rows])[:, None]
            scaled, away = root * scaled, root * away
        total += scaled.T @ scaled
        within += away.T @ away
    return total, within


def sampled_rows(piece: Piece, whole: Whole, quotas: Indices, number: int) -> tuple[NDArray, NDArray]:
    """Choose rows of a piece so that all pieces together have a little more of every class than its quota."""
    learnt = np.concatenate([np.arange(rows.start, rows.stop) for rows in piece.blocks(whole.learns_from)])
    labels = piece.labels[learnt]
    counts = np.bincount(labels, minlength=whole.n_classes)
    own = np.ceil(1.1 * quotas * counts / whole.counts).astype(np.intp)
    chosen = learnt[rows_of_quotas(labels, np.minimum(own, counts), np.random.default_rng(number))]
    return piece.X[chosen], piece.labels[chosen]


def judge(
    piece: Piece, whole: Whole, models: Sequence[Sequence[LatticeDensities]], part: int
) -> tuple[Array, Array, Array]:
    """Sum the weights of the rows of a part, those that each model gets wrong, and the log-losses."""
    sums = np.zeros((3, len(models)))
    for rows in piece.blocks(lambda number: number == part):
        X, labels = whole.scaled(piece.X[rows]), piece.labels[rows]
        weights = np.ones(labels.size) if piece.weights is None else piece.weights[rows]
        for column, voting in enumerate(models):
            posterior = log_posterior(joint_log_likelihood(voting, X))
            own = posterior[np.arange(labels.size), labels]
            sums[:, column] += weights.sum(), weights @ (posterior.argmax(axis=1) != labels), -weights @ own
    return sums[0], sums[1], sums[2]


def can_be_summed_in_pieces(settings: Any) -> bool:
    """Whether all that the settings ask for is a sum over rows."""
    straight = settings.likelihood == "resubstitution" and settings.bend is None and not callable(settings.init)
    return straight and settings.n_bins is not None and not isinstance(settings.scale, str)


def refuse_what_needs_all_rows(settings: Any) -> None:
    """Refuse settings for which no sum over rows is known."""
    if settings.likelihood != "resubstitution":
        raise DataError(
            "A row can be left out of its class only where all rows are in one memory. Use "
            "likelihood='resubstitution' for rows in pieces, or fit a sample of them."
        )
    if settings.bend is not None:
        raise DataError("Directions that bend need all rows in one memory. Use bend=None for rows in pieces.")
    if settings.n_bins is None:
        raise DataError("Exact sums need all rows in one memory. Use n_bins='auto' for rows in pieces.")
    if isinstance(settings.scale, str):
        raise DataError("The robust scale needs all rows in one memory. Use scale=True for rows in pieces.")
    if callable(settings.init):
        raise DataError("A start that is a function needs all rows in one memory. Give init as an array.")
