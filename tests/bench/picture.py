"""The moving picture of the README, made by the program itself."""

import io
import tempfile
import warnings
from pathlib import Path

from PIL import Image
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from opnb import OPNBClassifier
from opnb.figures import tour
from opnb.studio.visit.settings import USUAL
from tests.browser import harness

_HOME = Path(__file__).parents[2] / "docs" / "tour.webp"
_WAY = "Principal components to this fit"
_FRAMES, _MOVING, _RESTING = 40, 90, 1800  # how many, and milliseconds of one on the way and at an end
_VIEW = {"width": 1000, "height": 640}
_SHOWN = {"x": 0, "y": 46, "width": 1000, "height": 396}
_WIDTH = 800


def picture():
    """Tour the wine data from principal components to the app's first fit, and write docs/tour.webp."""
    with harness.chromium() as chromium, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tour.html"
        _wine().save(file)
        page = chromium.new_page(viewport=_VIEW)
        page.goto(file.as_uri())
        ways = page.get_by_label("Way", exact=True)
        ways.select_option(label=_WAY)
        frames = [_frame(page, number / (_FRAMES - 1)) for number in range(_FRAMES)]
    times = [_RESTING if number in (0, _FRAMES - 1) else _MOVING for number in range(_FRAMES)]
    frames[0].save(_HOME, save_all=True, append_images=frames[1:], duration=times, loop=0, quality=60, method=6)
    print(f"\nWrote {_HOME.name}, {_HOME.stat().st_size / 1e6:.2f} MB.")


def _wine():
    data = load_wine(as_frame=True)
    names = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, names, stratify=names, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = OPNBClassifier(n_components=2, **USUAL).fit(X, y)
    return tour(clf, X, y, X_test, y_test, theme="light", height=440)


def _frame(page, share):
    page.evaluate(
        """share => { const box = document.querySelector('input[aria-label="Place along the way"]');
        box.value = share * box.max; box.dispatchEvent(new Event("input")); }""",
        share,
    )
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    image = Image.open(io.BytesIO(page.screenshot(clip=_SHOWN))).convert("RGB")
    return image.resize((_WIDTH, round(_WIDTH * image.height / image.width)), Image.Resampling.LANCZOS)


SECTIONS = {"picture": picture}
