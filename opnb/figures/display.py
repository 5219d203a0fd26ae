"""The picture in the manner of scikit-learn's displays."""

from __future__ import annotations

from typing import Any, Self

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from opnb.figures.projection import DRAWING_OPTIONS, draw_picture, picture_view
from opnb.views.projection import ProjectionView
from opnb.views.strip import StripView


class OPNBDisplay:
    """The data on two directions of a model, with its boundary and margins.

    Made by `from_estimator`, which computes and draws; `plot` draws again with another look. It shows itself as the
    last line of a notebook's cell; elsewhere `display.figure_.show()` opens it in the browser.

    Parameters
    ----------
    view : ProjectionView or StripView
        What is shown; the strip is that of a model with one direction.

    Attributes
    ----------
    figure_ : plotly.graph_objects.Figure
        As it was drawn last.

    See Also
    --------
    projection_figure : The same as a function.
    tour : Turns the picture.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import OPNBDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> display = OPNBDisplay.from_estimator(clf, X, y)
    >>> display.figure_.layout.xaxis.title.text[:11]
    'Direction 1'
    """

    figure_: go.Figure

    def __init__(self, *, view: ProjectionView | StripView) -> None:
        self.view = view

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        X_test: ArrayLike | None = None,
        y_test: ArrayLike | None = None,
        *,
        directions: tuple[int, int] = (0, 1),
        **options: Any,
    ) -> Self:
        """Draw a fitted model and the rows it was fitted to.

        Parameters
        ----------
        estimator : OPNBClassifier
            Fitted, or a fitted search over settings around one.
        X, y, X_test, y_test : array-like
            Training and held-out data.
        directions : pair of int, default=(0, 1)
        **options
            Those of `projection_figure`.

        Returns
        -------
        OPNBDisplay
        """
        drawing = {name: options.pop(name) for name in DRAWING_OPTIONS if name in options}
        return cls(view=picture_view(estimator, X, y, X_test, y_test, directions, **options)).plot(**drawing)

    def plot(self, **drawing: Any) -> Self:
        """Draw the picture, again with another look.

        Parameters
        ----------
        **drawing
            `theme`, `focus`, `title`, `fade`, `selectable`, `height` and `compact` of `draw_projection`.

        Returns
        -------
        OPNBDisplay
            Itself, with `figure_`.
        """
        self.figure_ = draw_picture(self.view, **drawing)
        return self

    def _repr_html_(self) -> str:
        return self.figure_._repr_html_()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.figure_._repr_mimebundle_(include, exclude)
