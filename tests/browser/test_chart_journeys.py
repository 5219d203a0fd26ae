"""The chart element: it stays when its figure changes, keeps what a visitor set, and says when it cannot draw."""

import json
from urllib.parse import urlencode

import pytest

from opnb.studio.ui.plotly_file import address
from tests.browser import harness

pytestmark = pytest.mark.browser

MANY = urlencode(
    {"data": "simulator:gaussian", "sim": json.dumps({"n": 3000, "n_features": 10}), "directions": "4"}
)  # so many points are drawn by WebGL
PLOT = "document.querySelector('.js-plotly-plot')"
PARTS = f"[{PLOT}, ...{PLOT}.querySelectorAll('canvas')]"
REMEMBER = f"() => {{ window.first = {PARTS}; return window.first.length; }}"
UNCHANGED = f"() => {PARTS}.every((part, number) => part === window.first[number])"
RANGE = "plot._fullLayout.xaxis.range.map(Number)"
# A ring around a misclassified point has the row of its point.
PLACES = "[...(trace.selectedpoints ?? [])].map(place => trace.customdata[place])"
SELECTED = f"[...new Set(plot._fullData.flatMap(trace => {PLACES}))].sort()"


def area(tab):
    return tab.page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()


def drag(tab, corners):
    box = area(tab)
    places = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
    tab.page.mouse.move(*places[0])
    tab.page.mouse.down()
    for place in places[1:]:
        tab.page.mouse.move(*place, steps=6)
    tab.page.mouse.up()


def zoom(tab):
    """Zoom as the wheel or a drag does, so that Plotly takes it for the visitor's."""
    tab.page.locator(".js-plotly-plot").first.hover()
    tab.page.locator(".js-plotly-plot .modebar-btn[data-title='Zoom']").first.click()
    drag(tab, [(0.3, 0.3), (0.7, 0.7)])


def lasso(tab):
    drag(tab, [(0.05, 0.05), (0.6, 0.05), (0.6, 0.95), (0.05, 0.95), (0.05, 0.06)])
    tab.page.get_by_text("selected rows").wait_for()
    return tab.still()


def axis_has(tab, text):
    tab.page.wait_for_function(
        f"() => document.querySelector('.js-plotly-plot').layout?.yaxis?.title?.text?.includes('{text}')"
    )
    return tab.still()


def option(tab, name):
    tab.page.get_by_role("button", name="Options").click()
    tab.page.get_by_role("radio", name=name).or_(tab.page.get_by_role("button", name=name)).first.click()
    tab.still().page.keyboard.press("Escape")


def test_new_directions_keep_the_element_and_its_canvases_and_reset_the_zoom(tab):
    tab.open(f"?{MANY}").sees("Log-loss").picture()
    tab.page.locator(".js-plotly-plot canvas").first.wait_for(state="attached")
    assert tab.page.evaluate(REMEMBER) > 1
    whole = tab.figure(RANGE)
    zoom(tab)
    assert tab.figure(RANGE) != pytest.approx(whole)
    tab.choose("Up", "Direction 4")
    axis_has(tab, "Direction 4")
    assert tab.page.evaluate(UNCHANGED)
    assert tab.figure(RANGE) == pytest.approx(whole)


def test_the_zoom_outlives_a_change_that_leaves_the_axes(tab):
    tab.open().picture()
    tab.page.evaluate(REMEMBER)
    zoom(tab)
    zoomed, curves = tab.figure(RANGE), tab.figure("JSON.stringify(plot.data)")
    option(tab, "density × share")
    tab.page.wait_for_function(
        "before => JSON.stringify(document.querySelector('.js-plotly-plot').data) !== before", arg=curves
    )
    assert tab.page.evaluate(UNCHANGED)
    assert tab.figure(RANGE) == pytest.approx(zoomed)


def test_a_selection_goes_with_its_rows_and_ends_by_a_double_click(tab):
    tab.open("?directions=4").picture()
    lasso(tab)
    rows = tab.figure(SELECTED)
    assert len(rows) > 20
    tab.choose("Up", "Direction 4")
    axis_has(tab, "Direction 4")
    tab.page.get_by_text(f"{len(rows)} selected rows").wait_for()
    look = f"const plot = document.querySelector('.js-plotly-plot'); return String({SELECTED}) === String(rows);"
    tab.page.wait_for_function(f"rows => {{ {look} }}", arg=rows)
    tab.shot("selected-elsewhere")
    box = area(tab)
    tab.page.mouse.dblclick(box["x"] + box["width"] * 0.97, box["y"] + box["height"] * 0.03)
    tab.page.get_by_text("selected rows").wait_for(state="detached")
    assert tab.figure(SELECTED) == []


def test_a_selection_is_gone_with_another_fit(tab):
    tab.open().picture()
    lasso(tab)
    tab.page.evaluate(REMEMBER)
    tab.page.get_by_role("spinbutton", name="Directions").fill("3")
    tab.page.keyboard.press("Tab")
    tab.page.get_by_role("button", name="Fit", exact=True).click()
    tab.page.get_by_text("selected rows").wait_for(state="detached")
    tab.sees("Fits (2)").picture()
    assert tab.figure(SELECTED) == []


