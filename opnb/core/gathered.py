"""Class masses of rows on a lattice that grows with what the rows reach.

The lattice of the binned objective lies over the range of all rows (`opnb.core.binned`), which no piece of them knows.
A piece need not wait for it: it bins on a lattice of its own, whose steps are at most those of the whole, since steps
grow with the range and are powers of two times each other. Masses are brought to the wider lattice where pieces meet,
and nothing is lost on the way (`binned.move_masses`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from opnb.core import binned
from opnb.core.directions import class_lanes
from opnb.core.exact import Indices
from opnb.core.kernel import Array
from opnb.core.pieces import writable
from opnb.errors import FitError

# Lattice points of all directions together: beyond, tables would be larger than the data of many a piece.
_MOST_POINTS = 200_000
# Share of its range that a lattice has to spare on each side, so that it need not grow with every block of rows.
_SPARE = 0.25


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of some rows.

    Attributes
    ----------
    reached : ndarray of shape (2, n_components)
        How far the rows reach down (negated) and up.
    lattice : binned.Lattice
        Over all that they reach; without rows it has no directions.
    table : ndarray of shape (n_points, width)
    n_bins : int
        Least number of lattice points a direction.
    """

    reached: Array
    lattice: binned.Lattice
    table: Array
    n_bins: int


def gather(
    blocks: Iterable[tuple[Array, Indices, Array | None]], n_components: int, n_classes: int, n_bins: int
) -> Masses:
    """Bin rows that come in blocks of positions, labels and masses (None is one each)."""
    width = class_lanes(n_classes)[1].shape[1]
    within = reached = np.full((2, n_components), -np.inf)
    none = np.zeros(0)
    nowhere = binned.lattice_over(np.arange(0), none, none, none)
    result = Masses(reached, nowhere, np.zeros((0, width)), n_bins)
    for Z, labels, masses in blocks:
        block = reach_of(Z)
        reached = np.maximum(reached, block)
        if not (block <= within).all():
            within = reached + _SPARE * (reached[0] + reached[1])
            result = _moved([result], reached, within, n_bins)
        binned.add_masses(Z, labels, masses, result.lattice, result.table)
    return Masses(reached, result.lattice, result.table, n_bins)


def reach_of(Z: Array) -> Array:
    """Give how far positions reach down (negated) and up, of shape (2, n_components)."""
    return np.array([-np.minimum.reduce(Z, axis=1), np.maximum.reduce(Z, axis=1)])


def together(*parts: Masses) -> Masses:
    """Add masses up, on a lattice over what all of them reach."""
    reached = np.maximum.reduce([part.reached for part in parts])
    return _moved(parts, reached, reached, parts[0].n_bins)


def _moved(parts: Sequence[Masses], reached: Array, within: Array, n_bins: int) -> Masses:
    """Add masses up on a lattice of the steps that `reached` asks for, with room for all `within`."""
    lattice = _lattice(reached, within, n_bins)
    table = np.zeros((lattice[-1][-1], parts[0].table.shape[1]))
    for part in parts:
        binned.move_masses(writable_lattice(part.lattice), writable(part.table), lattice, table)
    return Masses(reached, lattice, table, n_bins)


def _lattice(reached: Array, within: Array, n_bins: int) -> binned.Lattice:
    low, high = -reached[0], reached[1]
    if not np.isfinite(reached).all():
        raise FitError("The projection left the finite numbers: its scale grows without bound. Raise lam.")
    axes, step = np.arange(low.size), binned.lattice_steps(low, high, n_bins)
    if binned.lattice_over(axes, low, high, step)[-1][-1] > _MOST_POINTS:
        widest = int(np.argmax(high - low))
        raise FitError(
            f"Direction {widest + 1} spans {high[widest] - low[widest]:,.0f} bandwidths, too many for the lattice that "
            "rows in pieces are summed on. Raise lam, look for gross outliers in the columns, or fit a sample of the "
            "rows in memory."
        )
    return binned.lattice_over(axes, -within[0], within[1], step)


def writable_lattice(lattice: binned.Lattice) -> binned.Lattice:
    """See `opnb.core.pieces.writable`."""
    axes, steps, low, first = lattice
    return writable(axes), writable(steps), writable(low), writable(first)
