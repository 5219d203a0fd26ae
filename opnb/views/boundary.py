"""Decision boundaries: where the two highest class scores are equal.

The class map of a grid tells which cells a boundary crosses. On every grid edge whose ends have different classes the
crossing is found as a root of

    g(t) = s_i - max over k other than i of s_k        (i the class at the start of the edge),

positive at the start and negative at the end, so at the root the two highest scores are equal whatever other classes
come between. Crossings are joined within cells; three or more that share a cell meet at a point which is
itself a root, on the way from the cell's centre to a corner.
"""

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.views.plane import ClassMap, Plane, Scores
from opnb.views.projected import Labels

_STEPS = 40
_ENOUGH = 1e-10


def lead(scores: Array, labels: Labels) -> Array:
    """By how much the score of one class exceeds the highest of the others, of shape (m,)."""
    columns = np.arange(labels.size)
    own = scores[labels, columns]
    others = scores.copy()
    others[labels, columns] = -np.inf
    return own - others.max(axis=0)


def roots(scores: Scores, labels: Labels) -> Array:
    """Find where class `labels` loses its lead between t = 0 and t = 1.

    Parameters
    ----------
    scores : callable
        Takes positions t of shape (j,) and the indices of the searches they belong to, gives (n_classes, j).
    labels : ndarray of int of shape (m,)
        The class that leads at t = 0.

    Returns
    -------
    ndarray of shape (m,)
    """
    everything = np.arange(labels.size)
    low, high = np.zeros(labels.size), np.ones(labels.size)
    lead_low, lead_high = (lead(scores(t, everything), labels) for t in (low, high))
    middle, side = np.full(labels.size, 0.5), np.zeros(labels.size)
    active = everything
    for step in range(_STEPS):
        a, b = low[active], high[active]
        fall = lead_low[active] - lead_high[active]
        straight = a + (b - a) * lead_low[active] / np.where(fall > 0, fall, np.inf)
        # Now and then halve the interval, so that a bend in the scores cannot hold the search up.
        t = (a + b) / 2 if step % 6 == 5 else straight
        value = lead(scores(t, active), labels[active])
        middle[active] = t
        up, down = active[value >= 0], active[value < 0]
        low[up], lead_low[up] = t[value >= 0], value[value >= 0]
        high[down], lead_high[down] = t[value < 0], value[value < 0]
        # An end that stays twice running counts half (the Illinois rule), or the other would creep.
        lead_high[up[side[up] > 0]] /= 2
        lead_low[down[side[down] < 0]] /= 2
        side[up], side[down] = 1, -1
        active = active[np.abs(value) > _ENOUGH]
        if not active.size:
            break
    return middle


def boundary_lines(plane: Plane, x: Array, y: Array, classes: ClassMap) -> tuple[Array, ...]:
    """Trace the boundary between the classes of a grid.

    Parameters
    ----------
    plane : Plane
    x, y : ndarray
        The grid.
    classes : ndarray of int of shape (len(y), len(x))
        The class on the grid.

    Returns
    -------
    tuple of ndarray of shape (m, 2)
        Lines; at each of their points the two highest scores are equal.
    """
    across, up = classes[:, :-1] != classes[:, 1:], classes[:-1] != classes[1:]
    points_across, points_up = _crossings(plane, x, y, classes, across, up)
    number_across = _numbered(across, 0)
    number_up = _numbered(up, len(points_across))
    # The crossings on the four edges of every cell: bottom, top, left, right; -1 for none.
    edges = np.stack([number_across[:-1], number_across[1:], number_up[:, :-1], number_up[:, 1:]], axis=-1).reshape(
        -1, 4
    )
    count = (edges >= 0).sum(axis=1)
    pairs = np.sort(edges[count == 2], axis=1)[:, 2:]
    crowded = np.flatnonzero(count > 2)
    hubs = _meeting_points(plane, x, y, classes, crowded)
    points = np.concatenate([points_across, points_up, hubs])
    hub_numbers = np.repeat(len(points_across) + len(points_up) + np.arange(crowded.size), 4)
    spokes = np.column_stack([hub_numbers, edges[crowded].ravel()])
    return _chained(points, np.concatenate([pairs, spokes[spokes[:, 1] >= 0]]))


def _crossings(
    plane: Plane, x: Array, y: Array, classes: ClassMap, across: NDArray[np.bool_], up: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Find the boundary on the grid's edges along x and along y, each of shape (m, 2)."""
    found = []
    for flags, step in ((across, (1, 0)), (up, (0, 1))):
        j, i = np.nonzero(flags)
        starts = np.column_stack([x[i], y[j]])
        ends = np.column_stack([x[i + step[0]], y[j + step[1]]])
        found.append(_between(plane, starts, ends, classes[j, i].astype(np.intp)))
    return found[0], found[1]


def _between(plane: Plane, starts: Array, ends: Array, labels: Labels) -> Array:
    """Find the boundary on straight lines from points of the given classes to points of others, of shape (m, 2)."""
    if not labels.size:
        return np.empty((0, 2))
    return starts + roots(plane.between(starts, ends), labels)[:, None] * (ends - starts)


def _numbered(flags: NDArray[np.bool_], first: int) -> Labels:
    """Give the true entries numbers from `first`, row after row, and -1 to the rest."""
    numbers = np.full(flags.shape, -1, dtype=np.intp)
    numbers[flags] = first + np.arange(np.count_nonzero(flags))
    return numbers


def _meeting_points(plane: Plane, x: Array, y: Array, classes: ClassMap, cells: Labels) -> Array:
    """Find a boundary point inside each of some cells, of shape (m, 2)."""
    if not cells.size:
        return np.empty((0, 2))
    row, column = np.divmod(cells, x.size - 1)
    centre = np.column_stack([(x[column] + x[column + 1]) / 2, (y[row] + y[row + 1]) / 2])
    label = plane.at(centre[:, 0], centre[:, 1]).argmax(axis=0)
    corners = np.stack([classes[row + dj, column + di] for dj in (0, 1) for di in (0, 1)], axis=1)
    # Such a cell has at least two classes at its corners, so one of them is not the centre's.
    dj, di = np.divmod((corners != label[:, None]).argmax(axis=1), 2)
    return _between(plane, centre, np.column_stack([x[column + di], y[row + dj]]), label)


def _chained(points: Array, segments: NDArray[np.intp]) -> tuple[Array, ...]:
    """Join segments end to end into as few lines as a walk finds."""
    neighbours: list[list[int]] = [[] for _ in range(len(points))]
    for a, b in segments.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    # Ends and meeting points first; what is left are closed curves.
    degree = np.bincount(segments.ravel(), minlength=len(points))
    starts = np.argsort(degree == 2, kind="stable").tolist()
    lines = []
    for start in starts:
        while neighbours[start]:
            lines.append(points[_walk(start, neighbours)])
    return tuple(lines)


def _walk(start: int, neighbours: list[list[int]]) -> list[int]:
    """Follow unused segments from a point that has some until an end or a meeting point, using them up."""
    line, here, on = [start], start, True
    while on:
        there = neighbours[here].pop()
        left = neighbours[there]
        left.remove(here)
        line.append(there)
        here, on = there, len(left) == 1
    return line
