"""The main journeys in a real Chromium."""

import csv
import json
from urllib.parse import urlencode

import pytest

from tests.browser import harness

pytestmark = pytest.mark.browser

TABLE = "\n".join(
    ["length,width,colour,kind", *(f"{i % 7 + 3 * (i % 2)},{(i * i) % 11},{i % 5},{'ab'[i % 2]}" for i in range(60))]
)
FOCUSED = "() => { const it = document.activeElement; return (it.ariaLabel || it.textContent || '').trim(); }"
PATIENCE = 120_000  # milliseconds: a busy machine draws and prepares 50,000 rows for a while
SLOW = urlencode(
    {
        "data": "simulator:gaussian",
        "sim": json.dumps({"n": 20_000, "n_features": 20}),
        "init": "random",
        "starts": "100",
        "iterations": "2000",
        "tol": "1e-10",
    }
)


def file_of(text, name="mine.csv"):
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_the_first_load_shows_a_fitted_example_in_light_and_dark(new_tab, dark, phone):
    tab = new_tab(dark=dark, phone=phone).open().picture()
    tab.shot(f"workbench-{'phone' if phone else 'wide'}-{'dark' if dark else 'light'}")
    names = tab.figure("plot.data.map(trace => trace.name)")
    assert {"class_0", "class_1", "class_2"} <= set(names)
    tab.sees("Log-loss")
    assert tab.figure("plot.layout.template.layout.font.color") == ("#fafafa" if dark else "#262730")
    background = tab.page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert background == ("rgb(18, 23, 28)" if dark else "rgb(255, 255, 255)")
    width = tab.page.evaluate("document.documentElement.scrollWidth")
    assert width <= tab.page.viewport_size["width"], "the page must not scroll sideways"


def test_upload_target_fit_picture(tab):
    tab.open().picture()
    tab.page.locator("input[type=file]").first.set_input_files(file_of(TABLE))
    tab.sees("60 rows").picture()
    tab.choose("Predict", "colour")
    tab.sees("5 classes").picture()
    tab.page.get_by_role("button", name="Fit", exact=True).click()
    tab.picture().shot("upload")
    assert {f"class {k}" for k in range(5)} <= set(tab.figure("plot.data.map(trace => trace.name)"))


def test_a_change_of_directions_redraws(tab):
    tab.open("?directions=4").picture()
    assert "Direction 2" in tab.figure("plot.layout.yaxis.title.text")
    tab.choose("Up", "Direction 4")
    tab.page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot').layout.yaxis.title.text.includes('Direction 4')"
    )
    assert "show=1%2C4" in tab.page.url


def test_a_pair_of_directions_is_opened_by_a_click_on_its_small_picture(tab):
    tab.open("?directions=4").picture().segment("All pairs")
    tile = tab.page.locator(".opnb-gallery button[aria-pressed=false]").first
    first, second = tile.locator("span").text_content().split(":")[0].split(" × ")
    tile.click()
    tab.page.wait_for_function(
        "wanted => { const { xaxis, yaxis } = document.querySelector('.js-plotly-plot').layout;"
        " return [xaxis, yaxis].every((axis, i) => axis.title.text.startsWith(`Direction ${wanted[i]}:`)); }",
        arg=[first, second],
    )
    tab.page.locator(f".opnb-gallery button[aria-pressed=true]:has-text('{first} × {second}')").wait_for()
    tab.shot("all-pairs")


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1280, 720), (1366, 768), (1440, 900), (1920, 1080)])
def test_figures_picture_and_fit_are_on_one_screen(tab, width, height):
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.open().picture().sees("quick look")
    for element in (
        tab.page.get_by_text("Log-loss").first,
        tab.page.get_by_role("button", name="Fit", exact=True),
        tab.page.locator(".js-plotly-plot").first,
    ):
        box = element.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


