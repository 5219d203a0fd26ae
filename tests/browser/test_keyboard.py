"""The main job without a mouse: choose data, fit, look at a point, hide a class, diagnose; and what is said of it."""

import pytest
from playwright.sync_api import TimeoutError

pytestmark = pytest.mark.browser

FOCUSED = """() => {
    const one = document.activeElement, widget = one.closest('[data-testid=stElementContainer]');
    const words = (widget?.querySelector('[data-testid=stWidgetLabel]') ?? one).cloneNode(true);
    words.querySelectorAll('[data-testid=stIconMaterial]').forEach((icon) => icon.remove());
    return `${one.tagName.toLowerCase()} ${words.textContent.trim()}`;
}"""
TRAIL = """
    window.trail = [];
    const told = ({ type, target, key }) =>
        `${Math.round(performance.now())} ms ${type} ${key ?? ''} ${target.outerHTML?.slice(0, 150)}`;
    for (const type of ['focusin', 'focusout', 'keydown', 'pointerdown'])
        addEventListener(type, (one) => window.trail.push(told(one)), true);
"""
# The line above the picture, in the words of FOCUSED; they depend on what a quick look has found.
TO_DIAGNOSE = """() => {
    const one = document.querySelector('[data-testid=stMain] a[href*=diagnose]').cloneNode(true);
    one.querySelectorAll('[data-testid=stIconMaterial]').forEach((icon) => icon.remove());
    return `a ${one.textContent.trim()}`;
}"""
AT_NOTHING = "() => document.activeElement === document.body"
SAID = "() => document.querySelector('[role=status].opnb-unseen')?.textContent ?? ''"
PLOT = "document.querySelector('.js-plotly-plot')"
VISIBLE = "plot._fullData.map(one => one.visible).join()"
RING = ".st-key-picture .opnb-keys .ring"


def focused(tab):
    """Give the words of what has the focus."""
    return tab.page.evaluate(FOCUSED)


def wait_for_focus(tab, words):
    """Wait until the focus is back, which takes the page a moment."""
    try:
        tab.page.wait_for_function(f"words => ({FOCUSED})() === words", arg=words)
    except TimeoutError as late:
        raise AssertionError(f"{focused(tab)[:200]!r} has the focus, not {words!r}; before:\n{trail(tab)}") from late
    return tab


def trail(tab):
    """Say how the focus has moved."""
    return "\n".join(tab.page.evaluate("() => window.trail.slice(-30)"))


@pytest.fixture(autouse=True)
def told(tab):
    """Keep how the focus moves, to be told where it is not what it should be."""
    tab.page.add_init_script(TRAIL)


def go_to(tab, words, key="Tab", most=60):
    """Press a key, Tab or Shift+Tab, until the focus is on a kind of element with these words."""
    for _ in range(most):
        tab.page.keyboard.press(key)
        if focused(tab) == words:
            return tab
    raise AssertionError(f"{key} does not reach {words!r}; it is at {focused(tab)!r}")


def press(tab, *keys):
    for key in keys:
        tab.page.keyboard.press(key)
    return tab


def wait_until_said(tab, words):
    tab.page.wait_for_function(f"words => ({SAID})().includes(words)", arg=words)
    return tab


