"""What the running server lets in, asked without a browser."""

import urllib.request

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from opnb.data import Limits
from tests.studio import nasty
from tests.visitor import Visitor, put_file, status_of


@pytest.fixture
def visitor(server):
    visitor = Visitor(server)
    yield visitor
    visitor.leave()


def test_a_change_and_fit_that_arrive_together_make_the_fit(visitor):
    visitor.set("Directions", double_value=4.0)
    visitor.press("Fit")
    visitor.follow(lambda visitor: "Cancel" not in visitor.widgets)
    assert len(visitor.widgets["Up"][1].options) == 4


@pytest.mark.slow
def test_an_upload_reaches_the_page_and_its_names_stay_text(visitor):
    visitor.upload("Or your own table", nasty.FILE_NAME.replace('"', ""), nasty.table())
    visitor.follow(lambda it: "Cancel" not in it.widgets)
    assert not visitor.faults
    assert visitor.charts > 0
    assert any("72 rows" in text for text in visitor.texts)


def test_an_upload_without_the_token_of_this_site_is_refused(visitor):
    address = f"{visitor.address}/_stcore/upload_file/{visitor.session}/anything"
    assert put_file(address, "a.csv", b"a,b\n1,2\n", visitor.token, **{"X-Xsrftoken": ""}) == 403


def test_the_server_itself_refuses_what_is_too_large(visitor):
    address = f"{visitor.address}/_stcore/upload_file/{visitor.session}/anything"
    announced = {"Content-Length": str(Limits().max_bytes + 1)}
    assert put_file(address, "a.csv", b"a,b\n1,2\n", visitor.token, **announced) == 413


def test_nobody_can_send_files_to_a_visit_that_is_not_there(visitor):
    assert (
        put_file(f"{visitor.address}/_stcore/upload_file/nobody/anything", "a.csv", b"a,b\n1,2\n", visitor.token) == 400
    )


def test_a_program_cannot_drive_the_app_by_streamlits_interface_for_programs(visitor):
    address = f"{visitor.address}/_stcore/agent/interact"
    request = urllib.request.Request(address, data=b"{}", headers={"Content-Type": "application/json"}, method="POST")
    assert status_of(request) in (403, 404)


def test_the_guard_stands_before_the_app(server):
    for path, expected in (("/_stcore/metrics", 404), ("/healthz", 200), ("/below/healthz", 200)):
        assert status_of(urllib.request.Request(server + path)) == expected
    with urllib.request.urlopen(server) as page:
        assert page.headers["X-Frame-Options"] == "SAMEORIGIN"
        assert page.headers["Referrer-Policy"] == "no-referrer"


def test_a_websocket_of_a_foreign_page_is_refused(server):
    stream = f"{server.replace('http', 'ws')}/_stcore/stream"
    with pytest.raises(InvalidStatus, match="403"), connect(stream, origin="https://evil.example"):
        pass
