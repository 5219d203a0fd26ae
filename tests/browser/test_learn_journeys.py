"""Learn in a real Chromium: played, stepped, tried, linked, on the wall."""

import re

import pytest

from opnb.lessons import LESSONS

pytestmark = pytest.mark.browser

PLOT = "document.querySelector('.js-plotly-plot')"
SAYS = f"({PLOT}?.layout?.annotations?.[0]?.text ?? '').replaceAll('<br>', ' ')"
REGIONS = "[...document.querySelectorAll('.js-plotly-plot image')].map(one => one.href.baseVal).join()"


def says(tab):
    return tab.page.evaluate(f"() => {SAYS}")


def wait_for(tab, words):
    tab.page.wait_for_function(f"words => {SAYS}.startsWith(words)", arg=words)
    return tab


def wait_for_link(tab, part):
    tab.page.wait_for_function("part => location.search.includes(part)", arg=part)
    return tab


def lesson(tab, query):
    tab.open(f"learn?{query}").picture()
    tab.page.wait_for_function(f"() => {SAYS} !== ''")
    return tab.still()


def test_play_moves_the_picture_and_the_link_follows(tab):
    wait_for(lesson(tab, "lesson=rotate"), "Turned by 22.5°")
    regions = tab.page.evaluate(f"() => {REGIONS}")
    tab.page.locator(".updatemenu-button").first.click()
    tab.page.wait_for_function(f"() => !{SAYS}.startsWith('Turned by 22.5°')")
    assert tab.page.evaluate(f"() => {REGIONS}") != regions
    tab.page.locator(".updatemenu-button").nth(1).click()
    wait_for_link(tab, "at=")
    tab.still()
    step = int(tab.page.evaluate("() => new URLSearchParams(location.search).get('at')"))
    shown = tab.page.evaluate(f"() => {PLOT}.layout.sliders[0].active")
    assert shown == step - 1, "telling the page of it must not move the figure"


def test_the_keyboard_steps_and_the_slider_and_the_page_agree(tab):
    wait_for(lesson(tab, "lesson=rotate"), "Turned by 22.5°")
    tab.page.keyboard.press("ArrowRight")
    wait_for(tab, "Turned by 30°")
    wait_for_link(tab, "at=5")
    tab.still()
    rail = tab.page.locator(".slider-rail-touch-rect").first.bounding_box()
    tab.page.mouse.click(rail["x"] + 0.02 * rail["width"], rail["y"] + rail["height"] / 2)
    wait_for(tab, "Not turned")
    wait_for_link(tab, "at=1")
    tab.still()
    tab.page.get_by_role("button", name="Step").click()
    wait_for(tab, "Turned by 7.5°")
    wait_for_link(tab, "at=2")


def test_a_thing_to_try_and_its_link_in_a_fresh_browser(new_tab):
    tab = new_tab()
    lesson(tab, "lesson=noise")
    tab.page.get_by_role("button", name="True labels").click()
    wait_for(tab, "λ =")
    wait_for_link(tab, "labels=true")
    tab.sees("Real classes survive").still().shot("learn-tried")
    fresh = new_tab(dark=True)
    fresh.page.goto(tab.page.url)
    fresh.picture()
    wait_for(fresh, says(tab))


def test_the_wall_plays_by_itself_in_large_letters_with_nothing_around_it(new_tab):
    tab = new_tab(dark=True)
    lesson(tab, "lesson=rotate&view=wall&play=1")
    tab.page.wait_for_function(f"() => !{SAYS}.startsWith('Not turned')")
    tab.shot("learn-wall-dark")
    assert not tab.page.get_by_role("link", name="Workbench").first.is_visible()
    assert tab.page.get_by_text("Things to try").count() == 0
    notes = "[...document.querySelectorAll('.js-plotly-plot .annotation-text')]"
    sizes = tab.page.evaluate(f"() => {notes}.map(one => parseFloat(one.style.fontSize))")
    assert min(sizes) >= 20
    assert tab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 900
    wait_for(tab, "Turned by 45°")
    tab.page.keyboard.press("Escape")
    tab.sees("Things to try")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_lesson_fits_one_screen(new_tab, dark):
    tab = new_tab(dark=dark)
    lesson(tab, f"lesson={LESSONS[0].key}")
    for number, one in enumerate(LESSONS, start=1):
        wait_for_link(tab, f"lesson={one.key}").sees(one.shows).still()
        # Below the lesson with a tour of its own there is the tour, a screen for itself.
        tour = tab.page.locator(".st-key-lesson-tour")
        end = "document.querySelector('[data-testid=stMain]').scrollHeight"
        height = tour.bounding_box()["height"] if tour.count() else tab.page.evaluate(end)
        assert height <= 900, one.key
        tab.shot(f"learn-{number}-{one.key}-{'dark' if dark else 'light'}")
        if one is not LESSONS[-1]:
            tab.page.get_by_role("button", name="Next").click()


def test_a_phone_shows_a_lesson_without_scrolling_sideways(new_tab):
    tab = new_tab(phone=True)
    lesson(tab, "lesson=bandwidth").still().shot("learn-phone")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= tab.page.viewport_size["width"]


def test_the_guide_prints_and_the_other_pages_know_nothing_of_the_lesson(tab):
    lesson(tab, "lesson=rotate&seed=3")
    tab.page.get_by_role("button", name="Guide").click()
    tab.sees("Teacher's guide").still().shot("learn-guide")
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="To print").click()
    text = download.value.path().read_text(encoding="utf8")
    assert all(f"/learn?lesson={one.key}" in text for one in LESSONS)
    sheet = tab.page.context.new_page()
    sheet.set_content(text)
    assert len(re.findall(rb"/Type\s*/Page\b", sheet.pdf(prefer_css_page_size=True))) == 1, "one page of paper"
    sheet.close()
    tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
    tab.picture()
    assert tab.page.get_by_text("means nothing here").count() == 0
    tab.page.get_by_role("link", name="Learn", exact=True).first.click()
    tab.sees("Teacher's guide").still()
    assert tab.page.get_by_text("means nothing here").count() == 0
