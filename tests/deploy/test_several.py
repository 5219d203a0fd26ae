"""Several processes behind nginx with one store: a visitor stays at one of them, and finds everything at another."""

import re
import time
from collections import Counter
from contextlib import ExitStack

import pytest

from tests.browser import harness
from tests.browser.test_workspace_journeys import MINE, saved, upload, workspace_of
from tests.deploy.machine import DEPLOY, NAME, PATIENCE, Nginx, need

pytestmark = pytest.mark.deploy
SEATS = [f"{number:032x}" for number in range(16)]


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Two processes of the app with one store, by their ports."""
    need("nginx", "openssl")
    store = str(tmp_path_factory.mktemp("store"))
    environment = {"OPNB_WORKSPACES": store, "OPNB_DATA_DIR": "", "STREAMLIT_SERVER_ALLOWED_HOSTS": NAME}
    with ExitStack() as running:
        started = {}
        for port in (harness.free_port(), harness.free_port()):
            started[port] = harness.start_app(port, **environment)
            running.callback(end, started[port])
        yield started


def end(process):
    process.kill()
    process.wait(30)


@pytest.fixture(scope="module")
def nginx(processes, tmp_path_factory):
    """The site for several processes; its log also says which of them was asked."""
    first, second = processes
    site = (DEPLOY / "nginx.conf").read_text()
    for old, new in {
        "# server 127.0.0.1:8502;": f"server 127.0.0.1:{second};",
        "# add_header Set-Cookie": "add_header Set-Cookie",
        "$request_time'": "$request_time $upstream_addr'",
    }.items():
        assert site.count(old) == 1, old
        site = site.replace(old, new)
    served = Nginx(tmp_path_factory.mktemp("nginx"), first, site)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            served.ask("/")
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    yield served
    served.end()


def asked(nginx, least=0):
    """Give the ports that requests went to, the latest last, once there are as many; a line comes after its answer."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = _asked(nginx)
        if len(found) >= least:
            return found
        time.sleep(0.05)
    raise AssertionError(f"only {len(found)} requests are in the log")


def _asked(nginx):
    return [int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)$", nginx.log.read_text(), re.MULTILINE)]


def test_a_seat_is_given_once_and_kept(nginx, processes):
    before = len(asked(nginx, 1))
    _, headers, _ = nginx.ask("/")
    assert re.match(r"opnb_seat=[0-9a-f]{32}; Path=/; Secure; HttpOnly", headers["Set-Cookie"])
    for seat in SEATS * 3:
        nginx.ask("/", Cookie=f"opnb_seat={seat}")
    ports = {}
    for seat, port in zip(SEATS * 3, asked(nginx, before + 1 + 3 * len(SEATS))[before + 1 :], strict=True):
        ports.setdefault(seat, set()).add(port)
    assert all(len(each) == 1 for each in ports.values()), "a visitor was passed around"
    assert {port for each in ports.values() for port in each} == set(processes), "all went to one process"
    _, headers, _ = nginx.ask("/", Cookie="opnb_seat=anything else")
    assert "anything" not in headers["Set-Cookie"]


def test_a_visitor_moved_to_another_process_finds_everything(nginx, processes):
    before = len(asked(nginx))
    with harness.chromium(f"--host-resolver-rules=MAP {NAME} 127.0.0.1") as browser:
        context = browser.new_context(ignore_https_errors=True, viewport={"width": 1440, "height": 900})
        tab = harness.Tab(context.new_page(), nginx.address)
        saved(upload(tab, MINE))
        kept = workspace_of(tab)
        # One process, but for a request that it kept waiting while it was busy with its start.
        ((port, _),) = Counter(asked(nginx)[before:]).most_common(1)
        end(processes[port])
        tab.page.get_by_text("Connecting").or_(tab.page.get_by_text("Connection error")).first.wait_for(state="hidden")
        tab.page.get_by_role("link", name="Data", exact=True).first.click()
        tab.sees("mine.csv").still()
        tab.page.wait_for_url(re.compile(f"workspace={kept}"))
        tab.page.get_by_role("link", name="Workbench", exact=True).first.click()
        tab.sees("60 rows").picture().sees("Fits (2)")
        assert workspace_of(tab) == kept
        context.close()
    assert asked(nginx)[-1] != port
