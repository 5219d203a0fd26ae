"""What a fit will cost, before it starts and while it runs: seconds, megabytes, and what to reduce.

One step of the search evaluates the objective about once. With n rows, p columns, m directions and K classes (w: K
rounded up to what a vector holds) it takes, in nanoseconds on the machine the constants were measured on,

    350,000 + 7 n w + m (15,000 + 0.4 n p)
            + m n (25 + w) + 10 m w bins          on a lattice
            + m n (6.6 log2 n + 5.1 w)            with exact sums

`Speed` learns from finished fits how much slower or faster this server is, its other work included.
How many steps a search needs cannot be known. Before it starts, that of a long search counts. Once it runs, the gain
of a step falls by roughly a decade in sqrt(steps so far) steps until it is too small to go on.
"""

from __future__ import annotations

import itertools
import math
import statistics
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from opnb.core.objective import resolve_n_bins
from opnb.core.simd import lane_layout
from opnb.errors import OPNBError
from opnb.estimators.search import MOST_COMPONENTS
from opnb.studio.words import about
from opnb.studio.work.limits import FitLimits

if TYPE_CHECKING:
    from opnb.data import Dataset
    from opnb.studio.visit.settings import FitSpec

_EVALUATIONS = 1.1  # of the objective in a step of the search
_SMALLEST_GAIN = 1e-3  # of the tolerance: where a search ends, as in opnb.core.optimise
_REMEMBERED = 15
_SHORTEST = 0.2  # seconds: a shorter fit says more of its overheads than of the machine


@dataclass(frozen=True)
class Size:
    """All that the cost of a fit depends on.

    Parameters
    ----------
    rows, columns, directions, classes : int
        Of the training data and of the model.
    starts, steps : int
        How many searches, and the most steps of each.
    bins : int or None
        Points of the lattice; None with exact sums.
    averaged : bool
        Whether the model keeps the outcome of every start.
    tol : float
        Where a search ends by itself.
    """

    rows: int
    columns: int
    directions: int
    classes: int
    starts: int
    steps: int
    bins: int | None
    averaged: bool = False
    tol: float = 1e-5

    @property
    def likely_steps(self) -> int:
        """Steps after which nine in ten searches have ended by themselves, or were not allowed more."""
        return min(self.steps, 100 + round(50 * max(math.log10(1e-5 / self.tol), 0.0)))

    @property
    def closing_steps(self) -> int:
        """What ordering the directions and predicting every row cost, in steps of the search."""
        return 6 + self.directions

    @property
    def all_steps(self) -> int:
        """Steps of the whole fit, where every search is a long one."""
        return self.starts * self.likely_steps + self.closing_steps


def size_of(spec: FitSpec, dataset: Dataset) -> Size:
    """Say how large a fit is."""
    rows, columns = len(dataset.train), dataset.X.shape[1]
    starts = spec.n_init if spec.init == "random" else 1
    return Size(
        rows=rows,
        columns=columns,
        directions=min(columns, spec.n_components or MOST_COMPONENTS),
        classes=len(dataset.class_names),
        starts=starts,
        steps=spec.max_iter,
        bins=resolve_n_bins(spec.n_bins, rows, spec.likelihood == "leave-one-out"),
        averaged=spec.combine == "average",
        tol=spec.tol,
    )


def seconds_a_step(size: Size) -> float:
    """Model one step of the search on the machine the constants were measured on."""
    n, m, width = size.rows, size.directions, _width(size.classes)
    each = 15_000 + 0.4 * n * size.columns
    if size.bins is None:
        each += n * (6.6 * math.log2(max(n, 2)) + 5.1 * width)
    else:
        each += n * (25 + width) + 10 * width * size.bins
    return _EVALUATIONS * 1e-9 * (350_000 + 7 * n * width + m * each)


def _width(classes: int) -> int:
    lanes, vectors = lane_layout(classes)
    return len(lanes) * vectors


def megabytes(size: Size) -> float:
    """Model the memory a fit holds at its peak, besides the data themselves.

    Copies of the data, the scores of every class, the contributions of every direction when these are ordered, and
    the projections of the whole history.
    """
    m, classes = size.directions, size.classes
    a_row = 3.7 * size.columns + (0.85 * m + 4) * classes + 12 + (1.5 * m * size.starts if size.averaged else 0)
    history = size.columns * m * (25 + size.starts * size.steps)
    return 8 * (size.rows * a_row + history + 4 * size.columns**2) / 2**20


