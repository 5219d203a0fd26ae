"""The tour as a file, in a notebook, and as what the app's element needs; nothing here draws, the browser does.

The modules in `tour/` import each other, so that each can be read and tested alone. One page has them as one script:
their imports are taken out and they follow each other, each after what it needs.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opnb.core.kernel import Array
from opnb.figures.layers import marker_size
from opnb.figures.new_rows import legend_words, mark_look
from opnb.figures.palette import FONT, THEMES, class_styles, find_theme
from opnb.quiet import own_warnings
from opnb.views.axes_paths import AxesPath
from opnb.views.model import fitted_model
from opnb.views.new_rows import NewRows, new_rows
from opnb.views.tour import TourView, tour_view
from opnb.views.toured_rows import TouredRows, toured_rows

FOLDER = Path(__file__).parent / "tour"
MODULES = ("kernel", "plane", "data", "path", "symbols", "paint", "ring", "controls", "tour")
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_BACKGROUNDS = {"light": "#ffffff", "dark": "#0e1117"}
_ACCENTS = {"light": "#0b63b8", "dark": "#7cc0ff"}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ margin: 0; }} .opnb-tour {{ padding: 12px; min-height: 100vh; }}
{css}</style></head>
<body><main id="tour"></main>
<script id="tour-data" type="text/plain">{data}</script>
<script type="module">
{script}
const data = read(fromBase64(document.getElementById("tour-data").textContent));
document.getElementById("tour-data").remove();
const host = document.getElementById("tour");
host.tour = new Tour(host, data, {options});
</script></body></html>
"""


@cache
def tour_script() -> str:
    """Give the modules of the tour as one script."""
    parts = [(FOLDER / f"{name}.js").read_text("utf8") for name in MODULES]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", part)) for part in parts)


@cache
def tour_css() -> str:
    """Give the style sheet of the tour."""
    return (FOLDER / "tour.css").read_text("utf8")


@dataclass(frozen=True, eq=False)
class Tour:
    """A tour that shows itself in a notebook and saves itself as a file.

    Attributes
    ----------
    view : TourView
    title : str
    theme : {"auto", "light", "dark"}
    focus : tuple of int or None
        Classes in colour; None for all, or the ten largest.
    height : int
        Of the picture, in pixels.
    extent : {"all", "central"}
        Show every point, or the central 98 % along each axis.
    new : TouredRows or None
        New rows, drawn in a mark of their own.
    chosen : int or None
        The new row with a ring around it, by its name in `new.rows`.
    """

    view: TourView
    title: str = "Tour"
    theme: str = "auto"
    focus: Sequence[int] | None = None
    height: int = 560
    extent: str = "all"
    new: TouredRows | None = None
    chosen: int | None = None

    def to_bytes(self) -> bytes:
        """Give the numbers for the browser: a header in JSON, then arrays of 32-bit floats and small integers."""
        view = self.view
        arrays = {
            "points": np.ascontiguousarray(view.points.T),
            "vectors": np.stack([handle.vector for handle in view.handles]),
            "keyframes": np.concatenate([path.axes.reshape(-1, view.points.shape[1]) for path in view.paths]),
            "rows": view.rows.astype(np.int32),
            "labels": view.labels.astype(np.uint16),
        }
        return _packed(_header(self), arrays)

    def new_text(self) -> str | None:
        """Give the new rows for the browser, in the same form, as text in base 64; None without any."""
        if self.new is None:
            return None
        header, arrays = _new_rows(self.new, self.chosen)
        return base64.b64encode(_packed(header, arrays)).decode()

    def html(self) -> str:
        """Give a page that tours without a server or a network."""
        options = {"theme": self.theme, "height": self.height, "extent": self.extent, "newRows": self.new_text()}
        return _PAGE.format(
            title=html.escape(self.title),
            css=tour_css(),
            data=base64.b64encode(self.to_bytes()).decode(),
            script=tour_script(),
            options=json.dumps(options),
        )

    def save(self, path: str | Path) -> None:
        """Write the tour as one self-contained HTML file.

        Parameters
        ----------
        path : str or path
        """
        Path(path).write_text(self.html(), "utf8")

    def _repr_html_(self) -> str:
        """Show the tour in a notebook, in a frame of its own."""
        page = html.escape(self.html(), quote=True)
        return (
            f'<iframe title="{html.escape(self.title)}" srcdoc="{page}" allow="fullscreen" '
            f'style="width: 100%; height: {self.height + 230}px; border: 0"></iframe>'
        )


