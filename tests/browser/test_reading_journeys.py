"""Files that are not quite clean, in a real Chromium."""

import pytest

from tests.data.messy_files import NAMES, ROWS, book_of, csv_of

pytestmark = pytest.mark.browser

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# The notes in front are as wide as a table, and the title stands where names would.
NOTES = [["Who", "Where"], *([f"helper {i}", f"room {i}"] for i in range(12))]
WINES = [["Wines of the year", "", "by hand"], NAMES, *ROWS]
LOOKS = [(phone, dark) for phone in (False, True) for dark in (False, True)]


def book():
    return {"name": "wines.xlsx", "mimeType": XLSX, "buffer": book_of(notes=NOTES, wines=WINES)}


def give(tab, file):
    tab.page.locator("input[type=file]").first.set_input_files(file)
    return tab


def read_again(tab):
    tab.page.get_by_role("button", name="Read again").click()
    return tab.still()


def test_a_workbook_with_notes_in_front_is_corrected_and_fitted(tab):
    give(tab.open("data").sees("Where from").still(), book())
    tab.sees("wines.xlsx").still()
    tab.page.get_by_text("Read as:").click()
    tab.choose("Sheet", "wines")
    tab.page.get_by_role("spinbutton", name="Row with the names").fill("40")
    read_again(tab).sees("wines.xlsx could not be read")
    tab.sees("Wines of the year")  # the first rows, as they are
    tab.page.get_by_role("spinbutton", name="Row with the names").fill("2")
    read_again(tab).sees("30 rows, 3 columns")
    tab.page.get_by_role("link", name="Workbench").first.click()
    tab.picture().sees("2 classes")
    assert {"a", "b"} <= set(tab.figure("plot.data.map(trace => trace.name)"))


@pytest.mark.parametrize(("phone", "dark"), LOOKS, ids=lambda value: "")
def test_a_file_that_cannot_be_read_shows_its_lines_and_controls_on_any_screen(new_tab, phone, dark):
    look = f"{'phone' if phone else 'wide'}-{'dark' if dark else 'light'}"
    tab = new_tab(phone=phone, dark=dark).open("data").sees("Where from").still()
    lines = csv_of([[f"{a}~<b>{b}</b>~{c}"] for a, b, c in ROWS], "length~width~kind")
    give(tab, {"name": "odd.csv", "mimeType": "text/csv", "buffer": lines.encode()})
    tab.sees("odd.csv could not be read").still().shot(f"unread-{look}")
    tab.page.get_by_role("button", name="Read again").scroll_into_view_if_needed()
    tab.shot(f"unread-controls-{look}")
    tab.sees("<b>")  # as text
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= tab.page.viewport_size["width"]
    tab.page.get_by_role("combobox", name="Delimiter").fill("~")
    tab.page.keyboard.press("Enter")
    read_again(tab).sees("30 rows, 3 columns")
    give(tab, {"name": "picture.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n" * 50})
    tab.sees("This is a PNG picture").still().shot(f"picture-{look}")
    tab.page.get_by_role("button", name="Give this file up").click()
    tab.sees("30 rows, 3 columns")


def test_a_file_that_is_too_large_is_told_so_in_words(tab, tmp_path):
    large = tmp_path / "large.csv"
    large.write_bytes(b"a,b\n" + b"1,2\n" * (13 * 2**20))  # beyond what Playwright sends, so by its path
    tab.open("data").sees("Where from").still()
    tab.page.locator("input[type=file]").first.set_input_files(large)
    tab.sees("large.csv has 52 MB, more than the limit of 50 MB.").shot("too-large")
