"""The one kernel of the method, and how scale and bandwidth stand for each other.

    K(u) = (1 + |u|) exp(-|u|) / 4,        K'(u) = -u exp(-|u|) / 4

K integrates to one, has variance 4 and two continuous derivatives. Being a polynomial times an exponential it can be
summed over sorted points in linear time (see `opnb.core.kernel_sums`). The compiled sums leave out the factor 1/4,
which `LOG_HEIGHT` puts back.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LOG_HEIGHT: float = float(np.log(0.25))


def kernel_value(u: Array) -> Array:
    """Evaluate K."""
    distance = np.abs(u)
    return (1.0 + distance) * np.exp(-distance) / 4.0


def kernel_derivative(u: Array) -> Array:
    """Evaluate K'."""
    return -u * np.exp(-np.abs(u)) / 4.0


def unit_directions(V: Array) -> tuple[Array, Array]:
    """Turn a projection with unit bandwidth into unit directions with bandwidths.

    Parameters
    ----------
    V : ndarray of shape (n_features, n_components)

    Returns
    -------
    components : ndarray of shape (n_components, n_features)
        Rows of unit length.
    bandwidths : ndarray of shape (n_components,)
        The kernel's scale on each direction, 1 / length. A direction of zero length stays as it is with
        infinite bandwidth: every class has the same density there.
    """
    lengths = np.linalg.norm(V, axis=0)
    with np.errstate(divide="ignore"):
        bandwidths = 1.0 / lengths
    components = (V / np.where(lengths > 0, lengths, 1.0)).T
    return np.ascontiguousarray(components), bandwidths
