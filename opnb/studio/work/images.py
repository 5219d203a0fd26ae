"""Figures as image files: drawn by a browser in another process, in their turn, with a limit on the time.

The browser has no way to any host, and ends with its process: when the image is there, takes too long, or when nobody
waits for it any more.
"""

from __future__ import annotations

import math
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from opnb.errors import OPNBError
from opnb.studio.work.errands import Attended
from opnb.studio.work.jobs import Job
from opnb.studio.work.limits import Cost, export_seconds
from opnb.studio.work.process import OutOfTimeError, Say, run_in_child

if TYPE_CHECKING:
    import plotly.graph_objects as go

Kind = Literal["png", "svg"]
_NOWHERE = "http://127.0.0.1:9"  # a proxy that is not there: the port that discards


def draw_image(errand: Attended, figure: go.Figure, kind: Kind) -> bytes:
    """Draw a figure as PNG or SVG for a visitor, who waits for it.

    Raises
    ------
    OPNBError
        Where it took too long, or another image was asked for meanwhile.
    """
    with tempfile.TemporaryDirectory(prefix="opnb-image-") as folder:
        Path(folder, "figure.json").write_text(figure.to_json(), encoding="utf8")
        errand.attend(partial(_draw, folder, kind))
        return Path(folder, "image").read_bytes()


def _draw(folder: str, kind: Kind, job: Job[None]) -> None:
    allowed = Cost(export_seconds(), math.inf)  # a browser sets aside far more memory than it uses
    try:
        run_in_child(job, say_image, {"folder": folder, "kind": kind}, allowed=allowed, awaited=True)
    except OutOfTimeError:
        raise OPNBError(
            f"Drawing this picture took all the time that this server allows it, {allowed.seconds:,g} seconds. Take it "
            "as HTML, which needs no drawing."
        ) from None


def say_image(say: Say, folder: str, kind: Kind) -> None:
    """Draw the figure in a folder, and leave the image there; run by the other process."""
    import plotly.io as pio

    from opnb.figures import figure_png, figure_svg

    os.environ["CHOREO_PROXY_SERVER"] = _NOWHERE  # for the browser of this process alone
    figure = pio.from_json(Path(folder, "figure.json").read_text(encoding="utf8"))
    Path(folder, "image").write_bytes((figure_png if kind == "png" else figure_svg)(figure))
