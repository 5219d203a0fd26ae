"""Masses on lattices that grow, against the same masses binned at once on the lattice of all rows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.core import binned
from opnb.core.gathered import gather, together
from opnb.errors import FitError

N_CLASSES, N_BINS = 3, 100


def at_once(Z, labels, masses):
    """Bin all rows on the lattice over their range."""
    low, high = Z.min(axis=1), Z.max(axis=1)
    axes = np.arange(len(Z))
    lattice = binned.lattice_over(axes, low, high, binned.lattice_steps(low, high, N_BINS))
    table = np.zeros((lattice[-1][-1], 4))
    binned.add_masses(Z, labels, masses, lattice, table)
    return lattice, table


def in_parts(Z, labels, masses, cuts, block):
    """Gather the rows of every part in blocks, and put the parts together."""

    def blocks(rows):
        for begin in range(rows[0], rows[1], block):
            part = slice(begin, min(begin + block, rows[1]))
            yield np.ascontiguousarray(Z[:, part]), labels[part], None if masses is None else masses[part]

    ends = [0, *sorted(cuts), Z.shape[1]]
    return together(*(gather(blocks(rows), len(Z), N_CLASSES, N_BINS) for rows in pairwise(ends)))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    cuts=st.lists(st.integers(0, 120), max_size=5),
    block=st.integers(1, 50),
    spread=st.floats(-8, 3),
    away=st.sampled_from([0.0, 1.0, -1e6]),
    weighted=st.booleans(),
)
def test_parts_put_together_are_the_whole(seed, cuts, block, spread, away, weighted):
    rng = np.random.default_rng(seed)
    # Rows in order of the first direction: every part lies elsewhere, and has steps of its own on it.
    Z = np.stack([np.sort(rng.standard_normal(120)) * 10.0**spread, rng.standard_normal(120)]) + away
    labels = rng.integers(0, N_CLASSES, 120)
    masses = rng.uniform(0.1, 3.0, 120) if weighted else None
    lattice, table = at_once(Z, labels, masses)
    found = in_parts(Z, labels, masses, cuts, block)
    for ours, theirs in zip(found.lattice, lattice, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    # Where a position lies between two points is known to its own last digit, in steps.
    np.testing.assert_allclose(found.table, table, atol=1e-13 + 1e-15 * np.abs(Z / lattice[1][:, None]).max())
    np.testing.assert_allclose(found.table.sum(), 2 * (120 if masses is None else masses.sum()))


def test_rows_on_one_point_and_parts_without_rows():
    Z, labels = np.full((2, 120), 0.3), np.arange(120) % 3
    lattice, table = at_once(Z, labels, None)
    found = in_parts(Z, labels, None, [0, 0, 120], 7)
    np.testing.assert_array_equal(found.lattice[3], lattice[3])
    np.testing.assert_allclose(found.table, table, atol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_positions_that_are_no_numbers_are_refused(bad):
    Z = np.zeros((2, 120))
    Z[1, 60] = bad
    with pytest.raises(FitError, match="left the finite numbers"):
        in_parts(Z, np.arange(120) % 3, None, [], 50)
