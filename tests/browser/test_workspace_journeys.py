"""Nothing lost, in a real Chromium: reload, closed tab, killed server; and two visitors who never see each other."""

import json
import re
import signal
from contextlib import closing
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import harness
from tests.browser.relay import Relay
from tests.browser.test_journeys import SLOW, TABLE, file_of

pytestmark = pytest.mark.browser

SIGNS = {
    "Workbench": "60 rows",
    "Data": "What was done",
    "Diagnose": "on this fit",
    "Tune": "What to try",
    "Compare": "About the data",
    "Learn": "Things to try",
    "Benchmark": "Results",
}
MINE = TABLE.replace("colour", "amber").replace("kind", "breed")
YOURS = TABLE.replace("colour", "violet").replace("kind", "tribe").replace("width", "breadth")


@pytest.fixture
def own_server(tmp_path):
    """A server that can be killed, and started again on its port with the same workspaces."""

    class Server:
        port = harness.free_port()
        address = f"http://localhost:{port}"

        def start(self):
            self.process = harness.start_app(self.port, OPNB_WORKSPACES=str(tmp_path), OPNB_DATA_DIR="")
            return self

        def kill(self):
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(30)

    server = Server().start()
    yield server
    server.kill()


@pytest.fixture
def relay(own_server):
    with closing(Relay(own_server.port)) as relay:
        yield relay


def workspace_of(tab):
    return parse_qs(urlsplit(tab.page.url).query).get("workspace", [""])[0]


def upload(tab, text, name="mine.csv"):
    tab.open().picture()
    tab.page.locator("input[type=file]").first.set_input_files(file_of(text, name))
    return tab.sees("60 rows").picture()


def saved(tab):
    """Open the panel, and wait until it says that all is saved."""
    panel = tab.page.locator("summary", has_text="Workspace")
    panel.scroll_into_view_if_needed()
    if tab.page.get_by_text("All is saved").count() == 0 or not tab.page.get_by_text("All is saved").is_visible():
        panel.click()
    tab.page.get_by_text("All is saved").wait_for()
    return tab


def shows_mine(tab):
    expect(tab.picture().page.get_by_role("combobox", name="Data").first).to_have_value("mine.csv (your table)")
    return tab.sees("60 rows")


def test_a_reload_a_closed_tab_and_another_page_lose_nothing(tab):
    saved(upload(tab, MINE)).shot("workspace-wide-light")
    assert workspace_of(tab)
    tab.page.reload()
    shows_mine(tab)
    tab.page.get_by_role("link", name="Data", exact=True).first.click()
    tab.sees("What was done").still()
    tab.page.wait_for_url(re.compile("workspace="))
    tab.page.reload()
    tab.sees("What was done").sees("mine.csv").still()
    tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
    shows_mine(tab).sees("Fits (2)")
    address = tab.page.url
    tab.page.close()
    again = harness.Tab(tab.page.context.new_page(), tab.address)
    again.page.goto(address)
    shows_mine(again).sees("Fits (2)")


def test_a_reload_in_the_middle_of_a_fit_goes_on_with_it(tab):
    start = "() => Number((document.body.innerText.match(/start (\\d+) of 100/) || [0, 0])[1])"
    tab.open(f"?{SLOW}").sees("Searching")
    tab.page.wait_for_url(re.compile("workspace="))
    tab.page.wait_for_function(f"() => ({start})() >= 4")
    tab.page.reload()
    tab.sees("Searching")
    assert tab.page.evaluate(start) >= 4, "the fit began anew"
    tab.page.get_by_role("button", name="Cancel").click()
    tab.sees("You stopped this fit").picture()


def test_a_killed_server_comes_back_with_everything_and_the_interrupted_fit(chromium, own_server):
    context = harness.open_context(chromium)
    tab = harness.Tab(context.new_page(), own_server.address)
    simulated = urlencode({"data": "simulator:gaussian", "sim": json.dumps({"n": 20_000, "n_features": 20})})
    saved(tab.open(f"?{simulated}").picture())
    tab.choose("Start from", "random")
    tab.page.get_by_role("spinbutton", name="Random starts").fill("100")
    tab.page.keyboard.press("Tab")
    tab.still().page.get_by_role("button", name="Fit", exact=True).click()
    tab.sees("Searching")
    own_server.kill()
    own_server.start()
    tab.page.reload()
    tab.picture().sees("20,000 rows").sees("This fit was interrupted").sees("Fits (1)").shot("workspace-interrupted")
    tab.page.get_by_role("button", name="Run it again").click()
    tab.sees("Searching")
    tab.page.get_by_role("button", name="Cancel").click()
    tab.sees("You stopped this fit").picture().sees("Fits (2)")
    context.close()


