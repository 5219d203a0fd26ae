"""Small pictures inside figures, as PNG data: regions of classes and the shading of many points.

A PNG of a class map takes a few kilobytes where the numbers would take a hundred, and can carry its own opacity.
"""

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from opnb.figures.palette import REGION_ALPHA, ClassStyle, rgb

_FAINTEST = 0.35


def png(pixels: NDArray[np.uint8]) -> str:
    """Encode pixels of shape (height, width, 4), first row on top, as a data address."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode("ascii")


def regions_png(
    class_map: NDArray[np.integer], styles: list[ClassStyle], confidence: NDArray[np.floating] | None = None
) -> str:
    """Draw the classes of a plane in their faint colours, fainter where the model is less sure.

    Parameters
    ----------
    class_map : ndarray of int of shape (height, width)
        First row at the bottom.
    styles : list of ClassStyle
    confidence : ndarray of shape (height, width), optional
        Posterior of the class.
    """
    colours = np.array([rgb(style.colour) for style in styles], dtype=np.uint8)
    strength = np.array([REGION_ALPHA if style.focused else REGION_ALPHA / 3 for style in styles])[class_map]
    if confidence is not None:
        # Two classes or more compete, so half is as unsure as it gets in most places; steps keep the file small.
        certainty = np.clip((confidence - 0.5) / 0.5, 0.0, 1.0).round(1)
        strength = strength * (_FAINTEST + (1 - _FAINTEST) * certainty)
    pixels = np.concatenate([colours[class_map], (255 * strength[..., None]).astype(np.uint8)], axis=-1)
    return png(pixels[::-1])


def shading_png(counts: NDArray[np.integer], colour: str = "#7a7a7a") -> str:
    """Draw how many points lie in each cell, first row at the bottom; the eye gets the square root."""
    share = np.sqrt(counts / max(int(counts.max()), 1))
    pixels = np.empty((*counts.shape, 4), dtype=np.uint8)
    pixels[..., :3] = rgb(colour)
    pixels[..., 3] = (150 * share).astype(np.uint8)
    return png(pixels[::-1])


def stretched(source: str, x: tuple[float, float], y: tuple[float, float], axes: tuple[str, str]) -> dict[str, object]:
    """Lay an image over a rectangle of a subplot, below everything else."""
    return {
        "source": source,
        "xref": axes[0],
        "yref": axes[1],
        "x": x[0],
        "y": y[1],
        "sizex": x[1] - x[0],
        "sizey": y[1] - y[0],
        "sizing": "stretch",
        "layer": "below",
    }
