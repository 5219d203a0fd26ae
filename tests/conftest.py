"""What holds for all tests."""

import pytest

from opnb.workspace.settings import FOLDER


@pytest.fixture(autouse=True)
def _no_workspaces(monkeypatch):
    """Keep tests out of the home folder of whoever runs them; a test of workspaces names a folder of its own."""
    monkeypatch.setenv(FOLDER, "off")
