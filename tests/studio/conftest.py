"""A visit to the app without a browser."""

import json
import time
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
TIMEOUT = 60


def figures(at):
    """Give the figures on the page, as the browser gets them."""
    elements = [element.proto for element in at.get("bidi_component")]
    sent = [element.bytes for element in elements if element.component_name in ("opnb_chart", "opnb_story")]
    return [json.loads(data.split(b"\n", 1)[1]) for data in sent]


class Visit:
    """One visitor: runs the app and finds things by the words a person sees."""

    def __init__(self, **query):
        self.at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=TIMEOUT)
        for name, value in query.items():
            self.at.query_params[name.replace("_", "-")] = value
        self.run()

    @property
    def state(self):
        return self.at.session_state["studio"]

    def run(self):
        self.at.run()
        return self.settled()

    def settled(self):
        """Wait for the fit under way, as a page that asks again and again does."""
        deadline = time.monotonic() + TIMEOUT
        while "studio" in self.at.session_state and self.state.job is not None and "Workbench" in self.page:
            assert self.state.job.wait(max(deadline - time.monotonic(), 0)), "the fit did not end"
            self.at.run()
        assert not self.at.exception, self.at.exception
        return self

    def waited(self):
        """Wait for the fit and the studies of the page, and those that come after them."""
        deadline = time.monotonic() + TIMEOUT
        while self.state.studies.job is not None or self.state.job is not None:
            job = self.state.job or self.state.studies.job
            assert job.wait(max(deadline - time.monotonic(), 0)), "the work did not end"
            self.run()
        return self

    page = "Workbench"

    def go(self, page):
        self.page = page
        self.at.switch_page(f"pages/{page.lower()}.py")
        return self.run()

    def find(self, kind, label):
        found = [widget for widget in getattr(self.at, kind) if widget.label == label]
        assert found, f"no {kind} is called {label!r}: {[w.label for w in getattr(self.at, kind)]}"
        return found[0]

    def choose(self, kind, label, value):
        self.find(kind, label).set_value(value)
        return self.run()

    def fill(self, kind, label, value):
        """Set a field of a form; nothing runs before the form is sent."""
        self.find(kind, label).set_value(value)
        return self

    def press(self, label):
        self.find("button", label).click()
        return self.run()

    def segment(self, label, value):
        self.find("segmented_control", label).set_value(value)
        return self.run()

    def upload(self, name, data, mime="text/csv"):
        self.at.file_uploader[0].set_value((name, data, mime))
        return self.run()

    @property
    def errors(self):
        return " ".join(element.value.replace("\\", "") for element in self.at.error)

    @property
    def words(self):
        kinds = ("markdown", "caption", "info", "warning", "success", "header")
        return " ".join(e.value.replace("\\", "") for kind in kinds for e in getattr(self.at, kind))

    def figures(self):
        return figures(self.at)


@pytest.fixture(autouse=True, scope="session")
def _one_look_for_components():
    """A server looks once for packages with components, a test of pages at every visit: half of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def _trials_of_remedies_here(monkeypatch):
    """Try remedies in the job's own thread: a process takes seconds to start. Those of the process undo this."""

    def here(job, work, arguments, heard, *, keep):
        work(heard, **arguments)

    monkeypatch.setattr("opnb.studio.diagnose.trials.run_in_child", here)


@pytest.fixture
def visit():
    return Visit


@pytest.fixture
def table():
    """A small table with a header, as CSV."""
    rows = [f"{i % 7},{(i * i) % 11},{'ab'[i % 2]}" for i in range(40)]
    return "\n".join(["length,width,kind", *rows]).encode()
