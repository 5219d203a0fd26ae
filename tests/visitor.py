"""A visitor without a browser: speaks Streamlit's own protocol over a websocket, and knows what the pages showed.

It asks again and again where the page asks for it, as a browser does, and counts how long every answer took.
"""

import json
import time
import urllib.error
import urllib.request
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

PATIENCE = 150.0  # seconds for one answer
_DONE = {ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY}


@dataclass
class Answers:
    """Seconds until the page had answered: to what the visitor did, and to its asking for news."""

    asked: list[float] = field(default_factory=list)
    followed: list[float] = field(default_factory=list)


class Visitor:
    """One visit."""

    def __init__(self, address, query="", cookies=None, origin=None):
        self.address, self.query = address, query
        self.token = _xsrf_token(address)
        self.widgets, self.states, self.pages = {}, {}, {}
        self.texts, self.faults, self.charts = [], [], 0
        self.again, self.page, self.session, self.sent_to = {}, "", "", ""
        self.answers = Answers()
        self._open = ExitStack()
        sent = (cookies or {}) | {"_streamlit_xsrf": self.token}
        connection = connect(
            address.replace("http", "ws") + "/_stcore/stream",
            subprotocols=["streamlit", self.token],
            origin=origin,
            additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in sent.items())},
            max_size=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )
        self.socket = self._open.enter_context(connection)
        self.ask()

    def leave(self):
        self._open.close()

    def ask(self, fragment="", follow=False, **triggers):
        """Have the page, or a part of it, run, and wait for its end."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash = self.query, self.page
        state.fragment_id, state.is_auto_rerun = fragment, follow
        state.context_info.timezone, state.context_info.locale = "UTC", "en"
        state.context_info.url = self.address
        state.widget_states.widgets.extend(self.states.values())
        for widget in triggers:
            state.widget_states.widgets.append(WidgetState(id=widget, trigger_value=True))
        began = time.perf_counter()
        self.socket.send(message.SerializeToString())
        self._receive(lambda answer: answer.WhichOneof("type") == "script_finished" and answer.script_finished in _DONE)
        (self.answers.followed if follow else self.answers.asked).append(time.perf_counter() - began)

    def _receive(self, wanted):
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = ForwardMsg.FromString(self.socket.recv(timeout=max(deadline - time.monotonic(), 0.001)))
            self._take_in(answer)
            if wanted(answer):
                return answer

    def _take_in(self, answer):
        kind = answer.WhichOneof("type")
        if kind == "new_session":
            self.page, self.session = (
                answer.new_session.page_script_hash,
                answer.new_session.initialize.session_id or self.session,
            )
            if not answer.metadata.run.fragment_ids:
                self.widgets, self.texts, self.charts, self.again = {}, [], 0, {}
        elif kind == "navigation":
            self.pages = {page.page_name: page.page_script_hash for page in answer.navigation.app_pages}
            self.page = answer.navigation.page_script_hash
        elif kind == "auth_redirect":
            self.sent_to = answer.auth_redirect.url
        elif kind == "auto_rerun":
            self.again[answer.auto_rerun.fragment_id] = answer.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for fragment in answer.stop_auto_rerun.fragment_ids:
                self.again.pop(fragment, None)
        elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
            self._see(answer.delta.new_element, answer.delta.fragment_id)

    def _see(self, element, fragment):
        kind = element.WhichOneof("type")
        part = getattr(element, kind)
        if kind == "exception":
            self.faults.append(f"{part.type}: {part.message}")
        elif kind == "alert" or kind in ("markdown", "heading"):
            self.texts.append(part.body)
        elif kind == "progress":
            self.texts.append(part.text)
        elif kind == "bidi_component" and part.component_name == "opnb_chart":
            self.charts += 1
        elif hasattr(part, "label"):
            self.widgets[part.label] = (kind, part, fragment)

    def follow(self, until, patience=PATIENCE):
        """Ask for news as often as the page wants it, until a condition holds."""
        deadline = time.monotonic() + patience
        while not until(self):
            assert time.monotonic() < deadline, f"it never came: {self.texts}"
            assert not self.faults, self.faults
            if self.again:
                fragment, interval = next(iter(self.again.items()))
                time.sleep(interval)
                if fragment in self.again:
                    self.ask(fragment, follow=True)
            else:
                time.sleep(0.2)
                self.ask(follow=True)
        return self

    def press(self, label):
        kind, part, fragment = self.widgets[label]
        assert kind == "button", kind
        self.ask(fragment, **{part.id: True})

    def set(self, label, **value):
        """Give a widget a value, without sending it."""
        part = self.widgets[label][1]
        self.states[part.id] = WidgetState(id=part.id, **value)
        return part

    def choose(self, label, option):
        _, part, fragment = self.widgets[label]
        self.set(label, string_value=part.options[option])
        self.ask(fragment)

    def go(self, page):
        self.page = self.pages[page]
        self.ask()

    def upload(self, label, name, data):
        """Send a file as the browser does: ask where to, put it there, and tell the page."""
        message = BackMsg()
        message.file_urls_request.request_id = uuid.uuid4().hex
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        self.socket.send(message.SerializeToString())
        answer = self._receive(lambda answer: answer.WhichOneof("type") == "file_urls_response")
        urls = answer.file_urls_response.file_urls[0]
        assert put_file(self.address + urls.upload_url, name, data, self.token) == 204
        part = self.widgets[label][1]
        state = WidgetState(id=part.id)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(data), urls.file_id
        info.file_urls.CopyFrom(urls)
        self.states[part.id] = state
        self.ask()


def put_file(url, name, data, token, **headers):
    """Put a file somewhere and give the status of the answer."""
    border = uuid.uuid4().hex
    head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    body = f"{head}Content-Type: text/csv\r\n\r\n".encode() + data + f"\r\n--{border}--\r\n".encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={border}",
        "X-Xsrftoken": token,
        "Cookie": f"_streamlit_xsrf={token}",
    } | headers
    request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
    return status_of(request)


def status_of(request):
    """Send a request and give the status of the answer, whatever it is."""
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def _xsrf_token(address):
    with urllib.request.urlopen(f"{address}/_stcore/host-config", timeout=PATIENCE) as answer:
        json.load(answer)
        cookies = answer.headers.get_all("Set-Cookie") or []
    for cookie in cookies:
        if cookie.startswith("_streamlit_xsrf="):
            return cookie.split("=", 1)[1].split(";")[0]
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE) as answer:
        cookies = answer.headers.get_all("Set-Cookie") or []
    return next(c.split("=", 1)[1].split(";")[0] for c in cookies if c.startswith("_streamlit_xsrf="))
