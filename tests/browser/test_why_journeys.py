"""Why this row, and which columns, in a real Chromium."""

import csv

import pytest

pytestmark = pytest.mark.browser

PATIENCE = 120_000
PLACE = """row => {
  const plot = document.querySelector('.js-plotly-plot'), box = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  for (const trace of plot._fullData.filter(trace => trace.customdata && trace.visible === true)) {
    const k = Array.from(trace.customdata).indexOf(row);
    if (k < 0) continue;
    return [box.left + xaxis._offset + xaxis.l2p(trace.x[k]), box.top + yaxis._offset + yaxis.l2p(trace.y[k])];
  }
}"""


def titles(tab):
    return tab.page.evaluate(
        "[...document.querySelectorAll('.st-key-why .js-plotly-plot')].map(plot => plot.layout.title.text)"
    )


def drawn(tab, count):
    tab.page.wait_for_function(
        f"document.querySelectorAll('.st-key-why .js-plotly-plot .nsewdrag').length == {count}", timeout=PATIENCE
    )
    return tab.still()


def shot_of_panel(tab, name):
    tab.page.locator(".st-key-why").scroll_into_view_if_needed()
    size = tab.page.viewport_size
    tab.page.set_viewport_size({"width": size["width"], "height": 3000})
    drawn(tab, 4).shot(name)
    tab.page.set_viewport_size(size)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_click_on_a_point_shows_its_reasons_and_takes_them_away(new_tab, dark, tmp_path):
    tab = new_tab(dark=dark).open().picture()
    tab.page.mouse.click(*tab.page.evaluate(PLACE, 62))
    tab.sees("Why: Row 62")
    drawn(tab, 4)
    assert any("Log-odds" in title for title in titles(tab))
    assert tab.page.get_by_role("spinbutton", name="Why this row?").input_value() == "62"
    shot_of_panel(tab, f"why-wide-{'dark' if dark else 'light'}")
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Reasons as numbers").click()
    path = tmp_path / "reasons.csv"
    waiting.value.save_as(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    parts = ("log-odds: class probabilities", "log-odds: a direction")
    total = sum(float(line["number"]) for line in lines if line["what"] in parts)
    (said,) = (float(line["number"]) for line in lines if line["what"] == "log-odds: sum")
    assert total == pytest.approx(said, abs=1e-9)


def test_a_row_is_asked_about_by_keyboard_on_a_phone(new_tab):
    tab = new_tab(phone=True).open().picture()
    box = tab.page.get_by_role("spinbutton", name="Why this row?")
    box.focus()
    tab.page.keyboard.type("131")
    tab.page.keyboard.press("Enter")
    tab.sees("Why: Row 131")
    drawn(tab, 4)
    shot_of_panel(tab, "why-phone")
    width = tab.page.evaluate("document.documentElement.scrollWidth")
    assert width <= tab.page.viewport_size["width"], "the page must not scroll sideways"


def test_fewer_columns_are_tried_fitted_and_taken_back(tab):
    tab.open("tune?data=example%3Airis").sees("What to try").segment("Columns")
    tab.page.get_by_text("How few columns would do").wait_for(timeout=PATIENCE)
    tab.page.get_by_text("Leave them out one after the other").click()
    again = tab.page.get_by_role("button", name="Fit again with")
    again.wait_for(timeout=PATIENCE)
    tab.still().shot("tune-columns")
    tab.choose("Columns to keep", "2:")
    again.click()
    back = tab.page.get_by_role("button", name="Back to the fit with 4 columns")
    back.wait_for(timeout=PATIENCE)
    back.click()
    back.wait_for(state="detached")
