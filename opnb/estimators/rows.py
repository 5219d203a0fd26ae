"""The rows that a model learns from, wherever they are: what a search and its outcome ask of them.

`RowsInMemory` has a scaled copy of them all at hand; a Dask collection, and many rows of single precision, are
`opnb.estimators.pieces.RowsInPieces`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch
from sklearn.utils.validation import validate_data

from opnb.core.densities import ClassDensities, NaiveBayesDensities, greedy_order
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.lattice_densities import LatticeDensities, fine_lattice, states_on
from opnb.core.runners import Here
from opnb.core.weights import check_sample_weight
from opnb.errors import needs
from opnb.estimators.pieces import RowsInPieces, can_be_summed_in_pieces
from opnb.estimators.radial import RadialColumns
from opnb.estimators.sampling import rows_of_quotas, sample_quotas
from opnb.estimators.search import PosedProblem, SearchSettings, Start, pose, starting_points
from opnb.estimators.training import Scaling, TrainingData, training_data

# From so many rows on densities are kept on a lattice, if that is smaller than the positions of the rows.
ROWS_FOR_LATTICE = 20_000
_BLOCK = 8192


class TrainingRows(Protocol):
    """Rows and classes as a search sees them."""

    @property
    def classes(self) -> NDArray:
        """The classes, sorted."""

    @property
    def shares(self) -> Array:
        """Share of each class in the rows, or in their weights, of shape (n_classes,)."""

    @property
    def scaling(self) -> Scaling:
        """What columns are centred at and divided by."""

    @property
    def columns(self) -> RadialColumns | None:
        """The columns in which bent directions are straight."""

    def starts(self, settings: SearchSettings) -> list[Start]:
        """Make the projections from which the searches begin."""

    def pose(self, settings: SearchSettings, lam: float) -> PosedProblem:
        """Give the objective for the rows."""

    def ordered(self, V: Array, problem: Any, log_likelihood: float) -> tuple[Indices, float]:
        """Order directions by what they add; also the log-likelihood, exact if it can be had, else as given."""

    def densities(self, V: Array, problem: Any) -> NaiveBayesDensities:
        """Give the class densities on a projection."""

    def sample(self) -> Bunch:
        """Choose some rows for pictures: X as it was given, and y."""


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """Rows in the memory of this process.

    Attributes
    ----------
    data : TrainingData
    exact : bool
        Whether densities have to be summed exactly for ever.
    """

    data: TrainingData
    exact: bool

    @property
    def classes(self) -> NDArray:
        """See `TrainingRows`."""
        return self.data.classes

    @property
    def shares(self) -> Array:
        """See `TrainingRows`."""
        return self.data.shares

    @property
    def scaling(self) -> Scaling:
        """See `TrainingRows`."""
        return self.data.scaling

    @property
    def columns(self) -> RadialColumns | None:
        """See `TrainingRows`."""
        return self.data.columns

    def starts(self, settings: SearchSettings) -> list[Start]:
        """See `TrainingRows`."""
        return starting_points(settings, self.data.X, self.data.labels, self.data.weights)

    def pose(self, settings: SearchSettings, lam: float) -> PosedProblem:
        """See `TrainingRows`."""
        return pose(settings, self.data, lam)

    def ordered(self, V: Array, problem: Any, log_likelihood: float) -> tuple[Indices, float]:
        """See `TrainingRows`."""
        return greedy_order(V, problem)

    def densities(self, V: Array, problem: Any) -> NaiveBayesDensities:
        """See `TrainingRows`."""
        n, m = len(self.data.X), V.shape[1]
        if self.exact or self.columns is not None or n < ROWS_FOR_LATTICE:
            return ClassDensities.from_projection(V, problem)
        low, high = _ranges(self._positions(V))
        lattice = fine_lattice(low, high)
        if lattice[1][-1] * self.classes.size > n * m:  # two numbers for every second point and class
            return ClassDensities.from_projection(V, problem)
        blocks = zip(self._positions(V), *self._labels_and_masses(problem), strict=True)
        states = states_on(blocks, self.classes.size, lattice)
        return LatticeDensities.from_states(V, problem.classes.counts, problem.priors, lattice, states)

    def _blocks(self) -> Iterator[slice]:
        return (slice(at, at + _BLOCK) for at in range(0, len(self.data.X), _BLOCK))

    def _positions(self, V: Array) -> Iterator[Array]:
        return (V.T @ self.data.X[rows].T for rows in self._blocks())

    def _labels_and_masses(self, problem: Any) -> tuple[Iterator[Indices], Iterator[Array | None]]:
        classes = problem.classes
        masses = (None if classes.masses is None else classes.masses[rows] for rows in self._blocks())
        return (classes.labels[rows] for rows in self._blocks()), masses

    def sample(self) -> Bunch:
        """See `TrainingRows`."""
        data = self.data
        quotas = sample_quotas(np.bincount(data.labels, minlength=data.classes.size))
        rows = rows_of_quotas(data.labels, quotas, np.random.default_rng(0))
        return Bunch(X=data.X[rows] * data.scaling.scale + data.scaling.mean, y=data.classes[data.labels[rows]])


def _ranges(blocks: Iterator[Array]) -> tuple[Array, Array]:
    ends = [(Z.min(axis=1), Z.max(axis=1)) for Z in blocks]
    lows, highs = zip(*ends, strict=True)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def is_scattered(X: Any) -> bool:
    """Whether rows are a Dask collection, without importing Dask."""
    return hasattr(X, "__dask_graph__")


def _is_large_and_single(X: Any) -> bool:
    """Whether rows are an array of single precision that is large enough for its memory to matter."""
    return isinstance(X, np.ndarray) and X.dtype == np.float32 and X.ndim == 2 and len(X) >= ROWS_FOR_LATTICE


def _single_precision_rows(classifier: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> RowsInPieces:
    """Take rows of single precision as one piece, which is never copied to double precision as a whole."""
    rows, targets = validate_data(classifier, X, y, dtype=[np.float64, np.float32], order="C")
    weights = None if sample_weight is None else check_sample_weight(sample_weight, len(rows))
    # As much again as the rows themselves.
    return RowsInPieces.of(classifier, [(rows, targets, weights)], Here(), memory=2.0 * rows.nbytes)


def training_rows(classifier: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> TrainingRows:
    """Prepare training rows as the settings of a classifier ask for."""
    if is_scattered(X):
        with needs("cluster"):
            from opnb.estimators.distributed import rows_of_collection
        return rows_of_collection(classifier, X, y, sample_weight)
    if _is_large_and_single(X) and can_be_summed_in_pieces(classifier):
        return _single_precision_rows(classifier, X, y, sample_weight)
    data = training_data(
        classifier,
        X,
        y,
        scale=classifier.scale,
        likelihood=classifier.likelihood,
        bend=classifier.bend,
        sample_weight=sample_weight,
    )
    return RowsInMemory(data, exact=classifier.n_bins is None)
