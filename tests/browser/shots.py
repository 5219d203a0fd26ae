"""Pictures of all pages and lessons at all sizes in both themes, with a sheet for people: `make shots`."""

from collections.abc import Iterator
from html import escape

from tests.browser import geometry, harness
from tests.browser.places import LESSON_PATHS, PAGES, open_place, wear

FOLDER = harness.SHOTS / "sheet"
PLACES = {
    **{name: path for name, (path, _) in PAGES.items()},
    "guide": "learn?view=guide",
    **{f"lesson {key}": path for key, path in LESSON_PATHS.items()},
    **{f"wall {key}": f"{path}&view=wall" for key, path in LESSON_PATHS.items()},
}
THEMES = ("light", "dark")
_HEAD = """<!doctype html><html lang="en"><meta charset="utf8"><title>All pages at all sizes</title>
<style>
body { font: 14px sans-serif; background: #888; }
section div { display: flex; flex-wrap: wrap; gap: 8px; }
figure { margin: 0; } img { height: 300px; display: block; }
</style>"""


def main() -> None:
    """Take the pictures and write the sheet."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with harness.running_app(OPNB_DATA_DIR="") as address, harness.chromium() as browser:
        for place, path in PLACES.items():
            for phone in (False, True):
                context = harness.open_context(browser, phone=phone)
                take(open_place(harness.Tab(context.new_page(), address), path), place, phone)
                context.close()
            print(place, flush=True)
    sheet = harness.SHOTS / "index.html"
    sheet.write_text(_HEAD + "".join(map(row, PLACES)), encoding="utf8")
    print(sheet)


def take(tab: harness.Tab, place: str, phone: bool) -> None:
    """Take the pictures of a place at the sizes of a phone, or at all others."""
    for theme in THEMES:
        wear(tab, theme)
        for size in geometry.at_sizes(tab.page, [geometry.PHONE] if phone else geometry.LARGE):
            tab.page.screenshot(path=FOLDER / file_name(place, size, theme))


def file_name(place: str, size: tuple[int, int], theme: str) -> str:
    """Name the file of a picture."""
    return f"{place.replace(' ', '-')}-{size[0]}x{size[1]}-{theme}.png"


def row(place: str) -> str:
    """Write the part of the sheet that is about one place."""
    return f"<section><h2>{escape(place)}</h2><div>{''.join(figures(place))}</div></section>\n"


def figures(place: str) -> Iterator[str]:
    """Write the pictures of a place, those of one size side by side."""
    for size in geometry.SIZES:
        for theme in THEMES:
            source, words = f"sheet/{file_name(place, size, theme)}", f"{size[0]} x {size[1]}, {theme}"
            image = f'<img loading="lazy" src="{source}" alt="{escape(place)}, {words}">'
            yield f'<figure><a href="{source}">{image}</a><figcaption>{words}</figcaption></figure>'


if __name__ == "__main__":
    main()
