"""Image files: drawn in their turn, by a browser without a network, which ends when nobody waits for it."""

import os
import sys
import threading
import time
from pathlib import Path

import plotly.graph_objects as go
import pytest

from opnb.errors import OPNBError
from opnb.figures.export import find_browser
from opnb.studio.work import jobs
from opnb.studio.work.errands import Attended, Visitor
from opnb.studio.work.images import draw_image
from opnb.studio.work.jobs import Job, queue
from opnb.studio.work.limits import EXPORT_SECONDS_VARIABLE

FIGURE = go.Figure(go.Scatter(x=[1, 2], y=[3, 4]))


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """A browser that notes how it was started, and waits for commands as long as any may come, as Chromium does."""
    script = tmp_path / "chromium"
    note = f'echo "$$ $@" > {tmp_path}/noting\nmv {tmp_path}/noting {tmp_path}/started'
    script.write_text(f"#!/bin/sh\n{note}\nexec cat <&3 >/dev/null\n")
    script.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(script))
    return tmp_path / "started"


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def eventually(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_the_browser_has_no_network_and_ends_when_its_visitor_leaves(browser, monkeypatch):
    monkeypatch.setattr(jobs, "_GRACE", 0.05)
    here = threading.Event()
    here.set()
    errand = Attended(Visitor("me", here.is_set))
    errand.look = lambda job, place: here.clear() if browser.exists() else None
    with pytest.raises(OPNBError, match="stopped before it was done"):
        draw_image(errand, FIGURE, "png")
    process, *arguments = browser.read_text().split()
    assert "--proxy-server=http://127.0.0.1:9" in arguments
    eventually(lambda: not is_there(int(process)))


def test_drawing_has_a_limit_on_its_time(browser, monkeypatch):
    monkeypatch.setenv(EXPORT_SECONDS_VARIABLE, "0.01")
    with pytest.raises(OPNBError, match=r"all the time that this server allows it, 0.01 seconds.*HTML"):
        draw_image(Attended(), FIGURE, "svg")


def test_an_image_waits_for_its_turn_among_the_fits(monkeypatch):
    """Nothing is drawn while others hold all places; a visitor who does not wait for it frees its own."""
    gate, places = threading.Event(), []
    holding = [queue().submit(Job(lambda job: gate.wait(60), f"other {i}")) for i in range(queue().limit)]
    errand = Attended(Visitor("me"))

    class GoneError(Exception):
        pass

    def look(job, place):
        places.append(place)
        if len(places) > 1:
            raise GoneError

    errand.look = look
    try:
        with pytest.raises(GoneError):
            draw_image(errand, FIGURE, "png")
    finally:
        gate.set()
    assert places == [1, 1]
    assert all(job.wait(60) for job in holding)


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="an image needs a browser")
def test_an_image_is_drawn():
    assert draw_image(Attended(), FIGURE, "png").startswith(b"\x89PNG")
    assert b"<svg" in draw_image(Attended(), FIGURE, "svg")