def test_lasso_gives_rows_and_a_download(tab, tmp_path):
    tab.open().picture()
    area = tab.page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    corners = [(0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95), (0.05, 0.06)]
    places = [(area["x"] + u * area["width"], area["y"] + v * area["height"]) for u, v in corners]
    tab.page.mouse.move(*places[0])
    tab.page.mouse.down()
    for place in places[1:]:
        tab.page.mouse.move(*place, steps=8)
    tab.page.mouse.up()
    tab.page.get_by_text("selected rows").wait_for()
    tab.still().shot("lasso")
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Download these rows").click()
    path = tmp_path / "rows.csv"
    waiting.value.save_as(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 100
    assert {"row", "part", "predicted", "alcohol", "class"} <= set(rows[0])


def test_cancel_stops_a_long_fit_and_keeps_what_was_reached(tab):
    tab.open(f"?{SLOW}")
    tab.page.get_by_text("Searching").wait_for(timeout=PATIENCE)
    tab.page.get_by_text("Points on the way").wait_for()
    tab.shot("running")
    tab.page.get_by_role("button", name="Cancel").click()
    tab.sees("You stopped this fit").picture()


def test_a_closed_tab_frees_the_worker(new_tab, tab):
    leaving = new_tab().open(f"?{SLOW}")
    leaving.page.get_by_text("Searching").wait_for(timeout=PATIENCE)
    leaving.page.close()
    tab.open("?lam=0.02").picture()


def test_a_bad_file_is_explained_and_nothing_is_lost(tab):
    tab.open().picture()
    tab.page.locator("input[type=file]").first.set_input_files(file_of("\x89PNG\r\n" * 50, "picture.csv"))
    tab.page.get_by_role("alert").first.wait_for()
    tab.shot("bad-file").picture()
    assert "class_0" in tab.figure("plot.data.map(trace => trace.name)")


def test_the_link_restores_the_view_in_a_second_browser(tab, new_tab):
    tab.open("data").sees("Where from").segment("Simulate")
    tab.page.get_by_role("button", name="Draw").click()
    tab.sees("rotated").still()
    tab.page.get_by_role("link", name="Workbench").first.click()
    tab.picture().choose("Across", "Direction 2").picture()
    tab.page.wait_for_url("**show=2*")
    redrawn = "() => document.querySelector('.js-plotly-plot').layout.xaxis.title.text.includes('Direction 2')"
    tab.page.wait_for_function(redrawn)
    first = tab.figure("plot.layout.xaxis.range.map(Number)")
    second = new_tab().open(tab.shared())
    second.picture().page.wait_for_function(redrawn)
    assert second.figure("plot.layout.xaxis.range.map(Number)") == pytest.approx(first)
    assert "Direction 2" in second.figure("plot.layout.xaxis.title.text")


def test_the_data_page_keeps_the_table_over_a_change_of_page(tab):
    tab.open("data").sees("Where from")
    tab.page.locator("input[type=file]").first.set_input_files(file_of(TABLE))
    tab.sees("60 rows").still().shot("data")
    tab.page.get_by_role("link", name="Workbench").first.click()
    tab.picture().sees("60 rows (15 held out)")
    tab.page.get_by_role("link", name="Data", exact=True).first.click()
    tab.sees("What was done").sees("mine.csv")


def test_every_control_can_be_reached_by_keyboard(tab):
    tab.open().picture()
    reached = set()
    for _ in range(60):
        tab.page.keyboard.press("Tab")
        reached.add(tab.page.evaluate(FOCUSED))
    words = " ".join(reached)
    for wanted in ("Fit", "Options", "Weights"):
        assert wanted in words


def test_a_page_opened_first_on_a_new_server_is_inside_the_app(chromium):
    with harness.running_app(OPNB_DATA_DIR="") as address:
        context = harness.open_context(chromium)
        tab = harness.Tab(context.new_page(), address).open("data").sees("Where from")
        tab.page.get_by_role("link", name="Workbench").first.wait_for()
        context.close()
