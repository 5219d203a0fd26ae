"""Where you start: the same search from the principal components and from twenty random starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from opnb import OPNBClassifier
from opnb.core.kernel import Array
from opnb.data import Dataset, simulate
from opnb.estimators.parallel import one_blas_thread
from opnb.lessons.lesson import Choice, Curve, Frame, Lesson, Panel, Points, Scale, State, Story, Try, numbers, seed
from opnb.lessons.planes import Square, class_numbers, fitted_quietly, projection_panel, shown_scores

STARTS = 20
SLANTED = 0.5  # rank correlation from which a class is said to lie slantwise
REACHED = 0.03  # of objective a row: starts this near the best have found what it found
_TESTED = 2000
_DRAWN = 250
_IN_TILE = 45
_ACROSS = 4  # tiles of the gallery
_TILE = 0.38  # half the width of a tile, where the next is 1 further


@dataclass(frozen=True, eq=False)
class End:
    """Where one search ended.

    Attributes
    ----------
    clf : OPNBClassifier
    Z : ndarray of shape (n, 2)
        Training points on its directions.
    objective, error : float
        The error is that on new points.
    slants : ndarray of shape (n_classes,)
        Rank correlation of the two directions within each class.
    """

    clf: OPNBClassifier
    Z: Array
    objective: float
    error: float
    slants: Array

    @property
    def slanted(self) -> int:
        """The class that lies most slantwise."""
        return int(np.abs(self.slants).argmax())


def tell(state: State) -> Story:
    """Search from every start; play the random ones from the worst objective to the best."""
    data = draw(state)
    with one_blas_thread():
        first, others = searched(data, state)
    ends = [first, *others]
    objective, error = (np.array([getattr(end, name) for end in ends]) for name in ("objective", "error"))
    figures = outcome(first, others)
    gallery = _Gallery.of(ends, data)
    axes = (_roomy("objective (higher is better)", objective), _roomy("errors on new points, %", 100 * error))
    frames = []
    for place, end in enumerate(ends):
        panels = (
            _plane(end, data, _title(place)),
            Panel("What each start reached", _scatter(100 * error, objective, place), *axes),
            gallery.panel(place),
        )
        name = "PCA" if place == 0 else f"{len(ends) - place}"
        found = {**figures, "objective": end.objective, "error": end.error, "slant": float(np.abs(end.slants).max())}
        frames.append(Frame(name, _says(place, end, figures, data.class_names), panels, found))
    return Story(tuple(frames), "starts", data.class_names, columns=3, step=0.9)


def draw(state: State) -> Dataset:
    """Draw the points, with many held out so that the errors are known well."""
    n = int(state["n"])
    size = n + _TESTED
    return simulate(str(state["data"]), n=size, seed=int(state["seed"]), test_size=_TESTED / size)


def searched(data: Dataset, state: State) -> tuple[End, list[End]]:
    """Search from the principal components and from random starts, these in the order of what they reach."""
    first = _end(data, state, "pca", 0)
    others = [_end(data, state, "random", number) for number in range(STARTS)]
    return first, sorted(others, key=lambda end: end.objective)


def _end(data: Dataset, state: State, init: str, number: int) -> End:
    clf = OPNBClassifier(
        n_components=2,
        likelihood=str(state["likelihood"]),
        init=init,
        random_state=STARTS * int(state["seed"]) + number,
    )
    fitted_quietly(clf, data.X_train, data.y_train)
    Z, labels = clf.transform(data.X_train), class_numbers(data)
    slants = np.array([spearmanr(Z[labels == k, 0], Z[labels == k, 1])[0] for k in range(len(data.class_names))])
    return End(clf, Z, clf.objective_, float(np.mean(clf.predict(data.X_test) != data.y_test)), slants)


def outcome(first: End, others: list[End]) -> dict[str, float]:
    """Sum up what the starts reached; the others are in the order of their objective."""
    objective = np.array([end.objective for end in others])
    error = np.array([end.error for end in others])
    return {
        "pca_objective": first.objective,
        "pca_error": first.error,
        "pca_slant": float(np.abs(first.slants).max()),
        "best_objective": float(objective[-1]),
        "best_error": float(error[-1]),
        "median_error": float(np.median(error)),
        "reached": int(np.sum(objective >= objective[-1] - REACHED)),
        "agreement": float(spearmanr(objective, -error)[0]) if np.ptp(error) > 0 else float("nan"),
    }


def _title(place: int) -> str:
    return "Principal components" if place == 0 else f"Random start, rank {STARTS + 1 - place} of {STARTS}"


def _roomy(label: str, values: Array) -> Scale:
    room = 0.1 * max(float(np.ptp(values)), 0.05)
    return Scale(label, (float(values.min()) - room, float(values.max()) + room))


def _plane(end: End, data: Dataset, title: str) -> Panel:
    shown = slice(None, _DRAWN)  # the rows are in random order
    return projection_panel(
        f"{title}: {100 * end.error:.0f} % errors", end.Z[shown], class_numbers(data)[shown], shown_scores(end.clf)
    )


def _scatter(error: Array, objective: Array, place: int) -> tuple[Curve, ...]:
    """Draw every start by objective and error, the one of this frame on top."""
    return (
        Curve(objective[1:], error[1:], name="random starts", look=0, marks=True, line=False),
        Curve(objective[:1], error[:1], name="principal components", look=2, marks=True, line=False),
        Curve(objective[[place]], error[[place]], name="this start", look=1, marks=True, line=False),
    )


@dataclass(frozen=True, eq=False)
class _Gallery:
    """All ends as tiles, the best objective first.

    Attributes
    ----------
    points : Points
    corners : list of (x, y)
        The middle of the tile of every end.
    """

    points: Points
    corners: list[tuple[int, int]]

    @classmethod
    def of(cls, ends: list[End], data: Dataset) -> _Gallery:
        order = np.argsort([-end.objective for end in ends], kind="stable")
        corners = [(int(tile) % _ACROSS, -(int(tile) // _ACROSS)) for tile in np.argsort(order)]
        clouds = [end.Z[:_IN_TILE] for end in ends]
        tiles = [np.add(at, _TILE * Square.holding(Z).place(Z)) for at, Z in zip(corners, clouds, strict=True)]
        x, y = np.concatenate(tiles).T
        return cls(Points(x, y, np.tile(class_numbers(data)[:_IN_TILE], len(ends)), size=3.2), corners)

    def panel(self, place: int) -> Panel:
        """Draw the tiles, with a frame around those of the principal components and of one end."""
        boxes = (
            Curve(*_box(self.corners[0]), name="principal components", look=2),
            Curve(*_box(self.corners[place]), name="this start", look=1),
        )
        rows = -(-len(self.corners) // _ACROSS)
        return Panel(
            "All of them, best objective first",
            (self.points, *boxes),
            Scale("", (-0.55, _ACROSS - 0.45), numbers=False),
            Scale("", (0.45 - rows, 0.55), numbers=False),
        )


def _box(middle: tuple[int, int], half: float = 0.46) -> tuple[Array, Array]:
    return middle[0] + half * np.array([-1, 1, 1, -1, -1]), middle[1] + half * np.array([-1, -1, 1, 1, -1])


def _says(place: int, end: End, figures: dict[str, float], class_names: tuple[str, ...]) -> str:
    here = f"{_reached(end.objective, end.error)} on new points"
    best = _reached(figures["best_objective"], figures["best_error"])
    if place == 0:
        slant, name = end.slants[end.slanted], class_names[end.slanted]
        lies = (
            f" Class {name} lies slantwise (rank correlation {_signed(slant)}), which naive Bayes cannot describe."
            if abs(slant) >= SLANTED
            else ""
        )
        return f"From the principal components: {here}.{lies} The best of {STARTS} random starts: {best}."
    if place == STARTS:
        pca = _reached(figures["pca_objective"], figures["pca_error"])
        return (
            f"The best of {STARTS} random starts: {here}; {figures['reached']:.0f} of the {STARTS} came here. From the "
            f"principal components: {pca}."
        )
    return f"Rank {STARTS + 1 - place} of {STARTS} random starts: {here}. The best: {best}."


def _reached(objective: float, error: float) -> str:
    return f"objective {_signed(objective)}, {100 * error:.0f} % errors"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


LESSON = Lesson(
    key="starts",
    title="Where you start",
    minutes=8,
    shows="The objective has several peaks, and a search climbs the one it starts on. Try many starts and keep the "
    "one with the best objective: it needs no held-out data, and here it errs least.",
    why="The data hold two planes. The one with most of the variance separates the classes in part, and whichever "
    "way it is turned, one class lies slantwise in it. The principal components start there, and every small step "
    "away makes matters worse, so the search stays. In the other plane the classes come apart cleanly along two "
    "axes. Random starts fall on both sides of the ridge between them. The objective tells which side is better "
    "without any held-out point, because it measures how well the classes are told apart.",
    question="Could one choose the start by its held-out error instead? What would be lost?",
    answer="One could, but then the held-out points have taken part in the choice, and their error looks better than "
    "it is. The objective uses the training points alone, so the held-out error stays honest.",
    controls=(
        Choice(
            "data",
            "Data",
            (("decoy-plane", "two planes"), ("several-optima", "a square in noise")),
            "decoy-plane",
            "Both have several peaks.",
        ),
        Choice("n", "Points", numbers(150, 300, 600), 300, "Training points of all classes together."),
        Choice(
            "likelihood",
            "Likelihood",
            (("resubstitution", "own point counts"), ("leave-one-out", "own point left out")),
            "resubstitution",
        ),
        seed(1),
    ),
    tries=(
        Try("The best start", {}, "No class lies slantwise any more: each follows one of the two axes.", at=-1),
        Try("The worst start", {}, "A single random start is no cure: look where this one ended.", at=1),
        Try(
            "A square in noise",
            {"data": "several-optima"},
            "Here most of the variance is noise, and the principal components see nothing else.",
        ),
        Try(
            "Own point left out",
            {"data": "several-optima", "likelihood": "leave-one-out"},
            "Leaving out a point's own kernel removes many of the false peaks: more starts arrive.",
        ),
    ),
    tell=tell,
)
