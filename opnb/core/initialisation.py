"""Where the search starts: principal directions or random orthonormal ones, as columns of V."""

import numpy as np

from opnb.core.kernel import Array


def pca_start(X: Array, n_components: int, weights: Array | None = None) -> Array:
    """Leading principal directions of centred X as unit columns, each with its largest entry positive.

    Works from the smaller of the two cross products, so it costs O(n p min(n, p)). Directions beyond the rank of X
    are any orthonormal completion. `weights`, of shape (n,), weigh the rows of X.
    """
    if weights is not None:
        X = np.sqrt(weights)[:, None] * X
    n, p = X.shape
    if p <= n:
        return principal_directions(X.T @ X, n_components)
    values, left = np.linalg.eigh(X @ X.T)
    informative = values > values[-1] * n * np.finfo(float).eps
    spanning = X.T @ left[:, informative][:, ::-1]
    # QR completes the basis where n_components exceeds the rank; the seed only fixes which completion.
    filler = np.random.default_rng(0).standard_normal((p, n_components))
    vectors = np.linalg.qr(np.hstack([spanning, filler])[:, : max(n_components, 1)])[0]
    return _signed(vectors[:, :n_components])


def principal_directions(cross: Array, n_components: int) -> Array:
    """Leading principal directions of centred rows, from the cross product X' X of shape (p, p)."""
    return _signed(np.linalg.eigh(cross)[1][:, ::-1][:, :n_components])


def _signed(V: Array) -> Array:
    """Give every column the sign that makes its largest entry positive."""
    largest = np.abs(V).argmax(axis=0)
    return V * np.where(V[largest, np.arange(V.shape[1])] < 0, -1.0, 1.0)


def random_start(n_features: int, n_components: int, rng: np.random.Generator) -> Array:
    """Random orthonormal columns, uniform over all of them."""
    Q, R = np.linalg.qr(rng.standard_normal((n_features, n_components)))
    return Q * np.sign(np.diag(R))
