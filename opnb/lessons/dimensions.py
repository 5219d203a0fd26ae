"""From two to many directions: what the picture of two directions decides, and what the whole model decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from opnb import OPNBClassifier
from opnb.core.kernel import Array
from opnb.data import Dataset, PrepareOptions, load_example, simulate
from opnb.estimators.parallel import one_blas_thread
from opnb.lessons.lesson import Choice, Curve, Frame, Lesson, Panel, Rule, Scale, State, Story, Try, numbers, seed
from opnb.lessons.planes import Square, density_curves, fitted_quietly, projection_panel, shown_scores, upright

_DRAWN = 250
_REACH = 1.15
_HELD_OUT = 0.5
_CLOUDS = {"n_classes": 6, "n_features": 8, "separation": 3.0}
_ROWS_OF_CLOUDS = 1200


@dataclass(frozen=True, eq=False)
class Steps:
    """A model of many directions, used one direction after the other.

    Attributes
    ----------
    clf : OPNBClassifier
    labels, labels_new : ndarray of int of shape (n,) and (n_new,)
    predicted : ndarray of int of shape (n_components, n_new)
        Class of the new rows by the first one, two, ... directions.
    predicted_train : ndarray of int of shape (n_components, n)
    gains : ndarray of shape (n_components,)
        What each direction adds to the log-likelihood of a training row.
    pair_errors : ndarray
        Error on the new rows of every pair of directions.
    made_for_two : float
        Error on the new rows of a model fitted with two directions from the beginning.
    """

    clf: OPNBClassifier
    labels: NDArray[np.intp]
    labels_new: NDArray[np.intp]
    predicted: NDArray[np.intp]
    predicted_train: NDArray[np.intp]
    gains: Array
    pair_errors: Array
    made_for_two: float

    @property
    def errors(self) -> Array:
        """Error on the new rows with the first one, two, ... directions."""
        return (self.predicted != self.labels_new).mean(axis=1)

    @property
    def differ(self) -> Array:
        """Share of the new rows to which the first one, two, ... directions give another class than the picture."""
        return (self.predicted != self.predicted[1]).mean(axis=1)


def tell(state: State) -> Story:
    """Use one direction after the other."""
    data = draw(state)
    with one_blas_thread():
        steps = measured(data, int(state["directions"]))
        Z = steps.clf.transform(data.X_train)
        picture = _picture(steps, Z)
    frames = [_frame(steps, Z, picture, data.class_names, used) for used in range(1, len(steps.gains) + 1)]
    return Story(
        tuple(frames),
        "directions used",
        data.class_names,
        columns=2,
        widths=(1.2, 1.0),
        heights=(1.3, 1.0),
        first=len(frames) - 1,
        step=1.2,
    )


def draw(state: State) -> Dataset:
    """Draw the data, or split those of the package."""
    name, number = str(state["data"]), int(state["seed"])
    if name == "clouds":
        return simulate("gaussian", _ROWS_OF_CLOUDS, number, test_size=_HELD_OUT, **_CLOUDS)
    return load_example(name, options=PrepareOptions(test_size=_HELD_OUT, seed=number))


def measured(data: Dataset, n_components: int) -> Steps:
    """Fit the model and see what its first directions know."""
    clf = fitted_quietly(OPNBClassifier(n_components=n_components), data.X_train, data.y_train)
    two = fitted_quietly(OPNBClassifier(n_components=2), data.X_train, data.y_train)
    labels, labels_new = (np.searchsorted(data.class_names, y) for y in (data.y_train, data.y_test))
    joint, joint_new = (_by_direction(clf, X) for X in (data.X_train, data.X_test))
    prior = np.log(clf.class_prior_)[:, None]
    sums, sums_new = (prior + np.cumsum(parts, axis=0) for parts in (joint, joint_new))
    own = sums[:, labels, np.arange(labels.size)] - logsumexp(sums, axis=1)
    guessing = np.mean(prior[labels])
    pairs = combinations(range(n_components), 2)
    wrong = [(prior + joint_new[[i, j]].sum(axis=0)).argmax(axis=0) != labels_new for i, j in pairs]
    return Steps(
        clf,
        labels,
        labels_new,
        sums_new.argmax(axis=1),
        sums.argmax(axis=1),
        np.diff(np.concatenate([[guessing], own.mean(axis=1)])),
        np.mean(wrong, axis=1),
        float(np.mean(two.predict(data.X_test) != data.y_test)),
    )


def _by_direction(clf: OPNBClassifier, X: Array) -> Array:
    """Log density of every class along every direction, of shape (n_components, n_classes, n)."""
    return np.stack([clf.log_marginal_densities(d, z) for d, z in enumerate(clf.transform(X).T)])


def _frame(steps: Steps, Z: Array, picture: Panel, class_names: tuple[str, ...], used: int) -> Frame:
    count = np.arange(1, len(steps.gains) + 1)
    used_axis = Scale("directions used", (0.5, len(count) + 0.5))
    errors, top = 100 * steps.errors, float(100 * steps.errors.max() * 1.12)
    highest = float(1.12 * steps.gains.max())
    panels = (
        _marked(picture, steps, Z, used),
        Panel(
            "Errors on new rows, %",
            (
                Curve(count, errors, look=0, marks=True),
                Rule(y=100 * steps.made_for_two, text="two directions fitted for two"),
                upright(used, (0, top)),
            ),
            used_axis,
            Scale("", (0.0, top)),
        ),
        _densities(steps, Z, used - 1),
        Panel(
            "What each direction adds to the log-likelihood",
            (Curve(count, steps.gains, look=2, marks=True), upright(used, (0, highest))),
            Scale("direction", used_axis.shown),
            Scale("", (min(0.0, float(steps.gains.min())), highest)),
        ),
    )
    found = {
        "error": float(steps.errors[used - 1]),
        "shown_error": float(steps.errors[1]),
        "differ": float(steps.differ[used - 1]),
        "gain": float(steps.gains[used - 1]),
        "made_for_two": steps.made_for_two,
        "mean_pair_error": float(steps.pair_errors.mean()),
    }
    return Frame(f"{used}", _says(steps, class_names, used), panels, found)


def _picture(steps: Steps, Z: Array) -> Panel:
    """Draw the plane of the first two directions with the decisions by these two."""
    return projection_panel(
        f"The picture of directions 1 and 2: {100 * steps.errors[1]:.0f} % errors",
        Z[:_DRAWN, :2],
        steps.labels[:_DRAWN],
        shown_scores(steps.clf),
    )


def _marked(picture: Panel, steps: Steps, Z: Array, used: int) -> Panel:
    """Mark, below the points, where the directions used say another class than the picture."""
    plane = Z[:_DRAWN, :2]
    other = (steps.predicted_train[used - 1] != steps.predicted_train[1])[:_DRAWN]
    places = Square.holding(plane).place(plane)[other]
    name = "the directions used say another class"
    marks = Curve(places[:, 0], places[:, 1], name=name, marks=True, line=False, rings=True)
    regions, points = picture.layers
    return replace(picture, layers=(regions, marks, points))


def _densities(steps: Steps, Z: Array, direction: int) -> Panel:
    """Draw the class densities along one direction."""
    curves = density_curves(steps.clf, direction, Z[:, direction], _REACH)
    scale = Scale("", (-_REACH, _REACH), numbers=False)
    return Panel(
        f"Direction {direction + 1} alone: class densities", curves, scale, Scale("", (0.0, 1.08), numbers=False)
    )


def _says(steps: Steps, class_names: tuple[str, ...], used: int) -> str:
    errors, m = steps.errors, len(steps.gains)
    start = (
        f"On directions 1 and 2 alone the model errs on {100 * errors[1]:.0f} % of new rows; with all {m} on "
        f"{100 * errors[-1]:.1f} %."
    )
    if used == 2 < m:
        return f"{start} The line is the decision by these two, so nothing is marked."
    if used < m:
        return (
            f"{start} With {used}: {100 * errors[used - 1]:.0f} %. Direction {used} adds "
            f"{steps.gains[used - 1]:.2f} to the log-likelihood of a row."
        )
    first, second = most_confused(steps)
    shown, full = (_mixed_up(steps, place, first, second) for place in (1, m - 1))
    return (
        f"{start} It gives {100 * steps.differ[-1]:.0f} % of them another class than the picture does. Mix-ups of "
        f"{class_names[first]} and {class_names[second]}: {shown:,} in the picture, {full:,} by the model."
    )


def most_confused(steps: Steps) -> tuple[int, int]:
    """Give the two classes that the picture mixes up most often on the new rows."""
    pairs = combinations(range(int(steps.labels.max()) + 1), 2)
    return max(pairs, key=lambda pair: _mixed_up(steps, 1, *pair))


def _mixed_up(steps: Steps, place: int, first: int, second: int) -> int:
    """Count the new rows of two classes that are taken for the other of the two."""
    truth, said = steps.labels_new, steps.predicted[place]
    return int(np.sum((truth == first) & (said == second)) + np.sum((truth == second) & (said == first)))


LESSON = Lesson(
    key="dimensions",
    title="From two to many directions",
    minutes=7,
    shows="A picture shows two directions of a model that may have many. Points on the wrong side of its line need "
    "not be errors: other directions tell those classes apart.",
    why="Each direction adds its own evidence, and naive Bayes adds them up. The directions are put in the order of "
    "what they add: first the one that knows most alone, then the one that adds most to it, and so on. The picture "
    "has the first two, and its line is the decision by these two alone. What the others add is not in the picture. "
    "So read a picture of many directions as a shadow: what is apart in it, for new points too, is apart; what "
    "overlaps in it may be apart as well. For a picture that is to be trusted by itself, fit two directions from the "
    "beginning.",
    question="Two directions fitted for two err less than the first two of many. Why, if the many were put in the "
    "best order?",
    answer="The many were found to serve together. Each can leave to others what they see, so the first two need not "
    "stand alone. Two fitted for two have nobody to rely on and arrange the classes accordingly.",
    controls=(
        Choice(
            "data",
            "Data",
            (
                ("digits", "written digits"),
                ("clouds", "six clouds"),
                ("wine", "wine"),
                ("breast_cancer", "cell nuclei"),
            ),
            "digits",
            "The clouds are simulated; the seed splits the others into training and new rows.",
        ),
        Choice("directions", "Directions", numbers(3, 4, 6, 8), 8, "How many the model has."),
        seed(),
    ),
    tries=(
        Try("The picture alone", {}, "Nothing is marked: this is the model that the line belongs to.", at=1),
        Try("One more direction", {}, "A third direction already corrects many points of the picture.", at=2),
        Try("Six clouds", {"data": "clouds"}, "Clouds in a wide space: any picture must lay some over others."),
        Try("Where two suffice", {"data": "wine"}, "Hardly a mark: for these wines the picture is the whole truth."),
    ),
    tell=tell,
)
