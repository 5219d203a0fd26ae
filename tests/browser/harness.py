"""The app on a port of this machine, a Chromium, and the moves of a visitor."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "screenshots"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
PATIENCE = 30_000  # milliseconds, on a machine that may be busy


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def wait_for(address, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        try:
            return urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).read()
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def start_app(port, script="app.py", *, folder="", **environment):
    """Start the app, or another script, below a folder or not, and give its process once it answers."""
    command = [sys.executable, "-m", "streamlit", "run", script]
    command += ["--server.port", str(port), "--server.headless", "true", "--server.baseUrlPath", folder]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, env=os.environ | environment
        )
    try:
        wait_for(f"http://localhost:{port}/{folder}".rstrip("/"), process)
    except BaseException:
        process.kill()
        raise
    return process


@contextmanager
def running_app(script="app.py", **environment):
    """Run the app, or another script, and give its address; its workspaces are gone afterwards."""
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as workspaces:
        process = start_app(port, script, **{"OPNB_WORKSPACES": workspaces} | environment)
        try:
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def chromium(*flags):
    """Start the system's Chromium, or the one that Playwright has installed."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=[*FLAGS, *flags])
        yield browser
        browser.close()


class Tab:
    """A visitor's browser tab, with the few moves the journeys share."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        page.set_default_timeout(PATIENCE)

    def open(self, path=""):
        self.page.goto(f"{self.address}/{path}")
        return self

    def picture(self):
        """Wait until the picture is drawn and nothing runs."""
        self.page.locator(".js-plotly-plot .nsewdrag").first.wait_for(state="attached")
        return self.still()

    def still(self):
        self.page.wait_for_function(
            "() => !document.querySelector('[data-test-script-state=running]')"
            " && !document.querySelector('[data-stale=true]')"
        )
        return self

    def sees(self, text):
        self.page.get_by_text(text).filter(visible=True).first.wait_for()
        return self

    def segment(self, name):
        self.page.get_by_role("radio", name=name).or_(self.page.get_by_role("button", name=name)).first.click()
        return self.still()

    def at_rest(self):
        """Wait until nothing slides: a box that unfolds scrolls, which closes a list that drops down in it."""
        self.page.wait_for_function(
            "() => document.getAnimations().every("
            "one => one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)"
        )
        return self

    def choose(self, label, option):
        """Choose from a list that drops down; one that a moving page closes again is opened again."""
        for patience in (5_000, 5_000, PATIENCE):
            self.at_rest().page.get_by_role("combobox", name=label).first.click()
            try:
                self.page.get_by_role("option", name=option).first.click(timeout=patience)
                break
            except Late:
                if patience == PATIENCE:
                    raise
        return self.still()

    def figure(self, script):
        """Ask the first figure something, in JavaScript; `plot` is its element, once it is drawn."""
        answer = self.page.wait_for_function(
            "() => { const plot = document.querySelector('.js-plotly-plot');"
            f" try {{ return plot && {{ value: {script} }}; }} catch {{ return null; }} }}"
        )
        return answer.json_value().get("value")

    def shared(self):
        """Give the query of a link to what is shown: the address without the workspace, which is the visitor's own."""
        query = urllib.parse.parse_qsl(urllib.parse.urlsplit(self.page.url).query)
        return "?" + urllib.parse.urlencode([pair for pair in query if pair[0] != "workspace"])

    def shot(self, name):
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")
        return self


def open_context(browser, *, dark=False, phone=False):
    """A browser profile of its own."""
    size = {"width": 390, "height": 844} if phone else {"width": 1440, "height": 900}
    more = {"user_agent": PHONE, "has_touch": True} if phone else {}
    return browser.new_context(viewport=size, color_scheme="dark" if dark else "light", **more)
