"""Perfect separation of noise: deceive, expose, solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from opnb import OPNBClassifier
from opnb.core.kernel import Array
from opnb.data import simulate
from opnb.diagnostics.paths import align_directions
from opnb.lessons.lesson import (
    Choice,
    Curve,
    Frame,
    Lesson,
    Panel,
    Points,
    Rule,
    Scale,
    State,
    Story,
    Try,
    decision,
    numbers,
    seed,
    short,
)
from opnb.lessons.samples import CLASSES, Sample
from opnb.quiet import own_warnings

LAMS = np.array([0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2])
_NEW, _DRAWN = 1_000, 300
_EXTENT = (-3.8, 3.8)
_PLANE = Scale("", _EXTENT, numbers=False)


@dataclass(frozen=True, eq=False)
class _Fit:
    """A solution for one lambda, its two directions in an order and with signs that follow the one before."""

    model: Any
    order: NDArray[np.intp]
    signs: Array
    training: float
    new: float

    def place(self, X: Array) -> Array:
        return self.model.transform(X)[:, self.order] * self.signs

    def scores(self, Z: Array) -> Array:
        scores: Array = self.model.predict_log_proba_on(Z * self.signs, self.order)
        return scores


def tell(state: State) -> Story:
    """Show the training points, then new ones, then raise lambda."""
    shuffled = state["labels"] == "shuffled"
    sample = _draw(int(state["n"]), int(state["p"]), shuffled, int(state["seed"]))
    fits = _path(sample)
    frames = [_frame("deceive", sample, fits, 0, shuffled), _frame("expose", sample, fits, 0, shuffled)]
    frames += [_frame(f"λ = {short(LAMS[number])}", sample, fits, number, shuffled) for number in range(1, LAMS.size)]
    return Story(tuple(frames), "argument", CLASSES, columns=2, heights=(1.55, 1.0), first=1, step=1.6)


def _draw(n: int, p: int, shuffled: bool, number: int) -> Sample:
    data = simulate("gaussian", n=n + _NEW, seed=number, test_size=None, n_features=p, n_classes=3, separation=4.0)
    labels = np.searchsorted(CLASSES, data.y)
    if shuffled:
        labels = np.random.default_rng(number).permutation(labels)
    return Sample(data.X[:n], labels[:n], data.X[n:], labels[n:])


def _chance(sample: Sample) -> float:
    """Give the error of always guessing the class that is most frequent among the training rows."""
    return float(np.mean(sample.labels_new != np.bincount(sample.labels).argmax()))


def _path(sample: Sample) -> list[_Fit]:
    """Fit every lambda, each from the solution before."""
    fits: list[_Fit] = []
    start: Any = "pca"
    for lam in LAMS:
        # A search that ends early still shows the lesson's point, and noise has long searches.
        with own_warnings(ConvergenceWarning):
            model = OPNBClassifier(n_components=2, lam=float(lam), init=start).fit(sample.X, sample.labels)
        start = model.starts_[0].V
        errors = [float(np.mean(model.predict(X) != labels)) for X, labels in _both(sample)]
        fits.append(_Fit(model, *_following(fits, model), *errors))
    return fits


def _both(sample: Sample) -> tuple[tuple[Array, NDArray[np.intp]], ...]:
    return (sample.X, sample.labels), (sample.X_new, sample.labels_new)


def _following(fits: list[_Fit], model: Any) -> tuple[NDArray[np.intp], Array]:
    """Order and signs that make the directions resemble those of the fit before."""
    if not fits:
        return np.arange(2), np.ones(2)
    before = fits[-1].model.components_[fits[-1].order].T * fits[-1].signs
    match = align_directions(before, model.components_.T)
    return np.asarray(match.order), np.asarray(match.signs, dtype=float)


def _frame(name: str, sample: Sample, fits: list[_Fit], number: int, shuffled: bool) -> Frame:
    fit, hidden = fits[number], name == "deceive"
    regions = decision(fit.scores, _EXTENT, _EXTENT)
    chance = _chance(sample)
    panels = (
        Panel(
            f"Training points: {100 * fit.training:.1f} % errors",
            (regions, _points(fit, sample.X, sample.labels)),
            _PLANE,
            _PLANE,
        ),
        Panel(
            "New points: not shown yet" if hidden else f"New points: {100 * fit.new:.1f} % errors",
            (regions, _points(fit, sample.X_new, sample.labels_new, hidden)),
            _PLANE,
            _PLANE,
        ),
        _error_panel(fits, number, chance, hidden),
    )
    found = {"training": fit.training, "new": fit.new, "chance": chance, "lam": float(LAMS[number])}
    return Frame(name, _says(name, fit, sample, chance, shuffled), panels, found)


def _points(fit: _Fit, X: Array, labels: NDArray[np.intp], hidden: bool = False) -> Points:
    Z = fit.place(X[:_DRAWN])
    open_marks = np.ones(len(Z), dtype=bool) if X.shape[0] == _NEW else None
    return Points(np.where(hidden, np.nan, Z[:, 0]), Z[:, 1], labels[:_DRAWN], open_marks, size=6.0)


def _error_panel(fits: list[_Fit], number: int, chance: float, hidden: bool) -> Panel:
    """Draw the errors up to the lambda that is shown."""
    reached = np.arange(LAMS.size) <= number
    training = np.where(reached, [100 * fit.training for fit in fits], np.nan)
    new = np.where(reached & ~np.array(hidden), [100 * fit.new for fit in fits], np.nan)
    return Panel(
        "Errors as the smoothness λ is raised",
        (
            Rule(y=100 * chance, text="guessing"),
            Curve(LAMS, training, look=2, marks=True, name="error on the training points"),
            Curve(LAMS, new, look=1, marks=True, name="error on new points"),
        ),
        Scale("smoothness λ", (float(LAMS[0]) / 1.2, float(LAMS[-1]) * 1.2), log=True),
        Scale("errors, %", (-6.0, 88.0)),
    )


def _says(name: str, fit: _Fit, sample: Sample, chance: float, shuffled: bool) -> str:
    n, p = sample.X.shape
    if name == "deceive":
        return (
            f"{n} points with {p} columns, projected on two directions: three classes with "
            f"{100 * fit.training:.1f} % errors. Would you believe this picture?"
        )
    if name == "expose":
        reason = (
            "The labels were shuffled: there is nothing to find."
            if shuffled
            else "These labels are real, and new points fall where they should."
        )
        return (
            f"New points of the same kind on the same picture: {100 * fit.new:.1f} % errors, where guessing makes "
            f"{100 * chance:.1f} %. {reason}"
        )
    return (
        f"{name}: {100 * fit.training:.1f} % errors on the training points, {100 * fit.new:.1f} % on new ones, "
        f"where guessing makes {100 * chance:.1f} %."
    )


LESSON = Lesson(
    key="noise",
    title="Perfect separation of noise",
    minutes=10,
    shows="With many columns and few points there is always a projection that separates the training points, whatever "
    "their labels. Only new points tell whether it means anything.",
    why="Every column gives the search one more way to turn the picture. With enough of them some direction happens to "
    "line the labels up, and narrow densities do the rest. A larger λ makes densities smooth and directions short, "
    "so a separation survives only if many points agree on it. Real structure stays when λ is raised; noise melts.",
    question="You are shown a perfect projection of a small table with many columns. What do you ask for first?",
    answer="For points that took no part in the fit, shown on the same projection. Failing that, for the same search "
    "on shuffled labels: if it looks as good, the picture shows nothing.",
    controls=(
        Choice("labels", "Labels", (("shuffled", "shuffled"), ("true", "the true ones")), "shuffled"),
        Choice("p", "Columns", numbers(5, 20, 50, 100), 100),
        Choice("n", "Training points", numbers(90, 150, 300), 90),
        seed(),
    ),
    tries=(
        Try("Deceive", {}, "Hide the new points and ask the class what they see.", at=0),
        Try("Expose", {}, "The new points are scattered over all regions.", at=1),
        Try("Raise λ", {}, "The false separation has melted, and both errors are close to guessing.", at=-1),
        Try("True labels", {"labels": "true"}, "Real classes survive a large λ, on new points too.", at=6),
        Try("Few columns", {"p": 5}, "With few columns the search cannot separate noise.", at=1),
    ),
    tell=tell,
)
