"""Touring in a browser: a file without a network, and the picture of the app."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image

from opnb.figures import tour
from tests.browser import harness
from tests.browser.test_keyboard import go_to, press
from tests.browser.test_new_rows_journeys import give, wines
from tests.figures.fits import iris_fit, quick_fit

pytestmark = pytest.mark.browser

TOUR = "document.querySelector('.opnb-tour').tour"
AXES = f"{TOUR}.axes.map((axis) => [...axis])"
# Nothing is still to be drawn: a change asks for a frame, and until then the numbers are those of before it.
SETTLED = (
    f"() => {TOUR} && {TOUR}.painted > 0 && {TOUR}.plane.errors"
    f" && !['asked', 'moving', 'settling'].some((name) => {TOUR}[name])"
)
# Where the selected arrow ends, on the screen.
END = f"""() => {{
  const {{ ring }} = {TOUR}, box = ring.canvas.getBoundingClientRect(), [x, y] = ring.end(ring.selected);
  return [box.left + (x * box.width) / ring.size, box.top + (y * box.height) / ring.size];
}}"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    _, *data = iris_fit()
    clf = quick_fit(*data[:2], n_components=3, independence=1.0)  # directions that differ
    path = tmp_path_factory.mktemp("tour") / "tour.html"
    names = ["setosa", "versicolor", "virginica"]
    tour(clf, *data, title="Iris", class_names=names, X_new=[*data[0][::20], [9.0, 9.0, 9.0, 9.0]]).save(path)
    return path.as_uri()


@pytest.fixture
def opened(chromium, saved):
    """Open the file with the network off; anything that goes wrong in the page fails the test."""
    contexts, errors = [], []

    def make(**look):
        contexts.append(chromium.new_context(offline=True, **({"viewport": {"width": 1440, "height": 900}} | look)))
        page = contexts[-1].new_page()
        page.set_default_timeout(harness.PATIENCE)
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(saved)
        page.wait_for_function(SETTLED)
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


def axes(page):
    return np.array(page.evaluate(AXES))


def drag(page, by):
    page.locator("canvas.ring").scroll_into_view_if_needed()
    x, y = page.evaluate(END)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0], y + by[1], steps=5)
    page.mouse.up()
    page.wait_for_function(SETTLED)


def test_it_plays_to_the_last_keyframe_and_can_be_stopped_and_scrubbed(opened):
    page = opened()
    first = axes(page)
    page.get_by_label("Speed").select_option("0.5 ×")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"{TOUR}.place > 0.05")
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Speed").select_option("4 ×")
    assert page.evaluate(f"{TOUR}.moving") is None
    assert not np.allclose(axes(page), first)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"{TOUR}.place >= 2")
    last = np.array(page.evaluate(f"{TOUR}.path.keyframes[2].map((axis) => [...axis])"))
    np.testing.assert_array_equal(axes(page), last)
    page.get_by_label("Place along the way").fill("0.5")
    page.wait_for_function(SETTLED)
    np.testing.assert_allclose(axes(page)[0], first[0], atol=1e-9)  # direction 1 stays, and the other turns
    assert np.abs(axes(page)[1] - first[1]).max() > 0.05
    page.get_by_role("button", name="Directions 1 and 2").click()
    np.testing.assert_array_equal(axes(page), first)


def test_half_way_an_axis_is_on_the_great_circle_with_a_length_between(opened):
    page = opened()
    page.get_by_label("Place along the way").fill("0.5")
    start, middle, end = (
        np.array(page.evaluate(f"{part}.map((axis) => [...axis])"))
        for part in (f"{TOUR}.path.keyframes[0]", f"{TOUR}.axes", f"{TOUR}.path.keyframes[1]")
    )
    unit = [axis[1] / np.linalg.norm(axis[1]) for axis in (start, middle, end)]
    assert unit[0] @ unit[1] == pytest.approx(unit[1] @ unit[2])
    lengths = [np.linalg.norm(axis[1]) for axis in (start, middle, end)]
    assert lengths[1] == pytest.approx(np.sqrt(lengths[0] * lengths[2]))


def test_an_arrow_is_dragged_typed_stretched_and_all_of_it_undone(opened):
    page = opened()
    first = axes(page)
    drag(page, (-30, 25))
    turned = axes(page)
    assert np.abs(turned - first).max() > 0.05
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(first, axis=1))
    page.get_by_label("Weight across").fill("0.9")
    page.keyboard.press("Tab")
    page.wait_for_function(SETTLED)
    column = page.get_by_label("Column", exact=True).input_value()
    assert axes(page)[0][int(column)] / np.linalg.norm(axes(page)[0]) == pytest.approx(0.9)
    page.get_by_label("Stretch across").fill("2")
    page.wait_for_function(SETTLED)
    assert np.linalg.norm(axes(page)[0]) == pytest.approx(4 * np.linalg.norm(first[0]))
    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    page.wait_for_function(SETTLED)
    np.testing.assert_allclose(axes(page), first)


