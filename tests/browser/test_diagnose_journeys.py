"""Diagnose and Tune in a real Chromium."""

import json
from urllib.parse import urlencode

import pytest

pytestmark = pytest.mark.browser

MOVIE = "[...document.querySelectorAll('.js-plotly-plot')].find(plot => plot.layout.sliders)"
PLACES = f"[...{MOVIE}.querySelectorAll('.scatterlayer path.point')].map(one => one.getAttribute('transform')).join()"
TITLE = f"{MOVIE}.layout.title.text"


def page_of(tab, name, query=""):
    """Begin at the workbench and go to another page as a visitor does."""
    tab.open(f"?{query}" if query else "").picture()
    tab.page.get_by_role("link", name=name, exact=True).first.click()
    return tab


def view(tab, name):
    tab.segment(name)
    return tab.picture()


def card(tab, code):
    """Give the card of a finding."""
    return tab.page.locator(f".st-key-finding-{code}")


def simulated(name, n):
    return urlencode({"data": f"simulator:{name}", "sim": json.dumps({"n": n})})


def test_story_of_the_long_direction(tab):
    """Hill and valley: one row one spike, until the penalty knows the long direction; then the error falls."""
    page_of(tab, "Diagnose", simulated("hill-valley", 2000)).sees("on this fit").sees("Densities pick out single rows")
    card(tab, "overfit-scale").get_by_text("owe most of their density to their own kernel: each").wait_for()
    card(tab, "elongated-covariance").get_by_text("The arrow is the long direction").wait_for()
    tab.sees("of rows left out wrong instead of").still().shot("diagnose")
    card(tab, "overfit-scale").get_by_role("button", name="Apply and fit again").click()
    tab.sees("Before and after").sees("The held-out error fell from").sees("that is clearly better").still()
    tab.shot("diagnose-mended")
    titles = tab.page.evaluate("() => [...document.querySelectorAll('.js-plotly-plot')].map(p => p.layout.title.text)")
    assert any("Before" in title for title in titles)
    assert any("After" in title for title in titles)
    tab.page.get_by_role("button", name="Back to the fit before").click()
    tab.sees("on this fit").still()
    tab.page.get_by_text("Before and after").wait_for(state="detached")


def test_story_of_the_starts(tab):
    """Principal components lead the search to a poor optimum; random starts find the plane of the classes."""
    page_of(tab, "Diagnose", simulated("several-optima", 400)).sees("Another start does better")
    card(tab, "poor-start").get_by_role("button", name="Apply and fit again").click()
    tab.sees("Before and after").sees("The held-out error fell from").sees("that is clearly better").still()
    tab.shot("diagnose-starts")


def test_story_of_noise(tab):
    """Labels without any relation to the features: the picture separates them, and the app does not believe it."""
    page_of(tab, "Diagnose", simulated("noise", 300)).sees("Shuffled labels separate as well")
    tab.sees("No better than guessing").sees("Tried, and not offered").still().shot("diagnose-noise")
    assert tab.page.get_by_role("button", name="Apply and fit again").count() == 0
    assert tab.page.get_by_text("Good news").count() == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_good_news_fits_a_phone(new_tab, dark):
    tab = new_tab(phone=True, dark=dark)
    tab.open().picture()
    tab.open("diagnose").sees("nothing above a notice").still().shot(f"diagnose-phone-{'dark' if dark else 'light'}")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= tab.page.viewport_size["width"]


def scrub(tab, share):
    """Click on the slider of the movie, and wait until its words and its points have changed."""
    rail = tab.page.locator(".js-plotly-plot .slider-rail-touch-rect").first
    rail.wait_for(state="attached")
    title, places = tab.page.evaluate(f"() => [{TITLE}, {PLACES}]")
    box = rail.bounding_box()
    tab.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    tab.page.wait_for_function(f"was => {TITLE} !== was[0] && {PLACES} !== was[1]", arg=[title, places])


def test_the_slider_of_the_path_moves_the_points(tab):
    page_of(tab, "Tune").sees("one fold").still().shot("tune-path")
    scrub(tab, 0.05)
    assert "λ = 0.0001:" in tab.page.evaluate(f"() => {TITLE}")
    scrub(tab, 0.95)
    assert "λ = 0.051:" in tab.page.evaluate(f"() => {TITLE}")
    tab.shot("tune-path-moved")


def test_playback_plays_and_scrubs(tab):
    page_of(tab, "Tune").sees("What to try")
    view(tab, "Playback")
    scrub(tab, 0.95)
    scrub(tab, 0.004)
    assert "Iteration 0:" in tab.page.evaluate(f"() => {TITLE}")
    places = tab.page.evaluate(f"() => {PLACES}")
    tab.page.locator(".updatemenu-button").first.click()
    tab.page.wait_for_function(f"was => !{TITLE}.includes('Iteration 0:') && {PLACES} !== was", arg=places)
    tab.shot("tune-playback")


def test_a_start_is_adopted_by_one_click(tab):
    page_of(tab, "Tune").sees("What to try")
    view(tab, "Starts").sees("Angles to the best").shot("tune-starts")
    tab.page.get_by_role("button", name="Adopt: random start").first.click()
    tab.sees("1 random start").still()
    tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
    tab.picture().sees("Fits (2)")
    assert "init=random" in tab.page.url