def test_the_main_job_by_keyboard(tab):
    tab.open().picture()
    wait_until_said(tab, "The picture of wine is shown")

    go_to(tab, "input Data")
    tab.page.keyboard.type("penguins")
    press(tab, "Enter")
    wait_until_said(tab.sees("Chinstrap").picture(), "The picture of penguins is shown")
    wait_for_focus(tab, "input Data")  # it stays where data were chosen

    go_to(tab, "input Directions")
    press(tab, "ArrowUp")
    go_to(tab, "button Fit")
    press(tab, "Enter")
    tab.sees("Fits (2)").picture()
    wait_for_focus(tab, "button Fit")

    go_to(tab, "button Points and legend")
    press(tab, "Enter", "ArrowDown", "ArrowDown")
    chosen = tab.page.locator(".st-key-picture .opnb-keys [role=option][aria-selected=true]")
    assert chosen.inner_text().startswith("Row 3: Adelie")
    before = tab.page.locator(RING).bounding_box()
    tab.page.keyboard.type("200")
    assert chosen.inner_text().startswith("Row 200: ")
    assert tab.page.locator(RING).bounding_box() != before, "the mark moves with the list"
    press(tab, "Enter")
    tab.sees("Why: Row 200").shot("points-by-keyboard")

    shown = tab.figure(VISIBLE)
    press(tab, "Shift+Tab", "Enter")
    tab.page.wait_for_function(f"before => {VISIBLE.replace('plot', PLOT)} !== before", arg=shown)
    go_to(tab, "button Download plot as a PNG")
    with tab.page.expect_download():
        press(tab, "Enter")
    press(tab, "Escape")
    wait_for_focus(tab, "button Points and legend")

    go_to(tab, tab.page.evaluate(TO_DIAGNOSE), "Shift+Tab")
    press(tab, "Enter")
    tab.sees("About the fit").still()
    assert tab.page.get_by_role("heading", level=1).inner_text() == "Diagnose"


def test_what_the_page_does_to_a_widget_does_not_take_the_focus_from_it(tab):
    tab.open().picture()
    wait_until_said(tab, "The picture of wine is shown")
    go_to(tab, "input Data")
    tab.page.evaluate("() => { window.one = document.activeElement; }")
    moved = "() => { const place = one.parentElement; one.remove(); place.append(one); return document.activeElement; }"
    assert tab.page.evaluate(f"() => ({moved})() !== one")
    wait_for_focus(tab, "input Data")
    for taken, given in (
        ("one.disabled = true", "one.disabled = false"),
        ("one.replaceWith(window.twin = one.cloneNode()); twin.style.display = 'none'", "twin.style.display = ''"),
    ):
        tab.page.evaluate(f"() => {{ {taken}; }}")
        tab.page.wait_for_function(AT_NOTHING)
        tab.page.evaluate(f"() => {{ {given}; }}")
        wait_for_focus(tab, "input Data")
    tab.page.evaluate(
        """() => {
            const option = document.createElement('div');  // as lists do that drop down: the field keeps the focus
            document.body.append(option);
            option.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
            option.remove();
            twin.replaceWith(twin.cloneNode());
        }"""
    )
    wait_for_focus(tab, "input Data")
    press(tab, "Home")
    tab.page.evaluate("() => document.activeElement.blur()")  # after this key it was not the visitor
    wait_for_focus(tab, "input Data")
    press(tab, "Shift+Tab", "Tab")
    tab.page.evaluate("() => document.activeElement.blur()")  # as a visitor leaves it
    tab.page.evaluate("() => { document.body.append(document.createElement('i')); }")
    tab.page.wait_for_timeout(500)  # the page looks after every change of it, and never later
    assert tab.page.evaluate(AT_NOTHING)


def test_directions_that_change_places_keep_the_focus(tab):
    tab.open("?directions=3").picture()
    go_to(tab, "input Up")
    tab.page.keyboard.type("Direction 1")
    press(tab, "Enter")
    tab.page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot').layout?.yaxis?.title?.text?.includes('Direction 1')"
    )
    wait_for_focus(tab.still(), "input Up")


def test_reduced_motion_is_respected(tab):
    tab.page.emulate_media(reduced_motion="reduce")
    tab.open().picture()
    longest = tab.page.evaluate(
        """() => Math.max(...[...document.querySelectorAll('*')].flatMap((one) => {
            const { animationDuration, transitionDuration } = getComputedStyle(one);
            return [...animationDuration.split(','), ...transitionDuration.split(',')].map(parseFloat);
        }))"""
    )
    assert longest <= 0.001
