"""The server's log: lines of JSON that say what happened, and nothing of a user."""

import json
import logging

import pytest

from opnb.studio import logs
from opnb.studio.work.jobs import Job, Queue

SECRET = "Mrs Smith's diagnosis"


@pytest.fixture
def lines(capsys):
    """Give what was logged, as parsed lines."""
    logs.set_up_logs()

    def read():
        written = capsys.readouterr().err
        return [json.loads(line) for line in written.splitlines() if line.startswith("{")], written

    return read


def test_an_event_is_one_line_with_its_numbers(lines):
    logs.event("fit", seconds=1.23456789, rows=100, status="done")
    (line,), _ = lines()
    assert (line["event"], line["seconds"], line["rows"], line["status"]) == ("fit", 1.235, 100, "done")
    assert line["time"].endswith("Z")
    assert line["level"] == "info"


def test_a_text_that_might_be_a_users_never_gets_in():
    with pytest.raises(ValueError, match="fixed words"):
        logs.event("table", status=SECRET)


def test_of_an_error_only_its_type_and_places_are_logged(lines):
    def work(job):
        raise RuntimeError(SECRET)

    job = Queue(1).submit(Job(work, owner="session of somebody"))
    assert job.wait(10)
    found, written = lines()
    record = next(line for line in found if "error" in line)
    assert record["error"] == "RuntimeError"
    assert any(place.startswith("test_logs.py") and place.endswith("work") for place in record["places"])
    assert SECRET not in written
    assert "session of somebody" not in written


def test_records_of_other_programs_say_only_where_they_were_made(lines):
    logger = logging.getLogger("streamlit.somewhere")
    logger.streamlit_console_handler = logging.NullHandler()
    logs.set_up_logs.cache_clear()
    own = logging.getLogger("opnb")
    before = own.handlers[:]
    logs.set_up_logs()
    logger.warning("about %s", SECRET)
    found, written = lines()
    own.handlers[:] = before
    assert found[-1]["logger"] == "streamlit.somewhere"
    assert SECRET not in written


def test_a_visit_has_a_number_that_cannot_be_traced_back():
    assert logs.visit_of("a") == logs.visit_of("a") != logs.visit_of("b")
    assert "a" * 30 not in logs.visit_of("a" * 30)


def test_the_owner_can_turn_the_log_down(monkeypatch, lines):
    own = logging.getLogger("opnb")
    before, level = own.handlers[:], own.level
    monkeypatch.setenv(logs.LEVEL_VARIABLE, "errors")
    logs.set_up_logs.cache_clear()
    try:
        logs.set_up_logs()
        logs.event("visit", visit="1")
        assert lines()[0] == []
    finally:
        own.handlers[:] = before
        own.setLevel(level)


def test_a_visit_with_an_upload_leaves_no_trace_of_its_words(visit, lines):
    rows = [f"{i % 7},{(i * i) % 11},{['Smith', 'Jones'][i % 2]}" for i in range(40)]
    page = visit()
    page.upload("salaries of all.csv", "\n".join(["height,wage,person", *rows]).encode())
    found, written = lines()
    events = [line["event"] for line in found]
    assert {"visit", "table", "fit", "job"} <= set(events)
    assert next(line for line in found if line["event"] == "table")["rows"] == 40
    for word in ("Smith", "Jones", "salaries", "wage", "person", page.state.keeper.id or "no workspace"):
        assert word not in written
    assert len({line["visit"] for line in found if line["event"] in ("visit", "table", "job")}) == 1
