"""One long direction: terrains that differ in level by orders of magnitude, and in a bump that is the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import entropy

from opnb import OPNBClassifier
from opnb.comparators.gaussian_planes import DiscriminantPlane, GaussianProjectionPlane
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
    Scale,
    Slider,
    State,
    Story,
    Try,
    numbers,
    seed,
)
from opnb.lessons.planes import EDGE, class_numbers, fitted_quietly, projection_panel, shown_scores

PENALTIES = {"frobenius": "OPNB, Frobenius", "total": "OPNB, total", "pooled": "OPNB, pooled"}
METHODS_SHOWN = {**PENALTIES, "lda": "LDA", "opgd": "OPGD"}
_SLIDER = ("Frobenius", "total", "pooled", "LDA", "OPGD")
_TRAINED = 600
_TESTED = 2000
_DRAWN = 250
_TERRAINS = 3  # of each class
_FOLDED = (
    Scale("direction 1 (far points drawn in)", (-EDGE, EDGE), numbers=False),
    Scale("direction 2", (-EDGE, EDGE), numbers=False),
)


@dataclass(frozen=True, eq=False)
class Fit:
    """A method on the data.

    Attributes
    ----------
    model : OPNBClassifier or GaussianPlane
        On two directions.
    Z : ndarray of shape (n, 2)
        Training points on them.
    error : float
        On new terrains.
    """

    model: Any
    Z: Array
    error: float


def tell(state: State) -> Story:
    """Fit each method to the same terrains."""
    data, lam = draw(state), float(state["lam"])
    with one_blas_thread():
        fits = {key: fit(key, data, lam) for key in METHODS_SHOWN}
        first = first_component(data.X_train)
    frames = [_frame(key, name, data, fits, first, lam) for key, name in zip(fits, _SLIDER, strict=True)]
    return Story(
        tuple(frames), "methods", data.class_names, columns=2, widths=(1.15, 1.0), heights=(1.35, 1.0), step=2.5
    )


def draw(state: State) -> Dataset:
    """Draw the terrains, with many held out so that the errors are known well."""
    size = _TRAINED + _TESTED
    return simulate(
        "hill-valley",
        n=size,
        seed=int(state["seed"]),
        test_size=_TESTED / size,
        levels=float(state["levels"]),
        noise=float(state["noise"]),
    )


def first_component(X: Array) -> float:
    """Share of the variance of the scaled columns along their first principal component."""
    variances = np.linalg.eigvalsh(np.corrcoef(X.T))
    return float(variances[-1] / variances.sum())


def fit(key: str, data: Dataset, lam: float) -> Fit:
    """Fit one of the methods, and see how it does on new terrains."""
    rivals = {"lda": DiscriminantPlane, "opgd": GaussianProjectionPlane}
    model = rivals[key]() if key in rivals else OPNBClassifier(n_components=2, lam=lam, penalty=key)
    fitted_quietly(model, data.X_train, data.y_train)
    return Fit(model, model.transform(data.X_train), float(np.mean(model.predict(data.X_test) != data.y_test)))


def _frame(key: str, name: str, data: Dataset, fits: dict[str, Fit], first: float, lam: float) -> Frame:
    found = fits[key]
    errors = {other: one.error for other, one in fits.items()}
    shown = slice(None, _DRAWN)  # the rows are in random order
    panels = (
        projection_panel(
            f"{METHODS_SHOWN[key]}: {100 * found.error:.0f} % errors",
            found.Z[shown],
            class_numbers(data)[shown],
            shown_scores(found.model),
            folded=True,
            scale=_FOLDED,
        ),
        _terrains(data),
        Panel(
            f"Errors on {_TESTED:,} new terrains, %",
            (Bars(tuple(METHODS_SHOWN.values()), [100 * e for e in errors.values()], strong=(list(fits).index(key),)),),
            Scale("", (0.0, 65.0)),
        ),
        _weights(found.model.components_),
    )
    charge, most = _size(fits["pooled"].model) * lam, _most_to_win(data)
    measured = {"first_component": first, "charge": charge, "most": most, **errors}
    return Frame(name, _says(key, errors, first, charge, most), panels, measured)


def _size(model: OPNBClassifier) -> float:
    """Give what the Frobenius penalty counts: the squared weights, at the scale where bandwidths are one."""
    return float(np.sum(model.bandwidths_**-2.0))


def _most_to_win(data: Dataset) -> float:
    """Give the log-likelihood a row that lies between guessing by class shares and knowing every class."""
    return float(entropy(np.bincount(class_numbers(data))))


def _terrains(data: Dataset) -> Panel:
    """Draw some terrains, each divided by its own level."""
    labels, X = class_numbers(data), data.X_train / np.median(data.X_train, axis=1, keepdims=True)
    bump = np.abs(X - 1).max(axis=1)
    curves = []
    for k in range(2):
        # Those whose bump can be seen: most are too small.
        rows = np.flatnonzero(labels == k)
        clear = rows[np.argsort(-bump[rows], kind="stable")[: 4 * _TERRAINS : 4]]
        curves += [Curve(np.arange(1, X.shape[1] + 1), X[row], of_class=k) for row in clear]
    return Panel("Some terrains, each divided by its level", tuple(curves), Scale("place"), Scale("height", (0.3, 1.7)))


def _weights(components: Array) -> Panel:
    """Draw the weights of the scaled columns, the heaviest set to one."""
    places = np.arange(1, components.shape[1] + 1)
    curves = tuple(
        Curve(places, weights / np.abs(weights).max(), name=f"direction {d + 1}", look=d)
        for d, weights in enumerate(components)
    )
    return Panel("What each direction weighs", curves, Scale("place"), Scale("weight", (-1.1, 1.1)))


def _says(key: str, errors: dict[str, float], first: float, charge: float, most: float) -> str:
    percent = {name: f"{100 * error:.0f} %" for name, error in errors.items()}
    says = {
        "frobenius": f"One direction, the level of the terrain, holds {100 * first:.1f} % of the variance and knows "
        f"nothing of the class. Punished for the size of its weights, OPNB can hardly leave it: {percent['frobenius']} "
        "errors.",
        "total": f"Punished for the variance of what it projects, OPNB finds the long direction dear and leaves it: "
        f"{percent['total']} errors instead of {percent['frobenius']}.",
        "pooled": f"The variance within the classes as the price does the same: {percent['pooled']} errors instead of "
        f"{percent['frobenius']}. By their size these weights would cost {charge:,.1f}, where no fit can win more than "
        f"{most:.2f}.",
        "lda": f"LDA also measures by the variance within classes, with one normal curve for each class: "
        f"{percent['lda']} errors.",
        "opgd": f"OPGD gives every class its own normal curve along two directions: {percent['opgd']} errors. "
        f"OPNB's curves take any shape: {percent['pooled']}.",
    }
    return says[key]


LESSON = Lesson(
    key="long",
    title="One long direction",
    minutes=8,
    shows="When one direction holds nearly all the variance, a penalty on the size of the weights keeps OPNB on it. "
    "A penalty on the variance of the projection sets it free.",
    why="Every row is a terrain with one hill or one valley, and the terrains lie on levels that differ by orders of "
    "magnitude. So all columns say nearly the same: the level. To see the bump, the level must cancel, by weights of "
    "both signs, and what is left is tiny. Only large weights bring it to the width of a kernel. The usual penalty "
    "counts the size of the weights and forbids just that. The other two count how far the projected points spread: "
    "the level becomes dear, the bump cheap.",
    question="The columns were scaled to the same variance before the fit. Why does that not help?",
    answer="Scaling treats each column by itself, and the long direction runs across all of them: they rise and fall "
    "together. What differs between the classes is a small difference of neighbouring columns, and it is as small "
    "after scaling as before.",
    controls=(
        Choice(
            "levels",
            "Orders of magnitude",
            numbers(0.5, 1, 2, 3, 5),
            2,
            "How far apart the levels of the terrains are.",
        ),
        Choice("lam", "Smoothness λ", ((0.0001, "0.0001"), (0.001, "0.001"), (0.01, "0.01")), 0.001),
        Slider("noise", "Ruggedness", 0.0, 0.05, 0.01, 0.0, "Every point of a terrain is disturbed by this share."),
        seed(),
    ),
    tries=(
        Try("Leave the long direction", {}, "Look at the weights: both signs, so that the level cancels.", at=2),
        Try(
            "A weaker penalty",
            {"lam": 0.0001},
            "A tenth of the usual penalty does not help: what it allows goes into spikes along the long direction.",
        ),
        Try(
            "Levels far apart",
            {"levels": 5},
            "With levels very far apart all methods do poorly, and OPNB has no lead left.",
        ),
        Try("Rugged ground", {"noise": 0.02}, "Noise hides the small bumps. Which methods mind it most?", at=2),
    ),
    tell=tell,
)
