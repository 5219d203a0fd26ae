"""The guard before Streamlit: who is let in, what every answer carries, and how well the service is."""

import asyncio
import json
import threading

import pytest
from streamlit import config, runtime
from streamlit.web.server import server_util

from opnb.studio import logs
from opnb.studio.serving import health, login
from opnb.studio.serving.guard import HEADERS, Guard, is_of_this_computer
from opnb.studio.work.limits import (
    ALL_UPLOADS_VARIABLE,
    METRICS_VARIABLE,
    TURN_VARIABLE,
    UPLOADS_VARIABLE,
    fit_limits,
    restore_bytes,
)
from opnb.workspace.settings import FOLDER


async def streamlit(scope, receive, send):
    """Stand in for Streamlit: let everybody in."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})


def ask(path="/", method="GET", kind="http", app=None, **headers):
    """Send a request to the guard, and give what it sends back."""
    names = {"Host": "name.example"} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.lower().encode(), value.encode()) for name, value in names.items()]
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "path": path, "method": method, "headers": raw}
    asyncio.run((app or Guard(streamlit))(scope, receive, send))
    return sent


def status(*args, **headers):
    return ask(*args, **headers)[0]["status"]


@pytest.fixture
def option(monkeypatch):
    values = {}
    usual = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: values[name] if name in values else usual(name))
    return values


@pytest.mark.parametrize(
    ("origin", "let_in"),
    [
        (None, True),
        ("https://name.example", True),
        ("https://name.example:444", False),
        ("https://evil.example", False),
        ("http://localhost:3000", False),
        ("null", False),
        ("http://[", False),
    ],
)
def test_a_foreign_page_is_refused_before_anybody_is_asked_for_our_address(monkeypatch, origin, let_in):
    def asked(url):
        raise AssertionError("an outside host would be asked")

    monkeypatch.setattr(server_util, "is_url_from_allowed_origins", asked)
    headers = {} if origin is None else {"Origin": origin}
    (answer,) = ask("/_stcore/stream", kind="websocket", **headers)
    assert answer["type"] == ("websocket.accept" if let_in else "websocket.close")


def test_only_the_names_that_the_owner_gave_are_answered(option):
    option["server.allowedHosts"] = ["name.example"]
    assert status() == 200
    assert status(Host="evil.example") == 421
    assert status("/media/x", Host="127.0.0.1:8501") == 421
    assert status("/below/healthz", Host="localhost:8501") == 200, "the machine itself may ask how we are"
    assert ask("/_stcore/stream", kind="websocket", Host="evil.example")[0]["type"] == "websocket.close"


def test_every_answer_says_that_it_is_not_to_be_framed_and_tells_no_address():
    for path in ("/", "/media/x.csv", "/static/x.js"):
        headers = dict(ask(path)[0]["headers"])
        for name, value in HEADERS.items():
            assert headers[name.lower().encode()] == value.encode()
        assert (headers.get(b"cache-control") == b"private, no-store") is path.startswith("/media")


def test_metrics_are_for_who_asked_for_them(monkeypatch):
    assert status("/_stcore/metrics") == status("/below/_stcore/metrics") == 404
    monkeypatch.setenv(METRICS_VARIABLE, "on")
    assert status("/_stcore/metrics") == 200


UPLOAD = "/below/_stcore/upload_file/visit/file"


class Stored:
    """Stands in for Streamlit's memory of files."""

    def __init__(self, **visits):
        self.uploaded_file_mgr = self
        self.file_storage = {visit: {"a": type("File", (), {"data": bytes(size)})} for visit, size in visits.items()}


@pytest.mark.parametrize(
    ("held", "size", "expected"),
    [
        ({}, "1000", 200),
        ({"visit": 2**20}, "1000", 413),
        ({"other": 2**20}, "1000", 200),
        ({"other": 2**20, "third": 2**20}, "1000", 413),
        ({}, "9" * 5_000, 413),
        ({}, "", 413),  # of a size that is not told, as much as may come
    ],
    ids=["first", "mine are many", "another's", "all are many", "absurd", "untold"],
)
def test_files_in_memory_are_limited_by_visitor_and_in_all(monkeypatch, held, size, expected):
    monkeypatch.setenv(UPLOADS_VARIABLE, "1")
    monkeypatch.setenv(ALL_UPLOADS_VARIABLE, "2")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: Stored(**held))
    assert status(UPLOAD, "PUT", Content_Length=size) == expected


