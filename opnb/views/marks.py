"""Where a finding is in the picture: rows to ring, spikes of a margin, the shape of a class, a long direction.

Everything comes from the finding's evidence and the projected rows of its fit; training rows have the numbers that they
had in the diagnosis.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opnb.core.kernel import Array
from opnb.views.model import fitted_model
from opnb.views.plane import shown_predictions
from opnb.views.projected import Labels, Projected

_ROUND = 64  # points of an ellipse
_SECTORS = 24  # in which the distance of a ridge from its middle is measured
_STRAIGHT = 0.5  # share of a dependence that its rank correlation must explain for an ellipse to show it
_REACH = 2.0  # standard deviations that ellipses and arrows reach
_UNSEEN = 0.05  # of its length: a direction of which less is seen stands across the picture


@dataclass(frozen=True, eq=False)
class Marks:
    """What to draw on the picture of two directions.

    Attributes
    ----------
    directions : pair of int
        Which picture.
    rows : ndarray of int
        Points to ring, by their place in the `Projected`.
    spikes : tuple of ndarray
        Positions to mark on the margin of either direction, if there are any.
    lines : tuple of ndarray of shape (m, 2)
        Shapes; NaN breaks a line.
    is_arrow : bool
        Whether the lines point somewhere.
    label : int or None
        The class that the lines are about.
    name, caption : str
        What the marks are, in the legend and in a sentence.
    """

    directions: tuple[int, int]
    name: str
    caption: str
    rows: Labels = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    spikes: tuple[Array, ...] = ()
    lines: tuple[Array, ...] = ()
    is_arrow: bool = False
    label: int | None = None


def finding_marks(code: str, evidence: Mapping[str, Any], clf: Any, projected: Projected) -> Marks | None:
    """Say where a finding is in the picture.

    Parameters
    ----------
    code : str
        Which check speaks.
    evidence : mapping
        Of a `Finding`.
    clf : OPNBClassifier
        Fitted.
    projected : Projected
        Of the same fit.

    Returns
    -------
    Marks or None
        None for a finding that has no place, and for a fit of one direction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import diagnose
    >>> from opnb.views import finding_marks, project
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> (finding,) = diagnose(clf, X, y, codes=("guessing",))
    >>> finding_marks(finding.code, finding.evidence, clf, project(clf, X, y)) is None
    True
    """
    if projected.Z.shape[1] < 2 or code not in _PLACES:
        return None
    return _PLACES[code](evidence, fitted_model(clf), projected)


def _overfit_scale(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    alone = [np.asarray(rows, dtype=int) for rows in evidence["alone"]]
    rows = np.unique(np.concatenate(alone))
    if not rows.size:
        return None
    first, second = (projected.Z[rows_of, d] for d, rows_of in enumerate(alone))
    caption = f"{rows.size:,} rows owe most of their density to their own kernel: each makes a spike on a margin."
    return Marks((0, 1), "owe their density to themselves", caption, rows, (first, second))


def _elongated_covariance(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    seen = model.components_[:2] @ np.asarray(evidence["first_direction"])
    share = float(np.linalg.norm(seen))
    if share < _UNSEEN:
        return None
    middle = projected.Z[~projected.is_test, :2].mean(axis=0)
    reach = _REACH * float(np.sqrt(evidence["first_variance"])) * seen
    caption = f"The arrow is the long direction of the data, of which {share:.0%} is seen from here."
    return Marks((0, 1), "long direction", caption, lines=(np.stack([middle - reach, middle + reach]),), is_arrow=True)


def _dependent_classes(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    worst = evidence["worst"]
    pair = int(evidence["pairs"][worst][0]), int(evidence["pairs"][worst][1])
    label = int(np.flatnonzero([str(name) == evidence["classes"][worst] for name in model.classes_])[0])
    members = projected.Z[(projected.labels == label) & ~projected.is_test][:, pair]
    straight = abs(evidence["rank_correlation"][worst]) >= _STRAIGHT * evidence["strength"][worst]
    line, shape = (ellipse(members), "ellipse") if straight else (ridge(members), "ridge")
    caption = f"The line is the {shape} of class {evidence['classes'][worst]}, which a product of margins cannot have."
    return Marks(pair, "shape of the class", caption, lines=(line,), label=label)


def ellipse(Z: Array) -> Array:
    """Give the line on which points of a normal cloud with this mean and covariance are equally dense."""
    angle = np.linspace(0, 2 * np.pi, _ROUND)
    values, vectors = np.linalg.eigh(np.cov(Z.T))
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * _REACH * np.sqrt(np.maximum(values, 0))
    line: Array = Z.mean(axis=0) + circle @ vectors.T
    return line


def ridge(Z: Array) -> Array:
    """Give the line around the middle of a cloud along which its points lie: their median distance in every sector."""
    middle, spread = np.median(Z, axis=0), np.maximum(Z.std(axis=0), 1e-300)
    round_middle = (Z - middle) / spread
    sector = ((np.arctan2(*round_middle.T[::-1]) + np.pi) / (2 * np.pi) * _SECTORS).astype(int) % _SECTORS
    distance = np.linalg.norm(round_middle, axis=1)
    of_sector = np.array([np.median(distance[sector == s]) if (sector == s).any() else np.nan for s in range(_SECTORS)])
    closed = np.append(np.arange(_SECTORS), 0)
    angle = (closed + 0.5) / _SECTORS * 2 * np.pi - np.pi
    line: Array = middle + of_sector[closed, None] * np.column_stack([np.cos(angle), np.sin(angle)]) * spread
    return line


def _outliers(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    rows = np.asarray(evidence["rows"], dtype=int)
    caption = f"The rings are the {rows.size:,} far rows that rule a column's scale."
    return Marks((0, 1), "far rows", caption, rows) if rows.size else None


def _small_classes(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    small = np.flatnonzero(np.asarray(evidence["counts"]) < evidence["rows_needed"])
    rows = np.flatnonzero(np.isin(projected.labels, small) & ~projected.is_test)
    return Marks((0, 1), "rows of small classes", "The rings are all that is known of the small classes.", rows)


def _shown_versus_full(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    rows = np.flatnonzero(shown_predictions(model, projected, (0, 1)) != projected.predicted)
    return Marks((0, 1), "full model differs", "The rings are rows to which the whole model gives another class.", rows)


def _repeated_directions(evidence: Mapping[str, Any], model: Any, projected: Projected) -> Marks | None:
    Z = projected.Z[~projected.is_test, :2]
    _, vectors = np.linalg.eigh(np.cov(Z.T))
    along = (Z - Z.mean(axis=0)) @ vectors[:, -1]
    ends = np.array([along.min(), along.max()])[:, None] * vectors[:, -1]
    return Marks((0, 1), "the one direction", "All points lie along this line.", lines=(Z.mean(axis=0) + ends,))


_PLACES: Mapping[str, Callable[[Mapping[str, Any], Any, Projected], Marks | None]] = {
    "overfit-scale": _overfit_scale,
    "elongated-covariance": _elongated_covariance,
    "dependent-classes": _dependent_classes,
    "outliers": _outliers,
    "small-classes": _small_classes,
    "shown-versus-full": _shown_versus_full,
    "repeated-directions": _repeated_directions,
}
