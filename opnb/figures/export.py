"""Figures as files: PNG and SVG through a browser, HTML without one."""

import os
import shutil
from html import escape
from typing import Any

import plotly.graph_objects as go

from opnb.errors import needs

_BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
CONFIG = {"showSendToCloud": False, "displaylogo": False, "responsive": True}


class NoBrowserError(RuntimeError):
    """An image needs a browser, and none was found."""


def find_browser() -> str | None:
    """Find a Chrome or Chromium: the one that BROWSER_PATH names, else the first on the path."""
    named = os.environ.get("BROWSER_PATH")
    if named and os.path.exists(named):
        return named
    return next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def figure_png(figure: go.Figure, *, width: int = 1000, height: int | None = None, scale: float = 2) -> bytes:
    """Render a figure as PNG.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    width : int, default=1000
    height : int, optional
        The figure's own by default.
    scale : float, default=2
        Pixels of the image a pixel of the figure.

    Returns
    -------
    bytes

    Raises
    ------
    NoBrowserError
        If there is no Chrome or Chromium to draw it with.
    """
    return _image(figure, "png", width, height, scale)


def figure_svg(figure: go.Figure, *, width: int = 1000, height: int | None = None) -> bytes:
    """Render a figure as SVG; the parameters are those of `figure_png`."""
    return _image(figure, "svg", width, height, 1)


def figure_html(figure: go.Figure, *, title: str | None = None) -> str:
    """Give a page that holds the figure and Plotly itself, so that it opens without a network.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import figure_html, projection_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> figure_html(projection_figure(clf, X, y), title="Iris")[:6]
    '<!doct'
    """
    page = figure.to_html(include_plotlyjs=True, full_html=True, config=CONFIG)
    return page if title is None else page.replace("<head>", f"<head><title>{escape(title)}</title>", 1)


def _image(figure: go.Figure, kind: str, width: int, height: int | None, scale: float) -> bytes:
    browser = find_browser()
    if browser is None:
        raise NoBrowserError(
            "A PNG or SVG is drawn by Chrome or Chromium, and none was found. Install one (on Debian: "
            "apt install chromium), or name it in the environment variable BROWSER_PATH; HTML needs none."
        )
    with needs("plot"):
        import kaleido  # type: ignore[import-untyped]  # slow to load, and seldom needed

    size: dict[str, Any] = {"format": kind, "width": width, "scale": scale}
    if height or figure.layout.height:
        size["height"] = height or figure.layout.height
    still = go.Figure(figure)
    # What only answers to a pointer says nothing in a still picture.
    still.layout.annotations = [note for note in still.layout.annotations if not note.captureevents]
    # Formulas would be fetched from another company's server; no text of ours has any.
    return kaleido.calc_fig_sync(still, opts=size, kopts={"path": browser, "mathjax": False})
