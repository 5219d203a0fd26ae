"""Whatever file comes in: a table in use, a question, or a sentence with a control that leads on."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opnb.data import example_table
from opnb.studio.data.reading import controls_of
from opnb.studio.visit import intake
from opnb.studio.visit.intake import bring_file, remedies_of
from opnb.studio.visit.sources import Source
from opnb.studio.visit.state import Studio
from tests.data.messy_files import book_of
from tests.data.test_reading_errors import DOING, LINES, VALUES

# of a zip archive, Parquet, gzip, and a model file
STARTS = (b"", b"PK\x03\x04", b"PAR1", b"\x1f\x8b", b"\x10" + b"\x00" * 7 + b'{"')


@pytest.fixture(scope="module", autouse=True)
def no_fits():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intake, "begin_fit", lambda state: None)
        yield


def outcome(name, data):
    """Bring a file into a visit that has a table, and see that it does not end there."""
    state = Studio()
    assert state.offer(Source("example", "iris"), example_table("iris"))
    said = bring_file(state, name, data)
    if said or state.unread is not None:
        check_unread(state, said)
    elif state.draft is not None:
        check_draft(state.draft)
    else:
        assert state.table.name == name
        assert len(state.dataset.class_names) >= 2
    if state.unread is not None or state.draft is not None:
        assert state.table.name == "iris"  # what was in use stays in use


def check_unread(state, said):
    words = said or str(state.unread.error)
    assert DOING.search(words), words
    if not said and state.unread.error.change:
        assert state.unread.error.change in controls_of(state.unread)


def check_draft(draft):
    assert draft.error.endswith(".")
    choices = [name for name in draft.table.frame.columns if name != draft.spec.target]
    assert remedies_of(draft) or choices, draft.error


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=LINES, name=st.sampled_from(["t.csv", "t.json", "t"]))
def test_no_text_ends_in_a_dead_end(lines, name):
    outcome(name, "\n".join(lines).encode())


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(sheets=st.lists(st.lists(st.lists(VALUES, max_size=4), max_size=6), min_size=1, max_size=2))
def test_no_workbook_ends_in_a_dead_end(sheets):
    outcome("book.xlsx", book_of(**{f"S{i}": rows for i, rows in enumerate(sheets)}))


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=60), start=st.sampled_from(STARTS))
def test_no_bytes_end_in_a_dead_end(data, start):
    outcome("any", start + data)
