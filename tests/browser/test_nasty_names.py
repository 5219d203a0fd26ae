"""A table full of markup in a real browser: all is shown as it is, nothing runs, nothing is fetched elsewhere."""

from urllib.parse import urlsplit

import pytest

from tests.studio import nasty

pytestmark = pytest.mark.browser

# Elements that only markup in a name could have made.
_MADE = f"""() => [...document.querySelectorAll('b, strong, em, i, a, img, hr, li li, .katex, p code, td code')]
    .map(e => e.outerHTML.slice(0, 300))
    .filter(text => text.includes('{nasty.MARK}') || text.includes('{nasty.HOST}'))"""


@pytest.fixture
def watched(tab):
    """A tab with a record of where it sends requests, and of errors in the page."""
    tab.hosts, tab.faults = set(), []
    tab.page.on("request", lambda request: tab.hosts.add(urlsplit(request.url).hostname))
    tab.page.on("pageerror", lambda error: tab.faults.append(str(error)))
    tab.page.on("dialog", lambda dialog: tab.faults.append(dialog.message))
    return tab


def harmless(tab):
    tab.still()
    assert tab.page.evaluate("() => window.__pwned") is None
    assert {host for host in tab.hosts if host} <= {"localhost"}, tab.hosts
    assert tab.page.evaluate(_MADE) == []
    assert not tab.faults


def upload(tab):
    tab.page.locator("input[type=file]").first.set_input_files(
        {"name": nasty.FILE_NAME, "mimeType": "text/csv", "buffer": nasty.table()}
    )


def test_nothing_in_a_table_comes_alive_in_the_pages_or_the_report(watched, tmp_path):
    tab = watched.open().picture()
    upload(tab)
    tab.page.wait_for_function(
        f"() => document.querySelector('.js-plotly-plot')?.textContent?.includes('{nasty.MARK}')"
    )
    harmless(tab)
    assert "<img src=" in tab.page.locator(".js-plotly-plot .legend").first.text_content()
    tab.page.locator(".js-plotly-plot .points path").nth(3).hover(force=True)
    harmless(tab)
    tab.shot("nasty-workbench").segment("Take away")
    harmless(tab)
    report = tmp_path / "report.html"
    with tab.page.expect_download() as begun:
        tab.page.get_by_role("button", name="Report").first.click()
    begun.value.save_as(report)
    for page, sign in (("Data", "What was done"), ("Diagnose", "About the fit")):
        tab.page.get_by_role("link", name=page).first.click()
        tab.sees(sign)
        harmless(tab)
        tab.shot(f"nasty-{page.lower()}")
    tab.page.goto(report.as_uri())
    tab.page.locator(".js-plotly-plot .nsewdrag").first.wait_for(state="attached")
    assert nasty.MARK in tab.page.locator("body").inner_text()
    harmless(tab)
    tab.shot("nasty-report")
