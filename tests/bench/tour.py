"""Frames a second of the tour beside langevitour's with the same points, its memory, and its first frame in the app.

langevitour draws points; the tour draws regions, boundary, margins and symbols beside them and counts errors in every
frame. Both run in one Chromium without a graphics card, in turn.
"""

import importlib.util
import json
import tempfile
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from opnb import OPNBClassifier
from opnb.figures import tour as make_tour
from tests.bench.timing import heading, row
from tests.browser import harness

_SECONDS = 5
_SIZE = {"width": 1000, "height": 560}
_MINUTES = 10
_OURS = "document.getElementById('tour').tour"
_SIZES = ((3_000, 5), (20_000, 5), (50_000, 5), (200_000, 5), (3_000, 26))
_GOALS = {(200_000, 5): "goal 30", (3_000, 26): "goal 50"}


def tour():
    """Frames a second of both, for some numbers of points and classes."""
    heading("Frames a second, Chromium without a graphics card")
    theirs = importlib.util.find_spec("langevitour")
    if theirs is None:
        print("langevitour is not here, so the tour is measured alone; to compare: pip install --no-deps langevitour")
    with harness.chromium() as chromium, tempfile.TemporaryDirectory() as folder:
        for n, n_classes in _SIZES:
            X, y = some_points(n, n_classes)
            with a_page(chromium) as page:
                ours = our_frames(page, Path(folder) / "ours.html", made_tour(X, y))
            with a_page(chromium) as page:
                other = _their_frames(page, Path(folder) / "theirs.html", X, y, theirs) if theirs else (np.nan, np.nan)
            goal = _GOALS.get((n, n_classes), "goal 0.95 of it")
            row(f"{n:,} points, 20 columns, {n_classes} classes", f"{ours[0]:.1f}", f"beside {other[0]:.1f}", goal)
            row("    processor time a frame, ms", f"{ours[1]:.1f}", f"beside {other[1]:.1f}")


@contextmanager
def a_page(chromium):
    """Give a page in a process of its own: what another one left behind slows it down."""
    page = chromium.new_page(viewport={"width": 1300, "height": 900})
    page.set_default_timeout(120_000)
    yield page
    page.close()


def some_points(n, n_classes):
    """Make rows of 20 columns, and their classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, 20)) + 2 * rng.normal(size=(n_classes, 20))[y], y


def made_tour(X, y):
    """Make a tour of four directions, a quarter of the rows held out."""
    train = np.arange(len(y)) % 4 != 0
    clf = OPNBClassifier(n_components=4, max_iter=0).fit(X[train], y[train])
    return make_tour(clf, X[train], y[train], X[~train], y[~train], height=_SIZE["height"])


def our_frames(page, path, made):
    """Give frames a second of a tour that wanders, and its processor time a frame in milliseconds."""
    made.save(path)
    page.goto(path.as_uri())
    page.wait_for_function(f"{_OURS}.painted > 0")
    page.evaluate(f"{_OURS}.toggle('grand')")
    return rate(page, f"{_OURS}.painted")


def _their_frames(page, path, X, y, package):
    script = (Path(package.origin).parent / "static" / "langevitour-pack.js").read_text("utf8")
    columns = [f"V{j + 1}" for j in range(X.shape[1])]
    spread = float(np.linalg.svd(X - X.mean(axis=0), compute_uv=False).max() / np.sqrt(len(X)) * 2.5)
    data = {
        "X": X.round(5).tolist(),
        "group": y.tolist(),
        "levels": [str(k) for k in range(y.max() + 1)],
        "center": X.mean(axis=0).tolist(),
        "scale": [spread] * X.shape[1],
        "colnames": columns,
        "colorVariation": 0.1,
        "pointSize": 1,
        "enableControls": True,
    }
    path.write_text(
        f"<!doctype html><meta charset='utf-8'><div id='theirs'></div><script>{script}</script><script>"
        f"window.count = 0; window.other = new langevitour.Langevitour(document.getElementById('theirs'), "
        f"{_SIZE['width']}, {_SIZE['height']}); const draw = window.other.doFrame;"
        "window.other.doFrame = function (...given) { window.count++; return draw.apply(this, given); };"
        f"window.other.renderValue({json.dumps(data)});</script>",
        "utf8",
    )
    page.goto(path.as_uri())
    page.wait_for_function("window.count > 0")
    return rate(page, "window.count")


def rate(page, count):
    """Count frames for some seconds, after a moment to settle; the better of two counts.

    The processor time a frame, of the page's process and of the one that puts it on the screen, does not depend on
    what else the machine has to do.
    """
    page.wait_for_timeout(1_500)
    session = page.context.browser.new_browser_cdp_session()
    found = []
    for _ in range(2):
        before, used = page.evaluate(f"[{count}, performance.now()]"), _processor_time(session)
        page.wait_for_timeout(1_000 * _SECONDS)
        after, used_after = page.evaluate(f"[{count}, performance.now()]"), _processor_time(session)
        frames = after[0] - before[0]
        found.append((1_000 * frames / (after[1] - before[1]), 1_000 * (used_after - used) / max(frames, 1)))
    return max(found)


def _processor_time(session):
    """Seconds that the processes which draw have used."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(one["cpuTime"] for one in processes if one["type"] in ("renderer", "GPU"))


def tour_memory():
    """Memory of a page that tours for ten minutes, after its garbage was collected."""
    heading(f"Memory of a tour of 20,000 points over {_MINUTES} minutes, MB")
    with harness.chromium() as chromium, tempfile.TemporaryDirectory() as folder:
        page = chromium.new_page(viewport={"width": 1300, "height": 900})
        path = Path(folder) / "ours.html"
        made_tour(*some_points(20_000, 5)).save(path)
        page.goto(path.as_uri())
        page.evaluate(f"{_OURS}.toggle('grand')")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        page.wait_for_timeout(5_000)
        for minute in range(_MINUTES + 1):
            session.send("HeapProfiler.collectGarbage")
            metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
            row(f"after {minute} min", f"{metrics['JSHeapUsedSize'] / 1e6:.1f}", f"{metrics['Nodes']:.0f} nodes")
            if minute < _MINUTES:
                page.wait_for_timeout(60_000)


# The page itself looks at its clock: whoever asks from outside waits for the chart that is drawn after the frame.
_WATCH = """() => {
  window.addEventListener("pointerdown", () => (window.pressed ??= performance.now()), true);
  const look = () => {
    if (document.querySelector(".opnb-tour")?.tour?.painted) window.firstFrame = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}"""


def first_frame():
    """Seconds from the switch to the first frame of a tour, in the app."""
    heading("First frame of a tour in the app")
    query = {"data": "simulator:gaussian", "sim": json.dumps({"n": 3000, "n_features": 20}), "directions": "4"}
    with harness.running_app(OPNB_DATA_DIR="", OPNB_WORKSPACES="off") as address, harness.chromium() as chromium:
        times = []
        for _ in range(3):
            tab = harness.Tab(harness.open_context(chromium).new_page(), address)
            tab.open("?" + urlencode(query)).picture()
            tab.page.evaluate(_WATCH)
            tab.page.get_by_role("radio", name="Tour").or_(tab.page.get_by_role("button", name="Tour")).first.click()
            tab.page.wait_for_function("window.firstFrame")
            times.append(tab.page.evaluate("window.firstFrame - window.pressed") / 1_000)
        row("from the switch to the first frame, n = 3,000", f"{min(times):.2f} s", "goal 1")


SECTIONS = {"tour": tour, "tour-memory": tour_memory, "tour-first-frame": first_frame}
