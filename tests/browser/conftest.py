"""One server and one Chromium for all journeys."""

import pytest

from tests.browser import harness


@pytest.fixture(scope="session")
def server():
    with harness.running_app(OPNB_DATA_DIR="") as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    with harness.chromium() as browser:
        yield browser


@pytest.fixture
def new_tab(chromium, server):
    """Make tabs, each with a browser profile of its own."""
    contexts = []

    def make(**look):
        contexts.append(harness.open_context(chromium, **look))
        return harness.Tab(contexts[-1].new_page(), server)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def tab(new_tab):
    return new_tab()
