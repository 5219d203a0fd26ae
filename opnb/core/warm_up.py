"""Compile every kernel for every width, once on a machine: `python -m opnb.core.warm_up`.

Numba keeps what it compiled on disk. Doing it ahead spares the first user of each kind of problem a few seconds.
"""

import itertools

import numpy as np

from opnb.core.densities import ClassDensities, greedy_order
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.objective import LIKELIHOODS, evaluate, make_problem
from opnb.core.pieces import Piece, Whole
from opnb.core.runners import Here
from opnb.core.scattered import densities_of_pieces, likelihood_and_gradient

# One number of classes for each width of a vector, the commonest first.
_CLASSES = (3, 2, 5)


def warm_up() -> None:
    """Evaluate tiny problems that between them use every kernel."""
    for n_classes in _CLASSES:
        labels = np.repeat(np.arange(n_classes), 4)
        X = np.random.default_rng(0).standard_normal((labels.size, 2))
        V = np.diag([1.0, 1e4])  # the second direction is too wide for plain arithmetic
        for sample_weight in (None, np.linspace(1.0, 2.0, labels.size)):
            for likelihood, n_bins in itertools.product(LIKELIHOODS, (None, 100)):
                problem = make_problem(
                    X, labels, n_classes, lam=0.1, likelihood=likelihood, n_bins=n_bins, sample_weight=sample_weight
                )
                evaluate(V, problem)
            greedy_order(V, problem)
            densities = ClassDensities.from_projection(V, problem)
            densities.joint_log_likelihood(X @ V)
            _warm_up_pieces(X, labels, n_classes, sample_weight)


def _warm_up_pieces(X: Array, labels: Indices, n_classes: int, weights: Array | None) -> None:
    """Use the kernels of rows that come in pieces."""
    counts = np.bincount(labels)
    sums = None if weights is None else np.bincount(labels, weights).astype(float)
    whole = Whole.of(np.zeros(2), np.ones(2), counts, sums)
    pieces = [Piece(X, labels, weights, (labels.size,))]
    likelihood_and_gradient(np.eye(2), pieces, whole, 100, Here(), keep=True)
    densities_of_pieces(np.eye(2), pieces, whole, None, Here()).joint_log_likelihood(X)


if __name__ == "__main__":
    print("Compiling the kernels: half a minute, once on this machine.", flush=True)
    warm_up()
