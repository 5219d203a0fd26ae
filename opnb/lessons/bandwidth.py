"""Scale is bandwidth: one direction, and what its length does to densities, likelihood and errors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from opnb.core.densities import ClassDensities
from opnb.core.kernel import Array
from opnb.core.objective import make_problem, value_and_gradient
from opnb.lessons.lesson import (
    Choice,
    Curve,
    Frame,
    Layer,
    Lesson,
    Panel,
    Points,
    Rule,
    Scale,
    State,
    Story,
    Try,
    numbers,
    seed,
    short,
)
from opnb.lessons.samples import CLASSES, Sample, draw

SCALES = 10 ** np.linspace(-0.5, 3.5, 17)
_TESTED = 5_000
_OVERLAP = 0.65
_SHOWN = (-2.6, 2.6)
_AROUND = np.array([-5, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 5])  # bandwidths from a point, where a peak bends
_CRITERIA = {
    "likelihood": "log-likelihood",
    "penalty": "with the penalty",
    "left-out": "each point left out",
}


def tell(state: State) -> Story:
    """Lengthen the direction from frame to frame."""
    drawn = draw("rotated", int(state["n"]), int(state["seed"]), _TESTED, angle=0.0, overlap=_OVERLAP)
    sample = _standardised(drawn)
    curves = criteria(sample, float(state["lam"]))
    models = [_densities(sample, scale) for scale in SCALES]
    errors = {
        "training": [_error(model, sample.X, sample.labels) for model in models],
        "new": [_error(model, sample.X_new, sample.labels_new) for model in models],
    }
    chosen = str(state["criterion"])
    best = int(np.argmax(curves[chosen]))
    frames = [
        Frame(
            short(scale),
            _says(number, curves, chosen, errors),
            (
                _density_panel(sample, models[number], scale),
                _posterior_panel(models[number]),
                _criterion_panel(number, curves, chosen, best),
                _error_panel(number, errors, best),
            ),
            {key: float(values[number]) for key, values in (curves | errors).items()},
        )
        for number, scale in enumerate(SCALES)
    ]
    return Story(tuple(frames), "scale", CLASSES, columns=2, first=best, step=0.8)


def _standardised(sample: Sample) -> Sample:
    """Keep the first column alone, in standard deviations."""
    x = sample.X[:, :1]
    centre, width = x.mean(), x.std(ddof=1)
    return Sample((x - centre) / width, sample.labels, (sample.X_new[:, :1] - centre) / width, sample.labels_new)


def criteria(sample: Sample, lam: float) -> dict[str, Array]:
    """Compute each criterion at every scale, an observation."""

    def along(lam: float, likelihood: str = "resubstitution") -> Array:
        X, y = sample.X, sample.labels
        values = [value_and_gradient(np.array([[v]]), X, y, lam=lam, likelihood=likelihood)[0] for v in SCALES]
        return np.array(values)

    return {
        "likelihood": along(lam=0.0),
        "penalty": along(lam=lam),
        "left-out": along(lam=0.0, likelihood="leave-one-out"),
    }


def _densities(sample: Sample, scale: float) -> ClassDensities:
    problem = make_problem(
        sample.X, sample.labels, 3, lam=0.0, penalty="frobenius", likelihood="resubstitution", n_bins=None
    )
    return ClassDensities.from_projection(np.array([[scale]]), problem)


def _error(model: ClassDensities, X: Array, labels: NDArray[np.intp]) -> float:
    return float(np.mean(model.joint_log_likelihood(X).argmax(axis=1) != labels))


def _grid(sample: Sample, scale: float, labels: NDArray[np.bool_]) -> Array:
    """Positions at which a density is drawn: even ones, and those where its peaks bend."""
    bends = (sample.X[labels] + _AROUND / scale).ravel()
    grid = np.unique(np.concatenate([np.linspace(*_SHOWN, 200), bends]))
    return grid[(grid >= _SHOWN[0]) & (grid <= _SHOWN[1])]


def _density_panel(sample: Sample, model: ClassDensities, scale: float) -> Panel:
    grids = [_grid(sample, scale, sample.labels == k) for k in range(3)]
    heights = [np.exp(model.log_densities(0, grid)[k]) for k, grid in enumerate(grids)]
    top = max(height.max() for height in heights)
    both = enumerate(zip(grids, heights, strict=True))
    layers = [Curve(grid, height / top, of_class=k, filled=True) for k, (grid, height) in both]
    rows = -0.09 - 0.075 * sample.labels
    return Panel(
        f"Densities at scale {short(scale)} (bandwidth {short(1 / scale)})",
        (*layers, Points(sample.X[:, 0], rows, sample.labels)),
        Scale("position on the direction", _SHOWN),
        Scale("density, highest peak at the top", (-0.3, 1.06), numbers=False),
    )


def _posterior_panel(model: ClassDensities) -> Panel:
    grid = np.linspace(*_SHOWN, 500)
    joint = model.log_prior[:, None] + model.log_densities(0, grid)
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=0))
    return Panel(
        "Probability of each class",
        tuple(Curve(grid, posterior[k], of_class=k) for k in range(3)),
        Scale("position on the direction", _SHOWN),
        Scale("probability", (0.0, 1.02)),
    )


def _criterion_panel(number: int, curves: Mapping[str, Array], chosen: str, best: int) -> Panel:
    low, high = -1.6, 0.12
    other = [Curve(SCALES, curves["likelihood"], quiet=True, name="log-likelihood, for comparison")]
    # What falls out of the panel is cut by hand: a line to far below would be drawn across the words.
    shown = np.where(curves[chosen] >= low, curves[chosen], np.nan)
    layers: tuple[Layer, ...] = (
        *(other if chosen != "likelihood" else []),
        Rule(y=0.0),
        Rule(x=float(SCALES[best])),
        Curve(SCALES, shown, name=_CRITERIA[chosen]),
        _here(number, shown),
    )
    return Panel(
        f"What is maximised: highest at scale {short(SCALES[best])}",
        layers,
        Scale("scale", _axis(), log=True),
        Scale("per observation", (low, high)),
    )


def _error_panel(number: int, errors: Mapping[str, list[float]], best: int) -> Panel:
    percent = {key: 100 * np.array(values) for key, values in errors.items()}
    layers = (
        Rule(x=float(SCALES[best])),
        Curve(SCALES, percent["training"], look=2, name="error on the training points"),
        Curve(SCALES, percent["new"], look=1, name="error on new points"),
        _here(number, percent["training"], 2),
        _here(number, percent["new"], 1),
    )
    return Panel(
        f"Error on new points: {percent['new'][number]:.1f} %",
        layers,
        Scale("scale", _axis(), log=True),
        Scale("errors, %", (0.0, 72.0)),
    )


def _here(number: int, values: Array, look: int = 0) -> Curve:
    return Curve([SCALES[number]], [values[number]], look=look, marks=True, line=False)


def _axis() -> tuple[float, float]:
    return float(SCALES[0]) / 1.3, float(SCALES[-1]) * 1.3


def _says(number: int, curves: Mapping[str, Array], chosen: str, errors: Mapping[str, list[float]]) -> str:
    extra = "" if chosen == "likelihood" else f", {_CRITERIA[chosen]} {curves[chosen][number]:.3g}"
    return (
        f"Scale {short(SCALES[number])}: log-likelihood {curves['likelihood'][number]:.3f}{extra}. "
        f"Errors: {100 * errors['training'][number]:.1f} % of the training points, "
        f"{100 * errors['new'][number]:.1f} % of new ones."
    )


LESSON = Lesson(
    key="bandwidth",
    title="Scale is bandwidth",
    minutes=8,
    shows="A longer direction means a narrower kernel. The likelihood of the training points alone always asks for "
    "more length, until every point stands on its own spike.",
    why="The kernel has a fixed width. Stretching the data along the direction therefore does what a narrower kernel "
    "would do. Short: all classes are one bump. Long: every training point sits under its own spike, is classified "
    "perfectly, and the log-likelihood reaches zero. New points fall between the spikes. Two cures: a penalty on "
    "the length, or judging each point by a density from which it was left out.",
    question="The log-likelihood can reach zero here. Why is that no success?",
    answer="Zero means that every training point is certain of its class, because its own kernel says so. It would be "
    "reached with random labels as well. The error on new points is higher than at a moderate scale.",
    controls=(
        Choice("criterion", "Maximise", tuple(_CRITERIA.items()), "likelihood"),
        Choice("lam", "Penalty λ", numbers(0.0001, 0.001, 0.01, 0.1), 0.001, "Weight of the squared length."),
        Choice("n", "Points", numbers(60, 120, 300), 120, "Training points of all classes together."),
        seed(),
    ),
    tries=(
        Try("Too wide", {}, "The classes are one bump each and can hardly be told apart.", at=0),
        Try("Collapse", {}, "The likelihood is perfect and the densities are spikes.", at=-1),
        Try("Add the penalty", {"criterion": "penalty"}, "The penalty stops the growth near the least error."),
        Try("Leave each out", {"criterion": "left-out"}, "No penalty needed: a spike cannot praise its own point."),
    ),
    tell=tell,
)
