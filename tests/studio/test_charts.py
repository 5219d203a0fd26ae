"""The one way to a chart: what it sends to the browser, what it believes of the answer, and the file that draws."""

import ast
import asyncio
import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import plotly.graph_objects as go
import pytest
from plotly.basedatatypes import BaseTraceType
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from streamlit.testing.v1 import AppTest

from opnb.studio.ui import page_head, plotly_file
from opnb.studio.ui.charts import selected_rows
from tests.studio.conftest import ROOT, Visit, figures


def looks(at):
    sent = [element.proto.bytes for element in at.get("bidi_component")]
    return [json.loads(data.split(b"\n", 1)[0]) for data in sent if data.startswith(b"{")]  # others are no charts


def page(height=None, frames=0, **settings):
    def script(height, frames, settings):
        import plotly.graph_objects as go

        from opnb.studio.ui.charts import chart

        figure = go.Figure(go.Bar(y=[1, 2]), frames=[go.Frame(name=str(n)) for n in range(frames)])
        figure.layout.height = height
        chart(figure, "one", "Two bars", **settings)

    at = AppTest.from_function(script, kwargs={"height": height, "frames": frames, "settings": settings}).run()
    assert not at.exception, at.exception
    return at


def test_a_figure_goes_to_the_browser_as_it_is():
    at = page(height=321)
    (figure,), (look,) = figures(at), looks(at)
    assert figure == json.loads(go.Figure(go.Bar(y=[1, 2]), layout={"height": 321}).to_json())
    assert look["alt"] == "Two bars"
    assert look["height"] == 321
    assert look["revision"] == "one"
    assert look["plotly"] == plotly_file.address()


def test_nothing_is_offered_that_sends_a_figure_to_another_host():
    config = looks(page())[0]["config"]
    assert config["showSendToCloud"] is False
    assert "sendChartToCloud" in config["modeBarButtonsToRemove"]


@pytest.mark.parametrize(
    ("settings", "operable"),
    [
        ({"bar": False}, False),
        ({"bar": True}, True),
        ({"bar": False, "selects": "a"}, True),
        ({"bar": False, "frames": 2}, True),
    ],
)
def test_only_a_chart_without_tools_is_a_mere_image(settings, operable):
    assert looks(page(**settings))[0]["operable"] is operable


def test_selecting_is_offered_where_something_is_selected():
    removed = looks(page())[0]["config"]["modeBarButtonsToRemove"]
    assert {"lasso2d", "select2d"} <= set(removed)
    removed = looks(page(selects="fit 1"))[0]["config"]["modeBarButtonsToRemove"]
    assert not {"lasso2d", "select2d"} & set(removed)


def test_the_picture_keeps_its_element_and_says_what_its_axes_are():
    visit = Visit(data="example:wine", directions="3")
    before = next(look for look in looks(visit.at) if look["selects"])
    visit.choose("selectbox", "Up", 2)
    after = next(look for look in looks(visit.at) if look["selects"])
    assert after["selects"] == before["selects"]
    assert after["revision"] != before["revision"]
    visit.segment("Curves at the sides", "prior")
    assert next(look for look in looks(visit.at) if look["selects"])["revision"] == after["revision"]


def test_rows_are_read_in_order_and_once():
    assert selected_rows({"selected": {"of": "a", "rows": [7, 3, 7]}}, "a") == [3, 7]


@pytest.mark.parametrize(
    "state",
    [
        None,
        "text",
        {},
        {"selected": None},
        {"selected": [1]},
        {"selected": {"of": "b", "rows": [1]}},
        {"selected": {"rows": [1]}},
        {"selected": {"of": "a"}},
        {"selected": {"of": "a", "rows": "12"}},
        {"selected": {"of": "a", "rows": {"1": 2}}},
        {"selected": {"of": "a", "rows": [None, True, "1", [1], {}, 1.5, float("nan"), float("inf")]}},
    ],
)
def test_nothing_else_from_the_browser_is_a_row(state):
    assert selected_rows(state, "a") == []
    assert selected_rows(state, None) == []


