"""Journeys of the workbench once more, against a server whose work is done by a cluster of two workers."""

import os
import signal

import pytest

from tests.browser import harness
from tests.browser.test_journeys import (
    PATIENCE,
    SLOW,
    test_cancel_stops_a_long_fit_and_keeps_what_was_reached,
    test_upload_target_fit_picture,
)
from tests.two_workers import two_workers

__all__ = ["test_cancel_stops_a_long_fit_and_keeps_what_was_reached", "test_upload_target_fit_picture"]
distributed = pytest.importorskip("distributed")
# Dask's own clean-up after a worker that was killed warns about what was left open.
pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with two_workers(tmp_path_factory.mktemp("dask")) as running:
        yield running


@pytest.fixture(scope="module")
def server(cluster):
    with harness.running_app(OPNB_DATA_DIR="", OPNB_SCHEDULER=cluster.scheduler_address) as address:
        yield address


def busy_workers(client):
    return [worker for worker, tasks in client.processing().items() if tasks]


def test_a_worker_killed_during_a_fit_is_said_and_the_fit_is_run_again(cluster, tab):
    tab.open(f"?{SLOW}")
    tab.page.get_by_text("Searching").wait_for(timeout=PATIENCE)
    with distributed.Client(cluster, set_as_default=False) as client:
        (worker,) = busy_workers(client)
        os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)
        tab.sees("went away before it was done").sees("This fit was interrupted").shot("cluster-lost")
        tab.page.get_by_role("button", name="Run it again").click()
        tab.page.get_by_text("Searching").wait_for(timeout=PATIENCE)
        assert busy_workers(client), "the work is done elsewhere"
    tab.page.get_by_role("button", name="Cancel").click()
    tab.sees("You stopped this fit").picture()