def test_the_keyboard_alone_turns_plays_and_undoes(opened):
    page = opened()
    first = axes(page)
    page.locator(".stage").focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    page.wait_for_function(SETTLED)
    assert np.abs(axes(page) - first).max() > 0.01
    for _ in range(3):
        page.keyboard.press("u")
    np.testing.assert_allclose(axes(page), first)
    page.keyboard.press("Space")
    assert page.evaluate(f"{TOUR}.moving") == "path"
    page.keyboard.press("Space")
    assert page.evaluate(f"{TOUR}.moving") is None


def test_it_says_in_words_what_it_shows_and_controls_have_names(opened):
    page = opened()
    words = page.get_by_role("status")
    page.wait_for_function("document.querySelector('.words').textContent !== ''")
    assert re.search(r"Directions 1 and 2\..*Training error .* of 112\), held-out error", words.text_content())
    assert page.locator(".stage").get_attribute("aria-label") == words.text_content()
    for control in page.locator("button, select, input").all():
        name = control.evaluate("(one) => one.ariaLabel || one.labels?.[0]?.textContent || one.textContent")
        assert name.strip()


def test_a_class_is_hidden_and_shown(opened):
    page = opened()
    button = page.get_by_role("button", name="versicolor")
    image = "document.querySelector('.stage').toDataURL()"
    before = page.evaluate(image)
    button.click()
    page.wait_for_function(f"{image} !== {before!r}")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    page.wait_for_function(f"{image} === {before!r}")


# Whether the mark of the last new row is on the picture: it lies beyond the others, so nothing else is there.
LAST_MARK = f"""() => {{
  const {{ painter, plane }} = {TOUR}, at = painter.newPlace(plane.newRows, plane.newRows.n - 1);
  const colour = painter.data.classes[plane.newRows.labels.at(-1)].colour;
  const wanted = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16));
  return wanted.every((value, channel) => painter.bytes[4 * at + channel] === value);
}}"""


def test_new_rows_are_marked_counted_and_hidden_in_every_frame(opened):
    page = opened()
    figure = page.locator(".numbers .new dd")
    for place in ("0", "0.5", "1.3"):
        page.get_by_label("Place along the way").fill(place)
        page.wait_for_function(SETTLED)
        agreeing = page.evaluate(f"{TOUR}.plane.newRows.agreeing")
        assert figure.text_content() == f"{agreeing} of 7 classed as by the fit"
        assert page.evaluate(LAST_MARK)
    button = page.get_by_role("button", name="new rows")
    button.click()
    page.wait_for_function(f"!({LAST_MARK})()")
    button.click()
    page.wait_for_function(LAST_MARK)


def test_it_wanders_and_stops(opened):
    page = opened()
    before, painted = axes(page), page.evaluate(f"{TOUR}.painted")
    page.get_by_role("button", name="Wander").click()
    page.wait_for_function(f"{TOUR}.painted > {painted + 10}")
    page.get_by_role("button", name="Wander").click()
    assert page.evaluate(f"{TOUR}.moving") is None
    assert not np.allclose(axes(page), before)


