"""Solutions one after the other: along a path of lam, or over the iterations of a search, as frames of one movie.

Every frame has the same points, and the boundary and the class densities of its own model. Along a path each solution
is matched with its neighbour by order and sign, which mean nothing; it is not turned, because the densities belong to
the directions as they are. Over the iterations of one search the directions are those of the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opnb.core.kernel import Array
from opnb.diagnostics.paths import LamChoice, align_directions, one_standard_error_lam
from opnb.estimators.classifier import OPNBClassifier
from opnb.views.axes import shown_range
from opnb.views.projected import ErrorCount, Flags, Labels, Projected, thinned
from opnb.views.scenes import Scenes, scenes

MOST_POINTS = 600  # more keep a slow browser busy with drawing
MOST_FRAMES = 60


@dataclass(frozen=True, eq=False)
class Movie:
    """Points that move from frame to frame.

    Attributes
    ----------
    x, y : ndarray of float32 of shape (n_frames, n_points)
    labels, is_test, rows : ndarray of shape (n_points,)
    class_names : tuple of str
    class_counts : ndarray of int of shape (n_classes,)
    names, captions : tuple of str, one a frame
        A short name for the slider, and what to say of the frame.
    axes : tuple of two str
    ranges : tuple of two (low, high)
    first : int
        The frame shown first.
    scenes : Scenes or None
        Boundary and densities of every frame; None for a single direction, and where they are not wanted.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    labels: Labels
    is_test: Flags
    rows: NDArray[np.int64]
    class_names: tuple[str, ...]
    class_counts: Labels
    names: tuple[str, ...]
    captions: tuple[str, ...]
    axes: tuple[str, str]
    ranges: tuple[tuple[float, float], tuple[float, float]]
    first: int = 0
    scenes: Scenes | None = None


@dataclass(frozen=True, eq=False)
class PathErrors:
    """Cross-validated errors along a path, each fold and their mean, with two choices of lam.

    Attributes
    ----------
    choice : LamChoice
    fold_errors : ndarray of shape (n_lams, n_folds)
    train, test : tuple of ErrorCount, one a lam
        Of the solutions fitted to all training rows; `test` is empty without held-out rows.
    """

    choice: LamChoice
    fold_errors: Array
    train: tuple[ErrorCount, ...]
    test: tuple[ErrorCount, ...]


def path_errors(cv: Any, X: Array, y: NDArray, X_test: Array, y_test: NDArray) -> PathErrors:
    """Gather the errors of a fitted `OPNBClassifierCV`; `X_test` may be empty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifierCV
    >>> from opnb.views import path_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = OPNBClassifierCV(lams=[0.001, 0.01, 0.1], cv=3, n_components=2).fit(X, y)
    >>> errors = path_errors(cv, X, y, X[::2], y[::2])
    >>> len(errors.train), len(errors.test)
    (3, 3)
    """
    train = tuple(_errors(model, X, y) for model in cv.path_)
    test = tuple(_errors(model, X_test, y_test) for model in cv.path_) if len(y_test) else ()
    return PathErrors(one_standard_error_lam(cv), cv.cv_errors_, train, test)


def _errors(model: OPNBClassifier, X: Array, y: NDArray) -> ErrorCount:
    return ErrorCount(int(np.sum(model.predict(X) != y)), len(y))


def followed(solutions: Sequence[Array], reference: int) -> list[Array]:
    """Put the directions of every solution in the order, and with the signs, of its neighbour towards the reference.

    Parameters
    ----------
    solutions : sequence of ndarray of shape (n_features, m)
        Directions as columns; their lengths stay.
    reference : int

    Returns
    -------
    list of ndarray of shape (n_features, m)
    """
    ordered = list(solutions)
    after, before = range(reference + 1, len(ordered)), range(reference - 1, -1, -1)
    for steps, back in ((after, -1), (before, 1)):
        for number in steps:
            match = align_directions(ordered[number + back], ordered[number])
            ordered[number] = ordered[number][:, match.order] * match.signs
    return ordered


def path_movie(cv: Any, projected: Projected, X: Array, errors: PathErrors) -> Movie:
    """Make the movie of a path.

    Parameters
    ----------
    cv : OPNBClassifierCV
        Fitted.
    projected : Projected
        Of any fit of the same rows; only its rows and classes are used.
    X : ndarray of shape (n, n_features)
        All rows in the order of `projected`.
    errors : PathErrors

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifierCV
    >>> from opnb.views import path_errors, path_movie, project
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = OPNBClassifierCV(lams=[0.001, 0.01, 0.1], cv=3, n_components=2).fit(X, y)
    >>> errors = path_errors(cv, X, y, X[::2], y[::2])
    >>> movie = path_movie(cv, project(cv, X, y), X, errors)
    >>> type(movie).__name__
    'Movie'
    """
    best = errors.choice.best_index
    solutions = followed([_unit_bandwidth(model) for model in cv.path_], best)
    Xs = cv.path_[best].scaled(X)
    captions = tuple(_path_caption(errors, number) for number in range(len(solutions)))
    names = tuple(f"{lam:.2g}" for lam in errors.choice.lams)
    return _moving([V[:, :2] for V in solutions], cv.path_[best], projected, Xs, names, captions, best)


