"""Counting twice: two directions on one another, and what keeping them apart costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opnb import OPNBClassifier
from opnb.core.kernel import Array
from opnb.data import Dataset, simulate
from opnb.estimators.parallel import one_blas_thread
from opnb.lessons.lesson import (
    Bars,
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

INDEPENDENCE = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
SAME = 0.95  # correlation within classes from which two directions are said to be one
_TESTED = 2000
_DRAWN = 250
_COLUMNS, _LENGTH = 2, 2.0
_ACROSS = Scale("largest correlation within a class", (-0.03, 1.03))


@dataclass(frozen=True, eq=False)
class Fit:
    """A model, and how sure it is of what it says.

    Attributes
    ----------
    clf : OPNBClassifier
    correlation : float
        The largest between its directions within a class, whatever its sign; 1 for a single direction.
    training, new : float
        Log-loss on the training points, which is the log-likelihood with its sign turned, and on new ones.
    sure : float
        Mean probability of the predicted class, on new points.
    right : float
        Share of new points whose predicted class is the true one.
    """

    clf: OPNBClassifier
    correlation: float
    training: float
    new: float
    sure: float
    right: float


def tell(state: State) -> Story:
    """Raise the independence from frame to frame."""
    data, lam = draw(state), float(state["lam"])
    with one_blas_thread():
        once = fit(data, OPNBClassifier(n_components=1, lam=lam))
        fits = [fit(data, OPNBClassifier(n_components=2, lam=lam, independence=mu)) for mu in INDEPENDENCE]
        frames = [_frame(number, fits, once, data) for number in range(len(fits))]
    return Story(tuple(frames), "independence", data.class_names, columns=2, heights=(1.3, 1.0), step=1.6)


def draw(state: State) -> Dataset:
    """Draw classes in a row, with many points held out so that the errors are known well."""
    size = int(state["n"]) + _TESTED
    shape = {"n_features": _COLUMNS, "length": _LENGTH, "gap": float(state["gap"])}
    return simulate("elongated", n=size, seed=int(state["seed"]), test_size=_TESTED / size, **shape)


def fit(data: Dataset, clf: OPNBClassifier) -> Fit:
    """Fit a model, and see what it says of new points."""
    fitted_quietly(clf, data.X_train, data.y_train)
    scores = clf.predict_log_proba(data.X_test)
    truth = np.searchsorted(data.class_names, data.y_test)
    return Fit(
        clf,
        _correlation(clf.transform(data.X_train), data),
        -clf.log_likelihood_,
        -float(scores[np.arange(truth.size), truth].mean()),
        float(np.exp(scores.max(axis=1)).mean()),
        float(np.mean(scores.argmax(axis=1) == truth)),
    )


def _correlation(Z: Array, data: Dataset) -> float:
    labels = class_numbers(data)
    classes = (Z[labels == k] for k in range(len(data.class_names)))
    return max(abs(float(np.corrcoef(rows[:, 0], rows[:, -1])[0, 1])) for rows in classes)


def _frame(number: int, fits: list[Fit], once: Fit, data: Dataset) -> Frame:
    here = fits[number]
    panels = (
        _plane(here, data),
        _correlation_panel(number, fits),
        _sure_panel(number, fits, once),
        _loss_panel(number, fits, once),
    )
    found = {name: float(getattr(here, name)) for name in ("correlation", "training", "new", "sure", "right")}
    found |= {f"{name} once": float(getattr(once, name)) for name in ("training", "new", "sure", "right")}
    return Frame(f"{INDEPENDENCE[number]:g}", _says(number, fits, once), panels, found)


def _plane(here: Fit, data: Dataset) -> Panel:
    """Draw the points with the classes rising along either direction, whichever sign the search gave it."""
    Z, labels = here.clf.transform(data.X_train), class_numbers(data)
    signs = np.where((Z - Z.mean(axis=0)).T @ labels < 0, -1.0, 1.0)
    title = f"Right on {100 * here.right:.1f} % of new points"
    scores = shown_scores(here.clf)
    return projection_panel(title, (Z * signs)[:_DRAWN], labels[:_DRAWN], lambda at: scores(at * signs))


def _correlation_panel(number: int, fits: list[Fit]) -> Panel:
    found = [one.correlation for one in fits]
    names = tuple(f"{mu:g}" for mu in INDEPENDENCE)
    bars = Bars(names, found, tuple(f"{r:.2f}" for r in found), strong=(number,))
    return Panel("Correlation by independence", (bars,), Scale("", (0.0, 1.2)))


def _sure_panel(number: int, fits: list[Fit], once: Fit) -> Panel:
    sure, right = ([100 * getattr(one, name) for one in fits] for name in ("sure", "right"))
    return Panel(
        "Sure and right, new points, %",
        (
            *_against_correlation(number, fits, sure, 0, "how sure"),
            *_against_correlation(number, fits, right, 2, "how often right"),
            Rule(y=100 * once.sure, text="how sure, one direction"),
        ),
        _ACROSS,
        _roomy([*sure, *right, 100 * once.sure]),
    )


def _loss_panel(number: int, fits: list[Fit], once: Fit) -> Panel:
    training, new = ([getattr(one, name) for one in fits] for name in ("training", "new"))
    return Panel(
        "Log-loss: lower is better",
        (
            *_against_correlation(number, fits, training, 1, "log-loss, training points"),
            *_against_correlation(number, fits, new, 3, "log-loss, new points"),
            Rule(y=once.training, text="training points, one direction"),
        ),
        _ACROSS,
        _roomy([*training, *new, once.training]),
    )


def _against_correlation(number: int, fits: list[Fit], values: list[float], look: int, name: str) -> tuple[Curve, ...]:
    order = np.argsort([one.correlation for one in fits], kind="stable")
    line = Curve([fits[k].correlation for k in order], [values[k] for k in order], name=name, look=look)
    return line, Curve([fits[number].correlation], [values[number]], look=look, marks=True, line=False)


def _roomy(values: list[float]) -> Scale:
    room = 0.15 * max(float(np.ptp(values)), 0.01)
    return Scale("", (min(values) - room, max(values) + room))


def _says(number: int, fits: list[Fit], once: Fit) -> str:
    here, first = fits[number], fits[0]
    found = f"{100 * here.sure:.1f} % sure of new points and right on {100 * here.right:.1f} %"
    if number == 0 and here.correlation >= SAME:
        return (
            f"Both directions are one (correlation {here.correlation:.2f}). Multiplied as if they were independent "
            f"evidence, densities are squared: {found}. One direction: {100 * once.sure:.1f} % and "
            f"{100 * once.right:.1f} %."
        )
    if number == 0:
        return f"Nothing keeps the directions apart, and they are correlated by {here.correlation:.2f}: {found}."
    return (
        f"Independence {INDEPENDENCE[number]:g}: correlation {here.correlation:.2f}, {found}. At 0 it was "
        f"{100 * first.sure:.1f} % and {100 * first.right:.1f} %."
    )


LESSON = Lesson(
    key="twice",
    title="Counting twice",
    minutes=8,
    shows="Left to itself, naive Bayes may take the same direction twice. It becomes more certain for nothing, and the "
    "picture is a line. Keeping the directions apart costs almost no errors.",
    why="Classes in a row need one direction. Naive Bayes multiplies the densities of both directions as if they were "
    "independent evidence, so the same direction twice squares the densities: every probability moves towards none or "
    "all, and the likelihood likes that, for most points are on the right side. Which class is the more probable one "
    "stays the same, so the errors do too. A price on the correlation within classes makes the second direction look "
    "elsewhere, and the picture becomes a plane.",
    question="Counting twice lowers the log-loss on new points as well. Has the model learnt something?",
    answer="No, nothing new was measured. Kernel densities are wider than the classes, so one direction is less sure "
    "than it is right, and squaring makes up for it. A smaller λ makes the densities narrower and does the same "
    "without counting anything twice.",
    controls=(
        Choice("lam", "Smoothness λ", ((0.0001, "0.0001"), (0.001, "0.001"), (0.01, "0.01")), 0.001),
        Slider("gap", "Distance of the classes", 2.0, 5.0, 0.5, 3.5, "In standard deviations across the row."),
        Choice("n", "Points", numbers(150, 300, 600), 300, "Training points of all classes together."),
        seed(),
    ),
    tries=(
        Try("Two that are one", {}, "All points lie on a line: the second axis shows the first again.", at=0),
        Try("Kept apart", {}, "The points fill the plane, and there are hardly more errors.", at=3),
        Try("Wide densities", {"lam": 0.01}, "The smoother the densities, the more there is to win by squaring.", at=0),
        Try("Narrow densities", {"lam": 0.0001}, "One direction is sure enough, and squaring wins little.", at=0),
    ),
    tell=tell,
)
