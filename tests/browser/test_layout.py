"""Every page at every size and in both themes: nothing cut, nothing on something else, nothing sideways, the fold where
it belongs, a first heading, and nothing that axe objects to.
"""

import pytest

from tests.browser import accessibility, geometry
from tests.browser.places import LESSON_PATHS, PAGES, open_place, wear

pytestmark = pytest.mark.browser

LAPTOP = (1366, 768)


def troubles_at(tab, sizes, fold=()):
    """Give the troubles of a page at all sizes, a line each."""
    found = ((size, geometry.troubles(tab.page, fold)) for size in geometry.at_sizes(tab.page, sizes))
    return "\n".join(f"{w} x {h}: {trouble}" for (w, h), troubles in found for trouble in troubles)


def broken_in_both_themes(tab):
    """Give what axe finds on a page in light and in dark, a line each."""
    found = []
    for theme in ("light", "dark"):
        wear(tab, theme)
        found += [f"{theme}: {sentence}" for sentence in accessibility.broken_rules(tab.page)]
    return "\n".join(found)


def check(tab, sizes, fold=()):
    """Look at a page at all sizes, and by axe at the last of them."""
    troubles = troubles_at(tab, sizes, fold)
    assert not troubles, troubles
    broken = broken_in_both_themes(tab)
    assert not broken, broken
    assert tab.page.locator("h1:visible").count() == 1


@pytest.mark.parametrize("name", PAGES)
def test_a_page_on_large_screens(new_tab, name):
    path, fold = PAGES[name]
    check(open_place(new_tab(), path), [*geometry.LARGE, LAPTOP], fold)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_on_a_phone(new_tab, name):
    check(open_place(new_tab(phone=True), PAGES[name][0]), [geometry.PHONE])


@pytest.mark.parametrize("lesson", LESSON_PATHS)
def test_axe_finds_nothing_in_a_lesson(new_tab, lesson):
    tab = open_place(new_tab(), LESSON_PATHS[lesson])
    for size in geometry.at_sizes(tab.page, [LAPTOP, geometry.PHONE]):
        broken = broken_in_both_themes(tab)
        assert not broken, f"{size}: {broken}"


@pytest.mark.parametrize("rule", accessibility.STREAMLITS)
def test_a_rule_that_streamlit_no_longer_breaks_is_not_listed(tab, rule):
    assert accessibility.breaks_still(open_place(tab, "data").page, rule)


def test_the_side_bar_is_gone_with_the_workbench(tab):
    open_place(tab, "")
    for _ in range(3):  # sometimes Streamlit leaves it standing
        tab.page.get_by_role("link", name="Data", exact=True).first.click()
        tab.sees("What was done").still()
        assert not tab.page.locator("[data-testid=stSidebar]").is_visible()
        tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
        tab.picture()
