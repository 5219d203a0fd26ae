"""What holds for all tests."""

import os
import sys

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:
    # Every processor has a process of tests already: threads of one would only wait for those of another. Set
    # before the libraries are loaded, which read it once.
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from opnb.workspace.settings import FOLDER


@pytest.fixture(autouse=True)
def _no_workspaces(monkeypatch):
    """Keep tests out of the home folder of whoever runs them; a test of workspaces names a folder of its own."""
    monkeypatch.setenv(FOLDER, "off")


@pytest.fixture(autouse=True)
def _own_main_module(monkeypatch):
    """Streamlit's tests of pages leave the last page as the main module, which new processes would then import."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
