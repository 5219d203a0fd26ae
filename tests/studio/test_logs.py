"""The server's log: lines of JSON that say what happened, and nothing of a user."""

import json
import logging
import time

import pytest
from streamlit.logger import get_logger

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


def test_warnings_of_other_programs_say_only_where_they_were_made(lines):
    """Of a logger that is made after the log was set up, too: Streamlit makes most of them at the first visit."""
    logger = get_logger(f"streamlit.somewhere{time.monotonic_ns()}")
    logger.info("about %s", SECRET)
    logger.warning("about %s", SECRET)
    (line,), written = lines()
    assert (line["logger"], line["level"]) == (logger.name, "warning")
    assert SECRET not in written
    assert all(text.startswith("{") for text in written.splitlines())


def test_a_visit_has_a_number_that_cannot_be_traced_back():
    assert logs.visit_of("a") == logs.visit_of("a") != logs.visit_of("b")
    assert "a" * 30 not in logs.visit_of("a" * 30)


@pytest.mark.parametrize(("wanted", "kinds"), [("errors", ["record"]), ("off", [])])
def test_the_owner_can_turn_the_log_down(monkeypatch, lines, wanted, kinds):
    own = logging.getLogger("opnb")
    before, level = own.handlers[:], own.level
    monkeypatch.setenv(logs.LEVEL_VARIABLE, wanted)
    logs.set_up_logs.cache_clear()
    own.handlers.clear()
    try:
        logs.set_up_logs()
        logs.event("visit", visit="1")
        get_logger("streamlit.somewhere").warning("a warning")
        get_logger("streamlit.somewhere").error("an error")
        assert [line["event"] for line in lines()[0]] == kinds
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