def _unit_bandwidth(model: OPNBClassifier) -> Array:
    """Give the directions of a fit as columns, each as long as one over its bandwidth."""
    return (model.components_ / model.bandwidths_[:, None]).T


def _path_caption(errors: PathErrors, number: int) -> str:
    choice = errors.choice
    parts = [
        f"λ = {choice.lams[number]:.2g}: cross-validated error {choice.mean_errors[number]:.3f} "
        f"± {choice.standard_errors[number]:.3f}",
        f"training {errors.train[number].error:.3f}",
    ]
    return ", ".join(parts + ([f"held out {errors.test[number].error:.3f}"] if errors.test else []))


def playback_movie(clf: Any, projected: Projected, X: Array, snapshots: Sequence[tuple[int, float, Array]]) -> Movie:
    """Make the movie of a search.

    Parameters
    ----------
    clf : OPNBClassifier
        What the search led to.
    projected, X
        As in `path_movie`.
    snapshots : sequence of (iteration, objective, V)
        V of shape (n_features, m); some are left out where there are many.
    """
    places = np.unique(np.linspace(0, len(snapshots) - 1, MOST_FRAMES).round().astype(int))
    kept = [snapshots[place] for place in places]
    match = align_directions(clf.components_.T, kept[-1][2])
    Xs = clf.scaled(X)
    frames = [V[:, match.order[:2]] * match.signs[:2] for _, _, V in kept]
    names = tuple(str(number) for number, _, _ in kept)
    captions = tuple(f"Iteration {number}: objective {objective:.4f}" for number, objective, _ in kept)
    return _moving(frames, clf, projected, Xs, names, captions, 0)


def _moving(
    frames: Sequence[Array],
    clf: Any,
    projected: Projected,
    Xs: Array,
    names: tuple[str, ...],
    captions: tuple[str, ...],
    first: int,
) -> Movie:
    """Make a movie of directions with unit bandwidth, with the scene of every frame if they are two."""
    axes = ("Direction 1", "Direction 2")
    movie = _movie([Xs @ _unit(V) for V in frames], projected, names, captions, axes, first)
    if frames[0].shape[1] == 1:
        return movie
    train = ~projected.is_test
    drawn = scenes(frames, Xs[train], projected.labels[train], clf.class_prior_, movie.ranges)
    return replace(movie, scenes=drawn)


def _unit(V: Array) -> Array:
    return V / np.maximum(np.linalg.norm(V, axis=0), np.finfo(float).tiny)


def still(
    projected: Projected,
    caption: str,
    order: Sequence[int] | NDArray[np.intp] = (0, 1),
    signs: Sequence[float] | Array = (1.0, 1.0),
    most: int = 300,
) -> Movie:
    """Make a small picture of a fit: one frame of two directions, by default the first, each with a sign.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import project, still
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> type(still(project(clf, X, y), "Iris")).__name__
    'Movie'
    """
    count = min(projected.Z.shape[1], 2)
    Z = projected.Z[:, list(order)[:count]] * np.asarray(signs)[:count]
    return _movie([Z], projected, ("",), (caption,), ("", ""), 0, most)


def _movie(
    frames: Sequence[Array],
    projected: Projected,
    names: tuple[str, ...],
    captions: tuple[str, ...],
    axes: tuple[str, str],
    first: int,
    most: int = MOST_POINTS,
) -> Movie:
    kept = thinned(projected.labels, most, least=10)
    flat = frames[0].shape[1] == 1
    jitter = np.random.default_rng(0).uniform(-1, 1, kept.size)
    x = np.stack([Z[kept, 0] for Z in frames])
    y = np.stack([jitter if flat else Z[kept, 1] for Z in frames])
    return Movie(
        x.astype(np.float32),
        y.astype(np.float32),
        projected.labels[kept],
        projected.is_test[kept],
        projected.rows[kept],
        projected.class_names,
        projected.train_counts,
        names,
        captions,
        (axes[0], "(spread at random)" if flat and axes[1] else axes[1]),
        (shown_range(x, "all"), shown_range(y, "all")),
        first,
    )
