"""How far Plotly's own `restyle` gets with what a tour draws, beside the tour's canvas.

Both run in one Chromium without a graphics card. The figures of some planes are made beforehand, so that Plotly only
draws; the tour computes its numbers in every frame, too.
"""

import json
import tempfile
from pathlib import Path

import numpy as np

import opnb.studio.ui
from opnb import OPNBClassifier
from opnb.figures import draw_projection
from opnb.views import projection_view
from tests.bench.timing import heading, row
from tests.bench.tour import made_tour, our_frames, rate, some_points
from tests.browser import harness

_N, _CLASSES, _PLANES = 3_000, 5, 12
_PLOTLY = next((Path(opnb.studio.ui.__file__).parent / "frontend").glob("plotly-*.min.js"))
_PARTS = {"points, regions, boundary, margins": True, "points alone": False}
# All traces move to their places on the next plane; regions, which are images, and ranges are the layout's.
_PLAY = """async (everything) => {
  const host = document.getElementById("plot"), { figures } = window;
  const places = (figure, name) => figure.data.map((trace) => trace[name]);
  const traces = figures[0].data;
  const moved = [...traces.keys()].filter((number) => everything || traces[number].customdata);
  const only = (all) => moved.map((number) => all[number]);
  window.count = 0;
  window.playing = true;
  for (let at = 0; window.playing; at = (at + 1) % figures.length) {
    const figure = figures[at], { images, xaxis, yaxis } = figure.layout;
    const layout = everything ? { images, "xaxis.range": xaxis.range, "yaxis.range": yaxis.range } : {};
    await Plotly.update(host, { x: only(places(figure, "x")), y: only(places(figure, "y")) }, layout, moved);
    await new Promise(requestAnimationFrame);
    window.count++;
  }
}"""


def restyle():
    """Frames a second of the tour, and of Plotly with the same points as SVG and by WebGL."""
    heading(f"Frames a second with {_N:,} points of {_CLASSES} classes: the tour's canvas, and Plotly's restyle")
    X, y = some_points(_N, _CLASSES)
    with harness.chromium() as chromium, tempfile.TemporaryDirectory() as folder:
        page = chromium.new_page(viewport={"width": 1300, "height": 900})
        page.set_default_timeout(120_000)
        ours = our_frames(page, Path(folder) / "ours.html", made_tour(X, y))
        row("the tour: all of it, computed and drawn", f"{ours[0]:.1f}", f"{ours[1]:.1f} ms a frame")
        figures = _figures(X, y)
        if not page.evaluate("Boolean(document.createElement('canvas').getContext('webgl'))"):
            print("This Chromium has no WebGL: scattergl draws no points here.")
        for kind in ("scatter", "scattergl"):
            for words, everything in _PARTS.items():
                theirs = _their_frames(page, Path(folder) / "theirs.html", figures, kind, everything)
                row(f"Plotly, {kind}: {words}", f"{theirs[0]:.1f}", f"{theirs[1]:.1f} ms a frame")


def _figures(X, y):
    """Draw the still picture of some planes, as JSON."""
    train = np.arange(len(y)) % 4 != 0
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(_PLANES):
        clf = OPNBClassifier(n_components=2, init=rng.normal(size=(X.shape[1], 2)), max_iter=0).fit(X[train], y[train])
        view = projection_view(clf, X[train], y[train], X[~train], y[~train])
        drawn.append(json.loads(draw_projection(view, theme="light", height=560).to_json()))
    shared = min(len(figure["data"]) for figure in drawn)
    for figure in drawn:
        figure["data"] = figure["data"][:shared]
    return drawn


def _their_frames(page, path, figures, kind, everything):
    for figure in figures:
        for trace in figure["data"]:
            if "customdata" in trace:
                trace["type"] = kind
    path.write_text(
        f"<!doctype html><meta charset='utf-8'><div id='plot' style='width: 760px; height: 560px'></div><script>"
        f"{_PLOTLY.read_text('utf8')}</script><script>window.figures = {json.dumps(figures)};"
        "window.drawn = Plotly.newPlot('plot', structuredClone(window.figures[0]));</script>",
        "utf8",
    )
    page.goto(path.as_uri())
    page.evaluate("() => window.drawn")
    page.evaluate(f"(everything) => void ({_PLAY})(everything)", everything)
    page.wait_for_function("window.count > 0")
    try:
        return rate(page, "window.count")
    finally:
        page.evaluate("window.playing = false")


SECTIONS = {"tour-restyle": restyle}
