"""A tour: naive Bayes on any two axes through the data, as numbers.

An axis is a vector of weights of the scaled columns. It carries its scale as the model's own directions do: the kernel
has width one on it, so a longer axis makes the margins sharper and a shorter one makes them smoother. On two axes a, b

    z_i = (x_i a, x_i b),    s_k(z) = log pi_k + log f_ka(z_1) + log f_kb(z_2)

with the class densities of `opnb.core.densities`. `tour_view` gathers what a browser needs to do that by itself for
every frame; `tour_frame` does it here, exactly, and is what the browser's numbers are tested against.

With many columns the points are given by coordinates in a subspace that holds every axis of the tour's paths and every
column that has a handle; its basis is orthonormal, so lengths and angles of axes are those among the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from opnb.core.densities import ClassDensities
from opnb.core.kernel import Array
from opnb.errors import DataError
from opnb.estimators.classifier import OPNBClassifier
from opnb.views.axes import shown_range
from opnb.views.axes_paths import AxesPath, own_paths
from opnb.views.model import fitted_model
from opnb.views.projected import ErrorCount, Flags, Labels, Projected, project, thinned

Kind = Literal["column", "direction"]

MOST_POINTS = 200_000
MOST_VALUES = 10_000_000  # coordinates that are sent to a browser
MOST_HANDLES = 50
_MOST_COLUMNS = 100  # beyond, the points are given in a subspace
_CROWD = 100_000  # as in tour/paint.js
GRID = 120
CURVE = 300


@dataclass(frozen=True, eq=False)
class Handle:
    """What an axis can be turned towards: a column, or a direction of the model.

    Attributes
    ----------
    name : str
    kind : {"column", "direction"}
    vector : ndarray of float32 of shape (n_coordinates,)
        Of unit length.
    """

    name: str
    kind: Kind
    vector: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TourPath:
    """Pairs of axes to go through, of shape (n_keyframes, 2, n_coordinates), and what every pair is."""

    name: str
    axes: NDArray[np.float32]
    captions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TourView:
    """Everything that a tour needs.

    Attributes
    ----------
    points : ndarray of float32 of shape (n, n_coordinates)
        Scaled rows, the training rows first.
    basis : ndarray of shape (n_features, n_coordinates)
        Orthonormal; the identity unless there are many columns.
    labels, is_test, rows : ndarray of shape (n,)
    class_names, feature_names : tuple of str
        Features are the columns in which the axes are straight: if directions bend, those of the radial kernel.
    class_counts : ndarray of int of shape (n_classes,)
        Training rows that are toured.
    class_prior : ndarray of shape (n_classes,)
    sharpness : float
        Of the posteriors, as in `OPNBClassifier`.
    handles : tuple of Handle
    paths : tuple of TourPath
    n_rows : int
        Rows in all.
    notes : tuple of str
        What a reader must know.
    """

    points: NDArray[np.float32]
    basis: Array = field(repr=False)
    labels: Labels
    is_test: Flags
    rows: NDArray[np.int64]
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    class_counts: Labels
    class_prior: Array
    sharpness: float
    handles: tuple[Handle, ...]
    paths: tuple[TourPath, ...]
    n_rows: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TourFrame:
    """Naive Bayes on two axes.

    Attributes
    ----------
    Z : ndarray of shape (n, 2)
        Positions, in units of the kernel.
    ranges : tuple of two (low, high)
    class_map, map_lead : ndarray of shape (resolution, resolution)
        Class on an even grid over the ranges, rows upwards, and by how much its log posterior leads the next one.
    positions, heights : ndarray of shape (2, m) and (2, n_classes, m)
        Class densities along the axes over the ranges.
    predicted, lead : ndarray of shape (n,)
        Class of every point, and its lead.
    train, test : ErrorCount
        `test` is None without held-out points.
    log_likelihood, test_log_likelihood : float
        Mean log posterior of the true class; NaN without held-out points.
    dependence, dependent_class : float and int
        Largest absolute correlation of the two positions within a class, over the training points, and its class.
    """

    Z: Array
    ranges: tuple[tuple[float, float], tuple[float, float]]
    class_map: Labels
    map_lead: Array
    positions: Array
    heights: Array
    predicted: Labels
    lead: Array
    train: ErrorCount
    test: ErrorCount | None
    log_likelihood: float
    test_log_likelihood: float
    dependence: float
    dependent_class: int


def tour_view(
    clf: Any,
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    paths: Sequence[AxesPath] = (),
    projected: Projected | None = None,
    **names: Any,
) -> TourView:
    """Gather the numbers of a tour.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, or a search over settings around one.
    X, y, X_test, y_test : array-like
        Training and held-out data.
    paths : sequence of AxesPath, optional
        Ways beside those of every tour: the pairs of directions, and from principal components to the first of them.
    projected : Projected, optional
        The result of `project` for the same data, to save the predictions.
    **names
        `rows`, `rows_test`, `class_names` and `feature_names` for `project`.

    Returns
    -------
    TourView

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views.tour import tour_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> len(tour_view(clf, X, y).points)
    150
    """
    model = _toured_model(clf)
    data = project(clf, X, y, X_test, y_test, **names) if projected is None else projected
    scaled = np.concatenate([model.scaled(part) for part in (X, X_test) if part is not None and len(part)])  # type: ignore[arg-type]
    ways = [*own_paths(model, scaled[~data.is_test]), *paths]
    columns = _heaviest_columns(model, MOST_HANDLES)
    basis = _basis(model, ways, columns)
    kept = thinned(data.labels, min(MOST_POINTS, MOST_VALUES // basis.shape[1]))
    labels, is_test = data.labels[kept], data.is_test[kept]
    names_of_columns = _column_names(model, data.feature_names)
    return TourView(
        points=(scaled[kept] @ basis).astype(np.float32),
        basis=basis,
        labels=labels,
        is_test=is_test,
        rows=data.rows[kept],
        class_names=data.class_names,
        feature_names=names_of_columns,
        class_counts=np.bincount(labels[~is_test], minlength=len(data.class_names)),
        class_prior=model.class_prior_,
        sharpness=model.sharpness_,
        handles=_handles(model, names_of_columns, columns, basis),
        paths=tuple(_in_coordinates(way, basis) for way in ways),
        n_rows=data.labels.size,
        notes=_notes(model, kept.size, data.labels.size),
    )


def _toured_model(clf: Any) -> OPNBClassifier:
    model = fitted_model(clf)
    if not isinstance(model, OPNBClassifier):
        raise DataError(f"A tour needs a fitted OPNBClassifier, got {type(model).__name__}.")
    if model.components_.shape[1] < 2:
        raise DataError("A tour needs data of at least two columns: with one there is nothing to turn.")
    return model


def _heaviest_columns(model: OPNBClassifier, most: int) -> NDArray[np.intp]:
    """Choose the columns that get a handle: all if they are few, else the heaviest on any direction."""
    m, p = model.components_.shape
    if p <= most:
        return np.arange(p)
    weight = np.abs(model.components_).max(axis=0)
    return np.sort(np.argsort(-weight, kind="stable")[: most - min(m, most // 2)])


def _column_names(model: OPNBClassifier, names: tuple[str, ...]) -> tuple[str, ...]:
    """Name the columns in which directions are straight: those of the table, unless directions bend."""
    if model.bend is None:
        return names
    return tuple(f"bent column {j + 1}" for j in range(model.components_.shape[1]))


def _handles(
    model: OPNBClassifier, names: tuple[str, ...], columns: NDArray[np.intp], basis: Array
) -> tuple[Handle, ...]:
    handles = [Handle(names[j], "column", basis[j].astype(np.float32)) for j in columns]
    for d, component in enumerate(model.components_[: MOST_HANDLES // 2]):
        handles.append(Handle(f"Direction {d + 1}", "direction", (component @ basis).astype(np.float32)))
    return tuple(handles)


def _basis(model: OPNBClassifier, ways: Sequence[AxesPath], columns: NDArray[np.intp]) -> Array:
    p = model.components_.shape[1]
    if p <= _MOST_COLUMNS:
        return np.eye(p)
    axes = [model.components_.T, *(pair for way in ways for pair in way.axes)]
    spanned = np.column_stack([np.eye(p)[:, columns], *axes])
    lengths = np.linalg.norm(spanned, axis=0)
    left, size, _ = np.linalg.svd(spanned[:, lengths > 0] / lengths[lengths > 0], full_matrices=False)
    return left[:, size > 1e-9 * size[0]]


def _in_coordinates(way: AxesPath, basis: Array) -> TourPath:
    axes = np.stack([(basis.T @ pair).T for pair in way.axes]).astype(np.float32)
    return TourPath(way.name, axes, tuple(way.captions))


def _notes(model: OPNBClassifier, kept: int, n: int) -> tuple[str, ...]:
    notes = []
    if kept > _CROWD:
        notes.append("While so many points move, the errors are those of every fourth row; at rest, of all.")
    if kept < n:
        notes.append(
            f"{kept:,} of {n:,} rows are toured, chosen at random; densities and errors are those of these rows."
        )
    if len(model.densities_) > 1:
        notes.append("The fit averages several starts; the tour has the directions of the best one.")
    if getattr(model.densities_[0], "masses", None) is not None:
        notes.append("The fit weighs its rows; in the tour every row counts once.")
    return tuple(notes)


def tour_frame(
    view: TourView,
    axes: ArrayLike,
    ranges: Sequence[tuple[float, float]] | None = None,
    *,
    resolution: int = GRID,
    curve: int = CURVE,
) -> TourFrame:
    """Compute naive Bayes on two axes, exactly.

    Parameters
    ----------
    view : TourView
    axes : array-like of shape (2, n_coordinates)
        In the view's coordinates.
    ranges : pair of (low, high), optional
        The part of the plane to show; all points by default.
    resolution : int, default=120
        Grid points along each axis.
    curve : int, default=300
        Positions along each margin.

    Returns
    -------
    TourFrame
    """
    Z = view.points.astype(float) @ np.asarray(axes, dtype=float).T
    shown = [shown_range(z, "all") for z in Z.T] if ranges is None else list(ranges)
    densities = densities_on(view, Z)
    grids = [np.linspace(low, high, resolution) for low, high in shown]
    across, up = (densities.log_densities(d, grid) for d, grid in enumerate(grids))
    scores = (densities.log_prior[:, None] + across)[:, None, :] + up[:, :, None]
    class_map, map_lead = decided(view.sharpness * scores)
    positions = np.stack([np.linspace(low, high, curve) for low, high in shown])
    joint = view.sharpness * densities.joint_log_likelihood(Z).T
    predicted, lead = decided(joint)
    own = joint[view.labels, np.arange(len(Z))] - logsumexp(joint, axis=0)
    train, test = _error_counts(predicted != view.labels, view.is_test)
    dependence = _dependence(Z[~view.is_test], view.labels[~view.is_test], len(view.class_names))
    return TourFrame(
        Z=Z,
        ranges=(shown[0], shown[1]),
        class_map=class_map,
        map_lead=map_lead,
        positions=positions,
        heights=np.stack([np.exp(densities.log_densities(d, z)) for d, z in enumerate(positions)]),
        predicted=predicted,
        lead=lead,
        train=train,
        test=test,
        log_likelihood=float(own[~view.is_test].mean()),
        test_log_likelihood=float(own[view.is_test].mean()) if view.is_test.any() else float("nan"),
        dependence=float(dependence.max()),
        dependent_class=int(dependence.argmax()),
    )


def densities_on(view: TourView, Z: Array) -> ClassDensities:
    """Give the class densities of the training points on two axes with unit bandwidths."""
    labels = view.labels[~view.is_test]
    members = np.stack([z[np.lexsort((z, labels))] for z in Z[~view.is_test].T])
    return ClassDensities(np.eye(2), np.ones(2), members, view.class_counts, view.class_prior)


def decided(scores: Array) -> tuple[Labels, Array]:
    """Give the class of the highest score and its lead; classes are along the first dimension."""
    second, first = np.partition(scores, -2, axis=0)[-2:]
    return scores.argmax(axis=0), first - second


def _error_counts(wrong: Flags, is_test: Flags) -> tuple[ErrorCount, ErrorCount | None]:
    train = ErrorCount(int(wrong[~is_test].sum()), int((~is_test).sum()))
    return train, ErrorCount(int(wrong[is_test].sum()), int(is_test.sum())) if is_test.any() else None


def _dependence(Z: Array, labels: Labels, n_classes: int) -> Array:
    """Absolute correlation of the two positions within every class; 0 where one of them does not vary."""
    found = np.zeros(n_classes)
    for k in range(n_classes):
        first, second = (Z[labels == k] - Z[labels == k].mean(axis=0)).T
        size = float(np.sqrt((first @ first) * (second @ second)))
        found[k] = abs(float(first @ second)) / size if size > 0 else 0.0
    return found
