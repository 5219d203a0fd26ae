"""Why rotate? The paper's first figure, live."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from opnb import ClassConditionalICA, KDENaiveBayes, OPNBClassifier
from opnb.data import bayes_error
from opnb.data.simulators import rotated_axes, true_log_densities
from opnb.lessons.lesson import (
    Bars,
    Choice,
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
    decision,
    numbers,
    seed,
)
from opnb.lessons.samples import CLASSES, Sample, draw

STEPS = 6  # from no turn to an eighth of a circle
_AT_FIRST = 3
_TESTED = 10_000
_DRAWN = 300
_EXTENT = (-5.2, 5.2)
_PLACE = Scale("", _EXTENT, numbers=False)
_METHODS = {
    "nb": "NB on the columns",
    "opnb": "OPNB",
    "ccica": "CCICA",
    "axes": "NB on the true axes",
}


def tell(state: State) -> Story:
    """Turn the same points from frame to frame and fit every method to each turn."""
    n, overlap, number = int(state["n"]), float(state["overlap"]), int(state["seed"])
    best = bayes_error(overlap=overlap)
    frames = [_frame(step * math.pi / (4 * STEPS), n, overlap, number, best) for step in range(STEPS + 1)]
    return Story(tuple(frames), "angle", CLASSES, columns=3, first=_AT_FIRST, step=1.2)


def errors(angle: float, n: int, overlap: float, number: int) -> dict[str, float]:
    """Test errors of the four methods on one draw."""
    return _fitted(angle, n, overlap, number)[2]


def _fitted(angle: float, n: int, overlap: float, number: int) -> tuple[Sample, dict[str, Any], dict[str, float]]:
    sample = draw("rotated", n, number, _TESTED, angle=angle, overlap=overlap)
    axes = rotated_axes(angle)
    turned = KDENaiveBayes().fit(sample.X @ axes, sample.labels)
    models: dict[str, Any] = {
        "nb": KDENaiveBayes().fit(sample.X, sample.labels).predict_log_proba,
        "opnb": OPNBClassifier(n_components=2).fit(sample.X, sample.labels).predict_log_proba,
        "ccica": ClassConditionalICA(random_state=0).fit(sample.X, sample.labels).predict_log_proba,
        "axes": lambda X: turned.predict_log_proba(X @ axes),
    }
    wrong = {key: model(sample.X_new).argmax(axis=1) != sample.labels_new for key, model in models.items()}
    return sample, models, {key: float(np.mean(mistakes)) for key, mistakes in wrong.items()}


def _frame(angle: float, n: int, overlap: float, number: int, best: float) -> Frame:
    sample, models, found = _fitted(angle, n, overlap, number)
    truth = partial(true_log_densities, angle=angle, overlap=overlap)
    titles = {"truth": "The best possible", **_METHODS}
    shares = {"truth": best, **found}
    panels = [
        Panel(
            f"{titles[key]}: {100 * shares[key]:.1f} % errors",
            (decision(scores, _EXTENT, _EXTENT), _points(sample)),
            _PLACE,
            _PLACE,
            equal=True,
        )
        for key, scores in {"truth": truth, **models}.items()
    ]
    bars = Bars(tuple(titles.values()), [100 * share for share in shares.values()], strong=(2,))
    panels.append(
        Panel(
            f"Errors on {_TESTED:,} new points, %",
            (bars, Rule(x=100 * best)),
            Scale("", (0.0, 55.0)),
        )
    )
    return Frame(f"{math.degrees(angle):.3g}°", _says(angle, found, best), tuple(panels), {"bayes": best, **found})


def _points(sample: Sample) -> Points:
    shown = slice(None, _DRAWN)  # the rows are in random order
    return Points(sample.X[shown, 0], sample.X[shown, 1], sample.labels[shown])


def _says(angle: float, found: dict[str, float], best: float) -> str:
    turn = f"Turned by {math.degrees(angle):.3g}°" if angle else "Not turned"
    return (
        f"{turn}: naive Bayes on the columns errs on {100 * found['nb']:.1f} % of new points, OPNB on "
        f"{100 * found['opnb']:.1f} %. Nothing can do better than {100 * best:.1f} %."
    )


LESSON = Lesson(
    key="rotate",
    title="Why rotate?",
    minutes=8,
    shows="Naive Bayes looks along the columns of the table. When the classes lie along other axes, it fails, and "
    "OPNB finds those axes.",
    why="Every class here is a product of two densities, one along each of two axes. Naive Bayes assumes just that, so "
    "on those axes it is the right model. Turn the axes against the columns and the product is gone: within a class "
    "the columns now depend on each other. OPNB looks for the axes itself and so follows the turn. CCICA finds axes "
    "for every class on its own, which here are the same.",
    question="Which of the methods know the angle, which find it, and which cannot use it?",
    answer="Naive Bayes on the true axes is told the angle. OPNB and CCICA find it from the data. Naive Bayes on the "
    "columns has no way to use it: more data do not help, because its model of each class is wrong, not its estimate. "
    "OPNB may even do better than naive Bayes on the true axes, since it chooses how wide its kernels are as well.",
    controls=(
        Choice("n", "Points", numbers(100, 300, 1000, 3000), 1000, "Training points of all classes together."),
        Slider("overlap", "Overlap", 0.6, 1.6, 0.1, 1.0, "How wide the classes are."),
        seed(),
    ),
    tries=(
        Try(
            "No turn", {}, "Without a turn the columns are the true axes, and naive Bayes is as good as the rest.", at=0
        ),
        Try("Furthest turn", {}, "Naive Bayes draws boundaries that have nothing to do with the classes.", at=-1),
        Try("Few points", {"n": 100}, "With few points OPNB has to guess the axes, and now and then it is wrong."),
        Try("Clear classes", {"overlap": 0.6}, "Even where the classes hardly overlap, the wrong axes cost errors."),
    ),
    tell=tell,
)
