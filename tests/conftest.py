"""What holds for all tests."""

import json
import os
import sys

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:
    # Every processor has a process of tests already: threads of one would only wait for those of another. Set
    # before the libraries are loaded, which read it once.
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import plotly.graph_objects as go
from numpy.testing import assert_equal

from opnb.figures import palette
from opnb.figures.sketch import parts_json, parts_of
from opnb.workspace.settings import FOLDER


@pytest.fixture(autouse=True)
def _no_workspaces(monkeypatch):
    """Keep tests out of the home folder of whoever runs them; a test of workspaces names a folder of its own."""
    monkeypatch.setenv(FOLDER, "off")


@pytest.fixture(autouse=True)
def _own_main_module(monkeypatch):
    """Streamlit's tests of pages leave the last page as the main module, which new processes would then import."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(autouse=True, scope="session")
def _checked_figures():
    """Have Plotly check every figure that a test draws: it must be what Plotly makes of it."""
    unchecked = palette._unchecked

    def checked(traces, layout):
        figure, usual = unchecked(traces, layout), go.Figure(data=traces, layout=layout)
        assert_equal(unchecked(traces, layout).to_dict(), usual.to_dict())
        assert json.loads(parts_json(parts_of(figure))) == json.loads(usual.to_json())
        assert not any(_has_tuple(part) for name, part in layout.items() if name != "meta")  # Plotly reads lists alone
        return figure

    palette._unchecked = checked
    yield
    palette._unchecked = unchecked


def _has_tuple(part):
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return isinstance(part, tuple) or any(map(_has_tuple, inner))
