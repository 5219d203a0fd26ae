"""New rows in a real Chromium: predicted, looked at, moved by hand, on any screen."""

import pytest

from opnb.data import example_table
from tests.browser.test_why_journeys import PLACE

pytestmark = pytest.mark.browser

LOOKS = [(phone, dark) for phone in (False, True) for dark in (False, True)]
HAND = "plot.data.find(trace => trace.name.startsWith('row by hand')).x"
NAMES = "plot.data.map(trace => trace.name)"


def wines():
    frame = example_table("wine").frame.drop(columns="class").iloc[::16].reset_index(drop=True)
    frame.loc[3, "alcohol"] = 90.0
    frame.loc[5, "ash"] = None
    return {"name": "new.csv", "mimeType": "text/csv", "buffer": frame.to_csv(index=False).encode()}


def give(tab, file):
    tab.page.locator("input[type=file]").first.set_input_files(file)
    return tab


@pytest.mark.parametrize(("phone", "dark"), LOOKS, ids=lambda value: "")
def test_new_rows_are_predicted_drawn_and_moved(new_tab, phone, dark):
    look = f"{'phone' if phone else 'wide'}-{'dark' if dark else 'light'}"
    tab = new_tab(phone=phone, dark=dark).open().picture()
    if phone:  # the sidebar is closed
        tab.page.get_by_test_id("stExpandSidebarButton").click()
    give(tab, wines())
    tab.sees("Rows to predict, or a new table?").still()
    if phone:
        tab.page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    tab.shot(f"new-rows-question-{look}")
    tab.page.get_by_role("button", name="Predict these rows").click()
    tab.sees("11 rows of 12 in new.csv predicted").still()
    assert "new rows" in tab.figure(NAMES)
    assert "new rows, unlike the training rows" in tab.figure(NAMES)
    tab.shot(f"new-rows-picture-{look}")
    tab.page.get_by_text("One row by hand").scroll_into_view_if_needed()
    tab.shot(f"new-rows-list-{look}")
    tab.page.get_by_text("One row by hand").click()
    tab.sees("Every field starts at the middle").still()
    before = tab.figure(f"{HAND}.bdata")
    field = tab.page.get_by_role("spinbutton", name="alcohol", exact=True)
    field.fill("14.8")
    field.press("Enter")
    moved = f"before => {{ const plot = document.querySelector('.js-plotly-plot'); return {HAND}.bdata !== before; }}"
    tab.page.wait_for_function(moved, arg=before)
    tab.still()
    tab.shot(f"new-rows-by-hand-{look}")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= tab.page.viewport_size["width"]


def ringed(tab, row):
    """Wait until a new row has a ring on the picture, or none."""
    names = "plot.data.map(one => one.name ?? '').filter(name => /row \\d/.test(name))"
    plot = "document.querySelector('.js-plotly-plot')"
    tab.page.wait_for_function(
        f"wanted => {{ const plot = {plot}; return {names}.join() === wanted; }}",
        arg="" if row is None else f"new row {row}",
    )
    return tab.still()


def test_a_click_on_a_new_row_shows_why_and_finds_it_in_the_list(tab):
    tab.open().picture()
    give(tab, wines())
    tab.page.get_by_role("button", name="Predict these rows").click()
    tab.sees("11 rows of 12 in new.csv predicted").still()
    tab.page.mouse.click(*tab.page.evaluate(PLACE, -7))
    tab.sees("Why: New row 7")
    ringed(tab, 7)
    assert tab.page.get_by_text("Why this new row is given its class").count() == 1  # it is picked in the list, too
    assert tab.page.get_by_text("selected row").count() == 0
    tab.page.get_by_role("button", name="Points and legend").first.focus()
    for key in ("Enter", "End", "Enter", "Escape"):
        tab.page.keyboard.press(key)
    tab.sees("Why: New row 12")
    ringed(tab, 12)
    x, y = tab.page.evaluate("""() => {
      const { left, top } = document.querySelector('.st-key-picture .nsewdrag').getBoundingClientRect();
      return [left + 4, top + 4];
    }""")
    tab.page.mouse.dblclick(x, y)  # takes the selection back
    tab.page.get_by_text("Why: New row").wait_for(state="detached")
    ringed(tab, None)
