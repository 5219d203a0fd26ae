"""Turn it yourself: axes turned by hand for the least error on held-out points, and a climb from there.

The story has a hand that never tires: it turns one column's weight at a time, looks at the held-out points, and keeps
what errs less there. Then the search climbs from where the hand has come to, and looks at the training points alone.
The tour beside it lets a student do the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opnb import OPNBClassifier
from opnb.core.kernel import Array
from opnb.data import Dataset, simulate
from opnb.figures import Tour
from opnb.lessons.lesson import (
    Choice,
    Curve,
    Frame,
    Lesson,
    Panel,
    Rule,
    Scale,
    Slider,
    State,
    Story,
    Try,
    numbers,
    seed,
)
from opnb.lessons.planes import class_numbers, fitted_quietly, projection_panel, shown_scores
from opnb.views.axes_paths import AxesPath, model_axes
from opnb.views.tour import TourView, tour_frame, tour_view

CLASSES = 4
_HELD_OUT = 100  # points that a hand looks at
_NEW = 4000  # points that nobody looks at before the end
_LOOKS = (0, 3, 8, 20, 60)  # turns after which the hand's plane is shown
_STEPS = (2, 5, 12)  # of the climb
_HEAVIEST = 0.98


@dataclass(frozen=True, eq=False)
class Stand:
    """Where the axes stand: what is known there, and who has brought them there.

    Attributes
    ----------
    axes : ndarray of shape (2, n_features)
    name, by : str
    model : OPNBClassifier
        Naive Bayes on these axes.
    training, held_out, new : float
        Errors.
    """

    axes: Array
    name: str
    by: str
    model: OPNBClassifier
    training: float
    held_out: float
    new: float


def draw(state: State, ways: Sequence[AxesPath] = ()) -> tuple[Dataset, TourView]:
    """Draw the points; the held-out rows of the tour are those a hand looks at, the rest of them are new."""
    n = int(state["n"])
    size = n + _HELD_OUT + _NEW
    settings = {"n_features": int(state["p"]), "n_classes": CLASSES, "separation": float(state["separation"])}
    data = simulate("gaussian", n=size, seed=int(state["seed"]), test_size=1 - n / size, **settings)
    start = OPNBClassifier(init=np.eye(int(state["p"]), 2), max_iter=0).fit(data.X_train, data.y_train)
    names: dict[str, Any] = {"class_names": data.class_names, "feature_names": data.feature_names}
    parts = (data.X_train, data.y_train, data.X_test[:_HELD_OUT], data.y_test[:_HELD_OUT])
    return data, tour_view(start, *parts, paths=ways, **names)


def stands(state: State) -> tuple[Dataset, list[Stand]]:
    """Turn by hand, then climb: where the axes stood on the way."""
    data, view = draw(state)
    rng = np.random.default_rng(int(state["seed"]))
    found = [
        _stand(data, axes, f"{turns} turns", "hand")
        for turns, axes in enumerate(_turned(view, int(state["turns"]), rng))
        if turns in (*_LOOKS, int(state["turns"]))
    ]
    seen = climb(data, found[-1].axes)
    steps = [step for step in _STEPS if step < len(seen) - 1]
    found += [_stand(data, seen[step], f"step {step}", "climb") for step in steps]
    return data, [*found, _stand(data, seen[-1], "top", "climb")]


def climb(data: Dataset, axes: Array) -> list[Array]:
    """Give the axes at every step of the search that begins at some axes."""
    seen: list[Array] = []

    def watch(iteration: object) -> bool:
        seen.append(iteration.V.T.copy())  # type: ignore[attr-defined]
        return False

    fitted_quietly(OPNBClassifier(init=axes.T, callback=watch), data.X_train, data.y_train)
    return seen


def _turned(view: TourView, turns: int, rng: np.random.Generator) -> Iterator[Array]:
    """Give the axes after every turn of a hand that keeps what errs less on the held-out points."""
    axes = np.eye(2, view.points.shape[1])
    least = _held_out_error(view, axes)
    yield axes
    for _ in range(turns):
        tried = axes.copy()
        d = rng.integers(2)
        tried[d] = _weighted(tried[d], int(rng.integers(tried.shape[1])), rng.uniform(-1, 1)) * np.exp(
            rng.normal(0, 0.2)
        )
        error = _held_out_error(view, tried)
        if error <= least:
            axes, least = tried, error
        yield axes


def _held_out_error(view: TourView, axes: Array) -> float:
    test = tour_frame(view, axes, resolution=2, curve=2).test
    assert test is not None
    return test.error


def _weighted(axis: Array, column: int, weight: float) -> Array:
    """Give a column its weight in an axis; the rest keeps its proportions, the axis its length."""
    length, share = float(np.linalg.norm(axis)), weight * _HEAVIEST
    rest = axis.copy()
    rest[column] = 0.0
    size = float(np.linalg.norm(rest))
    if size < 1e-9 * length:
        return axis
    turned = rest * np.sqrt(1 - share**2) / size
    turned[column] = share
    return length * turned


def _stand(data: Dataset, axes: Array, name: str, by: str) -> Stand:
    model = OPNBClassifier(init=axes.T, max_iter=0).fit(data.X_train, data.y_train)
    wrong = model.predict(data.X_test) != data.y_test
    training = float(np.mean(model.predict(data.X_train) != data.y_train))
    return Stand(axes, name, by, model, training, float(wrong[:_HELD_OUT].mean()), float(wrong[_HELD_OUT:].mean()))


def tell(state: State) -> Story:
    """Show where the hand came to, and where the climb from there leads."""
    data, found = stands(state)
    labels, last_of_hand = class_numbers(data), sum(stand.by == "hand" for stand in found) - 1
    frames = []
    for place, stand in enumerate(found):
        Z = stand.model.transform(data.X_train)
        panels = (
            projection_panel(f"Naive Bayes on these axes, {stand.name}", Z, labels, shown_scores(stand.model)),
            _errors(found, place, last_of_hand),
        )
        figures = {name: getattr(stand, name) for name in ("training", "held_out", "new")}
        name = str(place) if stand.name != "top" else "top"
        frames.append(Frame(name, _says(stand, found[last_of_hand]), panels, figures))
    return Story(tuple(frames), "way", data.class_names, columns=2, first=0, step=1.2)


def _errors(found: Sequence[Stand], place: int, last_of_hand: int) -> Panel:
    places = np.arange(len(found))
    curves = [
        Curve(places, [100 * getattr(stand, key) for stand in found], name=name, look=look, marks=True)
        for look, (key, name) in enumerate((("held_out", "held out, looked at"), ("new", "new points")))
    ]
    highest = 105 * max(max(stand.held_out, stand.new) for stand in found)
    return Panel(
        "Errors, %: turned by hand, then climbed",
        (*curves, Rule(x=last_of_hand + 0.5, text="climb"), Rule(x=float(place))),
        Scale("way", (-0.3, len(found) - 0.7), numbers=False),
        Scale("", (0.0, highest)),
    )


def _says(stand: Stand, hand: Stand) -> str:
    known = f"{100 * stand.held_out:.0f} % errors on the held-out points, {100 * stand.new:.1f} % on new ones"
    if stand.by == "hand":
        return f"By hand, {stand.name}: {known}."
    return f"The climb, {stand.name}: {known}, where the hand had come to {100 * hand.new:.1f} %."


def to_turn(state: State, ways: Sequence[AxesPath] = ()) -> Tour:
    """Give what a student turns: the same points, beginning at two columns."""
    return Tour(draw(state, ways)[1], LESSON.title)


def climbed(state: State, axes: Array) -> AxesPath:
    """Give the way of a climb from a student's axes, of shape (n_features, 2), as the tour's next way."""
    data, _ = draw(state)
    fitted = fitted_quietly(OPNBClassifier(init=axes), data.X_train, data.y_train)
    top = model_axes(fitted)
    if abs(axes[:, 0] @ top[:, 1]) > abs(axes[:, 0] @ top[:, 0]):
        top = top[:, ::-1]
    return AxesPath("The climb", [axes, top], ["Where you stood", "What the search found"])


LESSON = Lesson(
    key="turn",
    title="Turn it yourself",
    minutes=12,
    shows="Axes can be turned by hand for the fewest errors on held-out points. A climb from there errs less on new "
    "points, though it never looks at the held-out ones.",
    why="In every picture the boundary is that of naive Bayes on the two axes shown, so an axis that is turned takes "
    "margins and errors with it. A hand that keeps whatever errs less on the held-out points fits its axes to those "
    "few points: the error it sees is better than the error it will have. The search follows the slope of the "
    "likelihood of the training points, in all columns at once, and the held-out points stay what they were for.",
    question="Why is the error on new points higher than the one that the hand has seen?",
    answer="The hand has chosen among many planes by the held-out points, so part of what it gained is their chance. "
    "Held-out points tell the truth about a choice only if they had no part in it. The climb gives them none, and its "
    "errors on held-out and on new points differ by chance alone.",
    controls=(
        Choice("n", "Points", numbers(100, 200, 400), 200, "Training points of all classes together."),
        Choice("p", "Columns", numbers(4, 6, 10), 6, "More columns give the hand more to turn."),
        Choice("turns", "Turns", numbers(20, 60, 120), 60, "How long the hand keeps trying."),
        Slider("separation", "Separation", 1.6, 3.2, 0.2, 2.4, "How far the classes lie apart."),
        seed(),
    ),
    tries=(
        Try("Before any turn", {}, "Two columns as they come, and most of the classes lie on one another.", at=0),
        Try("After the climb", {}, "The new points err less than where the hand had come to.", at=-1),
        Try("A tireless hand", {"turns": 120}, "More turns lower what the hand sees, and hardly what it will have."),
        Try("Many columns", {"p": 10}, "With more columns a hand finds less, and the climb finds as much."),
    ),
    tell=tell,
    to_turn=to_turn,
    climb=climbed,
)
