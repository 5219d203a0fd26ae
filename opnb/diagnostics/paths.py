"""Numbers behind the tuning views: solutions along a path, subspaces, directions added one by one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import orthogonal_procrustes, subspace_angles
from scipy.optimize import linear_sum_assignment

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context, Labels, cumulative_joint, own_and_others
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.selection import OPNBClassifierCV


@dataclass(frozen=True, eq=False)
class DimensionCurve:
    """Error and log-likelihood with the first 1, 2, ... directions, each of shape (n_components,).

    Attributes
    ----------
    error, log_likelihood : ndarray
        On training rows, as the fit counts them.
    log_likelihood_left_out : ndarray
        On training rows that are left out of their own class's density.
    test_error, test_log_likelihood : ndarray or None
    """

    n_components: Labels
    error: Array
    log_likelihood: Array
    log_likelihood_left_out: Array
    test_error: Array | None
    test_log_likelihood: Array | None


def dimension_curve(
    clf: OPNBClassifier,
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
) -> DimensionCurve:
    """Measure the model as its directions are added in their greedy order.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted; with several averaged starts, the best one is measured.
    X, y : array-like of shape (n, n_features) and (n,)
        The rows of the fit; beyond 1,000 a stratified sample of them is measured.
    X_test, y_test : array-like, optional
        Held-out rows.

    Returns
    -------
    DimensionCurve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import dimension_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> dimension_curve(clf, X, y, X, y).n_components
    array([1, 2])
    """
    context = Context.of(clf, X, y, X_test, y_test, 0)
    curves = context.curves
    test: tuple[Array | None, Array | None] = (None, None)
    if context.X_test is not None and context.test_labels is not None:
        joint = cumulative_joint(context.model, context.X_test @ context.clf.components_.T)
        own, others, rival = own_and_others(joint, context.test_labels)
        test = (own < rival).mean(axis=1), (own - np.logaddexp(own, others)).mean(axis=1)
    return DimensionCurve(
        np.arange(1, context.n_components + 1),
        curves.wrong.mean(axis=1),
        curves.resubstituted.mean(axis=1),
        np.nanmean(curves.left_out, axis=1),
        *test,
    )


def principal_angles(V1: ArrayLike, V2: ArrayLike) -> Array:
    """Angles between two subspaces in radians, smallest first.

    Parameters
    ----------
    V1, V2 : array-like of shape (n_features, m1) and (n_features, m2)
        Their columns span the subspaces; length and order do not matter.

    Returns
    -------
    ndarray of shape (min(rank of V1, rank of V2),)
        Zero for a common direction, pi / 2 for a direction of one at right angles to the other.

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.diagnostics import principal_angles
    >>> principal_angles(np.eye(3)[:, :1], np.eye(3)[:, 1:2]).round(4)
    array([1.5708])
    """
    return subspace_angles(_basis(V1), _basis(V2))[::-1]


def _basis(V: ArrayLike) -> Array:
    """Orthonormal basis of the columns' span: repeated directions count once."""
    left, singular, _ = np.linalg.svd(np.asarray(V, dtype=float), full_matrices=False)
    return left[:, singular > 1e-8 * max(singular[0], 1e-300)]


@dataclass(frozen=True, eq=False)
class Alignment:
    """How one solution is turned to resemble another.

    Attributes
    ----------
    order : ndarray of int of shape (m,)
        Directions of the other solution in the order of the reference.
    signs : ndarray of shape (m,)
        One or minus one, for each of them.
    rotation : ndarray of shape (m, m)
        Orthogonal: `V[:, order] * signs @ rotation` is nearest to the reference. For drawing only, since the
        densities belong to the directions as they are.
    angles : ndarray of shape (m,)
        Angle of each direction to its partner before the rotation, in radians.
    """

    order: Labels
    signs: Array
    rotation: Array
    angles: Array


def align_directions(reference: ArrayLike, other: ArrayLike) -> Alignment:
    """Match the directions of a solution with those of another, so that a path of solutions moves smoothly.

    Parameters
    ----------
    reference, other : array-like of shape (n_features, m)
        Directions as columns, as in `components_.T`.

    Returns
    -------
    Alignment
        The matching has the largest sum of absolute cosines; signs then make every cosine positive.

    Examples
    --------
    >>> import numpy as np
    >>> from opnb.diagnostics import align_directions
    >>> match = align_directions(np.eye(3)[:, :2], -np.eye(3)[:, [1, 0]])
    >>> match.order.tolist(), match.signs.tolist()
    ([1, 0], [-1.0, -1.0])
    """
    A, B = (_unit_columns(V) for V in (reference, other))
    if A.shape != B.shape:
        raise ValueError(f"The two solutions have shapes {A.shape} and {B.shape}; only equal shapes can be aligned.")
    cosines = A.T @ B
    order = linear_sum_assignment(-np.abs(cosines))[1]
    matched = cosines[np.arange(order.size), order]
    signs = np.where(matched < 0, -1.0, 1.0)
    rotation = np.asarray(orthogonal_procrustes(B[:, order] * signs, A)[0], dtype=float)
    return Alignment(order, signs, rotation, np.arccos(np.clip(np.abs(matched), 0.0, 1.0)))


def _unit_columns(V: ArrayLike) -> Array:
    V = np.asarray(V, dtype=float)
    lengths = np.linalg.norm(V, axis=0)
    return V / np.where(lengths > 0, lengths, 1.0)


@dataclass(frozen=True, eq=False)
class LamChoice:
    """The one-standard-error choice along a path.

    Attributes
    ----------
    lam : float
        The largest lam whose mean error is within one standard error of the least.
    index, best_index : int
        Its place in `lams`, and that of the least mean error.
    lams, mean_errors, standard_errors : ndarray of shape (n_lams,)
    """

    lam: float
    index: int
    best_index: int
    lams: Array
    mean_errors: Array
    standard_errors: Array


def one_standard_error_lam(cv: OPNBClassifierCV) -> LamChoice:
    """Choose the smoothest solution that cross-validation cannot tell from the best.

    Parameters
    ----------
    cv : OPNBClassifierCV
        Fitted.

    Returns
    -------
    LamChoice

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifierCV
    >>> from opnb.diagnostics import one_standard_error_lam
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = OPNBClassifierCV(lams=[1e-5, 0.001, 0.1], cv=2, n_components=2).fit(X, y)
    >>> one_standard_error_lam(cv).lams
    array([1.e-05, 1.e-03, 1.e-01])
    """
    errors = cv.cv_errors_
    mean = errors.mean(axis=1)
    n_folds = errors.shape[1]
    spread = errors.std(axis=1, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.zeros(mean.size)
    best = int(np.flatnonzero(cv.lams_ == cv.lam_)[0])
    index = int(np.flatnonzero(mean <= mean[best] + spread[best])[-1])
    return LamChoice(float(cv.lams_[index]), index, best, cv.lams_, mean, spread)
