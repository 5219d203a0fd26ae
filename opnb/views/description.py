"""The picture in words, for readers who cannot see it and for captions."""

from collections.abc import Sequence

import numpy as np
from scipy import ndimage

from opnb.diagnostics.finding import class_label
from opnb.views.axes import Axis
from opnb.views.projection import ProjectionView

_MOST_NAMED = 5


def region_counts(view: ProjectionView) -> dict[int, int]:
    """Count the connected regions of every class that has any in the part of the plane shown."""
    present = np.unique(view.class_map)
    return {int(k): int(ndimage.label(view.class_map == k)[1]) for k in present}


def describe_projection(view: ProjectionView) -> str:
    """Say in plain sentences what the picture of two directions shows.

    Parameters
    ----------
    view : ProjectionView

    Returns
    -------
    str
        Plain text; names are not escaped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.views import describe_projection, projection_view
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> len(describe_projection(projection_view(clf, X, y))) > 0
    True
    """
    sentences = [
        _what(view),
        _errors(view),
        _classes(view),
        _confusions(view),
        _regions(view),
        _other_model(view),
        *view.notes,
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _listed(words: Sequence[str]) -> str:
    shown = list(words[:_MOST_NAMED])
    if len(words) > _MOST_NAMED:
        shown.append(f"{len(words) - _MOST_NAMED} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _name(view: ProjectionView, k: int) -> str:
    return class_label(view.class_names[k])


def _axis(axis: Axis) -> str:
    features = ", ".join(name for name, _ in axis.heaviest[:3])
    return axis.called[:1].lower() + axis.called[1:] + (f" (heaviest features {features})" if features else "")


def _what(view: ProjectionView) -> str:
    counts = f"{view.train.n:,} training" + (f" and {view.test.n:,} held-out" if view.test else "")
    first, second = view.axes
    return (
        f"Scatter plot of {counts} points in {len(view.class_names)} classes: {_axis(first)} across, "
        f"{_axis(second)} upwards, with class densities along both."
    )


def _errors(view: ProjectionView) -> str:
    model = "full model" if view.model == "full" and view.has_more else "model on these two directions"
    test = f", held-out error {view.test}" if view.test else ""
    return f"The {model} has training error {view.train}{test}."


def _classes(view: ProjectionView) -> str:
    """Name the classes that separate best, by the share of their drawn points that are right."""
    points, n_classes = view.points, len(view.class_names)
    totals = np.bincount(points.labels, minlength=n_classes)
    wrong = np.bincount(points.labels[view.wrong], minlength=n_classes)
    share = wrong / np.maximum(totals, 1)
    order = [k for k in np.argsort(share, kind="stable") if totals[k]]
    clean = [_name(view, k) for k in order if wrong[k] == 0]
    if len(clean) == len(order):
        return "Every class separates without an error."
    worst = order[-1]
    sentence = f"Hardest is {_name(view, worst)}, with {share[worst]:.0%} of its points misclassified."
    return f"Without an error: {_listed(clean)}. {sentence}" if clean else sentence


def _confusions(view: ProjectionView) -> str:
    points = view.points
    predicted = points.full if view.model == "full" else points.shown
    pairs = points.labels[view.wrong] * len(view.class_names) + predicted[view.wrong]
    if not pairs.size:
        return ""
    values, counts = np.unique(pairs, return_counts=True)
    true, taken = divmod(int(values[counts.argmax()]), len(view.class_names))
    return f"Most often {_name(view, true)} is taken for {_name(view, taken)} ({counts.max():,} points)."


def _regions(view: ProjectionView) -> str:
    counts = region_counts(view)
    total = sum(counts.values())
    if total == 1:
        return f"All of the part shown is given to {_name(view, next(iter(counts)))}; there is no boundary."
    split = [f"{_name(view, k)} ({count})" for k, count in counts.items() if count > 1]
    more = f" Classes with several regions: {_listed(split)}." if split else ""
    missing = [_name(view, k) for k in range(len(view.class_names)) if k not in counts]
    none = f" No region belongs to {_listed(missing)}." if missing else ""
    return f"The boundary divides the part shown into {total} regions.{more}{none}"


def _other_model(view: ProjectionView) -> str:
    if not view.has_more:
        return ""
    share = f"{view.n_disagree:,} of {view.n_points:,} points"
    return f"The full model differs from the model on these two directions on {share}."