def test_files_on_their_way_count_too(monkeypatch):
    monkeypatch.setenv(UPLOADS_VARIABLE, "1")
    statuses = []

    async def slow(scope, receive, send):
        await asyncio.to_thread(lambda: statuses.append(status(UPLOAD, "PUT", app=door, Content_Length="600000")))
        await streamlit(scope, receive, send)

    door = Guard(slow)
    statuses.append(status(UPLOAD, "PUT", app=door, Content_Length="600000"))
    assert statuses == [413, 200]
    assert not door._coming


def test_where_there_is_a_login_strangers_send_no_files(monkeypatch):
    monkeypatch.setattr(login, "is_wanted", lambda: True)
    monkeypatch.setattr(login, "get_cookie_secret", lambda: "secret")
    assert status(UPLOAD, "PUT", Content_Length="10") == 403
    for forged in ("", "x", "ö", '{"is_logged_in": true}'):
        assert not login.is_logged_in({"_streamlit_user": forged})
    from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

    for known, expected in (({"is_logged_in": True}, 200), ({"is_logged_in": False}, 403), ([], 403)):
        signed = create_signed_value("secret", "_streamlit_user", json.dumps(known))
        signed = signed.decode() if isinstance(signed, bytes) else signed
        assert status(UPLOAD, "PUT", Content_Length="10", Cookie=f"_streamlit_user={signed}") == expected


@pytest.mark.parametrize(
    ("headers", "here"),
    [
        ({}, True),
        ({"Host": "localhost:8501"}, True),
        ({"Host": "[::1]:8501"}, True),
        ({"Host": "name.example"}, False),
        ({"Host": "localhost", "X-Forwarded-For": "1.2.3.4"}, False),
        ({"Host": "["}, False),
    ],
)
def test_a_request_that_a_proxy_passed_on_is_not_of_this_computer(headers, here):
    assert is_of_this_computer(headers) is here


def test_a_request_is_one_line_that_tells_no_address(capsys):
    logs.set_up_logs()
    status("/media/secret-name.csv")
    status("/static/x.js")
    ask("/_stcore/stream", kind="websocket", Origin="https://evil.example")
    written = capsys.readouterr().err
    lines = [json.loads(line) for line in written.splitlines()]
    assert [(line["route"], line["status"]) for line in lines] == [("download", 200), ("stream", 403)]
    assert (lines[0]["method"], lines[0]["bytes"]) == ("GET", 4)
    assert "secret" not in written
    assert "evil" not in written


def test_health_means_that_queues_move_and_the_disk_can_be_written(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    assert health.queues_move()
    assert health.disk_is_writable()
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(FOLDER, str(tmp_path / "file" / "kept"))
    assert not health.disk_is_writable()
    monkeypatch.setenv(TURN_VARIABLE, "1")
    monkeypatch.setattr(health.queue(), "idle_seconds", lambda: 11.0)
    assert not health.queues_move()


def test_an_answer_about_health_counts_for_a_while(monkeypatch):
    looks = []
    found = health.Health({"disk": lambda: bool(looks.append(1))})
    answers = [found.answer(None) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [503] * 3
    assert json.loads(answers[0].body) == {"status": "failing", "disk": "failing"}
    assert len(looks) == 1


@pytest.mark.parametrize("given", ["inf", "nan", "-1", "many", ""])
def test_a_limit_that_is_no_number_counts_as_not_set(given):
    assert fit_limits({"OPNB_MAX_FIT_SECONDS": given}).seconds == 1800
    assert restore_bytes({"OPNB_MAX_RESTORE_MB": given}) == 200 * 2**20


def test_downloads_that_wait_for_their_turn_keep_no_other_download_out():
    """Streamlit makes each in a thread; there are as many as processors and four if nobody says otherwise."""

    async def downloads():
        gate = threading.Event()
        async with health.lifespan(None):
            waiting = [asyncio.create_task(asyncio.to_thread(gate.wait, 60)) for _ in range(40)]
            try:
                return await asyncio.wait_for(asyncio.to_thread(lambda: "made"), 30)
            finally:
                gate.set()
                await asyncio.gather(*waiting)

    assert asyncio.run(downloads()) == "made"