def tour(
    clf: Any,
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    X_new: ArrayLike | None = None,
    paths: Sequence[AxesPath] = (),
    title: str = "Tour",
    theme: str = "auto",
    focus: Sequence[int] | None = None,
    height: int = 560,
    extent: str = "all",
    **names: Any,
) -> Tour:
    """Turn the projection by hand and watch naive Bayes follow.

    In every frame the boundary, the margins and the errors are those of naive Bayes on the two axes shown.

    Parameters
    ----------
    clf : OPNBClassifier
        Fitted, or a search over settings around one.
    X, y, X_test, y_test : array-like
        Training and held-out data.
    X_new : array-like, optional
        Rows without a class, drawn in a mark of their own and the colour of the class that the model takes them for.
    paths : sequence of `opnb.views.axes_paths.AxesPath`, optional
        Ways to go beside the pairs of directions and the one from principal components.
    title : str, default="Tour"
    theme : {"auto", "light", "dark"}, default="auto"
        "auto" follows the browser.
    focus : sequence of int, optional
        Classes to colour; the rest is grey. By default all, or the ten largest.
    height : int, default=560
        Of the picture, in pixels.
    extent : {"all", "central"}, default="all"
        Show every point, or the central 98 % along each axis.
    **names
        `projected`, `rows`, `rows_test`, `class_names` and `feature_names` of `opnb.views.tour.tour_view`.

    Returns
    -------
    Tour
        Shows itself as the last line of a notebook's cell; `.save("tour.html")` writes it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.figures import tour
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> shown = tour(clf, X, y)
    >>> len(shown.view.points)
    150
    """
    if theme != "auto":
        find_theme(theme)
    if extent not in ("all", "central"):
        raise ValueError(f"extent must be one of 'all', 'central', got {extent!r}.")
    view = tour_view(clf, X, y, X_test, y_test, paths=paths, **names)
    new = None if X_new is None else toured_rows(clf, view, [_predicted(clf, X_new)])
    return Tour(view, title, theme, focus, height, extent, new)


def _predicted(clf: Any, X_new: ArrayLike) -> NewRows:
    """Predict rows of a caller, whose columns must be those of the model."""
    model: Any = fitted_model(clf)
    with own_warnings(UserWarning):  # a row far from all others is seen to be
        model.scaled(X_new)
    return new_rows(model, np.asarray(X_new, dtype=float))


def _header(shown: Tour) -> dict[str, Any]:
    view = shown.view
    styles = class_styles(view.class_counts, shown.focus)
    classes = [
        {"name": name, "count": int(count), "prior": float(prior), **asdict(style)}
        for name, count, prior, style in zip(view.class_names, view.class_counts, view.class_prior, styles, strict=True)
    ]
    return {
        "n": len(view.points),
        "nTrain": int((~view.is_test).sum()),
        "q": view.points.shape[1],
        "sharpness": view.sharpness,
        "title": shown.title,
        "font": FONT,
        "marker": marker_size(len(view.points)),
        "classes": classes,
        "handles": [{"name": handle.name, "kind": handle.kind} for handle in view.handles],
        "paths": [{"name": path.name, "captions": path.captions} for path in view.paths],
        "themes": {name: _colours(name) for name in _BACKGROUNDS},
        "notes": view.notes,
    }


def _new_rows(new: TouredRows, chosen: int | None) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Describe new rows: those of a table and the one by hand, each like the training rows or not."""
    numbered = new.rows > 0
    groups: list[dict[str, Any]] = []
    group_of = np.zeros(len(new.rows), dtype=np.uint16)
    for by_number, unlike in ((True, False), (True, True), (False, False), (False, True)):
        members = (numbered == by_number) & (new.unlike == unlike)
        if members.any():
            group_of[members] = len(groups)
            look = mark_look(int((numbered == by_number).sum()))._asdict()
            groups.append({"name": legend_words(by_number, unlike), "unlike": unlike, **look})
    arrays: dict[str, NDArray] = {
        "points": np.ascontiguousarray(new.points.T),
        "rows": new.rows.astype(np.int32),
        "labels": new.predicted.astype(np.uint16),
        "group": group_of,
    }
    return {"n": len(new.rows), "total": new.n_rows, "groups": groups, "chosen": chosen}, arrays


def _packed(header: dict[str, Any], arrays: dict[str, NDArray]) -> bytes:
    described = header | {"arrays": [[name, _kind(array), array.size] for name, array in arrays.items()]}
    text = json.dumps(described, ensure_ascii=True).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *(array.tobytes() for array in arrays.values())])


def _colours(theme: str) -> dict[str, str]:
    look = THEMES[theme]
    kept = {name: getattr(look, name) for name in ("text", "quiet", "grid", "outline", "mark")}
    return kept | {"background": _BACKGROUNDS[theme], "accent": _ACCENTS[theme]}


def _kind(array: NDArray) -> str:
    return array.dtype.str[1:]


def axes_from_browser(view: TourView, told: Any) -> Array | None:
    """Read two axes that a browser tells, which may be anything, among the scaled columns.

    Parameters
    ----------
    view : TourView
    told : list of two lists of float, or anything

    Returns
    -------
    ndarray of shape (n_features, 2), or None where it is not that
    """
    try:
        axes = np.asarray(told, dtype=float)
    except (TypeError, ValueError):
        return None
    if axes.shape != (2, view.basis.shape[1]) or not np.isfinite(axes).all() or np.abs(axes).max() > 1e6:
        return None
    return view.basis @ axes.T