def test_a_click_selects_a_point(tab):
    tab.open().picture()
    tab.page.locator(".js-plotly-plot .scatterlayer .point").nth(5).click(force=True)
    tab.page.get_by_text("1 selected row").wait_for()


def test_a_page_visited_again_shows_no_selection_that_it_does_not_list(tab):
    tab.open().picture()
    lasso(tab)
    tab.page.get_by_role("link", name="Data", exact=True).first.click()
    tab.sees("What was done").still()
    tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
    tab.picture()
    listed = tab.page.get_by_text("selected rows").count()
    assert bool(tab.figure(SELECTED)) == bool(listed)


def test_it_takes_the_width_there_is_and_its_place_does_not_jump(tab):
    tab.open().picture()
    wide = tab.figure("plot._fullLayout.width")
    assert wide == tab.page.locator(".js-plotly-plot").first.bounding_box()["width"]
    tab.page.set_viewport_size({"width": 1100, "height": 900})
    tab.page.wait_for_function(f"() => document.querySelector('.js-plotly-plot')._fullLayout.width < {wide}")
    # The side bar moves for a while, and the picture follows.
    tab.page.wait_for_function(
        """() => {
            const plot = document.querySelector('.js-plotly-plot'), box = plot.getBoundingClientRect();
            const room = plot._fullLayout;
            return room.width === Math.round(box.width) && room.height === Math.round(box.height) && room.height <= 620;
        }"""
    )
    around = "[plot, plot.parentElement, plot.closest('.stElementContainer')]"
    assert tab.figure(f"{around}.every(it => it.scrollHeight <= it.clientHeight)"), "a second scroll bar"


def test_it_fills_the_screen_and_comes_back(tab):
    tab.open().picture()
    before = tab.figure("plot._fullLayout.height")
    tab.page.locator(".js-plotly-plot").first.hover()
    tab.page.locator(".modebar-btn[data-title='Full screen']").first.click()
    tab.page.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullLayout.height > 700")
    tab.shot("full-screen")
    tab.page.evaluate("document.exitFullscreen()")
    tab.page.wait_for_function(f"() => document.querySelector('.js-plotly-plot')._fullLayout.height === {before}")


def test_it_has_words_for_those_who_do_not_see_it(tab):
    tab.open().picture()
    assert tab.figure("plot.getAttribute('role')") == "figure"
    assert tab.figure("plot.getAttribute('aria-label')").startswith("Projection of wine")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_gets_no_bar_and_can_scroll_over_the_picture(new_tab, dark):
    tab = new_tab(phone=True, dark=dark).open().picture()
    assert tab.page.locator(".modebar-btn").count() == 0
    assert tab.figure("plot._fullLayout.dragmode") is False
    assert tab.figure("plot._fullLayout.width") <= 390


def test_a_left_page_leaves_no_drawing_behind(tab):
    tab.open().picture()
    tab.page.evaluate("() => { window.left = document.querySelector('.js-plotly-plot'); }")
    tab.page.get_by_role("link", name="Data", exact=True).first.click()
    tab.sees("What was done").still()
    tab.page.wait_for_function("() => !window.left.isConnected && !window.left._fullLayout")


def test_without_plotly_a_sentence_is_shown(tab):
    tab.page.route(f"**/{address()}", lambda route: route.abort())
    tab.open()
    tab.page.get_by_text("This chart could not be drawn. The part of the app that draws did not load.").first.wait_for()


def test_a_figure_that_cannot_be_drawn_is_said_and_the_next_one_is_drawn(tab):
    tab.open("?directions=4").picture()
    broken = (
        "() => { window.real = Plotly.react; Plotly.react = () => Promise.reject(new Error('Broken on purpose.')); }"
    )
    tab.page.evaluate(broken)
    tab.choose("Up", "Direction 4")
    tab.page.get_by_text("This chart could not be drawn. Broken on purpose.").wait_for()
    tab.page.evaluate("() => { Plotly.react = window.real; }")
    tab.choose("Up", "Direction 3")
    axis_has(tab, "Direction 3")
    assert tab.page.get_by_text("could not be drawn").count() == 0


def test_it_draws_under_a_folder_and_fetches_from_no_other_host(chromium):
    port = harness.free_port()
    process = harness.start_app(port, "app.py", folder="class/one", OPNB_DATA_DIR="", OPNB_WORKSPACES="off")
    try:
        context = harness.open_context(chromium)
        tab = harness.Tab(context.new_page(), f"http://localhost:{port}/class/one")
        asked = []
        tab.page.on("request", lambda request: asked.append(request.url))
        tab.open().picture()
        tab.open("learn").picture()
        context.close()
    finally:
        process.terminate()
        process.wait(30)
    assert f"http://localhost:{port}/class/one/{address()}" in asked
    assert all(url.startswith((f"http://localhost:{port}/", "data:", "blob:")) for url in asked)
