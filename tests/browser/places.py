"""The pages of the app as a visitor opens them, and what of each must be on the first screen."""

import json
from urllib.parse import urlencode

from opnb.figures.palette import THEMES
from opnb.lessons import LESSONS
from tests.browser import geometry

MENU = [
    f"[data-testid=stTopNavLink][href$='/{page}']"
    for page in ("", "data", "diagnose", "tune", "compare", "learn", "benchmark")
]
FIT = [".st-key-fit button", ".st-key-find button"]
FIGURES = [".st-key-figures [data-testid=stMetricValue]", ".st-key-above-picture"]
STILL = [f".st-key-picture .{part}" for part in ("legend", "xtitle", "ytitle", "xaxislayer-above")]
TOUR = [f".st-key-tour .{part}" for part in ("bar", "stage", "legend button", "numbers dd", "left > input")]
BENCH = [*MENU, *FIT, *FIGURES]
MANY = urlencode({"data": "simulator:gaussian", "sim": json.dumps({"n": 300, "n_features": 6, "n_classes": 12})})

# Path, and selectors of what is seen without scrolling.
PAGES = {
    "workbench": ("", [*BENCH, *STILL]),
    "with many words": ("?data=example:penguins&directions=4", [*BENCH, *STILL]),
    "with many classes": (f"?{MANY}", [*BENCH, *STILL]),
    "tour": ("?as=tour", [*BENCH, *TOUR]),
    "data": ("data", MENU),
    "diagnose": ("diagnose", MENU),
    "tune": ("tune", MENU),
    "compare": ("compare", MENU),
    "benchmark": ("benchmark", MENU),
}
# The colour of the letters of every figure.
LETTERS = "[...document.querySelectorAll('.js-plotly-plot')].map(one => one.layout.template.layout.font.color)"
LESSON_PATHS = {lesson.key: f"learn?lesson={lesson.key}" for lesson in LESSONS}


def open_place(tab, path):
    """Open a page, and wait until all of it is there."""
    tab.open(path)
    tab.page.locator("[data-testid=stMain] [data-testid=stElementContainer]").nth(3).wait_for(state="attached")
    if not path or path.startswith("?"):
        tab.picture()  # of a fit that has yet to be made
    tab.page.wait_for_function("() => [...document.querySelectorAll('.opnb-chart')].every(one => one._fullLayout)")
    geometry.settled(tab.still().page)
    return tab


def wear(tab, theme):
    """Change the colours of the system, and wait until the page has followed, its figures too."""
    tab.page.emulate_media(color_scheme=theme)
    tab.page.wait_for_function(
        "theme => getComputedStyle(document.querySelector('.stApp')).colorScheme === theme", arg=theme
    )
    tab.page.wait_for_function(f"colour => {LETTERS}.every(one => one === colour)", arg=THEMES[theme].text)
    geometry.settled(tab.still().page)
    return tab
