"""Names that users bring are text on every page, whatever they look like."""

import csv
import io
import re

import pytest
from google.protobuf.descriptor import FieldDescriptor

from opnb.studio.benchmark.desk import desk_of
from opnb.studio.ui.text import escaped
from opnb.studio.visit import exports
from tests.studio import nasty

# Strings of these kinds are shown as they are, not read as Markdown, or are no words for a visitor at all.
NOT_MARKDOWN = {
    "Selectbox.options",
    "MultiSelect.options",
    "MultiSelect.default",
    "Selectbox.raw_value",
    "MultiSelect.raw_values",
    "Code.code_text",
    "PlotlyChart.spec",
    "PlotlyChart.alt",
    "Dataframe.alt",
    "ArrowDataFrame.alt",
    "PlotlyChart.config",
    "TextInput.default",
    "TextInput.value",
    "TextArea.default",
    "TextArea.value",
    "ArrowData.columns",
}
SKIPPED = {"id", "key", "element_id", "form_id", "url", "page_script_hash", "columns"}


def words_of(message, path=""):
    """Give every string in a message of the protocol, with the kind of place it stands at."""
    for field, value in message.ListFields():
        name = f"{message.DESCRIPTOR.name}.{field.name}"
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.message_type.GetOptions().map_entry:
                continue
            for part in value if field.is_repeated else [value]:
                yield from words_of(part, name)
        elif field.type == FieldDescriptor.TYPE_STRING:
            for text in value if field.is_repeated else [value]:
                yield name, text


def nodes(block):
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from nodes(child)


def live_words(at):
    """Give all that Markdown would act upon and that came from the table."""
    found = []
    for node in nodes(at._tree):
        proto = getattr(node, "proto", None)
        if proto is None:
            continue
        for name, text in words_of(proto):
            if name in NOT_MARKDOWN or name.split(".")[1] in SKIPPED:
                continue
            found += [(name, live, text[:200]) for live in nasty.LIVE if _unescaped(live, text)]
    return found


def _unescaped(live, text):
    return re.search(r"(?<!\\)" + re.escape(live), text)


def live_in_figures(page):
    """Give what Plotly would read as its small HTML, as a template or as LaTeX."""
    texts = []

    def strings(value):
        if isinstance(value, dict):
            for part in value.values():
                strings(part)
        elif isinstance(value, list):
            for part in value:
                strings(part)
        elif isinstance(value, str):
            texts.append(value)

    for figure in page.figures():
        strings(figure)
    return [
        (live, text[:200])
        for text in texts
        for live in (f"<b>{nasty.MARK}", "<img", "<script", "<a href", "$\\href", "$x$", "%{x} {{")
        if live in text
    ]


def check(page):
    assert not page.at.exception
    assert live_words(page.at) == []
    assert live_in_figures(page) == []


@pytest.fixture
def page(visit):
    page = visit()
    page.upload(nasty.FILE_NAME, nasty.table())
    assert not page.errors
    assert any(name.startswith("<img") for name in page.state.dataset.class_names)
    return page


def test_names_are_text_on_the_workbench(page):
    check(page)
    page.choose("number_input", "Why this row?", 5)
    check(page)
    for place in range(len(page.find("segmented_control", "More about this fit").options)):
        page.segment("More about this fit", place)
        check(page)


def test_no_cell_of_an_export_is_a_formula(page):
    for export in (exports.predictions, exports.projections, exports.loadings):
        written = export(page.state.result)
        cells = [cell for line in csv.reader(io.StringIO(written.decode("utf-8-sig"))) for cell in line]
        assert any(nasty.MARK in cell for cell in cells)
        for cell in cells:
            assert not cell.startswith(("=", "@", "\t", "\r", "\n")), cell
            assert not cell.startswith(("+", "-")) or float(cell) is not None


def test_names_of_fits_are_text_there_and_in_the_studies(page):
    (result,) = page.state.fits[-1:]
    page.state.names[result.id] = nasty.NAMES["bold"] + nasty.NAMES["html"]
    for name in ("Workbench", "Diagnose", "Tune"):
        page.go(name)
        check(page.waited())
    shown = page.find("segmented_control", "What to try")
    for view in ("Starts", "Directions", "Columns"):
        assert any(view in option.content for option in shown.proto.options), [o.content for o in shown.proto.options]
        page.segment("What to try", view)
        check(page.waited())


def test_names_are_text_on_the_page_of_data_and_in_its_errors(page):
    check(page.go("Data"))
    page.upload(nasty.FILE_NAME, b"a\n" + nasty.NAMES["html"].encode())
    assert page.errors
    check(page)
    broken = nasty.table().replace(b",-0.", b",<img src=x>0.")
    page.upload(nasty.NAMES["image"] + ".csv", broken)
    check(page)


@pytest.mark.slow
def test_names_are_text_on_compare_and_learn(page):
    check(page.go("Compare"))
    check(page.go("Learn"))


def test_names_in_a_results_file_are_text(page):
    page.go("Benchmark")
    check(page)
    desk_of(page.state).problem = nasty.NAMES["html"]
    check(page.run())


@pytest.mark.parametrize("name", ["html", "template", "newlines"])
def test_a_link_of_a_stranger_is_text(visit, name):
    words = nasty.NAMES[name]
    page = visit(data=f"upload:{words}", lam=words, target=words, view=words)
    assert page.words
    check(page)


@pytest.mark.parametrize("text", ["http://a.example/b", "HTTPS://a.example", "www.a.example", "x@a.example"])
def test_an_address_is_no_link(text):
    written = escaped(text)
    shown = written.replace("\\", "").replace("\u2060", "")
    assert shown == text
    # What GitHub's Markdown makes links of, once the backslashes are gone.
    assert not re.search(r"https?://|www\.|\w@\w", written.replace("\\", ""), re.IGNORECASE)