class Speed:
    """How much longer fits take on this server than the model says; learnt from fits that have finished."""

    def __init__(self) -> None:
        self._factors: deque[float] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def learn(self, size: Size, steps: int, seconds: float) -> None:
        """Learn from a search that took so many steps and seconds."""
        if seconds >= _SHORTEST and steps > 0:
            with self._lock:
                self._factors.append(seconds / (steps * seconds_a_step(size)))

    @property
    def factor(self) -> float:
        """The median of the latest fits; 1 before any."""
        with self._lock:
            return statistics.median(self._factors) if self._factors else 1.0


speed = Speed()  # of this process


def most_seconds(size: Size, factor: float = 1.0) -> float:
    """Model a whole fit in which every search is a long one."""
    return factor * size.all_steps * seconds_a_step(size)


def check_cost(size: Size, limits: FitLimits, factor: float = 1.0) -> None:
    """Refuse a fit that may need more than the server allows.

    Raises
    ------
    OPNBError
        With the estimate, the limit, and what to reduce.
    """
    if fits(size, limits, factor):
        return
    seconds, memory = most_seconds(size, factor), megabytes(size)
    needs, allowed = [], []
    if seconds > limits.seconds:
        needs.append(f"take {about(seconds)}")
        allowed.append(f"{limits.seconds:,g} seconds")
    if memory > limits.megabytes:
        needs.append(f"need about {_memory(memory)} of memory")
        allowed.append(_memory(limits.megabytes))
    raise OPNBError(
        f"This fit may {' and '.join(needs)}, more than the {' and '.join(allowed)} that this server allows. "
        f"It was not started. {_remedies(size, limits, factor)}"
    )


def fits(size: Size, limits: FitLimits, factor: float = 1.0) -> bool:
    """Tell whether a fit keeps within the limits."""
    return most_seconds(size, factor) <= limits.seconds and megabytes(size) <= limits.megabytes


def _remedies(size: Size, limits: FitLimits, factor: float) -> str:
    """Name every single change that is enough by itself."""
    levers: dict[str, tuple[int, int, Callable[[int], Size]]] = {
        "random starts": (size.starts, 1, lambda count: replace(size, starts=count)),
        "iterations": (size.steps, 10, lambda count: replace(size, steps=count)),
        "directions": (size.directions, 1, lambda count: replace(size, directions=count)),
        "rows for training": (size.rows, 50, lambda count: replace(size, rows=count)),
        "columns": (size.columns, size.directions, lambda count: replace(size, columns=count)),
    }
    enough = []
    for name, (now, least, changed) in levers.items():
        most = _largest(now, least, lambda count, changed=changed: fits(changed(count), limits, factor))  # type: ignore[misc]
        if most:
            enough.append(f"{_rounded_down(most, least):,} {name}")
    if not enough:
        return "Reduce several at once: rows, columns, directions, random starts or iterations."
    return "Any one of these is enough: at most " + ", or ".join(enough) + "."


def _largest(now: int, least: int, fine: Callable[[int], bool]) -> int:
    """Find the largest number from `least` to below `now` that is fine; 0 if there is none."""
    if now <= least or not fine(least):
        return 0
    low, high = least, now
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fine(middle) else (low, middle)
    return low


def _rounded_down(count: int, least: int) -> int:
    """Keep two digits: the estimate has no more."""
    unit = 10 ** max(int(math.log10(count)) - 1, 0)
    return max(count // unit * unit, least)


def steps_left(objectives: Sequence[float], tol: float, most: int) -> float:
    """Guess how many steps a search still takes, from the objective after every step so far.

    Parameters
    ----------
    objectives : sequence of float
        The start's and every step's.
    tol : float
        The classifier's tolerance.
    most : int
        The classifier's limit on the steps.
    """
    done = len(objectives) - 1
    if done < 2:
        return float(most - done)
    recent = objectives[-4:]
    gain = statistics.median(abs(b - a) for a, b in itertools.pairwise(recent))
    decades = max(math.log10(max(gain, 1e-300) / (tol * _SMALLEST_GAIN)), 0.3)
    return min(math.sqrt(done) * decades, most - done)


def all_steps_left(objectives: Mapping[int, Sequence[float]], tol: float, size: Size) -> float:
    """Guess how many steps a fit still takes: of the search under way, the starts to come and the end.

    Parameters
    ----------
    objectives : mapping of int to sequence of float
        For every start that has begun, the objective of its start and after every step.
    """
    started = [list(values) for _, values in sorted(objectives.items())]
    if not started:
        return float(size.all_steps)
    here = steps_left(started[-1], tol, size.steps)
    lengths = [float(len(values) - 1) for values in started[:-1]] or [len(started[-1]) - 1 + here]
    return here + (size.starts - len(started)) * statistics.fmean(lengths) + size.closing_steps


def _memory(amount: float) -> str:
    return f"{amount / 1024:.1f} GB" if amount >= 1024 else f"{amount:.3g} MB"
