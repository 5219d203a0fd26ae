"""Small pictures of pairs of directions, many to a page: regions and points, without axes."""

from collections.abc import Sequence

import numpy as np

from opnb.figures.images import png
from opnb.figures.palette import REGION_ALPHA, ClassStyle, class_styles, rgb
from opnb.views.pairs import Pair, PairsView

WIDTH, HEIGHT = 144, 108
_FIRMER = 1.8  # a small picture needs firmer regions
_DOT = (-1, 0, 1)  # pixels around the middle of a point


def pair_thumbnails(view: PairsView, pairs: Sequence[Pair], focus: Sequence[int] | None = None) -> list[str]:
    """Draw pairs of directions as PNG data addresses, with a transparent background that suits any theme.

    Parameters
    ----------
    view : PairsView
    pairs : sequence of Pair
        Some of the view's.
    focus : sequence of int, optional
        Classes to colour, as in `draw_projection`.
    """
    styles = class_styles(view.class_counts, focus)
    return [_thumbnail(view, pair, styles) for pair in pairs]


def _thumbnail(view: PairsView, pair: Pair, styles: list[ClassStyle]) -> str:
    colours = np.array([rgb(style.colour) for style in styles], dtype=np.uint8)
    strength = np.array([255 * REGION_ALPHA * (_FIRMER if style.focused else 0.3) for style in styles])
    rows, columns = (np.arange(size) * len(pair.class_map) // size for size in (HEIGHT, WIDTH))
    classes = pair.class_map[np.ix_(rows, columns)]
    pixels = np.concatenate([colours[classes], strength[classes][..., None].astype(np.uint8)], axis=-1)
    # Classes in focus last, so that no grey point covers them.
    order = np.argsort([styles[k].focused for k in view.labels], kind="stable")
    x, y = (view.Z[order, direction] for direction in pair.directions)
    inside = (np.abs(x - 0.5) <= 0.5) & (np.abs(y - 0.5) <= 0.5)
    column, row = (x[inside] * (WIDTH - 1)).astype(int), (y[inside] * (HEIGHT - 1)).astype(int)
    dots = np.column_stack([colours[view.labels[order][inside]], np.full(row.size, 255, dtype=np.uint8)])
    for across in _DOT:
        for up in _DOT:
            pixels[np.clip(row + up, 0, HEIGHT - 1), np.clip(column + across, 0, WIDTH - 1)] = dots
    return png(pixels[::-1])