def _html(request):
    return HTMLResponse("<html><head></head></html>", headers={"ETag": "1"})


def ask(path, **headers):
    """Ask a server with our routes and pages of its own, and give the headers and the content of its answer."""
    words = Route("/words", lambda request: PlainTextResponse("<head></head>"))
    places = [*plotly_file.routes(), words, Route("/{path:path}", _html)]
    server = Starlette(routes=places, middleware=[Middleware(page_head.InHead)])
    told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": told, "query_string": b""}
    answers = []

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        answers.append(message)

    with ThreadPoolExecutor(1) as pool:  # in this thread the loop of the browser tests may be running
        pool.submit(lambda: asyncio.run(server(scope, receive, send))).result()
    assert answers[0]["status"] == 200
    return Headers(raw=answers[0]["headers"]), b"".join(answer["body"] for answer in answers[1:])


@pytest.mark.parametrize("folder", ["", "class/", "a/b/"])
def test_plotly_is_served_packed_for_ever(folder):
    headers, content = ask(f"/{folder}{plotly_file.address()}", accept_encoding="gzip, br")
    assert gzip.decompress(content) == plotly_file.FILE.read_bytes()
    assert headers["content-encoding"] == "gzip"
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("text/javascript")


def test_plotly_is_served_plain_to_who_cannot_unpack():
    headers, content = ask(f"/{plotly_file.address()}")
    assert content == plotly_file.FILE.read_bytes()
    assert headers["content-encoding"] == "identity"


def test_a_page_asks_for_plotly_in_its_head():
    headers, content = ask("/diagnose", accept="text/html,*/*", if_none_match="1")
    assert f'src="./{plotly_file.address()}"'.encode() in content
    assert content.endswith(b"</script></head></html>")
    assert b"prefers-reduced-motion" in content, "what every page looks like"
    assert b'setAttribute("role", "status")' in content, "and does"
    assert int(headers["content-length"]) == len(content)
    assert "etag" not in headers


@pytest.mark.parametrize(
    ("path", "accept"), [("/media/report.html", "text/html"), ("/words", "text/html"), ("/diagnose", "image/png")]
)
def test_all_else_goes_through_untouched(path, accept):
    assert b"script" not in ask(path, accept=accept)[1]


def test_the_file_has_its_licences():
    assert "Licensed under the MIT license" in plotly_file.FILE.read_text("utf8")[:400]
    licences = (plotly_file.FILE.parent / "plotly-4.1.1.LICENSES.txt").read_text("utf8")
    assert "Copyright (c) 2016-2024 Plotly Technologies Inc." in licences


def test_the_file_is_of_the_version_that_the_python_package_has():
    from plotly.offline import get_plotlyjs_version

    assert f"v{get_plotlyjs_version()}\n" in plotly_file.FILE.read_text("utf8")[:400]


KINDS = {
    name.lower()
    for name in dir(go)
    if issubclass(type(kind := getattr(go, name)), type) and issubclass(kind, BaseTraceType)
}


def words_in(file):
    """Find the texts and the names of classes in some source: our figures name the kind of a trace by either."""
    for node in ast.walk(ast.parse(file.read_text("utf8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Attribute) and node.attr[0].isupper():
            yield node.attr.lower()


def test_the_file_has_every_kind_of_trace_that_a_figure_uses():
    there = set(plotly_file.FILE.read_text("utf8")[:600].split("A part of it: ")[1].split(".")[0].split(", "))
    sources = [*(ROOT / "opnb" / "figures").glob("*.py"), ROOT / "opnb" / "studio" / "ui" / "live.py"]
    used = {word for file in sources for word in words_in(file)} & KINDS
    assert {"scatter", "heatmap", "bar"} <= used
    assert used <= there, "add it to TRACES in opnb/studio/ui/frontend/build_plotly.cjs and build the file again"
