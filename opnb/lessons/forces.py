"""Two forces: what each half of the likelihood asks for, along the search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb import ClassConditionalICA, OPNBClassifier
from opnb.core.densities import ClassDensities
from opnb.core.kernel import Array
from opnb.core.objective import make_problem
from opnb.lessons.lesson import (
    Choice,
    Curve,
    Frame,
    Lesson,
    Panel,
    Points,
    Rule,
    Scale,
    Slider,
    State,
    Story,
    Try,
    numbers,
    seed,
)
from opnb.lessons.samples import CLASSES, Sample, draw

MOST_FRAMES = 16
_NEW, _DRAWN = 5_000, 300


@dataclass(frozen=True, eq=False)
class Terms:
    """What a model on a plane says of the training points.

    Attributes
    ----------
    own, mixed : float
        Mean log density of a point in its own class and in the mixture of all, the plane measured in standard
        deviations within classes: `own` is high where every class is far from normal and its axes independent. The
        gap between the two is what is learnt about the class: none at 0, all at the logarithm of the number of classes.
    error : float
        On new points.
    places : ndarray of shape (n, 2)
        Points of the picture.
    """

    own: float
    mixed: float
    error: float
    places: Array


def tell(state: State) -> Story:
    """Follow the search from the loudest plane to the end."""
    shape = {"loudness": float(state["loudness"]), "gap": float(state["gap"])}
    sample = draw("loud-noise", int(state["n"]), int(state["seed"]), _NEW, **shape)
    iterations, steps = _searched(sample)
    other = _ccica(sample)
    edge = 1.04 * float(np.max([np.abs(terms.places[:_DRAWN]).max() for terms in (*steps, other)]))
    plane = Scale("", (-edge, edge), numbers=False)
    frames = [_frame(number, iterations, steps, other, sample, plane) for number in range(len(steps))]
    return Story(tuple(frames), "search", CLASSES, columns=2, heights=(1.3, 1.0), first=len(frames) - 1, step=0.8)


def _searched(sample: Sample) -> tuple[list[int], list[Terms]]:
    """Search from the principal components and keep some of the iterations."""
    visited: list[Array] = []

    def keep(iteration: Any) -> bool:
        visited.append(iteration.V.copy())
        return False

    model = OPNBClassifier(n_components=2, callback=keep).fit(sample.X, sample.labels)
    # Most happens early: every one of the first iterations, then ever fewer.
    kept = np.unique(np.geomspace(1, len(visited), MOST_FRAMES).round().astype(int)) - 1
    scaled = [(X - model.mean_) / model.scale_ for X in (sample.X, sample.X_new)]
    problem = make_problem(scaled[0], sample.labels, len(CLASSES), lam=0.0)
    return kept.tolist(), [_terms_at(visited[place], problem, scaled, sample) for place in kept]


def _terms_at(V: Array, problem: Any, scaled: list[Array], sample: Sample) -> Terms:
    model = ClassDensities.from_projection(V, problem)
    Z, Z_new = (X @ model.components.T for X in scaled)
    return _terms(model.joint_log_likelihood(Z), model.joint_log_likelihood(Z_new), Z, sample)


def _ccica(sample: Sample) -> Terms:
    """Independent components of every class on two dimensions; the picture has those of the first class."""
    model = ClassConditionalICA(n_components=2, random_state=0).fit(sample.X, sample.labels)
    shares = np.log(model.class_prior_)
    joint, joint_new = (model.class_log_densities(X) + shares for X in (sample.X, sample.X_new))
    Z = (sample.X - model.mean_) / model.scale_ @ model.components_.T
    found = _terms(joint, joint_new, Z, sample)
    return Terms(found.own, found.mixed, found.error, _within(Z @ model.unmixing_[0].T, sample.labels))


def _terms(joint: Array, joint_new: Array, Z: Array, sample: Sample) -> Terms:
    centred = _centred(Z, sample.labels)
    unit = 0.5 * float(np.linalg.slogdet(centred.T @ centred / len(centred))[1])
    shares = np.log(np.bincount(sample.labels) / sample.labels.size)
    own = joint[np.arange(len(joint)), sample.labels] - shares[sample.labels]
    mixed = np.logaddexp.reduce(joint, axis=1)
    error = float(np.mean(joint_new.argmax(axis=1) != sample.labels_new))
    return Terms(float(own.mean()) + unit, float(mixed.mean()) + unit, error, _within(Z, sample.labels))


def _centred(Z: Array, labels: NDArray[np.intp]) -> Array:
    means = np.stack([Z[labels == k].mean(axis=0) for k in range(len(CLASSES))])
    centred: Array = Z - means[labels]
    return centred


def _within(Z: Array, labels: NDArray[np.intp]) -> Array:
    """Put points into standard deviations within classes, around the middle of all."""
    places: Array = (Z - Z.mean(axis=0)) / _centred(Z, labels).std(axis=0)
    return places


def _frame(number: int, iterations: list[int], steps: list[Terms], other: Terms, sample: Sample, plane: Scale) -> Frame:
    here = steps[number]
    panels = (
        _plane_panel(f"OPNB, iteration {iterations[number]}: {100 * here.error:.1f} % errors", here, sample, plane),
        _plane_panel(f"CCICA on two dimensions: {100 * other.error:.1f} % errors", other, sample, plane),
        _terms_panel(number, iterations, steps, other),
        _error_panel(number, iterations, steps, other),
    )
    found = {
        "own": here.own,
        "mixed": here.mixed,
        "error": here.error,
        "ccica own": other.own,
        "ccica mixed": other.mixed,
        "ccica error": other.error,
    }
    return Frame(f"{iterations[number]}", _says(iterations[number], here, other), panels, found)


def _plane_panel(title: str, terms: Terms, sample: Sample, plane: Scale) -> Panel:
    places = terms.places[:_DRAWN]
    return Panel(title, (Points(places[:, 0], places[:, 1], sample.labels[:_DRAWN]),), plane, plane)


def _axis(iterations: list[int]) -> Scale:
    return Scale("iteration of the search", (-0.02 * iterations[-1], 1.02 * iterations[-1]))


def _terms_panel(number: int, iterations: list[int], steps: list[Terms], other: Terms) -> Panel:
    own, mixed = [step.own for step in steps], [step.mixed for step in steps]
    low, high = min(*mixed, other.mixed), max(*own, other.own)
    room = 0.12 * (high - low)
    return Panel(
        f"What is learnt: {own[number] - mixed[number]:.2f} of {math.log(len(CLASSES)):.2f}",
        (
            Curve(iterations, own, look=0, name="own class"),
            Curve(iterations, mixed, look=1, name="all classes mixed"),
            Curve([iterations[number]], [own[number]], look=0, marks=True, line=False),
            Curve([iterations[number]], [mixed[number]], look=1, marks=True, line=False),
            Rule(y=other.own, text="own class, CCICA"),
        ),
        _axis(iterations),
        Scale("log density", (low - room, high + 1.6 * room)),
    )


def _error_panel(number: int, iterations: list[int], steps: list[Terms], other: Terms) -> Panel:
    errors = [100 * step.error for step in steps]
    return Panel(
        "Errors on new points, %",
        (
            Curve(iterations, errors, look=2, name="OPNB"),
            Curve([iterations[number]], [errors[number]], look=2, marks=True, line=False),
            Rule(y=100 * other.error, text="CCICA"),
        ),
        _axis(iterations),
        Scale("errors, %", (0.0, 80.0)),
    )


def _says(iteration: int, here: Terms, other: Terms) -> str:
    return (
        f"Iteration {iteration}: a point's own class has log density {here.own:.2f}, the mixture {here.mixed:.2f}. "
        f"The gap of {here.own - here.mixed:.2f} is what is learnt about the class; CCICA's is "
        f"{other.own - other.mixed:.2f}."
    )


LESSON = Lesson(
    key="forces",
    title="Two forces",
    minutes=10,
    shows="The likelihood has two halves. One wants every class to be well described, the other wants the mixture of "
    "all classes to be a poor description. What counts is the gap between them.",
    why="The first half looks for independent components of every class at once, which is all that CCICA does. Here it "
    "finds beautiful ones, two clear humps on each axis, but the same in every class. So the mixture describes a point "
    "just as well as its own class does, and nothing is learnt. OPNB starts on the same loud plane. The second half "
    "drives it away: its curve for the mixture falls while that for the own class rises, and the gap opens where the "
    "classes differ.",
    question="CCICA describes every class better: its line lies far above OPNB's curve. Why does it classify worse?",
    answer="Because it describes all classes alike. A density that fits every class equally well says nothing about "
    "which class a point is from. Only the gap between own class and mixture helps to classify.",
    controls=(
        Slider("loudness", "Loudness of the noise", 0.5, 4.0, 0.5, 2.5, "How far apart the humps are."),
        Slider("gap", "Distance of the classes", 0.0, 3.0, 0.2, 1.8),
        Choice("n", "Points", numbers(150, 300, 600), 600),
        seed(),
    ),
    tries=(
        Try("The start", {}, "Both methods look at the same loud plane.", at=0),
        Try("The end", {}, "The curves have moved apart, and the classes with them.", at=-1),
        Try("Quiet noise", {"loudness": 0.5}, "When the noise is quiet, CCICA sees the classes as well.", at=-1),
        Try("No classes", {"gap": 0.0}, "Nothing tells the classes apart, and no gap worth having opens.", at=-1),
    ),
    tell=tell,
)
