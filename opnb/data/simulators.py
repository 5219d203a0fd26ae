"""Data made to order: each simulator shows one thing the method can do, or one way it fails.

Every random choice comes from ``numpy.random.default_rng(seed)``. The "rotated" design is the kind of the
paper's first figure, and its true densities are known: with s and t the coordinates rotated by `angle`,

    f_k(x) = g_k(s) h_k(t),      g_k, h_k normal mixtures,

so naive Bayes on (s, t) is the Bayes classifier, with an error of 0.239 at the default overlap, while naive
Bayes on the raw axes cannot come below 0.381 however many data it gets (from 3 x 200,000 draws).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.data.dataset import Dataset, split_rows, two_valued
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    from opnb.data.table import Table

Floats = NDArray[np.float64]
Draw = tuple[Floats, NDArray[np.intp]]

PROVENANCE = "Simulated by opnb"


@dataclass(frozen=True)
class Parameter:
    """One setting of a simulator: its default, the values it may take, and what it does."""

    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False

    def check(self, name: str, value: Any) -> float:
        """Give the value if it is allowed, else raise `DataError`."""
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not number or not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise DataError(f"{name} must be {kind} from {self.low:g} to {self.high:g}, not {value!r}.")
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Simulator:
    """A design: how to draw from it, its settings, and what it is for."""

    draw: Callable[..., Draw]
    n: int
    description: str
    parameters: dict[str, Parameter]
    classes: tuple[str, ...] = ()


def simulator_names() -> tuple[str, ...]:
    """Give the names `simulate` knows.

    Examples
    --------
    >>> from opnb.data import simulator_names
    >>> "rotated" in simulator_names()
    True
    """
    return tuple(SIMULATORS)


def simulate(
    name: str, n: int | None = None, seed: int = 0, *, test_size: float | None = 0.25, **parameters: float
) -> Dataset:
    """Draw data from a simulator.

    Parameters
    ----------
    name : str
        One of `simulator_names()`.
    n : int, optional
        Rows; each simulator has its own default.
    seed : int
        Decides every random choice.
    test_size : float, optional
        Share of held-out rows, stratified; None for no split.
    **parameters
        Settings of the simulator, as listed in ``SIMULATORS[name].parameters``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> simulate("rotated", n=300, angle=0.4, seed=1).X.shape
    (300, 2)
    """
    simulator = _find(name)
    values = _checked(name, simulator, parameters)
    n = int(Parameter(simulator.n, 20, 1_000_000, "", whole=True).check("n", simulator.n if n is None else n))
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError(f"seed must be a whole number from 0, not {seed!r}.")
    rng = np.random.default_rng(seed)
    X, codes = simulator.draw(rng, n, **values)
    order = rng.permutation(n)
    y = np.array(_class_names(simulator, codes))[codes[order]]
    train, test = split_rows(y, test_size, np.random.default_rng(seed))
    settings = ", ".join([f"n={n}", f"seed={seed}", *(f"{key}={value:g}" for key, value in values.items())])
    return Dataset(
        name=name,
        X=np.ascontiguousarray(X[order]),
        y=y,
        feature_names=tuple(f"X{j + 1}" for j in range(X.shape[1])),
        class_names=tuple(str(label) for label in np.unique(y)),
        train=train,
        test=test,
        rows=np.arange(n),
        is_binary=two_valued(X),
        description=simulator.description,
        provenance=f"{PROVENANCE}: {name} with {settings}.",
    )


@needs("data")
def simulated_table(name: str, n: int | None = None, seed: int = 0, **parameters: float) -> Table:
    """Draw data from a simulator as a table, with the classes in the column 'class'.

    Examples
    --------
    >>> from opnb.data import simulated_table
    >>> simulated_table("rotated", n=50).frame.shape
    (50, 3)
    """
    import pandas as pd

    from opnb.data.table import Table

    data = simulate(name, n, seed, test_size=None, **parameters)
    frame = pd.DataFrame(data.X, columns=list(data.feature_names))
    frame["class"] = data.y
    return Table.from_frame(frame, name, description=data.description, provenance=data.provenance)


def true_log_densities(X: ArrayLike, *, angle: float = math.pi / 8, overlap: float = 1.0) -> Floats:
    """Evaluate the class densities of the "rotated" design.

    Parameters
    ----------
    X : array of shape (n, 2)
    angle, overlap : float
        As in ``simulate("rotated", ...)``.

    Returns
    -------
    ndarray of shape (n, 3)
        log f_k(x) for the classes A, B, C.

    Examples
    --------
    >>> from opnb.data import true_log_densities
    >>> true_log_densities([[0.0, 0.0]]).shape
    (1, 3)
    """
    coordinates = np.asarray(X, dtype=np.float64) @ _rotation(angle)
    margins = _rotated_margins(overlap)
    parts = [[_log_mixture(coordinates[:, axis], margin[axis]) for axis in range(2)] for margin in margins]
    return np.column_stack([first + second for first, second in parts])


def bayes_error(*, overlap: float = 1.0) -> float:
    """Compute the least possible error on the "rotated" design: its true densities, integrated over the plane.

    The angle does not matter. The error of the sum is below 0.0001.

    Examples
    --------
    >>> from opnb.data import bayes_error
    >>> round(bayes_error(), 3)
    0.239
    """
    grid, step = np.linspace(-3.5 - 5 * overlap, 3.5 + 5 * overlap, 400, retstep=True)
    across, up = np.meshgrid(grid, grid)
    densities = np.exp(true_log_densities(np.column_stack([across.ravel(), up.ravel()]), angle=0.0, overlap=overlap))
    return float(1 - densities.max(axis=1).sum() * step**2 / densities.shape[1])


def rotated_axes(angle: float) -> Floats:
    """Give the axes along which the "rotated" design factorises, as columns."""
    return _rotation(angle)


def _find(name: str) -> Simulator:
    if name not in SIMULATORS:
        raise DataError(f"There is no simulator '{name}'. Choose one of: {', '.join(SIMULATORS)}.")
    return SIMULATORS[name]


def _checked(name: str, simulator: Simulator, given: dict[str, float]) -> dict[str, float]:
    unknown = [key for key in given if key not in simulator.parameters]
    if unknown:
        known = ", ".join(simulator.parameters) or "none"
        raise DataError(f"The simulator '{name}' has no setting '{unknown[0]}'. Its settings: {known}.")
    return {key: item.check(key, given.get(key, item.default)) for key, item in simulator.parameters.items()}


def _class_names(simulator: Simulator, codes: NDArray[np.intp]) -> tuple[str, ...]:
    return simulator.classes or tuple(chr(ord("A") + k) for k in range(int(codes.max()) + 1))


def _balanced(n: int, n_classes: int) -> NDArray[np.intp]:
    return np.sort(np.arange(n) % n_classes)


Mixture = tuple[tuple[float, ...], float]  # centres of equal weight, and their common standard deviation


def _rotated_margins(overlap: float) -> tuple[tuple[Mixture, Mixture], ...]:
    narrow, wide = 0.517 * overlap, 1.654 * overlap
    pair, single, inner = ((-2.2, 2.2), narrow), ((0.0,), wide), ((-1.1, 1.1), narrow)
    return ((pair, single), (single, pair), (inner, inner))


def _rotation(angle: float) -> Floats:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _log_mixture(values: Floats, mixture: Mixture) -> Floats:
    centres, sd = mixture
    standard = (values[:, None] - np.array(centres)) / sd
    constant = math.log(len(centres) * sd * math.sqrt(2 * math.pi))
    return np.logaddexp.reduce(-0.5 * standard**2, axis=1) - constant


def _rotated(rng: np.random.Generator, n: int, *, angle: float, overlap: float) -> Draw:
    codes = _balanced(n, 3)
    S = np.empty((n, 2))
    for k, margins in enumerate(_rotated_margins(overlap)):
        for axis, (centres, sd) in enumerate(margins):
            size = int(np.sum(codes == k))
            S[codes == k, axis] = rng.choice(centres, size) + sd * rng.normal(size=size)
    return S @ _rotation(angle).T, codes


def _hill_valley(rng: np.random.Generator, n: int, *, noise: float, levels: float) -> Draw:
    codes = _balanced(n, 2)
    base = 10 ** rng.uniform(0, levels, (n, 1))
    place, width = rng.uniform(10, 90, (n, 1)), rng.uniform(1, 12, (n, 1))
    height = 10 ** rng.uniform(-2.5, -0.3, (n, 1)) * np.where(codes == 0, 1, -1)[:, None]
    terrain = 1 + height * np.exp(-np.abs(np.arange(1, 101) - place) / width)
    return base * terrain * (1 + noise * rng.uniform(-1, 1, (n, 100))), codes


def _gaussian(rng: np.random.Generator, n: int, *, n_features: int, n_classes: int, separation: float) -> Draw:
    codes = _balanced(n, n_classes)
    directions = rng.normal(size=(n_classes, n_features))
    centres = separation * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return centres[codes] + rng.normal(size=(n, n_features)), codes


def _noise(rng: np.random.Generator, n: int, *, n_features: int, n_classes: int) -> Draw:
    return rng.normal(size=(n, n_features)), _balanced(n, n_classes)


def _diagonals(rng: np.random.Generator, codes: NDArray[np.intp]) -> Floats:
    """Put A and B on the two diagonals of a square, alike on either axis alone, and C in the middle."""
    side = rng.choice([-1.0, 1.0], codes.size)
    return np.column_stack([side, np.where(codes == 1, -side, side)]) * np.where(codes == 2, 0.0, 1.0)[:, None]


def _several_optima(rng: np.random.Generator, n: int, *, n_nuisance: int, spread: float) -> Draw:
    codes = _balanced(n, 3)
    signal = _diagonals(rng, codes)
    shared = rng.normal(size=(n, 2))
    groups = shared[:, np.arange(n_nuisance) % 2]
    nuisance = groups + 0.3 * rng.normal(size=(n, n_nuisance))
    return np.column_stack([signal + spread * rng.normal(size=(n, 2)), nuisance]), codes


def _decoy_plane(rng: np.random.Generator, n: int, *, copies: int, spread: float) -> Draw:
    codes = _balanced(n, 3)
    square = _diagonals(rng, codes) + spread * rng.normal(size=(n, 2))
    # In the decoy A is two upright bars, B two level ones, and C a diagonal: no pair of axes suits all three.
    bars = np.where(rng.random(n) < 0.5, -2.2, 2.2) + 0.4 * rng.normal(size=n)
    across, along = rng.normal(size=n), 1.5 * rng.normal(size=n)
    first = np.choose(codes, [bars, across, along + 0.3 * rng.normal(size=n)])
    second = np.choose(codes, [across, bars, along + 0.3 * rng.normal(size=n)])
    decoy = np.tile(np.column_stack([first, second]), copies)
    decoy += 0.3 * decoy.std(axis=0) * rng.normal(size=decoy.shape)
    return np.column_stack([square, decoy]), codes


def _loud_noise(rng: np.random.Generator, n: int, *, loudness: float, gap: float) -> Draw:
    codes = _balanced(n, 3)
    turn = 2 * math.pi * codes / 3
    quiet = gap * np.column_stack([np.cos(turn), np.sin(turn)]) + rng.normal(size=(n, 2))
    loud = loudness * (rng.choice([-1.0, 1.0], (n, 2)) + 0.25 * rng.normal(size=(n, 2)))
    # Every column holds the same share of all four sources, so that scaling the columns changes nothing.
    mixing = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    return np.column_stack([quiet, loud]) @ mixing, codes


def _elongated(rng: np.random.Generator, n: int, *, n_features: int, length: float, gap: float) -> Draw:
    codes = _balanced(n, 3)
    basis = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    scores = rng.normal(size=(n, n_features))
    scores[:, 0] *= length
    scores[:, 1] += gap * (codes - 1)
    return scores @ basis.T, codes


def _categories(rng: np.random.Generator, n: int, *, effect: float) -> Draw:
    codes = _balanced(n, 3)
    numbers = rng.normal(size=(n, 2)) + effect * np.column_stack([codes == 1, codes == 2])
    binary = rng.random((n, 2)) < 0.5 + 0.35 * effect / (1 + effect) * np.column_stack([codes - 1, 1 - codes])
    weights = 1 + 4 * effect * np.eye(3)[codes]
    level = (rng.random((n, 1)) * weights.sum(axis=1, keepdims=True) > np.cumsum(weights, axis=1)).sum(axis=1)
    return np.column_stack([numbers, binary, np.eye(3)[level][:, 1:]]).astype(np.float64), codes


def _answers(
    rng: np.random.Generator, n: int, *, n_questions: int, n_levels: int, together: float, lean: float
) -> Draw:
    codes = _balanced(n, 2)
    shape = (n, n_questions)
    drawn = rng.random(shape) < 0.5 + 0.5 * lean * np.where(codes == 0, -1, 1)[:, None]
    decided = (rng.random(shape) < together) & (codes == 0)[:, None]
    upwards = np.where(decided, rng.random((n, 1)) < 0.5, drawn)
    from_the_end = np.minimum(rng.geometric(0.8, shape) - 1, n_levels - 1)
    level = np.where(upwards, n_levels - 1 - from_the_end, from_the_end)
    columns = level[:, :, None] == np.arange(1, n_levels)
    return columns.reshape(n, -1).astype(np.float64), codes


_FEATURES = "number of covariates"
_LEVELS = Parameter(5.0, 0.5, 6.0, "orders of magnitude by which the levels of the terrains differ")
_CLASSES = Parameter(2, 2, 26, "number of classes", whole=True)
SIMULATORS: dict[str, Simulator] = {
    "rotated": Simulator(
        _rotated,
        1000,
        "Three classes in the plane whose densities factorise along axes turned by an angle, as in the "
        "paper's first figure. Naive Bayes is optimal on the turned axes (error about 0.239) and poor on the "
        "raw ones: finding the axes is the whole task.",
        {
            "angle": Parameter(math.pi / 8, -math.pi, math.pi, "by how much the axes are turned, in radians"),
            "overlap": Parameter(1.0, 0.1, 5.0, "width of the class densities; 1 gives the paper's Bayes error"),
        },
    ),
    "hill-valley": Simulator(
        _hill_valley,
        1212,
        "Each row is a terrain of 100 points with one hill or one valley; which, is the class. Levels differ "
        "by five orders of magnitude, so the first principal component carries nearly all variance and says "
        "nothing about the class. After the Hill-Valley data of the UCI repository, on smooth terrain.",
        {"noise": Parameter(0.0, 0.0, 0.5, "ruggedness of the terrain, as a share of its level"), "levels": _LEVELS},
        ("hill", "valley"),
    ),
    "hill-valley-noise": Simulator(
        _hill_valley,
        1212,
        "The hill and valley terrains on rugged ground: every point is disturbed by some per cent of its "
        "level, which hides small hills and makes overfitting easy.",
        {"noise": Parameter(0.05, 0.0, 0.5, "ruggedness of the terrain, as a share of its level"), "levels": _LEVELS},
        ("hill", "valley"),
    ),
    "gaussian": Simulator(
        _gaussian,
        300,
        "Spherical normal classes around random centres. Linear discriminant analysis is the right method "
        "here; anything more flexible should do about as well and no better.",
        {
            "n_features": Parameter(5, 1, 1000, _FEATURES, whole=True),
            "n_classes": Parameter(3, 2, 26, "number of classes", whole=True),
            "separation": Parameter(3.0, 0.0, 100.0, "distance of the centres from the origin"),
        },
    ),
    "noise": Simulator(
        _noise,
        100,
        "Classes that have nothing to do with the covariates. Any separation a picture of the training rows "
        "shows is overfitting; no classifier can beat guessing on the held-out rows.",
        {"n_features": Parameter(40, 1, 1000, _FEATURES, whole=True), "n_classes": _CLASSES},
    ),
    "several-optima": Simulator(
        _several_optima,
        400,
        "Two classes lie on the two diagonals of a square and a third in its middle, beside correlated "
        "covariates that carry most variance and no information. A start from the principal components "
        "begins among those and can stay there; several random starts find the square.",
        {
            "n_nuisance": Parameter(10, 2, 100, "number of uninformative covariates", whole=True),
            "spread": Parameter(0.35, 0.05, 2.0, "width of the groups"),
        },
    ),
    "decoy-plane": Simulator(
        _decoy_plane,
        600,
        "Three classes in two planes. In one of them they separate cleanly; the other carries most of the variance "
        "and separates them in part, with one class always lying slantwise. Principal components start in the second "
        "and stay there; the best of several random starts finds the first.",
        {
            "copies": Parameter(2, 1, 20, "how often the plane that misleads is measured", whole=True),
            "spread": Parameter(0.3, 0.05, 2.0, "width of the groups in the other plane"),
        },
    ),
    "loud-noise": Simulator(
        _loud_noise,
        600,
        "Four sources, mixed evenly into four columns. Two are loud, two-humped and the same in every class; in "
        "the two quiet ones the classes differ. Methods that look for variance or for independent components find "
        "the loud pair, which says nothing about the class.",
        {
            "loudness": Parameter(2.5, 0.1, 100.0, "distance of the humps from their middle"),
            "gap": Parameter(1.8, 0.0, 100.0, "distance of the classes from their middle, in standard deviations"),
        },
    ),
    "elongated": Simulator(
        _elongated,
        300,
        "Three parallel classes, long in one common direction and close to each other across it. The "
        "direction of most variance says nothing about the class: principal components start there, and a "
        "penalty by the within-class covariance makes it dear.",
        {
            "n_features": Parameter(4, 2, 1000, _FEATURES, whole=True),
            "length": Parameter(10.0, 1.0, 1000.0, "standard deviation along the common direction"),
            "gap": Parameter(4.0, 0.0, 100.0, "distance between neighbouring classes, in standard deviations across"),
        },
    ),
    "categories": Simulator(
        _categories,
        400,
        "Two numbers, two yes-or-no columns and a category of three levels in two columns of 0 and 1, all a "
        "little informative: what a projection makes of mixed data.",
        {"effect": Parameter(1.0, 0.0, 10.0, "how much the covariates say about the class")},
    ),
    "answers": Simulator(
        _answers,
        600,
        "Answers to several questions, each a category, in columns of 0 and 1. Decided people answer all questions in "
        "one way or all in the other, undecided ones now so, now so. Every answer is as frequent in both groups, so "
        "no column alone tells them apart, and their sum does.",
        {
            "n_questions": Parameter(8, 1, 100, "number of questions", whole=True),
            "n_levels": Parameter(3, 2, 20, "answers to choose from at each question", whole=True),
            "together": Parameter(1.0, 0.0, 1.0, "share of their answers that decided people give in one way"),
            "lean": Parameter(0.0, 0.0, 1.0, "how much the two groups differ in the frequency of each answer"),
        },
        ("decided", "undecided"),
    ),
}
