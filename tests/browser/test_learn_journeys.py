"""Learn in a real Chromium: played, stepped, tried, linked, on the wall."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError

from opnb.lessons import LESSONS

pytestmark = pytest.mark.browser

SAYS = "(document.querySelector('.opnb-story p.says')?.textContent ?? '').replaceAll('\\u00a0', ' ')"
AT = "Number(document.querySelector('.opnb-story input[type=range]').value)"
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


def button(tab, name):
    return tab.page.get_by_role("button", name=name, exact=True)


def test_play_moves_the_picture_and_the_link_follows(tab):
    lesson(tab, "lesson=rotate&at=1")
    tab.page.evaluate("() => { window.first = document.querySelector('.js-plotly-plot'); }")
    regions = tab.page.evaluate(f"() => {REGIONS}")
    button(tab, "Play").click()
    # Stopped as soon as it moved, by the browser itself: a busy machine may be as slow as the lesson.
    stop = "document.querySelector('.opnb-story .player button').click()"
    tab.page.wait_for_function(f"before => {REGIONS} !== before && ({stop}, true)", arg=regions)
    tab.page.wait_for_function("() => !location.search.includes('at=1')")
    tab.still()
    assert button(tab, "Play").is_visible()
    step = int(tab.page.evaluate("() => new URLSearchParams(location.search).get('at')"))
    assert tab.page.evaluate(f"() => {AT}") == step - 1, "telling the page of it must not move the figure"
    assert tab.page.evaluate("() => window.first === document.querySelector('.js-plotly-plot')")


def test_another_state_stops_the_one_that_plays(tab):
    lesson(tab, "lesson=rotate&at=1")
    button(tab, "Play").click()
    tab.page.wait_for_function(f"() => {AT} >= 1")
    button(tab, "No turn").click()
    wait_for(tab, "Not turned").still().page.wait_for_timeout(1500)  # longer than a step: one that played would be seen
    assert says(tab).startswith("Not turned")


def test_the_slider_and_the_buttons_and_the_page_agree(tab):
    wait_for(lesson(tab, "lesson=rotate"), "Turned by 22.5°")
    tab.page.keyboard.press("ArrowRight")
    wait_for(tab, "Turned by 30°")
    wait_for_link(tab, "at=5")
    rail = tab.still().page.locator(".opnb-story input[type=range]").bounding_box()
    tab.page.mouse.click(rail["x"] + 0.02 * rail["width"], rail["y"] + rail["height"] / 2)
    wait_for(tab, "Not turned")
    wait_for_link(tab, "at=1")
    tab.still()
    button(tab, "Step").click()
    wait_for(tab, "Turned by 7.5°")
    wait_for_link(tab, "at=2")


def close(tab, words):
    """Press the escape key until it is heard: Streamlit listens a moment after the words are there."""
    gone = tab.page.get_by_text(words)
    for _ in range(3):
        tab.page.keyboard.press("Escape")
        with suppress(TimeoutError):
            return gone.wait_for(state="hidden", timeout=5000)
    raise AssertionError(f"{words!r} is still there")


def test_a_class_goes_by_keys_alone(tab):
    wait_for(lesson(tab, "lesson=rotate"), "Turned by 22.5°")
    keys = tab.page.keyboard
    keys.press("End")
    wait_for(tab, "Turned by 45°")
    keys.press("PageUp")
    wait_for(tab, "Turned by 37.5°")
    keys.press("Space")
    wait_for(tab, "Turned by 45°")
    keys.press("k")
    tab.sees("play or stop")
    close(tab, "play or stop")
    keys.press("a")
    tab.sees(LESSONS[0].answer)
    close(tab, LESSONS[0].answer)
    keys.press("w")
    wait_for_link(tab, "view=wall").still()
    keys.press("n")
    wait_for_link(tab, f"lesson={LESSONS[1].key}").still()
    keys.press("q")
    tab.sees(LESSONS[1].question)
    close(tab, LESSONS[1].question)
    keys.press("Escape")
    tab.sees("Things to try")


def test_player_and_legend_are_reached_by_keyboard_and_show_it(tab):
    lesson(tab, "lesson=noise&at=3")
    tab.page.locator(".opnb-story .legend button").first.focus()
    seen = []
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    for _ in range(10):
        seen.append(tab.page.evaluate(f"() => {focused}"))
        assert tab.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") != "none"
        tab.page.keyboard.press("Tab")
        if seen[-1] == "argument":
            break
    assert seen == [
        *("A", "B", "C", "guessing", "error on the training points", "error on new points"),
        *("Play", "Back", "Step", "argument"),
    ]
    legend = tab.page.locator(".opnb-story .legend button").first
    legend.focus()
    before = tab.figure("plot._fullData.filter(trace => trace.visible === true).length")
    tab.page.keyboard.press("Space")
    tab.page.wait_for_function(
        "before => document.querySelector('.js-plotly-plot')._fullData.filter(t => t.visible === true).length < before",
        arg=before,
    )
    assert legend.get_attribute("aria-pressed") == "false"
    assert tab.page.evaluate(f"() => {focused}") == "A", "the focus stays"
    assert tab.page.evaluate(f"() => {AT}") == 2, "the space bar pressed the button alone"


def test_who_wants_no_motion_gets_none_by_itself(new_tab):
    tab = new_tab()
    tab.page.emulate_media(reduced_motion="reduce")
    wait_for(lesson(tab, "lesson=rotate&view=wall&play=1"), "Not turned")
    tab.page.wait_for_timeout(2500)  # two steps
    assert says(tab).startswith("Not turned")
    assert button(tab, "Play").is_visible()


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
    wait_for(tab, "Turned by 45°")
    tab.page.keyboard.press("Escape")
    tab.sees("Things to try")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_lesson_fits_one_screen(new_tab, dark):
    tab = new_tab(dark=dark)
    lesson(tab, f"lesson={LESSONS[0].key}")
    for number, one in enumerate(LESSONS, start=1):
        wait_for_link(tab, f"lesson={one.key}").sees(one.shows).still()
        assert tab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") <= 900, one.key
        tab.shot(f"learn-{number}-{one.key}-{'dark' if dark else 'light'}")
        if one is not LESSONS[-1]:
            tab.page.get_by_role("button", name="Next").click()


def test_a_phone_shows_a_lesson_without_scrolling_sideways(new_tab):
    tab = new_tab(phone=True)
    lesson(tab, "lesson=bandwidth").still().shot("learn-phone")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= tab.page.viewport_size["width"]


def sheets(page):
    """How many sheets of paper a page takes."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


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
    assert sheets(sheet) == 1
    sheet.close()
    assert sheets(tab.page) == 1
    tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
    tab.picture()
    assert tab.page.get_by_text("means nothing here").count() == 0
    tab.page.get_by_role("link", name="Learn", exact=True).first.click()
    tab.sees("Teacher's guide").still()
    assert tab.page.get_by_text("means nothing here").count() == 0