def test_a_dropped_connection_loses_nothing(chromium, relay):
    context = harness.open_context(chromium)
    tab = harness.Tab(context.new_page(), relay.address)
    saved(upload(tab, MINE))
    relay.cut()
    tab.page.get_by_text("Connecting").or_(tab.page.get_by_text("Connection error")).first.wait_for()
    slider = tab.page.get_by_role("slider").first
    expect(slider).to_be_disabled()  # nothing can be changed that would be lost
    relay.mend()
    expect(slider).to_be_enabled(timeout=harness.PATIENCE)
    slider.press("ArrowRight")  # a fit of the same settings would not be made again
    tab.sees("settings have changed").page.get_by_role("button", name="Fit", exact=True).click()
    shows_mine(tab).sees("Fits (3)")
    context.close()


def test_two_visitors_at_once_never_see_each_other(new_tab):
    mine, yours = new_tab(), new_tab()
    upload(mine, MINE, "mine.csv")
    upload(yours, YOURS, "yours.csv")
    for tab in (mine, yours):
        saved(tab)
    assert workspace_of(mine) != workspace_of(yours)
    for reloaded in (False, True):
        for tab, own, foreign in (
            (mine, "mine.csv", r"yours\.csv|violet|tribe"),
            (yours, "yours.csv", r"\bmine\.csv|amber|breed"),
        ):
            if reloaded:
                tab.page.reload()
            for name, sign in SIGNS.items():
                tab.page.get_by_role("link", name=name, exact=True).first.click()
                tab.sees(sign).still()
                if name == "Data":
                    tab.sees(own)
                assert not re.search(foreign, tab.page.content()), f"{own}: {name} shows another's data"
                assert workspace_of(tab)


def test_a_workspace_moves_to_another_browser_as_a_file(tab, new_tab, tmp_path):
    saved(upload(tab, MINE))
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Download everything").click()
    waiting.value.save_as(tmp_path / "workspace.zip")
    other = new_tab(phone=True, dark=True).open().picture()
    other.page.get_by_test_id("stExpandSidebarButton").click()
    other.page.locator("summary", has_text="Workspace").click()
    other.still().page.locator("input[type=file]").last.set_input_files(tmp_path / "workspace.zip")
    other.sees("60 rows").still().shot("workspace-phone-dark")
    assert workspace_of(other) not in ("", workspace_of(tab))


def test_everything_is_forgotten_at_a_click_that_is_meant(tab):
    saved(upload(tab, MINE))
    address = tab.page.url
    tab.page.get_by_role("button", name="Forget this workspace").click()
    tab.sees("deleted for good").shot("workspace-forget")
    tab.page.get_by_role("button", name="Forget everything").click()
    tab.page.wait_for_url(lambda url: "workspace=" not in url)
    tab.picture()
    tab.page.goto(address)
    tab.sees("could not be opened").picture()
    assert tab.page.get_by_text("mine.csv").count() > 0  # the link beside it asks for the file
    assert workspace_of(tab) != parse_qs(urlsplit(address).query)["workspace"][0]


def test_a_restarted_server_finds_the_tab_on_another_page_in_its_workspace(chromium, own_server):
    """The address loses the workspace with a click on another page; the tab does not."""
    context = harness.open_context(chromium)
    tab = harness.Tab(context.new_page(), own_server.address)
    saved(upload(tab, MINE))
    kept = workspace_of(tab)
    own_server.kill()
    own_server.start()
    tab.page.get_by_text("Connecting").or_(tab.page.get_by_text("Connection error")).first.wait_for(state="hidden")
    tab.page.get_by_role("link", name="Data", exact=True).first.click()
    tab.sees("mine.csv").still()
    tab.page.wait_for_url(re.compile(f"workspace={kept}"))
    tab.page.goto(own_server.address)
    shows_mine(tab)
    assert workspace_of(tab) == kept
    context.close()


def test_a_link_to_a_workspace_asks_a_browser_that_does_not_know_it(tab, new_tab):
    saved(upload(tab, MINE))
    address, kept = tab.page.url, workspace_of(tab)
    second = harness.Tab(tab.page.context.new_page(), tab.address)
    second.page.goto(address)
    shows_mine(second)
    assert workspace_of(second) == kept, "another tab of the same browser is not asked"
    other = new_tab()
    other.page.goto(address)
    other.sees("they see what you do").shot("workspace-link")
    assert other.page.get_by_text("mine.csv").count() == 0
    other.page.get_by_role("button", name="Take a copy").click()
    shows_mine(other)
    other.page.wait_for_url(lambda url: "workspace=" in url and kept not in url)
    other.page.reload()
    shows_mine(other)
