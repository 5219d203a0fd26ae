"""Every lesson at every size of a screen: whole, legible, and without scrolling where there is room for it."""

import pytest

from opnb.lessons import LESSONS
from tests.browser.geometry import PHONE, at_sizes, troubles

pytestmark = pytest.mark.browser

# All that a class looks at and works with.
STORY = [f".opnb-story {part}" for part in (".says", ".stage", ".legend", ".player button", ".rail input", ".marks")]
FOLD = {
    "lesson": [
        *STORY,
        ".st-key-lesson-controls",
        ".st-key-lesson-bar",
        ".st-key-lesson-tries",
        ".st-key-lesson-answer",
    ],
    "wall": [*STORY, ".st-key-wall-head", ".st-key-wall-text"],
}
MAIN = "document.querySelector('[data-testid=stMain]')"
DRAWN = "document.querySelector('.opnb-story .nsewdrag, .opnb-story .bglayer') !== null"
# The smallest letters of a page, in pixels; pictures of buttons are letters too, and have words of no size.
LETTERS = f"""() => {{
    const walker = document.createTreeWalker({MAIN}, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {{
        const element = node.parentElement, size = parseFloat(getComputedStyle(element).fontSize);
        const shown = node.data.trim() && size && element.checkVisibility({{ visibilityProperty: true }});
        if (shown && !element.closest("style, script, [data-testid=stIconMaterial]")) found.push([size, node.data]);
    }}
    return found.sort((one, other) => one[0] - other[0])[0];
}}"""
# Of every picture with regions, how many times it is as wide as high.
SHAPES = """() => [...document.querySelectorAll(".opnb-story .imagelayer image")].map((image) => {
    const { width, height } = image.getBoundingClientRect();
    return width / height;
})"""


def walk(tab, view):
    """Go through all lessons, without loading the page again."""
    tab.open(f"learn?lesson={LESSONS[0].key}" + ("&view=wall" if view == "wall" else ""))
    for number, one in enumerate(LESSONS):
        if number:
            tab.page.keyboard.press("n")
        tab.page.wait_for_function("key => location.search.includes(`lesson=${key}`)", arg=one.key)
        tab.sees(one.shows).page.wait_for_function(f"() => {DRAWN}")
        yield one, tab.still()


def wrong_here(tab, view, size):
    """Say what is wrong with a lesson at a size."""
    if size == PHONE:
        return troubles(tab.page)
    found = troubles(tab.page, FOLD[view])
    scrolls = tab.page.evaluate(f"() => [{MAIN}.scrollHeight, {MAIN}.clientHeight]")
    if scrolls[0] > scrolls[1]:
        found.append(f"scrolls: {scrolls}")
    if view == "wall":
        smallest, text = tab.page.evaluate(LETTERS)
        if smallest < size[1] / 40:
            found.append(f"letters of {smallest} pixels: {text}")
    end = tab.page.locator(".opnb-story").bounding_box()
    if end["y"] + end["height"] < 0.95 * size[1]:
        found.append("the lowest part of the screen is empty")
    return found + [f"a strip, {shape:.1f} : 1" for shape in tab.page.evaluate(SHAPES) if shape > 2.5]


@pytest.mark.parametrize("view", ["lesson", "wall"])
def test_every_lesson_is_whole_at_every_size(new_tab, view):
    tab, found = new_tab(), []
    for one, shown in walk(tab, view):
        for size in at_sizes(shown.page):
            found += [f"{one.key} at {size[0]} x {size[1]}: {trouble}" for trouble in wrong_here(shown, view, size)]
        shown.page.set_viewport_size({"width": 1440, "height": 900})
    assert not found, "\n".join(["", *found])


def test_what_a_student_turns_is_on_one_screen(new_tab):
    tab = new_tab().open("learn?lesson=turn&view=hand")
    tab.page.locator(".opnb-tour .stage").wait_for()
    fold = [".opnb-tour .stage", ".opnb-tour .hand", ".opnb-tour .legend", ".opnb-tour .strip", ".st-key-lesson-climb"]
    found = []
    for size in at_sizes(tab.still().page):
        found += [f"{size}: {trouble}" for trouble in troubles(tab.page, [] if size == PHONE else fold)]
        if size != PHONE and tab.page.evaluate(f"() => {MAIN}.scrollHeight > {MAIN}.clientHeight"):
            found.append(f"{size}: scrolls")
    assert not found, "\n".join(["", *found])