def test_whoever_wants_no_motion_gets_keyframes_only(opened):
    page = opened(reduced_motion="reduce")
    keyframes = np.array(page.evaluate(f"{TOUR}.path.keyframes.map((pair) => pair.map((axis) => [...axis]))"))
    page.get_by_label("Speed").select_option("4 ×")
    page.evaluate(f"""() => {{
      const tour = {TOUR}, draw = tour.draw;
      window.seen = [];
      tour.draw = () => {{ draw.call(tour); window.seen.push(tour.axes.map((axis) => [...axis])); }};
    }}""")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"{TOUR}.place >= 2")
    for shown in np.array(page.evaluate("window.seen")):
        assert any(np.array_equal(shown, keyframe) for keyframe in keyframes)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_it_fits_the_screen_in_both_themes(opened, scheme, width):
    page = opened(viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('.opnb-tour').dataset.theme") == scheme
    shown = page.locator("button:visible, select:visible, input:visible").all()
    for control in shown:
        box = control.bounding_box()
        inside = control.evaluate("(one) => one.closest('.strip') !== null")  # which scrolls by itself
        assert inside or (box["x"] >= 0 and box["x"] + box["width"] <= width + 1)


def drag_by_finger(page, by):
    page.locator("canvas.ring").scroll_into_view_if_needed()
    x, y = page.evaluate(END)
    touch = page.context.new_cdp_session(page)
    for kind, places in (("touchStart", [(x, y)]), ("touchMove", [(x + by[0], y + by[1])]), ("touchEnd", [])):
        points = [{"x": px, "y": py} for px, py in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function(SETTLED)


def test_a_finger_drags_an_arrow(opened):
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True)
    first = axes(page)
    drag_by_finger(page, (-25, 20))
    assert np.abs(axes(page) - first).max() > 0.02


def test_it_fills_the_screen_and_is_taken_away_as_an_image(opened):
    page = opened()
    stage = page.locator(".stage")
    before = stage.bounding_box()["height"]
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save this picture as PNG").click()
    assert waiting.value.suggested_filename == "tour.png"
    with Image.open(waiting.value.path(), formats=["PNG"]) as image:
        assert image.width == round(stage.bounding_box()["width"])
        assert image.height > before  # with the words above
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("before => document.querySelector('.stage').clientHeight > before", arg=before)
    assert page.evaluate("document.fullscreenElement.classList.contains('opnb-tour')")
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("before => document.querySelector('.stage').clientHeight === before", arg=round(before))


def shown_still(tab):
    """Wait until the usual chart lies over what rests."""
    tab.page.locator(".opnb-tour .still.shown .nsewdrag").first.wait_for(state="attached")
    return tab.still()


def plane(tab):
    query = parse_qs(urlsplit(tab.page.url).query)
    return [[float(weight) for weight in axis.split(",")] for axis in query["plane"][0].split(";")]


def test_in_the_app_a_turned_plane_rests_is_linked_climbed_from_and_kept(new_tab):
    tab = new_tab().open("?data=example%3Airis&directions=2").picture()
    tab.segment("Tour")
    shown_still(tab)
    drag(tab.page, (-30, 25))
    tab.page.wait_for_function("location.search.includes('plane=')")
    shown_still(tab)
    np.testing.assert_allclose(plane(tab), axes(tab.page), rtol=1e-4, atol=1e-5)
    title = "document.querySelector('.opnb-tour .js-plotly-plot').layout.title.text"
    assert "turned by hand" in tab.page.evaluate(title)

    copy = new_tab().open(tab.page.url.split("/")[-1])
    copy.page.get_by_role("button", name="Take a copy").click()  # the address has somebody else's workspace
    shown_still(copy)
    np.testing.assert_allclose(axes(copy.page), axes(tab.page), rtol=1e-4, atol=1e-5)
    other = new_tab().open(tab.shared())
    shown_still(other)
    np.testing.assert_allclose(axes(other.page), axes(tab.page), rtol=1e-4, atol=1e-5)

    tab.page.get_by_role("button", name="Climb from here").click()
    tab.page.wait_for_function("location.search.includes('init=given')")
    shown_still(tab)
    assert tab.page.get_by_label("Way", exact=True).locator("option").all_text_contents()[-1] == "The climb"

    other.page.get_by_role("button", name="Keep as a fit").click()
    other.page.wait_for_function("location.search.includes('init=fixed')")
    shown_still(other)
    other.sees("nothing was searched")


def test_the_app_is_toured_by_keyboard_alone_and_the_axes_are_kept(tab):
    tab.open("?data=example%3Airis&directions=3").picture().sees("Diagnose").still()
    go_to(tab, "button Picture")
    press(tab, "ArrowRight", "Enter")
    shown_still(tab)
    first = axes(tab.page)
    go_to(tab, "canvas ")
    press(tab, "Space")
    tab.page.wait_for_function(f"{TOUR}.place > 0.05")
    press(tab, "Space")
    assert tab.page.evaluate(f"{TOUR}.moving") is None
    played = axes(tab.page)
    assert np.abs(played - first).max() > 0.001
    press(tab, "ArrowRight", "ArrowUp", "ArrowUp")
    tab.page.wait_for_function("location.search.includes('plane=')")
    shown_still(tab)
    turned = axes(tab.page)
    assert np.abs(turned - played).max() > 0.01
    go_to(tab, "button Keep as a fit")
    press(tab, "Enter")
    tab.page.wait_for_function("location.search.includes('init=fixed')")
    shown_still(tab)
    np.testing.assert_allclose(np.sort(axes(tab.page), axis=0), np.sort(turned, axis=0), rtol=1e-3, atol=1e-4)


def test_on_a_phone_an_arrow_is_dragged_and_the_axes_are_linked(new_tab):
    tab = new_tab(phone=True).open("?data=example%3Airis&directions=2").picture()
    tab.page.get_by_role("radio", name="Tour").or_(tab.page.get_by_role("button", name="Tour")).first.tap()
    shown_still(tab)
    drag_by_finger(tab.page, (-25, 20))
    tab.page.wait_for_function("location.search.includes('plane=')")
    shown_still(tab)
    np.testing.assert_allclose(plane(tab), axes(tab.page), rtol=1e-4, atol=1e-5)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= tab.page.viewport_size["width"]


def test_the_tour_of_the_app_goes_on_from_disk_with_its_new_rows(tab, chromium, tmp_path):
    give(tab.open().picture(), wines())
    tab.page.get_by_role("button", name="Predict these rows").click()
    tab.sees("11 rows of 12 in new.csv predicted").still()
    tab.segment("Tour")
    shown_still(tab)
    figures = tab.page.locator(".numbers").text_content()
    assert "of 11 classed as by the fit" in figures
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Tour (HTML)").click()
    path = tmp_path / "tour.html"
    waiting.value.save_as(path)
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_function(SETTLED)
    assert page.locator(".numbers").text_content() == figures
    np.testing.assert_allclose(axes(page), axes(tab.page), rtol=1e-6)
    context.close()
